//! Claude Code: its payloads read as events, replies written as its hooks' output, and what must be known
//! of it outside a call.

mod origin;
mod payload;
mod prompt;
mod render;
mod tools;

use remora_event::{Budget, EventKind, Unit, Want};
use remora_hook::Hook;

pub use payload::parse;
pub use render::render;

/// This adapter's id, and the host's unless another host runs Claude Code's hooks.
pub const ADAPTER: &str = "claude-code";

/// What must be known of Claude Code outside a call.
pub const PROFILE_TOML: &str = include_str!("../profile.toml");

/// Claude Code takes this much context from one hook; longer text goes to a file and the model sees a
/// preview of 2 KB.
const BUDGET: Budget = Budget { amount: 10_000, unit: Unit::Utf16 };

/// A session starts, resumes, forks, is cleared, or goes on after a compaction.
pub const SESSION_START: Hook = Hook { deadline_ms: 1_000, ..answered(EventKind::SessionStart) };
/// The person sends a prompt.
pub const USER_PROMPT_SUBMIT: Hook = answered(EventKind::UserPrompt);
/// A tool is about to run.
pub const PRE_TOOL_USE: Hook = Hook { late: true, ..answered(EventKind::PreToolUse) };
/// A tool has run.
pub const POST_TOOL_USE: Hook = Hook { late: true, ..answered(EventKind::PostToolUse) };
/// A tool has failed.
pub const POST_TOOL_USE_FAILURE: Hook = Hook { late: true, ..answered(EventKind::ToolFailure) };
/// A subagent starts.
pub const SUBAGENT_START: Hook = answered(EventKind::SubagentStart);
/// A subagent has ended.
pub const SUBAGENT_STOP: Hook = told(EventKind::SubagentStop);
/// The context is about to be compacted.
pub const PRE_COMPACT: Hook = told(EventKind::PreCompact);
/// The context was compacted.
pub const POST_COMPACT: Hook = told(EventKind::PostCompact);
/// The agent's turn has ended.
pub const STOP: Hook = told(EventKind::Stop);
/// The session has ended.
pub const SESSION_END: Hook = told(EventKind::SessionEnd);

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

/// A hook whose output reaches the model.
const fn answered(event: EventKind) -> Hook {
    Hook { want: Want::Context, budget: Some(BUDGET), ..told(event) }
}

/// A hook that prints nothing: here Claude Code would go on with the turn, or complain.
const fn told(event: EventKind) -> Hook {
    Hook {
        adapter: ADAPTER,
        event,
        parse,
        render,
        neutral: None,
        deadline_ms: 150,
        want: Want::Ack,
        budget: None,
        late: false,
    }
}
