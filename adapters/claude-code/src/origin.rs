//! Who really runs this hook: other hosts load Claude Code's configuration as well.

use remora_hook::Payload;

use crate::ADAPTER;

/// GitHub's command line agent.
pub(crate) const COPILOT: &str = "copilot-cli";
/// Cursor, the editor and its command line agent.
pub(crate) const CURSOR: &str = "cursor";
/// Copilot inside Visual Studio Code.
pub(crate) const VSCODE: &str = "vscode-copilot";

/// The host that runs the hook: the payload's own signs first, the environment second. Variables are
/// inherited, so that a Claude Code started from another agent's shell has that agent's as well.
pub(crate) fn host(payload: &Payload) -> &'static str {
    let has = |key: &str| payload.get(key).is_some();
    let is_set = |name: &str| payload.variable(name).is_some_and(|value| !value.is_empty());
    if has("cursor_version") {
        CURSOR
    } else if has("prompt_id") || has_own_transcript(payload) {
        ADAPTER
    } else if is_set("CURSOR_VERSION") {
        CURSOR
    } else if is_set("COPILOT_CLI") {
        COPILOT
    } else if has("hookEventName") || has("sessionId") {
        VSCODE
    } else {
        ADAPTER
    }
}

fn has_own_transcript(payload: &Payload) -> bool {
    let path = payload.text("transcript_path").unwrap_or_default();
    path.replace('\\', "/").contains("/.claude/projects/")
}

/// The host's version, where it says one.
pub(crate) fn version(payload: &Payload, host: &str) -> Option<String> {
    if host == ADAPTER {
        // `claude-code_2-1-332_harness`
        let agent = payload.variable("AI_AGENT")?;
        let version = agent.strip_prefix("claude-code_")?.split('_').next()?.replace('-', ".");
        return Some(version).filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    }
    payload.text("cursor_version")
}
