//! How Remora's plugin for `OpenCode` speaks.

use remora_dialect::{Dialect, FailureSigns, Fields, Form, McpNames, Output, Prompts, Tools};
use remora_event::{EventKind, ToolKind};

use crate::ADAPTER;

pub(crate) static DIALECT: Dialect = Dialect {
    adapter: ADAPTER,
    fields: FIELDS,
    prompts: PROMPTS,
    tools: TOOLS,
    plain_answer: |_, answer| answer,
};

/// There is no transcript: sessions lie in a database.
const FIELDS: Fields = Fields { turn: &["prompt_id"], transcript: &[], ..Fields::USUAL };

/// The plugin hands over the parts of a prompt that a person typed. What a command of theirs inserts is among them.
const PROMPTS: Prompts = Prompts { inserted: &["system-reminder"], ..Prompts::PLAIN };

const TOOLS: Tools = Tools {
    kinds: &[
        ("bash", ToolKind::Shell),
        ("read", ToolKind::Read),
        ("write", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("multiedit", ToolKind::Edit),
        ("patch", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("glob", ToolKind::Search),
        ("grep", ToolKind::Search),
        ("list", ToolKind::Search),
        ("lsp", ToolKind::Search),
        ("codesearch", ToolKind::Search),
        ("webfetch", ToolKind::Web),
        ("websearch", ToolKind::Web),
        ("task", ToolKind::Agent),
    ],
    mcp: &[McpNames::Bare],
    memory: &[],
    memory_indexes: &[],
    paths: &["filePath", "path", "paths"],
    kept: &[],
    kept_always: &[],
    failure: FailureSigns { error: None, flag: Some("isError"), exit_code: None, silent: &[] },
};

/// The plugin takes context where it has a place for it.
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
