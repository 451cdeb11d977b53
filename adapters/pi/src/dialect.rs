//! How Remora's extension for pi speaks.

use remora_dialect::{Dialect, FailureSigns, Fields, Form, Output, Prompts, Tools};
use remora_event::{EventKind, ToolKind};

use crate::ADAPTER;

pub(crate) static DIALECT: Dialect = Dialect {
    adapter: ADAPTER,
    fields: FIELDS,
    prompts: PROMPTS,
    tools: TOOLS,
    plain_answer: |_, answer| answer,
};

/// There are no ids of turns, and no subagents.
const FIELDS: Fields = Fields { session_in_path: session_in, ..Fields::USUAL };

/// The id in `2026-11-29T21-03-31-617Z_01a2291e-c320-73e1-bff3-db237faf0984.jsonl`.
fn session_in(path: &str) -> Option<&str> {
    remora_dialect::stem(path)?.split_once('_').map(|(_, id)| id)
}

/// Files that are named on the command line stand before what was typed.
const PROMPTS: Prompts = Prompts { inserted: &["file"], ..Prompts::PLAIN };

const TOOLS: Tools = Tools {
    kinds: &[
        ("bash", ToolKind::Shell),
        ("read", ToolKind::Read),
        ("write", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("grep", ToolKind::Search),
        ("find", ToolKind::Search),
        ("ls", ToolKind::Search),
    ],
    // Tools of others come from their extensions, under names of their own.
    mcp: &[],
    memory: &[],
    memory_indexes: &[],
    paths: &["path"],
    kept: &[],
    kept_always: &[],
    failure: FailureSigns::NONE,
};

/// The extension takes context where it has a place for it.
pub(crate) static OUTPUT: Output = Output {
    context: &[
        (EventKind::UserPrompt, "user-prompt"),
        (EventKind::PostToolUse, "post-tool-use"),
        (EventKind::ToolFailure, "tool-failure"),
    ],
    form: Form::Flat,
    also_plain: &[],
};

#[cfg(test)]
mod tests {
    #[test]
    fn the_profile_has_the_same_names() {
        remora_conformance::check_profile(crate::PROFILE_TOML, &super::DIALECT);
    }
}
