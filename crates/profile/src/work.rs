//! The tools with which a host's model keeps its to-do list.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a host's to-do list shows in its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The tools that write the list, or one item of it.
    #[serde(default)]
    pub tools: Vec<WorkTool>,
}

/// One tool that writes to-do items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTool {
    /// Its name as hooks see it.
    pub name: String,
    /// The argument that holds the whole list, each time; of a text its lines are items, as Markdown has them. Absent: the
    /// arguments are one item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// The key of an item's text.
    pub text: String,
    /// The key of its state. Absent: it is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The key of the name by which the host calls the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where that name stands in the tool's answer, with dots between levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_in_answer: Option<String>,
}

/// How far a piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkState {
    /// To be done.
    Todo,
    /// Being done.
    Doing,
    /// Done.
    Done,
    /// Not to be done any more.
    Dropped,
}

impl WorkState {
    /// The spelling in the journal and in commands.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Doing => "doing",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }

    /// The state that a word means, as hosts write it.
    pub fn of(word: &str) -> Option<Self> {
        let plain: String = word.chars().filter(char::is_ascii_alphabetic).collect();
        Some(match plain.to_ascii_lowercase().as_str() {
            "todo" | "pending" | "open" | "notstarted" | "queued" => Self::Todo,
            "doing" | "inprogress" | "active" | "started" | "blocked" => Self::Doing,
            "done" | "completed" | "complete" | "finished" | "closed" => Self::Done,
            "dropped" | "cancelled" | "canceled" | "deleted" | "removed" | "skipped" => Self::Dropped,
            _ => return None,
        })
    }
}

/// What a host's tool said of one piece of work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldItem {
    /// The name by which the host calls it.
    pub id: Option<String>,
    /// What is to be done; nothing where only the host's name says which it is.
    pub text: Option<String>,
    /// How far it is; nothing where that was not said.
    pub state: Option<WorkState>,
}

/// What a host's tool said of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldWork {
    /// The items.
    pub items: Vec<ToldItem>,
    /// They are the whole list: what it had before and has no more was dropped.
    pub is_whole: bool,
}

impl Work {
    /// What a call of a tool said of the work, if it is one of the host's tools for it.
    pub fn told(&self, tool: &str, input: &Value, answer: Option<&Value>) -> Option<ToldWork> {
        let tool = self.tools.iter().find(|known| known.name == tool)?;
        let Some(list) = &tool.items else {
            let mut item = tool.item(input)?;
            if let (Some(path), Some(answer)) = (&tool.id_in_answer, answer) {
                item.id = item.id.or_else(|| named(path.split('.').try_fold(answer, |at, key| at.get(key))?));
            }
            return Some(ToldWork { items: vec![item], is_whole: false });
        };
        let items = match input.get(list)? {
            Value::Array(items) => items.iter().filter_map(|item| tool.item(item)).collect(),
            Value::String(text) => text.lines().filter_map(of_line).collect(),
            _ => return None,
        };
        Some(ToldWork { items, is_whole: true })
    }
}

impl WorkTool {
    fn item(&self, item: &Value) -> Option<ToldItem> {
        if let Value::String(text) = item {
            return of_line(text).or_else(|| told(text, WorkState::Todo));
        }
        let text = |key: &str| item.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty());
        let state = self.state.as_deref().and_then(text).and_then(WorkState::of);
        let item = ToldItem {
            id: self.id.as_deref().and_then(|key| named(item.get(key)?)),
            text: text(&self.text).map(str::to_owned),
            state,
        };
        (item.text.is_some() || item.id.is_some()).then_some(item)
    }
}

fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn told(text: &str, state: WorkState) -> Option<ToldItem> {
    let text = text.trim();
    (!text.is_empty()).then(|| ToldItem { id: None, text: Some(text.to_owned()), state: Some(state) })
}

/// `- [ ] text`, `* [x] text`, `1. [~] text`.
fn of_line(line: &str) -> Option<ToldItem> {
    let rest = line.trim().trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start_matches(['-', '*', '+', '.', ')']).trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let state = match mark.trim() {
        "" => WorkState::Todo,
        "x" | "X" | "✓" | "✔" => WorkState::Done,
        "-" => WorkState::Dropped,
        _ => WorkState::Doing,
    };
    told(text, state)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn work() -> Work {
        let text = r#"
            [[tools]]
            name = "write_list"
            items = "todos"
            text = "content"
            state = "status"

            [[tools]]
            name = "create"
            text = "subject"
            id_in_answer = "task.id"

            [[tools]]
            name = "update"
            text = "subject"
            state = "status"
            id = "taskId"
        "#;
        toml::from_str(text).expect("a profile's part")
    }

    fn item(id: Option<&str>, text: Option<&str>, state: Option<WorkState>) -> ToldItem {
        ToldItem { id: id.map(Into::into), text: text.map(Into::into), state }
    }

    #[test]
    fn a_whole_list_is_read_in_every_form() {
        let list = json!({"todos": [
            {"content": "a", "status": "pending"}, {"content": "b", "status": "in_progress"},
            {"content": "c", "status": "completed"}, {"content": "  ", "status": "pending"}, {"content": "d", "status": "?"},
            "e", "- [x] f", 7,
        ]});
        let told = work().told("write_list", &list, None).expect("a list");
        assert!(told.is_whole);
        let expected = [
            item(None, Some("a"), Some(WorkState::Todo)),
            item(None, Some("b"), Some(WorkState::Doing)),
            item(None, Some("c"), Some(WorkState::Done)),
            item(None, Some("d"), None),
            item(None, Some("e"), Some(WorkState::Todo)),
            item(None, Some("f"), Some(WorkState::Done)),
        ];
        assert_eq!(told.items, expected);
        let text = json!({"todos": "# Plan\n- [ ] a\n* [x] b\n1. [-] c\n- [~] d\nprose [not] an item"});
        let told = work().told("write_list", &text, None).expect("a list");
        let states: Vec<_> = told.items.iter().map(|item| item.state.map(WorkState::as_str)).collect();
        assert_eq!(states, [Some("todo"), Some("done"), Some("dropped"), Some("doing")]);
    }

    #[test]
    fn single_items_are_known_by_the_host_s_name() {
        let created = work().told("create", &json!({"subject": "a"}), Some(&json!({"task": {"id": 3}})));
        assert_eq!(created.expect("an item").items, [item(Some("3"), Some("a"), None)]);
        let updated = work().told("update", &json!({"taskId": "3", "status": "deleted"}), None);
        let updated = updated.expect("an item");
        assert_eq!(updated.items, [item(Some("3"), None, Some(WorkState::Dropped))]);
        assert!(!updated.is_whole);
    }

    #[test]
    fn what_is_no_list_is_none() {
        for (tool, input) in [
            ("other", json!({"todos": []})),
            ("write_list", json!({})),
            ("write_list", json!({"todos": 5})),
            ("create", json!({"description": "x"})),
            ("create", json!(null)),
        ] {
            assert_eq!(work().told(tool, &input, None), None, "{tool} {input}");
        }
    }
}
