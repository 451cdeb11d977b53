//! Gemini CLI: its payloads read as events, replies written as its hooks' output, and what must be known of
//! it outside a call.

mod dialect;

use remora_dialect::Hooks;
use remora_event::{Budget, Event, EventKind, Reply, Unit};
use remora_hook::{Hook, Payload};

/// This adapter's id, and the host's.
pub const ADAPTER: &str = "gemini-cli";

/// What must be known of Gemini CLI outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// Gemini CLI has no limit of its own at a prompt. What is after a tool goes the way of the tool's answer,
/// which is cut at some 40,000 characters.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

const ALL: Hooks = Hooks { adapter: ADAPTER, parse, render, budget: BUDGET };

/// A session starts, resumes or is cleared. Context is taken here and does harm: where there is no terminal it
/// is put before the first prompt, in one text with it, which is then no slash command any more, and which a
/// resumed session leaves out of its history.
pub const SESSION_START: Hook = ALL.silent(EventKind::SessionStart);
/// The person sends a prompt. What the session's start should have been given comes with the first one.
pub const BEFORE_AGENT: Hook = ALL.late(EventKind::UserPrompt);
/// A tool is about to run. Context is not taken here.
pub const BEFORE_TOOL: Hook = ALL.silent(EventKind::PreToolUse);
/// A tool has run, well or not.
pub const AFTER_TOOL: Hook = ALL.late(EventKind::PostToolUse);
/// The agent's turn has ended.
pub const AFTER_AGENT: Hook = ALL.silent(EventKind::Stop);
/// The session has ended.
pub const SESSION_END: Hook = ALL.silent(EventKind::SessionEnd);

/// Every hook, with the name that Gemini CLI gives its event. `PreCompress` is none of them: it comes before
/// every request to the model, whether anything is compressed or not.
pub const HOOKS: [(&str, &Hook); 6] = [
    ("SessionStart", &SESSION_START),
    ("BeforeAgent", &BEFORE_AGENT),
    ("BeforeTool", &BEFORE_TOOL),
    ("AfterTool", &AFTER_TOOL),
    ("AfterAgent", &AFTER_AGENT),
    ("SessionEnd", &SESSION_END),
];

/// Makes the event. Id, time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    Some(dialect::DIALECT.parse(kind, payload))
}

/// A reply as Gemini CLI's hooks print it: one JSON object on one line, or nothing.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    dialect::OUTPUT.render(reply, event)
}
