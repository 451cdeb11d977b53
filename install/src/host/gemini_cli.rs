//! Gemini CLI: hooks in `~/.gemini/settings.json`, guarded, with time limits in milliseconds.

use serde_json::{Value, json};

use super::{
    Beside, CommandForm, Folder, Hook, Host, Inspection, McpFile, McpFormat, Probing, Shape, TimeoutUnit,
};
use crate::check::Finding;
use crate::edit::json::JsonReader;

/// Gemini CLI.
pub static HOST: Host = Host {
    id: "gemini-cli",
    name: "Gemini CLI",
    program: "gemini",
    places: &[
        ".local/bin/gemini",
        ".npm-global/bin/gemini",
        ".bun/bin/gemini",
        ".volta/bin/gemini",
        "/usr/local/bin/gemini",
        "/opt/homebrew/bin/gemini",
    ],
    folder: Folder { variable: "GEMINI_CLI_HOME", below_variable: ".gemini", below_home: ".gemini" },
    shape: Shape::Groups,
    hooks_file: "settings.json",
    project_hooks_file: ".gemini/settings.json",
    form: CommandForm::Guarded,
    expands_variables: true,
    timeout_unit: TimeoutUnit::Milliseconds,
    heading: &[],
    json: JsonReader::WithComments,
    hooks: HOOKS,
    mcp: Some(McpFile {
        format: McpFormat::Json,
        below_variable: ".gemini/settings.json",
        below_home: ".gemini/settings.json",
        or_ending: None,
    }),
    wants: &["in a folder that you have not trusted yet Gemini CLI runs no hooks until you do"],
    trust: None,
    beside: Beside::NONE,
    inspect,
    probe_payload,
    probe_variables,
};

/// A missing command denies every prompt and tool there, so entries are guarded. `PreCompress` comes before
/// every model call and tells nothing; `BeforeModel` and its kin carry the whole request.
const HOOKS: &[Hook] = &[
    Hook::silent("SessionStart", "session-start", 10),
    Hook::context("BeforeAgent", "before-agent", 5),
    Hook::context("AfterTool", "after-tool", 5),
    Hook::silent("AfterAgent", "after-agent", 5),
    Hook::silent("SessionEnd", "session-end", 5),
];

fn inspect(inspection: &Inspection<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if inspection.settings["hooksConfig"]["enabled"] == false {
        findings.push(Finding::problem(
            "`hooksConfig.enabled` is off in settings.json, so no hook runs",
            "take it out to use Remora with Gemini CLI",
        ));
    }
    findings
}

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, folder } = probing;
    let mut payload = json!({
        "session_id": session,
        "transcript_path": format!("{folder}/tmp/remora-probe/chats/session-{session}.json"),
        "cwd": cwd,
        "hook_event_name": hook.event,
        "timestamp": "2026-01-01T00:00:00.000Z",
    });
    let more = match hook.event {
        "SessionStart" => json!({"source": "startup"}),
        "BeforeAgent" => json!({"prompt": "Are you there?"}),
        "AfterAgent" => {
            json!({"prompt": "Are you there?", "prompt_response": "Yes.", "stop_hook_active": false})
        }
        "AfterTool" => json!({
            "tool_name": "run_shell_command", "tool_input": {"command": "true"},
            "tool_response": {"llmContent": "Exit Code: 0", "returnDisplay": ""},
        }),
        "SessionEnd" => json!({"reason": "exit"}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    payload
}

fn probe_variables(probing: &Probing<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("GEMINI_SESSION_ID", probing.session.to_owned()),
        ("GEMINI_PROJECT_DIR", probing.cwd.to_owned()),
        ("GEMINI_CWD", probing.cwd.to_owned()),
        ("CLAUDE_PROJECT_DIR", probing.cwd.to_owned()),
    ]
}
