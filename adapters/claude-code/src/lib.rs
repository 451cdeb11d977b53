//! Claude Code: its payloads read as events, replies written as its hooks' output, and what must be known
//! of it outside a call.

mod dialect;
mod origin;
mod payload;

use remora_dialect::Hooks;
use remora_event::{Budget, Event, EventKind, Reply, Unit, Want};
use remora_hook::{Elsewhere, Hook};

pub use payload::parse;

/// This adapter's id, and the host's unless another host runs Claude Code's hooks.
pub const ADAPTER: &str = "claude-code";

/// What must be known of Claude Code outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// Claude Code takes so much context from one hook; longer text goes to a file and the model sees a preview
/// of 2 KB.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

const ALL: Hooks = Hooks { adapter: ADAPTER, parse, render, budget: BUDGET };

/// What Copilot CLI takes at a session's start is gone when the session is resumed: it is given the start with a prompt.
const START_IN_COPILOT: Elsewhere = Elsewhere { host: origin::COPILOT, want: Want::Ack, late: false };
/// Such a prompt.
const PROMPT_IN_COPILOT: Elsewhere = Elsewhere { host: origin::COPILOT, want: Want::Context, late: true };

/// A session starts, resumes, forks, is cleared, or goes on after a compaction.
pub const SESSION_START: Hook =
    Hook { elsewhere: &[START_IN_COPILOT], ..ALL.context(EventKind::SessionStart) };
/// The person sends a prompt.
pub const USER_PROMPT_SUBMIT: Hook =
    Hook { elsewhere: &[PROMPT_IN_COPILOT], ..ALL.context(EventKind::UserPrompt) };
/// A tool is about to run.
pub const PRE_TOOL_USE: Hook = ALL.late(EventKind::PreToolUse);
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
/// The context was compacted.
pub const POST_COMPACT: Hook = ALL.silent(EventKind::PostCompact);
/// The agent's turn has ended.
pub const STOP: Hook = ALL.silent(EventKind::Stop);
/// The session has ended.
pub const SESSION_END: Hook = ALL.silent(EventKind::SessionEnd);

/// Every hook, with the name that Claude Code gives its event.
pub const HOOKS: [(&str, &Hook); 11] = [
    ("SessionStart", &SESSION_START),
    ("UserPromptSubmit", &USER_PROMPT_SUBMIT),
    ("PreToolUse", &PRE_TOOL_USE),
    ("PostToolUse", &POST_TOOL_USE),
    ("PostToolUseFailure", &POST_TOOL_USE_FAILURE),
    ("SubagentStart", &SUBAGENT_START),
    ("SubagentStop", &SUBAGENT_STOP),
    ("PreCompact", &PRE_COMPACT),
    ("PostCompact", &POST_COMPACT),
    ("Stop", &STOP),
    ("SessionEnd", &SESSION_END),
];

/// A reply as Claude Code's hooks print it: one JSON object on one line, or nothing.
pub fn render(reply: &Reply, event: &Event) -> Option<String> {
    dialect::OUTPUT.render(reply, event)
}
