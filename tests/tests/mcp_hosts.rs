//! The server in the other real hosts, registered by the installer: each has its own way of naming tools, of
//! saying what is open, and of handing results to its model.

use remora_tests::host::host;
use remora_tests::{Call, HostId, Installed, Options, Result, Script, Step, TestHome};
use serde_json::json;

use crate::mcp::remember;

/// Registers our server with the host. Gives the call of `memory_search`.
fn register(id: HostId, home: &TestHome) -> Result<Call> {
    id.prepare(home)?;
    Installed::in_home(home, id)?;
    let query = json!({"query": "lagoon"});
    let name = match id {
        HostId::Codex => return Ok(Call::new("memory_search", query).in_namespace("mcp__remora")),
        HostId::GeminiCli => "mcp_remora_memory_search",
        HostId::QwenCode => "mcp__remora__memory_search",
        HostId::CopilotCli => "remora-memory_search",
        _ => "remora_memory_search",
    };
    Ok(Call::new(name, query))
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
