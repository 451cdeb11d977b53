//! Qwen Code: its payloads read as events, replies written as its hooks' output, and what must be known of it
//! outside a call.

mod dialect;

use remora_dialect::Hooks;
use remora_event::{Budget, Event, EventKind, Reply, Unit};
use remora_hook::{Hook, Payload};
use serde_json::Value;

/// This adapter's id, and the host's.
pub const ADAPTER: &str = "qwen-code";

/// What must be known of Qwen Code outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// Qwen Code has no limit of its own. It writes `&lt;` for `<` and `&gt;` for `>`, which is not counted.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

const ALL: Hooks = Hooks { adapter: ADAPTER, parse, render, budget: BUDGET };

/// A session starts, goes on, is cleared, or was compacted. Context is thrown away here, and without a terminal
/// only a compaction is reported.
pub const SESSION_START: Hook = ALL.silent(EventKind::SessionStart);
/// The person sends a prompt. What the session's start should have been given comes with the first one.
pub const USER_PROMPT_SUBMIT: Hook = ALL.late(EventKind::UserPrompt);
/// A tool is about to run. Context is not taken here.
pub const PRE_TOOL_USE: Hook = ALL.silent(EventKind::PreToolUse);
/// A tool has run.
pub const POST_TOOL_USE: Hook = ALL.late(EventKind::PostToolUse);
/// A tool has failed.
pub const POST_TOOL_USE_FAILURE: Hook = ALL.late(EventKind::ToolFailure);
/// A subagent starts. Context is not taken here.
pub const SUBAGENT_START: Hook = ALL.silent(EventKind::SubagentStart);
/// A subagent has ended.
pub const SUBAGENT_STOP: Hook = ALL.silent(EventKind::SubagentStop);
/// The context was compacted.
pub const POST_COMPACT: Hook = ALL.silent(EventKind::PostCompact);
/// The agent's turn has ended.
pub const STOP: Hook = ALL.silent(EventKind::Stop);
/// The session has ended.
pub const SESSION_END: Hook = ALL.silent(EventKind::SessionEnd);

/// Every hook, with the name that Qwen Code gives its event. `PreCompact` is none of them: it comes before an
/// attempt, of which most come to nothing.
pub const HOOKS: [(&str, &Hook); 10] = [
    ("SessionStart", &SESSION_START),
    ("UserPromptSubmit", &USER_PROMPT_SUBMIT),
    ("PreToolUse", &PRE_TOOL_USE),
    ("PostToolUse", &POST_TOOL_USE),
    ("PostToolUseFailure", &POST_TOOL_USE_FAILURE),
    ("SubagentStart", &SUBAGENT_START),
    ("SubagentStop", &SUBAGENT_STOP),
    ("PostCompact", &POST_COMPACT),
    ("Stop", &STOP),
    ("SessionEnd", &SESSION_END),
];

/// Makes the event, or nothing where the model goes on after a tool: that comes as a prompt without a word. Id,
/// time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let goes_on = kind == EventKind::UserPrompt
        && payload.get("prompt").and_then(Value::as_str).is_some_and(|prompt| prompt.trim().is_empty());
    (!goes_on).then(|| dialect::DIALECT.parse(kind, payload))
}

/// A reply as Qwen Code's hooks print it: one JSON object on one line, or nothing.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    dialect::OUTPUT.render(reply, event)
}
