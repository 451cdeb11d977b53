//! Codex CLI: its provider comes by `-c`, so that `config.toml` stays the test's own.

use super::recipe::{Invocation, Options};

pub(super) fn invocation(model: &str, prompt: &str, options: &Options) -> Invocation {
    let provider =
        format!(r#"{{name="fake", base_url="{model}/v1", wire_api="responses", env_key="FAKE_KEY"}}"#);
    let resume: &[&str] = if options.resume { &["resume", "--last"] } else { &[] };
    let trust = options.skip_hook_trust.then_some("--dangerously-bypass-hook-trust");
    Invocation::default()
        .arg("exec")
        .args(resume)
        .args(["--json", "--dangerously-bypass-approvals-and-sandbox"])
        .args(trust)
        .args(["-c", r#"model_provider="fake""#])
        .arg("-c")
        .arg(format!("model_providers.fake={provider}"))
        .args(["-m", options.model.as_deref().unwrap_or("fake-model")])
        .args(&options.args)
        .arg(prompt)
        .env("FAKE_KEY", "fake-key")
}
