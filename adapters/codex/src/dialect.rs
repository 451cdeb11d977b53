//! How Codex speaks.

use remora_dialect::{
    Dialect, ExitCode, FailureSigns, Fields, Form, McpNames, MemoryTool, Output, Preamble, Prompts, Question,
    Tools,
};
use remora_event::{EventKind, ToolKind};

use crate::ADAPTER;

pub(crate) static DIALECT: Dialect = Dialect {
    adapter: ADAPTER,
    fields: FIELDS,
    prompts: PROMPTS,
    tools: TOOLS,
    plain_answer: |_, answer| answer,
};

const FIELDS: Fields = Fields {
    session_in_path: rollout_id,
    turn: &["turn_id"],
    extra: &["permission_mode", "model", "agent_transcript_path", "stop_hook_active"],
    ..Fields::USUAL
};

/// The id in `rollout-2026-11-29T20-51-21-01a22913-a02c-7463-8848-73bb04f1da75`.
fn rollout_id(path: &str) -> Option<&str> {
    const UUID: usize = 36;
    let stem = remora_dialect::stem(path)?;
    stem.starts_with("rollout-").then(|| stem.get(stem.len().checked_sub(UUID)?..)).flatten()
}

const PROMPTS: Prompts = Prompts {
    inserted: &["environment_context", "user_instructions"],
    preamble: Some(Preamble { begins: "# Context from my IDE setup:", ends: "## My request for Codex:" }),
    synthetic: &["<hook_prompt ", "<turn_aborted>", "<subagent_notification>"],
    ..Prompts::PLAIN
};

const TOOLS: Tools = Tools {
    kinds: &[
        ("Bash", ToolKind::Shell),
        ("apply_patch", ToolKind::Edit),
        ("view_image", ToolKind::Read),
        ("read_file", ToolKind::Read),
        ("list_dir", ToolKind::Search),
        ("grep_files", ToolKind::Search),
        ("web_search", ToolKind::Web),
        ("spawn_agent", ToolKind::Agent),
        ("send_input", ToolKind::Agent),
    ],
    mcp: &[McpNames::DoubleUnderscore],
    // The namespace and the name, with nothing between them.
    memory: &[
        MemoryTool { name: "memoriessearch", question: Question::Query },
        MemoryTool { name: "memoriesread", question: Question::File },
        MemoryTool { name: "memorieslist", question: Question::Nothing },
        MemoryTool { name: "memoriesadd_ad_hoc_note", question: Question::Nothing },
    ],
    memory_indexes: &["MEMORY.md", "memory_summary.md", "raw_memories.md"],
    paths: &["path", "file_path", "dir_path"],
    kept: &[],
    kept_always: &[],
    failure: FailureSigns {
        error: None,
        flag: Some("isError"),
        exit_code: Some(ExitCode { label: "Exit code: ", beside: &["Wall time: "], ..ExitCode::PLAIN }),
        // A command's answer is what it printed, whatever became of it.
        silent: &["Bash"],
    },
};

/// Any key that Codex does not expect, or a word at another event, makes it throw the whole output away.
pub(crate) static OUTPUT: Output = Output {
    context: &[
        (EventKind::SessionStart, "SessionStart"),
        (EventKind::UserPrompt, "UserPromptSubmit"),
        (EventKind::PreToolUse, "PreToolUse"),
        (EventKind::PostToolUse, "PostToolUse"),
        (EventKind::ToolFailure, "PostToolUse"),
        (EventKind::SubagentStart, "SubagentStart"),
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
