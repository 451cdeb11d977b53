//! Claude Code, configured by its environment alone: its settings file stays whatever the test, or
//! the installer under test, made of it.

use serde_json::json;

use super::recipe::{Invocation, Options};
use crate::error::Result;
use crate::test_home::TestHome;

/// No longer than what the host remembers of a key that a person approved of.
const KEY: &str = "fake-key";

pub(super) fn invocation(model: &str, prompt: &str, options: &Options) -> Invocation {
    let resume = options.resume.then_some("--continue");
    Invocation::default()
        .args(["-p", "--dangerously-skip-permissions", "--output-format", "json"])
        .args(resume)
        .args(options.model.iter().flat_map(|model| ["--model", model]))
        .args(&options.args)
        .arg(prompt)
        .with_model(model)
}

/// In a terminal, where there is a person who can be asked.
pub(super) fn in_terminal(model: &str, prompt: &str, options: &Options) -> Invocation {
    Invocation::default().args(&options.args).arg(prompt).env("TERM", "xterm-256color").with_model(model)
}

/// What a person has who was greeted, approved of their key and trusts the project: without it the host
/// asks about these first. Call it before Remora is installed.
pub(super) fn prepare_terminal(home: &TestHome) -> Result<()> {
    let settled = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let state = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {home.project().to_string_lossy(): settled},
    });
    home.write(".claude.json", state.to_string()).map(drop)
}

impl Invocation {
    fn with_model(self, model: &str) -> Self {
        self.env("ANTHROPIC_BASE_URL", model)
            .env("ANTHROPIC_API_KEY", KEY)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            // Without it the host refuses to skip permissions when it runs as root.
            .env("IS_SANDBOX", "1")
    }
}
