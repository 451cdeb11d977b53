//! Gemini CLI and Qwen Code, its fork: what the run needs is in the machine-wide settings file, whose
//! place a variable names, so that the person's own `settings.json` stays the test's.

use serde_json::json;

use super::recipe::{Invocation, Options};
use crate::error::Result;
use crate::test_home::TestHome;

pub(super) fn gemini(home: &TestHome, model: &str, prompt: &str, options: &Options) -> Result<Invocation> {
    let resume: &[&str] = if options.resume { &["--resume", "latest"] } else { &[] };
    // With a model of this name the host does not ask another one which model to take.
    let name = options.model.as_deref().unwrap_or("gemini-2.5-pro");
    let settings = machine_settings(home, "gemini-machine.json", "gemini-api-key")?;
    Ok(Invocation::default()
        .args(["--yolo", "-m", name])
        .args(resume)
        .args(&options.args)
        .args(["-p", prompt])
        .env("GEMINI_API_KEY", "fake-key")
        .env("GOOGLE_GEMINI_BASE_URL", model)
        .env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", settings))
}

pub(super) fn qwen(home: &TestHome, model: &str, prompt: &str, options: &Options) -> Result<Invocation> {
    let resume = options.resume.then_some("--continue");
    let settings = machine_settings(home, "qwen-machine.json", "openai")?;
    Ok(Invocation::default()
        .arg("--yolo")
        .args(resume)
        .args(&options.args)
        .args(["-p", prompt])
        .env("OPENAI_API_KEY", "fake-key")
        .env("OPENAI_BASE_URL", format!("{model}/v1"))
        .env("OPENAI_MODEL", options.model.as_deref().unwrap_or("fake-model"))
        .env("QWEN_CODE_SYSTEM_SETTINGS_PATH", settings))
}

fn machine_settings(home: &TestHome, name: &str, auth: &str) -> Result<std::path::PathBuf> {
    let settings = json!({
        "security": {"auth": {"selectedType": auth}, "folderTrust": {"enabled": false}},
        "privacy": {"usageStatisticsEnabled": false},
        "general": {"enableAutoUpdate": false},
    });
    home.write_beside(name, settings.to_string())
}
