//! `OpenCode`: what Remora's plugin tells read as events, replies written for the plugin, and what must be known of
//! the host outside a call.
//!
//! `OpenCode` runs no programs by itself. The plugin is a file of the installer's; it runs one executable, with the
//! event as its first argument.

mod dialect;

use remora_dialect::Hooks;
use remora_event::{Budget, Event, EventKind, Reply, Unit, Via};
use remora_hook::{Hook, Payload};

/// This adapter's id, and the host's.
pub const ADAPTER: &str = "opencode";

/// What must be known of `OpenCode` outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// `OpenCode` has no limit of its own.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

const ALL: Hooks = Hooks { adapter: ADAPTER, parse, render, budget: BUDGET };

/// A session was made.
pub const SESSION_START: Hook = ALL.silent(EventKind::SessionStart);
/// The person sends a prompt. What the session's start should have been given comes with the first one, and again
/// with the next one after a compaction.
pub const USER_PROMPT: Hook = ALL.late(EventKind::UserPrompt);
/// A tool has run.
pub const POST_TOOL_USE: Hook = ALL.late(EventKind::PostToolUse);
/// A tool has failed.
pub const TOOL_FAILURE: Hook = ALL.late(EventKind::ToolFailure);
/// A subagent starts.
pub const SUBAGENT_START: Hook = ALL.silent(EventKind::SubagentStart);
/// A subagent has ended.
pub const SUBAGENT_STOP: Hook = ALL.silent(EventKind::SubagentStop);
/// The context was compacted.
pub const POST_COMPACT: Hook = ALL.silent(EventKind::PostCompact);
/// The agent's turn has ended.
pub const STOP: Hook = ALL.silent(EventKind::Stop);
/// `OpenCode` ends.
pub const SESSION_END: Hook = ALL.silent(EventKind::SessionEnd);

/// Every hook, with the name that the plugin gives its event.
pub const HOOKS: [(&str, &Hook); 9] = [
    ("session-start", &SESSION_START),
    ("user-prompt", &USER_PROMPT),
    ("post-tool-use", &POST_TOOL_USE),
    ("tool-failure", &TOOL_FAILURE),
    ("subagent-start", &SUBAGENT_START),
    ("subagent-stop", &SUBAGENT_STOP),
    ("post-compact", &POST_COMPACT),
    ("stop", &STOP),
    ("session-end", &SESSION_END),
];

/// Makes the event. Id, time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let version = payload.text("host_version");
    let mut event = dialect::DIALECT.parse(kind, payload);
    event.via = Via::Plugin;
    event.host_version = version;
    event.prompt = event.prompt.map(unquoted);
    Some(event)
}

/// `opencode run` puts quotes around a prompt of several words.
fn unquoted(prompt: String) -> String {
    let inner = prompt.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner.filter(|inner| !inner.is_empty() && !inner.contains('"')) {
        Some(inner) => inner.to_owned(),
        None => prompt,
    }
}

/// A reply as the plugin reads it: one JSON object on one line, or nothing.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    dialect::OUTPUT.render(reply, event)
}
