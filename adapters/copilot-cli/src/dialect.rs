//! How Copilot CLI speaks.

use remora_dialect::{
    Dialect, ExitCode, FailureSigns, Fields, Form, McpNames, MemoryTool, Output, Prompts, Question, Tools,
};
use remora_event::{EventKind, ToolKind};
use serde_json::Value;

use crate::ADAPTER;

pub(crate) static DIALECT: Dialect = Dialect {
    adapter: ADAPTER,
    fields: FIELDS,
    prompts: PROMPTS,
    tools: TOOLS,
    plain_answer: |_, answer| for_model(answer),
};

/// What the model read of an answer.
fn for_model(answer: Value) -> Value {
    let texts = ["text_result_for_llm", "textResultForLlm"];
    let text = texts.iter().find_map(|key| answer.get(key).filter(|text| text.is_string()).cloned());
    text.unwrap_or(answer)
}

/// There are no ids of turns and calls. A subagent's events bear its own id where the session's is expected, and
/// the session's beside it. The start of a subagent is spelled in the other dialect.
const FIELDS: Fields = Fields {
    session: &["parent_agent_id", "parentAgentId", "session_id", "sessionId"],
    session_in_path: remora_dialect::folder,
    transcript: &["transcript_path", "transcriptPath"],
    agent: &["agent_id", "agentId"],
    agent_kind: &["agent_type", "agentType", "agent_name", "agentName"],
    output: &["tool_result", "toolResult"],
    message: &["last_assistant_message", "response"],
    extra: &["stop_reason", "stop_hook_active"],
    ..Fields::USUAL
};

const PROMPTS: Prompts =
    Prompts { inserted: &["current_datetime", "system_reminder", "system-reminder"], ..Prompts::PLAIN };

const TOOLS: Tools = Tools {
    kinds: &[
        ("Bash", ToolKind::Shell),
        ("read_bash", ToolKind::Shell),
        ("write_bash", ToolKind::Shell),
        ("stop_bash", ToolKind::Shell),
        ("Read", ToolKind::Read),
        ("Write", ToolKind::Write),
        ("Edit", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("Grep", ToolKind::Search),
        ("Glob", ToolKind::Search),
        ("WebFetch", ToolKind::Web),
        ("WebSearch", ToolKind::Web),
        ("web_fetch", ToolKind::Web),
        ("web_search", ToolKind::Web),
        ("Agent", ToolKind::Agent),
        ("read_agent", ToolKind::Agent),
        ("write_agent", ToolKind::Agent),
    ],
    mcp: &[McpNames::Dash],
    memory: &[
        MemoryTool { name: "store_memory", question: Question::Nothing },
        MemoryTool { name: "vote_memory", question: Question::Nothing },
    ],
    memory_indexes: &[],
    paths: &["path", "file_path", "paths"],
    kept: &[],
    kept_always: &[],
    failure: FailureSigns {
        error: None,
        flag: None,
        exit_code: Some(ExitCode {
            label: "<shellId: ",
            before: Some(" completed with exit code "),
            ends: ">",
            beside: &[],
        }),
        silent: &[],
    },
};

/// At a session's start context does not stay, at the end of a turn it makes the agent go on.
pub(crate) static OUTPUT: Output = Output {
    context: &[
        (EventKind::UserPrompt, "UserPromptSubmit"),
        (EventKind::PostToolUse, "PostToolUse"),
        (EventKind::ToolFailure, "PostToolUseFailure"),
        (EventKind::SubagentStart, "SubagentStart"),
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
