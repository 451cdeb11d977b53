//! How Gemini CLI speaks.

use remora_dialect::{
    Attachment, Dialect, ExitCode, FailureSigns, Fields, ForModel, Form, McpNames, Output, Prompts, Tools,
};
use remora_event::{EventKind, ToolKind};

use crate::ADAPTER;

pub(crate) static DIALECT: Dialect = Dialect {
    adapter: ADAPTER,
    fields: FIELDS,
    prompts: PROMPTS,
    tools: TOOLS,
    plain_answer: |tool, answer| ANSWERS.plain(tool, answer),
};

const ANSWERS: ForModel = ForModel {
    frame: Some(["<untrusted_context>", "</untrusted_context>"]),
    repeats: Some((&["write_file", "replace"], " Here is the updated code:")),
};

/// There are no ids of turns, calls and subagents.
const FIELDS: Fields = Fields {
    mcp: Some(("mcp_context", ["server_name", "tool_name"])),
    message: &["prompt_response"],
    extra: &["stop_hook_active"],
    ..Fields::USUAL
};

const PROMPTS: Prompts = Prompts {
    inserted: &["hook_context", "session_context"],
    attachment: Some(Attachment {
        begins: "--- Content from referenced files ---",
        ends: "--- End of content ---",
    }),
    ..Prompts::PLAIN
};

const TOOLS: Tools = Tools {
    kinds: &[
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("write_file", ToolKind::Write),
        ("replace", ToolKind::Edit),
        ("run_shell_command", ToolKind::Shell),
        ("list_directory", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("search_file_content", ToolKind::Search),
        ("google_web_search", ToolKind::Web),
        ("web_fetch", ToolKind::Web),
        ("invoke_agent", ToolKind::Agent),
        ("read_mcp_resource", ToolKind::Mcp),
        ("list_mcp_resources", ToolKind::Mcp),
    ],
    mcp: &[McpNames::Underscore],
    // It has none: its memory is files that the model reads and writes.
    memory: &[],
    memory_indexes: &[],
    paths: &["file_path", "absolute_path", "dir_path", "path", "paths"],
    kept: &[],
    kept_always: &[],
    failure: FailureSigns {
        error: Some("error"),
        flag: None,
        exit_code: Some(ExitCode {
            label: "Exit Code: ",
            beside: &["Signal: ", "Background PIDs: ", "Process Group PGID: "],
            ..ExitCode::PLAIN
        }),
        silent: &[],
    },
};

/// At the end of a turn context makes the agent go on, before a tool nobody reads it, and at a session's start
/// it spoils the prompt.
pub(crate) static OUTPUT: Output = Output {
    context: &[
        (EventKind::UserPrompt, "BeforeAgent"),
        (EventKind::PostToolUse, "AfterTool"),
        (EventKind::ToolFailure, "AfterTool"),
    ],
    form: Form::Nested,
    also_plain: &[],
};

#[cfg(test)]
mod tests {
    #[test]
    fn the_profile_has_the_same_names() {
        remora_conformance::check_profile(crate::PROFILE_TOML, &super::DIALECT);
    }
}
