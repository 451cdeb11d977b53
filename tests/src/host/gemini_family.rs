//! Gemini CLI and Qwen Code, its fork.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::recipe::{Invocation, Options};
use crate::error::{Error, Result};
use crate::test_home::TestHome;

/// The settings of a person who uses Gemini CLI with a key. The host takes its way of signing in from
/// there alone, so the file must be there before a run; a file of the test's own is left as it is.
pub(super) fn prepare_gemini(home: &TestHome) -> Result<()> {
    let file = home.home().join(".gemini/settings.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        return home.write(".gemini/settings.json", settings("gemini-api-key")).map(drop);
    };
    let signed_in = serde_json::from_str::<Value>(&text)
        .map_or(true, |settings| settings.pointer("/security/auth/selectedType").is_some());
    if signed_in {
        return Ok(());
    }
    let problem =
        format!("cannot sign in: {} is there but has no security.auth.selectedType", file.display());
    Err(Error::Program { program: "gemini-cli".to_owned(), problem })
}

pub(super) fn gemini(model: &str, prompt: &str, options: &Options) -> Invocation {
    let resume: &[&str] = if options.resume { &["--resume", "latest"] } else { &[] };
    // With a model of this name the host does not ask another one which model to take.
    let name = options.model.as_deref().unwrap_or("gemini-2.5-pro");
    Invocation::default()
        .args(["--yolo", "-m", name])
        .args(resume)
        .args(&options.args)
        .args(["-p", prompt])
        .env("GEMINI_API_KEY", "fake-key")
        .env("GOOGLE_GEMINI_BASE_URL", model)
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
}

/// Qwen Code reads what the run needs from the machine-wide settings, whose place a variable names, so
/// that the person's own `settings.json` stays the test's. (Gemini CLI wants that file to be root's.)
pub(super) fn qwen(home: &TestHome, model: &str, prompt: &str, options: &Options) -> Result<Invocation> {
    let resume = options.resume.then_some("--continue");
    let machine: PathBuf = home.write_beside("qwen-machine.json", settings("openai"))?;
    Ok(Invocation::default()
        .arg("--yolo")
        .args(resume)
        .args(&options.args)
        .args(["-p", prompt])
        .env("OPENAI_API_KEY", "fake-key")
        .env("OPENAI_BASE_URL", format!("{model}/v1"))
        .env("OPENAI_MODEL", options.model.as_deref().unwrap_or("fake-model"))
        .env("QWEN_CODE_SYSTEM_SETTINGS_PATH", machine))
}

fn settings(auth: &str) -> String {
    let settings = json!({
        "security": {"auth": {"selectedType": auth}, "folderTrust": {"enabled": false}},
        "privacy": {"usageStatisticsEnabled": false},
        "general": {"enableAutoUpdate": false},
    });
    format!("{settings:#}\n")
}
