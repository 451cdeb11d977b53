//! `OpenCode`: a plugin of ours in `~/.config/opencode/plugin`, which starts one executable for every event.

use serde_json::{Value, json};

use super::{Beside, CommandForm, Folder, Hook, Host, McpFile, McpFormat, Probing, Shape, TimeoutUnit};
use crate::edit::json::JsonReader;

/// `OpenCode`.
pub static HOST: Host = Host {
    id: "opencode",
    name: "OpenCode",
    program: "opencode",
    places: &[
        ".opencode/bin/opencode",
        ".local/bin/opencode",
        ".npm-global/bin/opencode",
        ".bun/bin/opencode",
        ".volta/bin/opencode",
        "/usr/local/bin/opencode",
        "/opt/homebrew/bin/opencode",
    ],
    folder: Folder {
        variable: "XDG_CONFIG_HOME",
        below_variable: "opencode",
        below_home: ".config/opencode",
    },
    shape: Shape::Plugin(include_str!("opencode/remora.js")),
    hooks_file: "plugin/remora.js",
    project_hooks_file: ".opencode/plugin/remora.js",
    form: CommandForm::Plugin,
    expands_variables: false,
    timeout_unit: TimeoutUnit::Milliseconds,
    heading: &[],
    json: JsonReader::WithComments,
    hooks: HOOKS,
    mcp: Some(McpFile {
        format: McpFormat::JsonLine,
        below_variable: "opencode/opencode.json",
        below_home: ".config/opencode/opencode.json",
        or_ending: Some("jsonc"),
    }),
    wants: &["a session that runs already hears of Remora when OpenCode is started again"],
    trust: None,
    beside: Beside { files: FETCHED, unless: &["package.json", "package-lock.json", "node_modules"] },
    inspect: |_| Vec::new(),
    probe_payload,
    probe_variables,
};

/// `OpenCode` fetches a package for plugins into its folder, and with a plugin there it waits for that at every start;
/// without a network for more than a minute. Ours does not use it. With these two it takes the package for fetched.
const FETCHED: &[(&str, &str)] = &[
    (
        "package-lock.json",
        "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"\": {\"dependencies\": {\"@opencode-ai/plugin\": \"*\"}}\n  }\n}\n",
    ),
    (
        "node_modules/.remora",
        "Nothing is needed here. Delete this folder and package-lock.json, and OpenCode fetches its package for plugins.\n",
    ),
];

const HOOKS: &[Hook] = &[
    Hook::silent("session-start", "hook", 10),
    Hook::context("user-prompt", "hook", 5),
    Hook::context("post-tool-use", "hook", 5),
    Hook::context("tool-failure", "hook", 5),
    Hook::silent("subagent-start", "hook", 5),
    Hook::silent("subagent-stop", "hook", 5),
    Hook::silent("post-compact", "hook", 5),
    Hook::silent("stop", "hook", 5),
    Hook::silent("session-end", "hook", 5),
];

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, .. } = probing;
    let mut payload = json!({"session_id": session, "cwd": cwd, "host_version": "0.0.0"});
    let tool =
        json!({"tool_name": "bash", "tool_use_id": "call_remora_probe", "tool_input": {"command": "true"}});
    let more = match hook.event {
        "session-start" => json!({"source": "startup"}),
        "user-prompt" => json!({"prompt_id": "msg_remora_probe", "prompt": "Are you there?"}),
        "post-tool-use" => json!({"tool_response": ""}),
        "tool-failure" => json!({"error": "no such command"}),
        "subagent-start" => json!({"agent_id": "ses_remora_probe", "agent_type": "general"}),
        "subagent-stop" => {
            json!({"agent_id": "ses_remora_probe", "agent_type": "general", "last_assistant_message": "Done."})
        }
        "stop" => json!({"last_assistant_message": "Done."}),
        "session-end" => json!({"reason": "dispose"}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    if matches!(hook.event, "post-tool-use" | "tool-failure") {
        super::merged(&mut payload, tool);
    }
    payload
}

fn probe_variables(_: &Probing<'_>) -> Vec<(&'static str, String)> {
    vec![("OPENCODE", "1".to_owned())]
}
