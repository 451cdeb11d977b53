//! pi: an extension of ours in `~/.pi/agent/extensions`, which starts one executable for every event.

use serde_json::{Value, json};

use super::{Beside, CommandForm, Folder, Hook, Host, Probing, Shape, TimeoutUnit};
use crate::edit::json::JsonReader;

/// pi.
pub static HOST: Host = Host {
    id: "pi",
    name: "pi",
    program: "pi",
    places: &[
        ".local/bin/pi",
        ".npm-global/bin/pi",
        ".bun/bin/pi",
        ".volta/bin/pi",
        "/usr/local/bin/pi",
        "/opt/homebrew/bin/pi",
    ],
    folder: Folder { variable: "PI_CODING_AGENT_DIR", below_variable: "", below_home: ".pi/agent" },
    shape: Shape::Plugin(include_str!("pi/remora.js")),
    hooks_file: "extensions/remora.js",
    project_hooks_file: ".pi/extensions/remora.js",
    form: CommandForm::Plugin,
    expands_variables: false,
    timeout_unit: TimeoutUnit::Milliseconds,
    heading: &[],
    json: JsonReader::Strict,
    hooks: HOOKS,
    // It speaks no MCP.
    mcp: None,
    wants: &["a session that runs already hears of Remora after `/reload`"],
    trust: None,
    beside: Beside::NONE,
    inspect: |_| Vec::new(),
    probe_payload,
    probe_variables: |_| Vec::new(),
};

const HOOKS: &[Hook] = &[
    Hook::silent("session-start", "hook", 10),
    Hook::context("user-prompt", "hook", 5),
    Hook::context("post-tool-use", "hook", 5),
    Hook::context("tool-failure", "hook", 5),
    Hook::silent("post-compact", "hook", 5),
    Hook::silent("stop", "hook", 5),
    Hook::silent("session-end", "hook", 5),
];

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, folder } = probing;
    let mut payload = json!({
        "session_id": session, "cwd": cwd,
        "transcript_path": format!("{folder}/sessions/--remora-probe--/2026-01-01T00-00-00-000Z_{session}.jsonl"),
    });
    let tool =
        json!({"tool_name": "bash", "tool_use_id": "call_remora_probe", "tool_input": {"command": "true"}});
    let more = match hook.event {
        "session-start" => json!({"source": "startup"}),
        "user-prompt" => json!({"prompt": "Are you there?"}),
        "post-tool-use" => json!({"tool_response": ""}),
        "tool-failure" => json!({"error": "no such command"}),
        "stop" => json!({"last_assistant_message": "Done."}),
        "session-end" => json!({"reason": "quit"}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    if matches!(hook.event, "post-tool-use" | "tool-failure") {
        super::merged(&mut payload, tool);
    }
    payload
}
