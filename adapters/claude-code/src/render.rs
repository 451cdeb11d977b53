//! A reply as Claude Code's hooks print it.

use remora_event::{Event, EventKind, Reply};
use serde_json::{Map, Value, json};

use crate::origin::COPILOT;

/// One JSON object on one line, or nothing.
///
/// At the end of a turn, of a subagent and of a session, and around a compaction, nothing is ever
/// printed: text there makes the agent go on, or an error appear on the person's screen.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    let name = name_where_output_is_read(event.event)?;
    let mut output = Map::new();
    if let Some(context) = reply.context.as_deref().filter(|context| !context.is_empty()) {
        output.insert(
            "hookSpecificOutput".to_owned(),
            json!({"hookEventName": name, "additionalContext": context}),
        );
        if event.host == COPILOT {
            // It reads the plain key, and the other before a tool only.
            output.insert("additionalContext".to_owned(), context.into());
        }
    }
    if let Some(notice) = reply.notice.as_deref().filter(|notice| !notice.is_empty()) {
        output.insert("systemMessage".to_owned(), notice.into());
    }
    (!output.is_empty()).then(|| format!("{}\n", Value::Object(output)))
}

/// Claude Code's name of the event, where it reads a hook's output.
fn name_where_output_is_read(event: EventKind) -> Option<&'static str> {
    Some(match event {
        EventKind::SessionStart => "SessionStart",
        EventKind::UserPrompt => "UserPromptSubmit",
        EventKind::PreToolUse => "PreToolUse",
        EventKind::PostToolUse => "PostToolUse",
        EventKind::ToolFailure => "PostToolUseFailure",
        EventKind::SubagentStart => "SubagentStart",
        _ => return None,
    })
}
