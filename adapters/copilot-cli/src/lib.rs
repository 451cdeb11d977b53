//! Copilot CLI: its payloads read as events, replies written as its hooks' output, and what must be known of it
//! outside a call.
//!
//! Copilot CLI speaks two dialects, and the spelling of an event's name in its configuration chooses one. Here it
//! is the one with `PascalCase` names, whose payloads are nearer to those of other hosts.

mod dialect;

use remora_dialect::Hooks;
use remora_event::{Budget, Event, EventKind, Reply, Unit};
use remora_hook::{Hook, Payload};

/// This adapter's id, and the host's.
pub const ADAPTER: &str = "copilot-cli";

/// What must be known of Copilot CLI outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// After a tool context is cut at 10,240 characters; elsewhere there is no limit.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

const ALL: Hooks = Hooks { adapter: ADAPTER, parse, render, budget: BUDGET };

/// A session starts or goes on. Context is taken here and not kept: a resumed session does not have it any more.
pub const SESSION_START: Hook = ALL.silent(EventKind::SessionStart);
/// The person sends a prompt. What the session's start should have been given comes with the first one, and again
/// with the next one after a compaction.
pub const USER_PROMPT_SUBMIT: Hook = ALL.late(EventKind::UserPrompt);
/// A tool is about to run. A hook that fails here denies the tool: nothing is said.
pub const PRE_TOOL_USE: Hook = ALL.silent(EventKind::PreToolUse);
/// A tool has run.
pub const POST_TOOL_USE: Hook = ALL.late(EventKind::PostToolUse);
/// A tool has failed.
pub const POST_TOOL_USE_FAILURE: Hook = ALL.late(EventKind::ToolFailure);
/// A subagent starts.
pub const SUBAGENT_START: Hook = ALL.context(EventKind::SubagentStart);
/// A subagent has ended.
pub const SUBAGENT_STOP: Hook = ALL.silent(EventKind::SubagentStop);
/// The context is about to be compacted.
pub const PRE_COMPACT: Hook = ALL.silent(EventKind::PreCompact);
/// The agent's turn has ended.
pub const STOP: Hook = ALL.silent(EventKind::Stop);
/// The session has ended.
pub const SESSION_END: Hook = ALL.silent(EventKind::SessionEnd);

/// Every hook, with the name that Copilot CLI gives its event. `Notification` is none of them: context there becomes a
/// prompt of its own.
pub const HOOKS: [(&str, &Hook); 10] = [
    ("SessionStart", &SESSION_START),
    ("UserPromptSubmit", &USER_PROMPT_SUBMIT),
    ("PreToolUse", &PRE_TOOL_USE),
    ("PostToolUse", &POST_TOOL_USE),
    ("PostToolUseFailure", &POST_TOOL_USE_FAILURE),
    ("SubagentStart", &SUBAGENT_START),
    ("SubagentStop", &SUBAGENT_STOP),
    ("PreCompact", &PRE_COMPACT),
    ("Stop", &STOP),
    ("SessionEnd", &SESSION_END),
];

/// Makes the event. Id, time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let mut event = dialect::DIALECT.parse(kind, payload);
    if event.source.as_deref() == Some("new") {
        event.source = Some("startup".to_owned());
    }
    Some(event)
}

/// A reply as Copilot CLI's hooks print it: one JSON object on one line, or nothing.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    dialect::OUTPUT.render(reply, event)
}
