//! pi: its list of models is a file of its own below the home.

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
    let models = json!({"providers": {"fake": {
        "baseUrl": format!("{model}/v1"), "api": "openai-completions", "apiKey": "fake-key",
        "models": [{"id": name, "contextWindow": 200_000}],
    }}});
    home.write(".pi/agent/models.json", models.to_string())?;
    let resume = options.resume.then_some("--continue");
    Ok(Invocation::default()
        .args(["--offline", "--provider", "fake", "--model", name])
        .args(resume)
        .args(&options.args)
        .args(["-p", prompt])
        .env("PI_OFFLINE", "1")
        .env("PI_SKIP_VERSION_CHECK", "1"))
}
