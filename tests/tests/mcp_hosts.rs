//! The server in the other real hosts, registered as a person would: each has its own way of naming tools, of
//! saying what is open, and of handing results to its model.

use remora_tests::host::host;
use remora_tests::{Call, Error, HostId, Options, Result, Script, Step, TestHome};
use serde_json::{Value, json};

use crate::mcp::remember;

/// Writes the host's configuration with our server in it; gives the call of `memory_search`.
fn register(id: HostId, home: &TestHome, command: &str, root: &str) -> Result<Call> {
    id.prepare(home)?;
    let server = json!({"command": command, "args": ["--root", root, "mcp"]});
    let query = json!({"query": "lagoon"});
    match id {
        HostId::Codex => {
            let text = format!(
                "[mcp_servers.remora]\ncommand = {command:?}\nargs = [\"--root\", {root:?}, \"mcp\"]\n"
            );
            home.write(".codex/config.toml", text)?;
            return Ok(Call::new("memory_search", query).in_namespace("mcp__remora"));
        }
        HostId::GeminiCli => add(home, ".gemini/settings.json", &json!({"mcpServers": {"remora": server}}))?,
        HostId::QwenCode => add(home, ".qwen/settings.json", &json!({"mcpServers": {"remora": server}}))?,
        HostId::CopilotCli => {
            let mut server = server;
            server["tools"] = json!(["*"]);
            add(home, ".copilot/mcp-config.json", &json!({"mcpServers": {"remora": server}}))?;
        }
        _ => {
            let line = json!([command, "--root", root, "mcp"]);
            let server = json!({"type": "local", "command": line, "enabled": true});
            add(home, ".config/opencode/opencode.json", &json!({"mcp": {"remora": server}}))?;
        }
    }
    let name = match id {
        HostId::GeminiCli => "mcp_remora_memory_search",
        HostId::QwenCode => "mcp__remora__memory_search",
        HostId::CopilotCli => "remora-memory_search",
        _ => "remora_memory_search",
    };
    Ok(Call::new(name, query))
}

/// Adds keys to a configuration file that may be there already.
fn add(home: &TestHome, file: &str, keys: &Value) -> Result<()> {
    let path = home.home().join(file);
    let mut config = match std::fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(Error::json(file))?,
        Err(_) => json!({}),
    };
    for (key, value) in keys.as_object().into_iter().flatten() {
        config[key] = value.clone();
    }
    home.write(file, config.to_string()).map(drop)
}

fn a_models_search_is_answered(id: HostId) -> Result<()> {
    let Some(host) = host(id) else { return Ok(()) };
    let home = TestHome::new()?;
    remember(&home, &home.project(), &["--type", "project", "The lagoon bridge opens on 2027-03-01."])?;
    let remora = remora_tests::Installation::get()?.remora();
    let root = home.root();
    let call = register(id, &home, &remora.to_string_lossy(), &root.to_string_lossy())?;
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
