//! A payload of Claude Code's, or of a host that runs its hooks, as an event.

use remora_event::{Agent, Event, EventKind, Outcome, Tool, key_for_prompt, key_for_tool};
use remora_hook::Payload;
use serde_json::{Map, Value};

use crate::{ADAPTER, origin, prompt, tools};

/// What else is worth keeping, by the payload's own names.
const EXTRA: [&str; 11] = [
    "permission_mode",
    "model",
    "session_title",
    "seconds_since_last_response",
    "context_tokens",
    "agent_transcript_path",
    "stop_hook_active",
    "custom_instructions",
    "compact_summary",
    "command_name",
    "workspace_roots",
];

/// Cursor asks hooks at its launch, before there is a session.
const NO_SESSION: &str = "empty-state-draft";

/// Makes the event. Id, time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let host = origin::host(payload);
    let session = session(payload)?;
    let cwd = payload.text("cwd").or_else(|| first_workspace(payload)).unwrap_or_default();
    let mut event = Event::new(kind, String::new(), ADAPTER, session, cwd, String::new());
    host.clone_into(&mut event.host);
    event.host_version = origin::version(payload, host);
    event.turn = payload.first_text(&["prompt_id", "generation_id"]);
    event.agent = agent(payload);
    event.transcript = payload.first_text(&["transcript_path", "transcriptPath"]);
    event.extra = extra(payload);
    match kind {
        EventKind::SessionStart => event.source = payload.text("source"),
        EventKind::UserPrompt => add_prompt(&mut event, payload),
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::ToolFailure => {
            add_tool(&mut event, payload);
        }
        EventKind::PreCompact | EventKind::PostCompact => event.trigger = payload.text("trigger"),
        EventKind::Stop | EventKind::SubagentStop => {
            event.message = payload.take_text("last_assistant_message");
            event.outcome = Some(Outcome::Completed);
        }
        EventKind::SessionEnd => event.reason = payload.text("reason"),
        _ => {}
    }
    Some(event)
}

/// The host's session id; of a payload that lost it, the name of its transcript.
fn session(payload: &Payload) -> Option<String> {
    // Copilot gives a subagent's events the subagent's id, and the session's as its parent's.
    let named = payload.first_text(&["parent_agent_id", "session_id", "sessionId", "conversation_id"]);
    let session = named.or_else(|| {
        let transcript = payload.first_text(&["transcript_path", "transcriptPath"])?;
        let file = transcript.rsplit(['/', '\\']).next()?;
        file.strip_suffix(".jsonl").filter(|stem| !stem.is_empty()).map(str::to_owned)
    });
    let session = session.unwrap_or_else(|| "unknown".to_owned());
    (session != NO_SESSION).then_some(session)
}

fn first_workspace(payload: &Payload) -> Option<String> {
    payload.get("workspace_roots")?.get(0)?.as_str().map(str::to_owned)
}

fn agent(payload: &Payload) -> Option<Agent> {
    let id = payload.first_text(&["agent_id", "agentId", "subagent_id"])?;
    let kind = payload.first_text(&["agent_type", "agentName", "subagent_type"]).unwrap_or_default();
    Some(Agent { id, kind })
}

fn extra(payload: &mut Payload) -> Map<String, Value> {
    let mut extra = Map::new();
    for key in EXTRA {
        if let Some(value) = payload.take(key).filter(|value| !is_empty(value)) {
            extra.insert(key.to_owned(), value);
        }
    }
    if let Some(level) = payload.get("effort").and_then(|effort| effort.get("level")) {
        extra.insert("effort".to_owned(), level.clone());
    }
    extra
}

fn is_empty(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

fn add_prompt(event: &mut Event, payload: &mut Payload) {
    let source = payload.text("source");
    let text = payload.take_text("prompt").unwrap_or_default();
    let synthetic = prompt::is_synthetic(&text, source.as_deref());
    event.prompt = if synthetic { None } else { prompt::own_words(&text) };
    if synthetic {
        event.extra.insert("synthetic".to_owned(), true.into());
    }
    if let Some(source) = source {
        event.extra.insert("prompt_source".to_owned(), source.into());
    }
    event.key = event.turn.as_deref().map(|turn| key_for_prompt(turn, event.agent_id()));
}

fn add_tool(event: &mut Event, payload: &mut Payload) {
    let name = payload.text("tool_name").unwrap_or_default();
    let call = payload.text("tool_use_id");
    let input = payload.take_unfolded("tool_input").unwrap_or_default();
    let output =
        ["tool_response", "tool_result", "tool_output"].into_iter().find_map(|key| payload.take(key));
    let interrupted = payload.flag("is_interrupt").unwrap_or(false)
        || output.as_ref().and_then(|output| output.get("interrupted")) == Some(&Value::Bool(true));
    event.outcome = match event.event {
        _ if interrupted => Some(Outcome::Interrupted),
        EventKind::ToolFailure => Some(Outcome::Failed),
        EventKind::PostToolUse => Some(Outcome::Completed),
        _ => None,
    };
    event.key = call.as_deref().map(|call| key_for_tool(event.event, call, event.agent_id()));
    event.memory_query = tools::memory_query(&name, &input);
    event.tool = Some(Tool {
        kind: tools::kind(&name, &input),
        paths: tools::paths(&input, &event.cwd),
        output: output.and_then(|output| tools::slim_output(&name, output)),
        error: payload.take_text("error").or_else(|| payload.take_text("error_message")),
        duration_ms: payload.number("duration_ms").or_else(|| payload.number("duration")),
        name,
        call,
        input,
    });
}
