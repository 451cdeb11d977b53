//! How Qwen Code speaks.

use remora_dialect::{
    Attachment, Dialect, ExitCode, FailureSigns, Fields, ForModel, Form, McpNames, MemoryTool, Output,
    Prompts, Question, Tools,
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

const ANSWERS: ForModel = ForModel { frame: None, repeats: None };

/// Newer versions name the prompt, and what the person typed apart from what was made of it.
const FIELDS: Fields = Fields {
    turn: &["prompt_id"],
    prompt: &["submitted_prompt", "prompt"],
    extra: &["permission_mode", "model", "agent_transcript_path", "stop_hook_active"],
    ..Fields::USUAL
};

const PROMPTS: Prompts = Prompts {
    inserted: &["system-reminder", "hook_context", "session_context"],
    attachment: Some(Attachment {
        begins: "--- Content from referenced files ---",
        ends: "--- End of content ---",
    }),
    synthetic: &["<task-notification>"],
    ..Prompts::PLAIN
};

const TOOLS: Tools = Tools {
    kinds: &[
        ("read_file", ToolKind::Read),
        ("read_many_files", ToolKind::Read),
        ("write_file", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("run_shell_command", ToolKind::Shell),
        ("monitor", ToolKind::Shell),
        ("list_directory", ToolKind::Search),
        ("glob", ToolKind::Search),
        ("grep_search", ToolKind::Search),
        ("lsp", ToolKind::Search),
        ("web_fetch", ToolKind::Web),
        ("web_search", ToolKind::Web),
        ("agent", ToolKind::Agent),
        ("task", ToolKind::Agent),
        ("send_message", ToolKind::Agent),
    ],
    mcp: &[McpNames::DoubleUnderscore],
    memory: &[MemoryTool { name: "save_memory", question: Question::Nothing }],
    memory_indexes: &["MEMORY.md"],
    paths: &["file_path", "absolute_path", "directory", "path", "paths"],
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

/// At a session's start, before a tool and at a subagent's start nobody reads context; at the end of a turn it makes
/// the agent go on.
pub(crate) static OUTPUT: Output = Output {
    context: &[
        (EventKind::UserPrompt, "UserPromptSubmit"),
        (EventKind::PostToolUse, "PostToolUse"),
        (EventKind::ToolFailure, "PostToolUseFailure"),
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
