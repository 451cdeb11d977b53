//! A payload of Codex's as an event.

use remora_event::{Event, EventKind, Tool};
use remora_hook::Payload;
use serde_json::Value;

use crate::{dialect::DIALECT, patch};

/// Makes the event, or nothing for a session of Codex's own. Id, time and what the call can take are the
/// caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let mut event = DIALECT.parse(kind, payload);
    if tidies_memory(&event) {
        return None;
    }
    if let Some(tool) = &mut event.tool {
        add_patched(tool, &event.cwd);
    }
    Some(event)
}

/// Codex tidies its own memory in hidden sessions, which stand in its memory's folder, beside that of the
/// transcripts.
fn tidies_memory(event: &Event) -> bool {
    let Some(transcript) = &event.transcript else { return false };
    let Some((home, _)) = transcript.split_once("/sessions/") else { return false };
    let below = event.cwd.strip_prefix(home).and_then(|rest| rest.strip_prefix("/memories"));
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The files of a patch are in its text alone.
fn add_patched(tool: &mut Tool, cwd: &str) {
    let text = match &tool.input {
        Value::String(text) => text,
        input => match input.get("command").or_else(|| input.get("input")).and_then(Value::as_str) {
            Some(text) => text,
            None => return,
        },
    };
    for path in patch::paths(text, cwd) {
        if !tool.paths.contains(&path) {
            tool.paths.push(path);
        }
    }
}
