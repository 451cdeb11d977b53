//! Tools with which a model looks into a memory, and what it asks there.

use serde_json::Value;

/// A question to a memory is cut to this many characters.
const MAX_QUESTION: usize = 500;

/// Where a tool's question stands.
const QUERIES: [&str; 5] = ["query", "queries", "q", "pattern", "text"];

/// The arguments that say what a tool with several uses shall do.
const ACTIONS: [&str; 2] = ["command", "action"];

/// One tool that works on a memory.
#[derive(Debug)]
pub struct MemoryTool {
    /// Its name, without that of a server.
    pub name: &'static str,
    /// What it asks.
    pub question: Question,
}

/// What a memory tool asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Its own question.
    Query,
    /// For the file that it names.
    File,
    /// Its own question when it is told to search, the file when it is told to view.
    Action,
    /// Nothing: it writes, or lists.
    Nothing,
}

/// Tools of this name are a memory's, whichever server they belong to.
const EVERYWHERE: [MemoryTool; 2] = [
    MemoryTool { name: "memory_search", question: Question::Query },
    MemoryTool { name: "memory", question: Question::Action },
];

/// The names of the tools that are a memory's everywhere.
pub(crate) fn names_everywhere() -> impl Iterator<Item = &'static str> {
    EVERYWHERE.iter().map(|tool| tool.name)
}

/// The question of a tool of this name among those everywhere, or nothing when it asks none.
pub(crate) fn question_everywhere(name: &str, input: &Value) -> Option<String> {
    EVERYWHERE.iter().find(|tool| tool.name == name)?.ask(input, &[])
}

impl MemoryTool {
    /// What is asked. Index files are named for what they are, not for what is looked for in them: whoever reads
    /// one asks nothing that a name would say.
    pub(crate) fn ask(&self, input: &Value, indexes: &[&str]) -> Option<String> {
        let query = || QUERIES.iter().find_map(|key| words(input.get(key)?));
        let file = || words_of_file(input.get("path")?.as_str()?, indexes);
        let action = || ACTIONS.iter().find_map(|key| words(input.get(key)?));
        let asked = match self.question {
            Question::Query => query(),
            Question::File => file(),
            Question::Action => match action()?.as_str() {
                "search" => query(),
                "view" => query().or_else(file),
                _ => None,
            },
            Question::Nothing => None,
        };
        Some(asked?.chars().take(MAX_QUESTION).collect())
    }
}

/// A text that is not blank; a list's texts one after the other.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.as_str()?.to_owned(),
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The words of a file's name: `build-times.md` asks for "build times".
fn words_of_file(path: &str, indexes: &[&str]) -> Option<String> {
    let file = path.rsplit(['/', '\\']).find(|part| !part.is_empty())?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    (!indexes.contains(&file)).then(|| stem.replace(['-', '_'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_tool_asks_what_it_is_given() {
        use Question::{Action, File, Nothing, Query};
        for (question, input, asked) in [
            (Query, json!({"query": " where? "}), Some("where?")),
            (Query, json!({"queries": ["zebra", 7, "deploy"]}), Some("zebra deploy")),
            (Query, json!({"query": "", "pattern": "端口"}), Some("端口")),
            (Query, json!({"query": 7}), None),
            (File, json!({"path": "notes/build-times.md"}), Some("build times")),
            (File, json!({"path": "x/INDEX.md"}), None),
            (File, json!({"path": "/"}), None),
            (File, json!({}), None),
            (Action, json!({"command": "search", "query": "q"}), Some("q")),
            (Action, json!({"action": "view", "path": "/m/build_times.md"}), Some("build times")),
            (Action, json!({"command": "create", "path": "/m/a"}), None),
            (Nothing, json!({"query": "q"}), None),
        ] {
            let tool = MemoryTool { name: "x", question };
            assert_eq!(tool.ask(&input, &["INDEX.md"]).as_deref(), asked, "{question:?} {input}");
        }
    }

    #[test]
    fn a_long_question_is_cut() {
        let asked = question_everywhere("memory_search", &json!({"query": "长".repeat(5_000)}));
        assert_eq!(asked.expect("a question").chars().count(), MAX_QUESTION);
    }
}
