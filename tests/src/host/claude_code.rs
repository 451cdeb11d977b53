//! Claude Code, configured by its environment alone: its settings file stays whatever the test, or
//! the installer under test, made of it.

use super::recipe::{Invocation, Options};

pub(super) fn invocation(model: &str, prompt: &str, options: &Options) -> Invocation {
    let resume = options.resume.then_some("--continue");
    Invocation::default()
        .args(["-p", "--dangerously-skip-permissions", "--output-format", "json"])
        .args(resume)
        .args(options.model.iter().flat_map(|model| ["--model", model]))
        .args(&options.args)
        .arg(prompt)
        .env("ANTHROPIC_BASE_URL", model)
        .env("ANTHROPIC_API_KEY", "fake-key")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        // Without it the host refuses to skip permissions when it runs as root.
        .env("IS_SANDBOX", "1")
}
