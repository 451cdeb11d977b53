//! pi: what Remora's extension tells read as events, replies written for it, and what must be known of
//! the host outside a call.
//!
//! pi runs no programs by itself. The extension is a file of the installer's; it runs one executable, with the
//! event as its first argument.

mod dialect;

use remora_dialect::Hooks;
use remora_event::{Budget, Event, EventKind, Reply, Unit, Via};
use remora_hook::{Hook, Payload};

/// This adapter's id, and the host's.
pub const ADAPTER: &str = "pi";

/// What must be known of pi outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// pi has no limit of its own.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

const ALL: Hooks = Hooks { adapter: ADAPTER, parse, render, budget: BUDGET };

/// A session starts, goes on, is forked or was loaded again.
pub const SESSION_START: Hook = ALL.silent(EventKind::SessionStart);
/// The person sends a prompt. What the session's start should have been given comes with the first one, and again
/// with the next one after a compaction.
pub const USER_PROMPT: Hook = ALL.late(EventKind::UserPrompt);
/// A tool has run.
pub const POST_TOOL_USE: Hook = ALL.late(EventKind::PostToolUse);
/// A tool has failed.
pub const TOOL_FAILURE: Hook = ALL.late(EventKind::ToolFailure);
/// The context was compacted.
pub const POST_COMPACT: Hook = ALL.silent(EventKind::PostCompact);
/// The agent's turn has ended.
pub const STOP: Hook = ALL.silent(EventKind::Stop);
/// The session has ended.
pub const SESSION_END: Hook = ALL.silent(EventKind::SessionEnd);

/// Every hook, with the name that the extension gives its event.
pub const HOOKS: [(&str, &Hook); 7] = [
    ("session-start", &SESSION_START),
    ("user-prompt", &USER_PROMPT),
    ("post-tool-use", &POST_TOOL_USE),
    ("tool-failure", &TOOL_FAILURE),
    ("post-compact", &POST_COMPACT),
    ("stop", &STOP),
    ("session-end", &SESSION_END),
];

/// Makes the event. Id, time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let parent = payload.text("parent_session");
    let mut event = dialect::DIALECT.parse(kind, payload);
    event.via = Via::Plugin;
    event.parent_session = parent;
    Some(event)
}

/// A reply as the extension reads it: one JSON object on one line, or nothing.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    dialect::OUTPUT.render(reply, event)
}
