//! The server in the other real hosts, registered as a person would: each has its own way of naming tools, of
//! saying what is open, and of handing results to its model.

use remora_tests::host::host;
use remora_tests::{Call, Error, HostId, Installed, Options, Result, Script, Step, TestHome};
use serde_json::{Value, json};

use crate::mcp::remember;

/// Registers our server with the host: by `remora install` where that knows the host, else as a person would.
/// Gives the call of `memory_search`.
fn register(id: HostId, home: &TestHome) -> Result<Call> {
    id.prepare(home)?;
    let query = json!({"query": "lagoon"});
    let name = match id {
        HostId::Codex => {
            Installed::in_home(home, id)?;
            return Ok(Call::new("memory_search", query).in_namespace("mcp__remora"));
        }
        HostId::GeminiCli => {
            Installed::in_home(home, id)?;
            "mcp_remora_memory_search"
        }
        HostId::QwenCode => {
            Installed::in_home(home, id)?;
            "mcp__remora__memory_search"
        }
        HostId::CopilotCli => {
            Installed::in_home(home, id)?;
            "remora-memory_search"
        }
        _ => {
            let server = server_of(home, &json!({}))?;
            let words = server["args"].as_array().into_iter().flatten();
            let line: Vec<&Value> = std::iter::once(&server["command"]).chain(words).collect();
            let ours = json!({"remora": {"type": "local", "command": line, "enabled": true}});
            add(home, ".config/opencode/opencode.json", "mcp", &ours)?;
            "remora_memory_search"
        }
    };
    Ok(Call::new(name, query))
}

/// Our server as most hosts write it down.
fn server_of(home: &TestHome, more: &Value) -> Result<Value> {
    let program = Installed::programs_only(home)?.program();
    let mut server = json!({"command": program, "args": ["--root", home.root(), "mcp"]});
    for (key, value) in more.as_object().into_iter().flatten() {
        server[key] = value.clone();
    }
    Ok(server)
}

/// Adds a key to a configuration file that may be there already.
fn add(home: &TestHome, file: &str, key: &str, value: &Value) -> Result<()> {
    let mut config = match std::fs::read(home.home().join(file)) {
        Ok(text) => serde_json::from_slice(&text).map_err(Error::json(file))?,
        Err(_) => json!({}),
    };
    config[key] = value.clone();
    home.write(file, config.to_string()).map(drop)
}

fn a_models_search_is_answered(id: HostId) -> Result<()> {
    let Some(host) = host(id) else { return Ok(()) };
    let home = TestHome::new()?;
    remember(&home, &home.project(), &["--type", "project", "The lagoon bridge opens on 2027-03-01."])?;
    let call = register(id, &home)?;
    let script = Script::new([Step::calls([call]), Step::text("All finished.")]);
    let run = host.run(&home, &script, "please look it up", &Options::default())?.expect_ok(&host)?;
    let found = run.model.find("memory:private/project_lagoon_bridge");
    let outline = run.model.outline();
    assert!(
        found.iter().any(|found| found.text.role == "tool"),
        "{id}: {found:#?}\n{outline}{}",
        run.process.describe()
    );
    Ok(())
}

#[test]
fn codex() -> Result<()> {
    a_models_search_is_answered(HostId::Codex)
}

#[test]
fn gemini_cli() -> Result<()> {
    a_models_search_is_answered(HostId::GeminiCli)
}

#[test]
fn opencode() -> Result<()> {
    a_models_search_is_answered(HostId::OpenCode)
}

#[test]
fn qwen_code() -> Result<()> {
    a_models_search_is_answered(HostId::QwenCode)
}

#[test]
fn copilot_cli() -> Result<()> {
    a_models_search_is_answered(HostId::CopilotCli)
}
