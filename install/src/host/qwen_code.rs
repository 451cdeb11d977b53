//! Qwen Code: hooks in `~/.qwen/settings.json`, in shell form, with time limits in milliseconds.

use serde_json::{Value, json};

use super::{
    Beside, CommandForm, Folder, Hook, Host, Inspection, McpFile, McpFormat, Probing, Shape, TimeoutUnit,
};
use crate::check::Finding;
use crate::edit::json::JsonReader;

/// Qwen Code.
pub static HOST: Host = Host {
    id: "qwen-code",
    name: "Qwen Code",
    program: "qwen",
    places: &[
        ".local/bin/qwen",
        ".npm-global/bin/qwen",
        ".bun/bin/qwen",
        ".volta/bin/qwen",
        "/usr/local/bin/qwen",
        "/opt/homebrew/bin/qwen",
    ],
    folder: Folder { variable: "QWEN_HOME", below_variable: "", below_home: ".qwen" },
    shape: Shape::Groups,
    hooks_file: "settings.json",
    project_hooks_file: ".qwen/settings.json",
    form: CommandForm::Shell,
    expands_variables: true,
    timeout_unit: TimeoutUnit::Milliseconds,
    heading: &[],
    json: JsonReader::WithComments,
    hooks: HOOKS,
    mcp: Some(McpFile {
        format: McpFormat::Json,
        below_variable: "settings.json",
        below_home: ".qwen/settings.json",
        or_ending: None,
    }),
    wants: &[],
    trust: None,
    beside: Beside::NONE,
    inspect,
    probe_payload,
    probe_variables,
};

/// Newer versions count in seconds, and take what is 1000 or more for milliseconds all the same. `PreCompact` comes
/// before attempts that mostly come to nothing.
const HOOKS: &[Hook] = &[
    Hook::silent("SessionStart", "session-start", 10),
    Hook::context("UserPromptSubmit", "user-prompt-submit", 5),
    Hook::context("PostToolUse", "post-tool-use", 5),
    Hook::context("PostToolUseFailure", "post-tool-use-failure", 5),
    Hook::silent("SubagentStart", "subagent-start", 5),
    Hook::silent("SubagentStop", "subagent-stop", 5),
    Hook::silent("PostCompact", "post-compact", 5),
    Hook::silent("Stop", "stop", 5),
    Hook::silent("SessionEnd", "session-end", 5),
];

fn inspect(inspection: &Inspection<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if inspection.settings["disableAllHooks"] == true {
        findings.push(Finding::problem(
            "`disableAllHooks` is on in settings.json, so no hook runs",
            "take it out to use Remora with Qwen Code",
        ));
    }
    findings
}

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, folder } = probing;
    let mut payload = json!({
        "session_id": session,
        "transcript_path": format!("{folder}/projects/remora-probe/chats/{session}.jsonl"),
        "cwd": cwd,
        "hook_event_name": hook.event,
        "timestamp": "2026-01-01T00:00:00.000Z",
    });
    let (tool, input) = ("run_shell_command", json!({"command": "true", "is_background": false}));
    let more = match hook.event {
        "SessionStart" => json!({"source": "startup", "model": "remora-probe"}),
        "UserPromptSubmit" => json!({"prompt": "Are you there?"}),
        "PostToolUse" => json!({
            "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_remora_probe",
            "tool_response": {"llmContent": "Exit Code: 0", "returnDisplay": ""},
        }),
        "PostToolUseFailure" => json!({
            "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_remora_probe",
            "error": "no such command", "is_interrupt": false,
        }),
        "SubagentStart" => json!({"agent_id": "remora-probe", "agent_type": "general-purpose"}),
        "SubagentStop" => json!({
            "agent_id": "remora-probe", "agent_type": "general-purpose", "stop_hook_active": false,
            "last_assistant_message": "Done.",
        }),
        "PostCompact" => json!({"trigger": "manual", "compact_summary": "All is done."}),
        "Stop" => json!({"stop_hook_active": true, "last_assistant_message": "Done."}),
        "SessionEnd" => json!({"reason": "prompt_input_exit"}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    payload
}

fn probe_variables(probing: &Probing<'_>) -> Vec<(&'static str, String)> {
    ["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]
        .map(|name| (name, probing.cwd.to_owned()))
        .to_vec()
}
