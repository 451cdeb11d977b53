//! GitHub Copilot CLI with a provider of one's own, configured by its environment alone.

use super::recipe::{Invocation, Options};

pub(super) fn invocation(model: &str, prompt: &str, options: &Options) -> Invocation {
    let resume = options.resume.then_some("--continue");
    Invocation::default()
        .args(["--allow-all-paths", "--output-format", "json", "--log-level", "error"])
        .args(resume)
        .args(&options.args)
        .args(["-p", prompt])
        .env("COPILOT_OFFLINE", "true")
        .env("COPILOT_PROVIDER_BASE_URL", format!("{model}/v1"))
        .env("COPILOT_PROVIDER_TYPE", "openai")
        .env("COPILOT_PROVIDER_API_KEY", "fake-key")
        .env("COPILOT_MODEL", options.model.as_deref().unwrap_or("fake-model"))
        .env("COPILOT_ALLOW_ALL", "true")
        .env("COPILOT_AUTO_UPDATE", "false")
}
