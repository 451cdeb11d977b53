//! Claude Code: hooks in `~/.claude/settings.json`, in exec form.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    Beside, CommandForm, Folder, Hook, Host, Inspection, McpFile, McpFormat, Probing, Shape, TimeoutUnit,
    memory_of_servers,
};
use crate::Environment;
use crate::check::Finding;
use crate::edit::json::JsonReader;

/// Claude Code.
pub static HOST: Host = Host {
    id: "claude-code",
    name: "Claude Code",
    program: "claude",
    places: &[
        ".local/bin/claude",
        ".claude/local/claude",
        ".npm-global/bin/claude",
        ".bun/bin/claude",
        ".volta/bin/claude",
        "/usr/local/bin/claude",
        "/opt/homebrew/bin/claude",
    ],
    folder: Folder { variable: "CLAUDE_CONFIG_DIR", below_variable: "", below_home: ".claude" },
    shape: Shape::Groups,
    hooks_file: "settings.json",
    project_hooks_file: ".claude/settings.local.json",
    form: CommandForm::Exec,
    expands_variables: false,
    timeout_unit: TimeoutUnit::Seconds,
    heading: &[],
    json: JsonReader::Strict,
    hooks: HOOKS,
    mcp: Some(McpFile {
        format: McpFormat::Json,
        below_variable: ".claude.json",
        below_home: ".claude.json",
        or_ending: None,
    }),
    wants: &[
        "memory begins with the next session that you start",
        "in a folder that you have not trusted yet Claude Code runs no hooks until you do",
    ],
    trust: None,
    beside: Beside::NONE,
    inspect,
    probe_payload,
    probe_variables,
};

/// Before a tool only those of a memory are heard: a hook costs a call 9 to 18 ms. Copilot CLI runs what stands in a
/// project's file and denies a tool whose hook fails, so that it stands in the person's alone. Context in reply to a stop
/// would make the model go on, so there is none.
const HOOKS: &[Hook] = &[
    Hook::context("SessionStart", "session-start", 10),
    Hook::context("UserPromptSubmit", "user-prompt-submit", 5),
    Hook::context("SubagentStart", "subagent-start", 5),
    Hook::context("PreToolUse", "pre-tool-use", 5).of(concat!("^", memory_of_servers!(), "$")).in_own_file(),
    Hook::context("PostToolUse", "post-tool-use", 5),
    Hook::context("PostToolUseFailure", "post-tool-use-failure", 5),
    Hook::silent("SubagentStop", "subagent-stop", 5),
    Hook::silent("PreCompact", "pre-compact", 5),
    Hook::silent("PostCompact", "post-compact", 5),
    Hook::silent("Stop", "stop", 5),
    // Without a limit of its own the host gives all hooks of this event 1.5 s together.
    Hook::silent("SessionEnd", "session-end", 5),
];

/// Whether Claude Code has kept memory of any project on this machine.
pub fn has_memory(environment: &Environment) -> bool {
    let projects = HOST.config_folder(environment).join("projects");
    let mut projects = std::fs::read_dir(projects).into_iter().flatten().flatten();
    projects.any(|project| project.path().join("memory").join("MEMORY.md").is_file())
}

/// Variables with which Claude Code runs no hooks.
const SILENCING: &[&str] = &["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];

fn inspect(inspection: &Inspection<'_>) -> Vec<Finding> {
    let Inspection { environment, settings } = inspection;
    let mut findings = Vec::new();
    if settings["disableAllHooks"] == true {
        findings.push(Finding::problem(
            "`disableAllHooks` is set in settings.json, so no hook runs",
            "take it out to use Remora with Claude Code",
        ));
    }
    for file in managed_settings(environment) {
        let Some(managed) = read_value(&file) else { continue };
        for key in ["allowManagedHooksOnly", "disableAllHooks"] {
            if managed[key] == true {
                findings.push(Finding::problem(
                    format!("`{key}` is set in {}, so hooks of yours do not run", file.display()),
                    "ask who manages this machine",
                ));
            }
        }
    }
    for name in SILENCING {
        if environment.variable(name).is_some() {
            findings.push(Finding::problem(
                format!("{name} is set in this shell, and Claude Code runs no hooks then"),
                format!("unset {name}"),
            ));
        }
    }
    let auto_memory_off = settings["autoMemoryEnabled"] == false
        || environment.variable("CLAUDE_CODE_DISABLE_AUTO_MEMORY").is_some_and(|value| value == "1");
    if auto_memory_off {
        findings.push(Finding::advice(
            "Claude Code's own memory is switched off",
            "keep it on: Remora works beside it",
        ));
    }
    findings
}

/// The folder of whoever manages this machine, in that of system-wide configuration.
pub const MANAGED_FOLDER: &str = if cfg!(target_os = "macos") { "ClaudeCode" } else { "claude-code" };

/// The files of whoever manages this machine.
fn managed_settings(environment: &Environment) -> Vec<PathBuf> {
    let folder = environment.system.join(MANAGED_FOLDER);
    let mut files = vec![folder.join("managed-settings.json")];
    let more = std::fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
    let mut more: Vec<_> =
        more.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    more.sort();
    files.append(&mut more);
    files
}

fn read_value(file: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

fn probe_payload(probing: &Probing<'_>, hook: &Hook) -> Value {
    let Probing { session, cwd, folder } = probing;
    let mut payload = json!({
        "session_id": session,
        "transcript_path": format!("{folder}/projects/remora-probe/{session}.jsonl"),
        "cwd": cwd,
        "hook_event_name": hook.event,
    });
    let more = match hook.event {
        "SessionStart" => json!({"source": "startup"}),
        "UserPromptSubmit" => json!({"permission_mode": "default", "prompt": "Are you there?"}),
        "PreToolUse" => json!({
            "permission_mode": "default", "tool_name": "mcp__probe__memory_search",
            "tool_input": {"query": "Are you there?"}, "tool_use_id": "toolu_remora_probe",
        }),
        "PostToolUse" => json!({
            "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "true"},
            "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
            "tool_use_id": "toolu_remora_probe", "duration_ms": 1,
        }),
        "PostToolUseFailure" => json!({
            "permission_mode": "default", "tool_name": "Read", "tool_input": {"file_path": "/nowhere"},
            "tool_use_id": "toolu_remora_probe", "error": "File does not exist.", "is_interrupt": false,
        }),
        "SubagentStart" => json!({"agent_id": "remora-probe", "agent_type": "general-purpose"}),
        "SubagentStop" => json!({
            "permission_mode": "default", "agent_id": "remora-probe", "agent_type": "general-purpose",
            "stop_hook_active": false, "last_assistant_message": "Done.",
            "agent_transcript_path": format!("{folder}/projects/remora-probe/{session}/subagents/agent-remora-probe.jsonl"),
        }),
        "PreCompact" => json!({"trigger": "manual", "custom_instructions": null}),
        "PostCompact" => json!({"trigger": "manual", "compact_summary": "Nothing happened."}),
        "Stop" => {
            json!({"permission_mode": "default", "stop_hook_active": false, "last_assistant_message": "Done."})
        }
        "SessionEnd" => json!({"reason": "other"}),
        _ => json!({}),
    };
    super::merged(&mut payload, more);
    payload
}

fn probe_variables(probing: &Probing<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("CLAUDECODE", "1".to_owned()),
        ("CLAUDE_CODE_ENTRYPOINT", "cli".to_owned()),
        ("CLAUDE_CODE_SESSION_ID", probing.session.to_owned()),
        ("CLAUDE_PROJECT_DIR", probing.cwd.to_owned()),
    ]
}
