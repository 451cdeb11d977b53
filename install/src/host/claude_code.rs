//! Claude Code: hooks in `~/.claude/settings.json`, in exec form.

use super::{CommandForm, Folder, Hook, Host, McpFile, TimeoutUnit};

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
    hooks_file: "settings.json",
    project_hooks_file: ".claude/settings.local.json",
    form: CommandForm::Exec,
    timeout_unit: TimeoutUnit::Seconds,
    strict_json: true,
    hooks: HOOKS,
    mcp: Some(McpFile { below_variable: ".claude.json", below_home: ".claude.json" }),
    wants: &[
        "restart sessions that are open: they keep the hooks they started with until they notice the change",
        "in a folder that you have not trusted yet Claude Code runs no hooks until you do",
    ],
};

const fn hook(event: &'static str, executable: &'static str, timeout: u32) -> Hook {
    Hook { event, executable, timeout, matcher: None }
}

/// A pre-tool hook is not among them: it costs 9 to 18 ms per tool call, and its context would arrive beside
/// the tool's result anyway.
const HOOKS: &[Hook] = &[
    hook("SessionStart", "session-start", 10),
    hook("UserPromptSubmit", "user-prompt", 5),
    hook("SubagentStart", "subagent-start", 5),
    hook("PostToolUse", "post-tool-use", 5),
    hook("PostToolUseFailure", "tool-failure", 5),
    hook("SubagentStop", "subagent-stop", 5),
    hook("PreCompact", "pre-compact", 5),
    hook("PostCompact", "post-compact", 5),
    hook("Stop", "stop", 5),
    // Without a limit of its own the host gives all hooks of this event 1.5 s together.
    hook("SessionEnd", "session-end", 5),
];
