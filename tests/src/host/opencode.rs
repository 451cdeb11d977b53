//! `OpenCode`: its provider comes in a configuration file of its own, which is merged with the person's.

use serde_json::json;

use super::recipe::{Invocation, Options};
use crate::error::Result;
use crate::test_home::TestHome;

pub(super) fn invocation(
    home: &TestHome,
    model: &str,
    prompt: &str,
    options: &Options,
) -> Result<Invocation> {
    let name = options.model.as_deref().unwrap_or("fake-model");
    let mut models = json!({});
    models[name] = json!({"name": name, "limit": {"context": 200_000, "output": 8192}});
    let config = json!({
        "model": format!("fake/{name}"), "small_model": format!("fake/{name}"),
        "autoupdate": false, "share": "disabled", "permission": {"*": "allow"},
        "provider": {"fake": {
            "npm": "@ai-sdk/openai-compatible", "name": "fake",
            "options": {"baseURL": format!("{model}/v1"), "apiKey": "fake-key"}, "models": models,
        }},
    });
    let file = home.write_beside("opencode.json", config.to_string())?;
    let resume = options.resume.then_some("--continue");
    Ok(Invocation::default()
        .args(["run", "--format", "json"])
        .args(resume)
        .args(&options.args)
        .arg(prompt)
        .env("OPENCODE_CONFIG", file)
        // Without this it waits a minute for a package of its own that it cannot fetch.
        .env("npm_config_offline", "true")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"))
}
