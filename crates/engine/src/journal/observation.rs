//! Observations: what is worth finding again of an event, by rule and without a model.

use remora_event::{Event, EventKind, Tool, ToolKind};
use rusqlite::{Connection, params};
use serde_json::Value;

use super::reinforcement;

/// At most so many characters of a title are kept.
const TITLE: usize = 200;

/// At most so many characters of an observation's text are kept for finding and showing.
const BODY: usize = 4_000;

/// The name under which the highest number is kept that went with its entry. No number is given twice: the indexer
/// may still hold the words of the entry that had it, and people wrote it down.
const REMOVED: &str = "observations_removed";

/// What follows the title of a tool use that failed.
pub(super) const FAILED: &str = " (failed)";

/// One entry worth finding again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Observation {
    /// prompt, turn, read, write, edit, shell, search, web, mcp, agent, memory, note, other.
    pub(crate) kind: &'static str,
    /// One line for people.
    pub(crate) title: String,
    /// The text that is searched beside the title.
    pub(crate) body: String,
    /// Files it is about.
    pub(crate) paths: Vec<String>,
    /// What it says, whoever says it, as a digest.
    content: Option<[u8; 16]>,
}

impl Observation {
    /// An entry that says what its text says.
    pub(super) fn new(kind: &'static str, title: &str, text: &str, paths: Vec<String>) -> Self {
        Self {
            kind,
            title: head(title, TITLE),
            body: head(text, BODY),
            paths,
            content: reinforcement::content(kind, text),
        }
    }

    /// The observation that an event makes by itself, if any. What a turn came to is seen at its end.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        match event.event {
            EventKind::UserPrompt => of_prompt(event.prompt.as_deref()?),
            EventKind::PostToolUse | EventKind::ToolFailure => of_tool(event.tool.as_ref()?),
            EventKind::Notification => of_note(event.extra.get("note")?, event.message.as_deref()),
            _ => None,
        }
    }
}

fn of_prompt(prompt: &str) -> Option<Observation> {
    let prompt = prompt.trim();
    // A prompt that is only a picture says nothing that could be found.
    if prompt.is_empty() || prompt.starts_with("{\"elided\":true") {
        return None;
    }
    Some(Observation::new("prompt", &first_line(prompt), prompt, Vec::new()))
}

