//! Codex: hooks in `~/.codex/hooks.json`, in shell form, each trusted by the person before it runs.

mod app_server;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    Beside, CommandForm, Folder, Hook, Host, Inspection, McpFile, McpFormat, Probing, Shape, TimeoutUnit,
    memory_of_servers,
};
use crate::Environment;
use crate::check::Finding;
use crate::edit::json::JsonReader;
use crate::edit::json::hook_groups::Present;
use crate::edit::toml;
use crate::trust::Trust;

/// Codex.
pub static HOST: Host = Host {
    id: "codex",
    name: "Codex",
    program: "codex",
    places: &[
        ".local/bin/codex",
        ".npm-global/bin/codex",
        ".bun/bin/codex",
        ".volta/bin/codex",
        "/usr/local/bin/codex",
        "/opt/homebrew/bin/codex",
    ],
    folder: Folder { variable: "CODEX_HOME", below_variable: "", below_home: ".codex" },
    shape: Shape::Groups,
    hooks_file: "hooks.json",
    project_hooks_file: ".codex/hooks.json",
    form: CommandForm::Shell,
    expands_variables: false,
    timeout_unit: TimeoutUnit::Seconds,
    heading: &[],
    json: JsonReader::Strict,
    hooks: HOOKS,
    mcp: Some(McpFile {
        format: McpFormat::Toml,
        below_variable: "config.toml",
        below_home: ".codex/config.toml",
        or_ending: None,
    }),
    wants: &[],
    trust: Some(Trust {
        wants: "trust the hooks, with `remora install codex --trust` or with `/hooks` inside Codex: until then it passes them over silently",
        file: "config.toml",
        table: ["hooks", "state"],
        names,
        is_given: is_trusted,
        list: app_server::list,
        record: app_server::record,
    }),
    beside: Beside::NONE,
    inspect,
    probe_payload,
    probe_variables: |_| Vec::new(),
};

/// Codex cuts context over 2,500 tokens out of the middle unless the entry says more, in tokens.
const ROOM: &[(&str, u32)] = &[("additionalContextLimit", 10_000)];

/// Trust is bound to an entry's place and text: these lines must not change without need. There is no event for
/// a tool that fails. Before a tool only those of a memory are heard, a server's or Codex's own.
const HOOKS: &[Hook] = &[
    Hook::context("SessionStart", "session-start", 10).with(ROOM),
    Hook::context("UserPromptSubmit", "user-prompt-submit", 5).with(ROOM),
    Hook::context("SubagentStart", "subagent-start", 5).with(ROOM),
    Hook::context("PreToolUse", "pre-tool-use", 5)
        .of(concat!("^(", memory_of_servers!(), "|memories(search|read))$"))
        .with(ROOM),
    Hook::context("PostToolUse", "post-tool-use", 5).with(ROOM),
    Hook::silent("SubagentStop", "subagent-stop", 5),
    Hook::silent("PreCompact", "pre-compact", 5),
    Hook::silent("PostCompact", "post-compact", 5),
    Hook::silent("Stop", "stop", 5),
    // More than 3 s is cut, with a warning on every run.
    Hook::silent("SessionEnd", "session-end", 3),
];

/// The names under which Codex keeps trust in a hook: its file, event and place. The file is named as it is, or
/// with its folder's links followed.
fn names(file: &Path, hook: &Present) -> Vec<String> {
    let followed = || {
        let folder = std::fs::canonicalize(file.parent()?).ok()?;
        Some(folder.join(file.file_name()?)).filter(|followed| followed != file)
    };
    let files = [Some(file.to_owned()), followed()].into_iter().flatten();
    let event = snake_case(&hook.event);
    files.map(|file| format!("{}:{event}:{}:{}", file.display(), hook.group, hook.index)).collect()
}

/// Whether every one of these hooks is trusted, as Codex wrote it into its `config.toml`: by name, the digest
/// of what it says.
fn is_trusted(environment: &Environment, file: &Path, ours: &[Present]) -> bool {
    let config = HOST.config_folder(environment).join("config.toml");
    let text = std::fs::read_to_string(config).unwrap_or_default();
    let state = toml::get(&text, &["hooks", "state"]).ok().flatten().unwrap_or_default();
    ours.iter().all(|hook| {
        let expected = digest(&snake_case(&hook.event), hook);
        let mut entries = names(file, hook).into_iter().filter_map(|name| state.get(name));
        entries.any(|entry| entry["trusted_hash"] == expected && entry["enabled"] != false)
    })
}

