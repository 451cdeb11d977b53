//! Copilot CLI: hooks in a file of their own, `~/.copilot/hooks/remora.json`, guarded.

use serde_json::{Value, json};

use super::{
    Beside, CommandForm, Folder, Hook, Host, Inspection, McpFile, McpFormat, Probing, Shape, TimeoutUnit,
};
use crate::check::Finding;
use crate::edit::json::{Document, JsonReader};

/// Copilot CLI.
pub static HOST: Host = Host {
    id: "copilot-cli",
    name: "Copilot CLI",
    program: "copilot",
    places: &[
        ".local/bin/copilot",
        ".npm-global/bin/copilot",
        ".bun/bin/copilot",
        ".volta/bin/copilot",
        "/usr/local/bin/copilot",
        "/opt/homebrew/bin/copilot",
    ],
    folder: Folder { variable: "COPILOT_HOME", below_variable: "", below_home: ".copilot" },
    shape: Shape::Groups,
    hooks_file: "hooks/remora.json",
    project_hooks_file: ".github/copilot/settings.local.json",
    form: CommandForm::Guarded,
    expands_variables: false,
    timeout_unit: TimeoutUnit::Seconds,
    heading: &[("version", 1)],
    json: JsonReader::WithComments,
    hooks: HOOKS,
    mcp: Some(McpFile {
        format: McpFormat::JsonWithTools,
        below_variable: "mcp-config.json",
        below_home: ".copilot/mcp-config.json",
        or_ending: None,
    }),
    wants: &[],
    trust: None,
    beside: Beside::NONE,
    inspect,
    probe_payload,
    probe_variables,
};

/// The spelling of the names chooses what payloads look like. A hook that fails before a tool denies that tool, and
/// context at a notification becomes a prompt: neither is heard.
const HOOKS: &[Hook] = &[
    Hook::silent("SessionStart", "session-start", 10),
    Hook::context("UserPromptSubmit", "user-prompt-submit", 5),
    Hook::context("PostToolUse", "post-tool-use", 5),
    Hook::context("PostToolUseFailure", "post-tool-use-failure", 5),
    Hook::context("SubagentStart", "subagent-start", 5),
    Hook::silent("SubagentStop", "subagent-stop", 5),
    Hook::silent("PreCompact", "pre-compact", 5),
    Hook::silent("Stop", "stop", 5),
    Hook::silent("SessionEnd", "session-end", 5),
];

fn inspect(inspection: &Inspection<'_>) -> Vec<Finding> {
    const OFF: &str = "disableAllHooks";
    let settings = HOST.config_folder(inspection.environment).join("settings.json");
    let text = std::fs::read_to_string(&settings).unwrap_or_default();
    let general = Document::parse(&text).ok().and_then(|document| document.value()).unwrap_or_default();
    let ours = HOST.hooks_path(inspection.environment);
    [(&general, settings), (inspection.settings, ours)]
        .into_iter()
        .filter(|(value, _)| value[OFF] == true)
        .map(|(_, file)| {
            Finding::problem(
                format!("`{OFF}` is on in {}, so no hook runs", file.display()),
                "take it out to use Remora with Copilot CLI",
            )
        })
        .collect()
}

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, folder } = probing;
    let mut payload = json!({
        "hook_event_name": hook.event,
        "session_id": session,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": cwd,
    });
    let transcript = format!("{folder}/session-state/{session}/events.jsonl");
    let agent = json!({
        "agent_id": "remora-probe", "agent_type": "general-purpose", "agent_name": "general-purpose",
        "parent_agent_id": session, "transcript_path": transcript,
    });
    let input = json!({"command": "true", "description": "nothing"});
    let more = match hook.event {
        "SessionStart" => json!({"source": "new", "initial_prompt": "Are you there?"}),
        "UserPromptSubmit" => json!({"prompt": "Are you there?"}),
        "PostToolUse" => json!({
            "tool_name": "Bash", "tool_input": input,
            "tool_result": {"result_type": "success", "text_result_for_llm": ""},
        }),
        "PostToolUseFailure" => json!({"tool_name": "Bash", "tool_input": input, "error": "no such command"}),
        "SubagentStart" | "SubagentStop" => agent,
        "PreCompact" => {
            json!({"transcript_path": transcript, "trigger": "manual", "custom_instructions": ""})
        }
        "Stop" => {
            json!({"transcript_path": transcript, "stop_reason": "end_turn", "stop_hook_active": false})
        }
        "SessionEnd" => json!({"reason": "complete"}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    payload
}

fn probe_variables(probing: &Probing<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("COPILOT_CLI", "1".to_owned()),
        ("COPILOT_PROJECT_DIR", probing.cwd.to_owned()),
        ("CLAUDE_PROJECT_DIR", probing.cwd.to_owned()),
    ]
}