/// What another tool has noted of a session, as an import brings it.
fn of_note(note: &Value, text: Option<&str>) -> Option<Observation> {
    let title = note["title"].as_str()?;
    let kind = if note["kind"] == "turn" { "turn" } else { "note" };
    let paths = note["paths"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    Some(Observation::new(kind, &first_line(title), text.unwrap_or(title), paths.collect()))
}

fn of_tool(tool: &Tool) -> Option<Observation> {
    let mut body = String::new();
    collect_text(&tool.input, &mut body);
    let mut answer = String::new();
    // What a file of secrets says is not kept, only that it was read.
    if !tool.paths.iter().any(|path| remora_redact::is_sensitive_path(path)) {
        if let Some(error) = &tool.error {
            push_line(&mut answer, error);
        }
        if let Some(output) = &tool.output {
            collect_text(output, &mut answer);
        }
    }
    let kind = tool.kind.as_str();
    let title = title_of(tool);
    // Hosts name the same tool otherwise and give it other arguments beside what counts.
    let essence = match (tool.kind, asked_of(tool)) {
        (ToolKind::Shell | ToolKind::Read | ToolKind::Search, Some(what)) => {
            reinforcement::content(kind, &format!("{what}\n{answer}"))
        }
        _ => reinforcement::content(kind, &format!("{body}\n{answer}")),
    };
    push_line(&mut body, &answer);
    Some(Observation {
        kind,
        title: head(&title, TITLE),
        body: head(&body, BODY),
        paths: tool.paths.clone(),
        content: essence,
    })
}

fn title_of(tool: &Tool) -> String {
    let failed = if tool.error.is_some() { FAILED } else { "" };
    match what_of(tool) {
        Some(what) => format!("{}: {what}{failed}", tool.name),
        None => format!("{}{failed}", tool.name),
    }
}

/// What a tool was asked to do, in one line: the command, the file, the pattern, the address, the task.
pub(crate) fn what_of(tool: &Tool) -> Option<String> {
    asked_of(tool).map(|what| first_line(&what)).filter(|what| !what.is_empty())
}

/// The same, whole.
pub(super) fn asked_of(tool: &Tool) -> Option<String> {
    let text = |key: &str| tool.input.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool.kind {
        ToolKind::Shell => text("command").or_else(|| text("cmd")),
        ToolKind::Read | ToolKind::Write | ToolKind::Edit => tool.paths.first().cloned(),
        ToolKind::Search => text("pattern").or_else(|| text("query")),
        ToolKind::Web => text("url").or_else(|| text("query")),
        ToolKind::Agent => text("description").or_else(|| text("prompt")),
        ToolKind::Mcp | ToolKind::Memory | ToolKind::Other => {
            text("query").or_else(|| text("description")).or_else(|| tool.paths.first().cloned())
        }
    }
}

/// Every text in a value, one after the other, as far as an observation keeps it.
pub(super) fn collect_text(value: &Value, into: &mut String) {
    if into.len() >= BODY * 4 {
        return;
    }
    match value {
        Value::String(text) => push_line(into, text),
        Value::Array(items) => items.iter().for_each(|item| collect_text(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect_text(field, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn push_line(into: &mut String, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    if !into.is_empty() {
        into.push('\n');
    }
    into.push_str(text);
}

/// The first line of a text, cut.
pub(crate) fn first_line(text: &str) -> String {
    head(text.trim().lines().next().unwrap_or_default().trim(), TITLE)
}

pub(super) fn head(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Writes an observation; its words join the search when the indexer comes to it. What the project's journal says
/// already is reinforced instead.
pub(super) fn insert(
    connection: &Connection,
    event: i64,
    session: i64,
    at_ms: i64,
    agent: &str,
    observation: &Observation,
) -> rusqlite::Result<()> {
    if let Some(content) = &observation.content
        && let Some(known) = reinforcement::said_before(connection, session, content)?
    {
        return reinforcement::reinforce(connection, known, (event, session, at_ms, agent));
    }
    connection
        .prepare_cached(
            "INSERT INTO observations
                (id, event, session, project, kind, agent, at, title, body, paths, content, last_at)
             SELECT 1 + max(coalesce((SELECT max(id) FROM observations), 0),
                            coalesce((SELECT value FROM progress WHERE name = ?10), 0)),
                    ?1, ?2, sessions.project, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?5 FROM sessions WHERE sessions.id = ?2",
        )?
        .execute(params![
            event,
            session,
            observation.kind,
            agent,
            at_ms,
            observation.title,
            observation.body,
            serde_json::to_string(&observation.paths).unwrap_or_else(|_| "[]".into()),
            observation.content.as_ref().map(|content| &content[..]),
            REMOVED,
        ])?;
    let id = connection.last_insert_rowid();
    for path in &observation.paths {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO observation_paths (observation, path, name) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![id, path, name])?;
    }
    Ok(())
}

/// Takes back what an event made. An entry that others made again stays theirs.
pub(super) fn take_back(connection: &Connection, id: i64, event: i64) -> rusqlite::Result<()> {
    let was_repeat = connection.prepare_cached("DELETE FROM repeats WHERE event = ?1")?.execute([event])? > 0;
    let is_repeated: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM repeats WHERE observation = ?1)")?
        .query_row([id], |row| row.get(0))?;
    if was_repeat || is_repeated {
        return Ok(());
    }
    remove(connection, id)
}

/// Removes an entry with its words.
pub(super) fn remove(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM observation_words WHERE rowid = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM observations WHERE id = ?1")?.execute([id])?;
    connection
        .prepare_cached(
            "INSERT INTO progress (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = max(value, ?2)",
        )?
        .execute(params![REMOVED, id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, kind: ToolKind, input: Value, output: Value) -> Tool {
        Tool {
            name: name.into(),
            call: None,
            input,
            output: Some(output),
            error: None,
            duration_ms: None,
            kind,
            paths: Vec::new(),
        }
    }

    #[test]
    fn a_command_is_titled_by_its_first_line_and_found_by_its_output() {
        let made = of_tool(&tool(
            "Bash",
            ToolKind::Shell,
            json!({"command": "cargo test\n# all", "description": "run tests"}),
            json!({"stdout": "test result: FAILED", "stderr": ""}),
        ))
        .expect("an observation");
        assert_eq!(made.title, "Bash: cargo test");
        assert!(made.body.contains("FAILED") && made.body.contains("run tests"));
    }

    #[test]
    fn what_a_file_of_secrets_says_is_not_kept() {
        let mut read = tool("Read", ToolKind::Read, json!({"file_path": "/p/.env"}), json!("HUSH=1"));
        read.paths = vec!["/p/.env".into()];
        let made = of_tool(&read).expect("an observation");
        assert!(!made.body.contains("HUSH"), "{}", made.body);
        assert_eq!(made.title, "Read: /p/.env");
    }

    #[test]
    fn a_prompt_of_nothing_makes_none() {
        assert_eq!(of_prompt("  "), None);
        assert_eq!(of_prompt("{\"elided\":true,\"media_type\":\"image/png\"}"), None);
    }
}