/// The digest that Codex trusts: of its normalised form of one handler in its group.
fn digest(event: &str, hook: &Present) -> String {
    let mut handler: BTreeMap<String, Value> = hook
        .handler
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    handler.entry("async".into()).or_insert(false.into());
    handler.entry("timeout".into()).or_insert(600.into());
    let mut identity = BTreeMap::from([("event_name", json!(event)), ("hooks", json!([handler]))]);
    if let Some(matcher) = hook.in_group.get("matcher") {
        identity.insert("matcher", matcher.clone());
    }
    let text = json!(identity).to_string();
    format!("sha256:{:x}", Sha256::digest(text))
}

fn snake_case(event: &str) -> String {
    event.char_indices().fold(String::new(), |mut name, (at, c)| {
        if c.is_uppercase() && at > 0 {
            name.push('_');
        }
        name.extend(c.to_lowercase());
        name
    })
}

fn inspect(inspection: &Inspection<'_>) -> Vec<Finding> {
    let config = HOST.config_folder(inspection.environment).join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap_or_default();
    let features = match toml::get(&text, &["features"]) {
        Ok(features) => features.unwrap_or_default(),
        Err(problem) => {
            return vec![Finding::problem(
                problem.of(&config).to_string(),
                "mend it: Codex does not start with it",
            )];
        }
    };
    ["hooks", "codex_hooks"]
        .iter()
        .filter(|key| features[**key] == false)
        .map(|key| {
            Finding::problem(
                format!("`features.{key}` is off in {}, so no hook runs", config.display()),
                "take it out to use Remora with Codex",
            )
        })
        .collect()
}

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, folder } = probing;
    let mut payload = json!({
        "session_id": session,
        "transcript_path": format!("{folder}/sessions/{session}.jsonl"),
        "cwd": cwd,
        "hook_event_name": hook.event,
        "model": "remora-probe",
        "permission_mode": "default",
    });
    let turn = json!("remora-probe-turn");
    let more = match hook.event {
        "SessionStart" => json!({"source": "startup"}),
        "SessionEnd" => json!({"reason": "other"}),
        "UserPromptSubmit" => json!({"turn_id": turn, "prompt": "Are you there?"}),
        "PreToolUse" => json!({
            "turn_id": turn, "tool_name": "memoriessearch", "tool_use_id": "call_remora_probe",
            "tool_input": {"queries": ["Are you there?"]},
        }),
        "PostToolUse" => json!({
            "turn_id": turn, "tool_name": "Bash", "tool_use_id": "call_remora_probe",
            "tool_input": {"command": "true"}, "tool_response": "",
        }),
        "PreCompact" | "PostCompact" => json!({"turn_id": turn, "trigger": "manual"}),
        "SubagentStart" => json!({"turn_id": turn, "agent_id": "remora-probe", "agent_type": "default"}),
        "SubagentStop" => json!({
            "turn_id": turn, "agent_id": "remora-probe", "agent_type": "default", "stop_hook_active": false,
            "agent_transcript_path": format!("{folder}/sessions/{session}-agent.jsonl"),
            "last_assistant_message": "Done.",
        }),
        "Stop" => json!({"turn_id": turn, "stop_hook_active": false, "last_assistant_message": "Done."}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_spelled_as_codex_spells_them() {
        let cases = [("SessionStart", "session_start"), ("PostToolUse", "post_tool_use"), ("Stop", "stop")];
        for (event, expected) in cases {
            assert_eq!(snake_case(event), expected);
        }
    }

    #[test]
    fn a_digest_is_of_sorted_keys_with_what_is_left_unsaid() {
        let handler = json!({"type": "command", "command": "x"});
        let hook = Present {
            event: "PreToolUse".into(),
            group: 0,
            index: 0,
            in_group: json!({"matcher": "Bash", "hooks": [handler]}),
            handler,
        };
        let text = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"x","timeout":600,"type":"command"}],"matcher":"Bash"}"#;
        assert_eq!(digest("pre_tool_use", &hook), format!("sha256:{:x}", Sha256::digest(text)));
    }
}
