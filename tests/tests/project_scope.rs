//! `remora install HOST --scope project`, tried in the real hosts: the hooks of one project run in it, and nowhere else.

use std::path::Path;

use remora_tests::{HostId, Installed, Options, Place, Result, Script, Step, journal, wait_until};

use crate::first_event::spooled;

const PROMPT: &str = "write a haiku about the sea";

fn in_a_real_host(id: HostId) -> Result<()> {
    let Some(place) = Place::of(id)? else { return Ok(()) };
    id.prepare(&place.home)?;
    let (home, project) = (&place.home, place.home.project());
    // Codex runs a project's hooks where the person trusts the project.
    if id == HostId::Codex {
        let trusted = format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", project.to_string_lossy());
        home.write(".codex/config.toml", trusted)?;
    }
    let installed = Installed::programs_only(home)?;
    let named = project.to_string_lossy();
    let done = installed.json(&["install", id.id(), "--scope", "project", "--project", &named, "--yes"])?;
    let hooks = done["changed"].as_array().into_iter().flatten().filter_map(|file| file.as_str());
    assert!(hooks.into_iter().any(|file| Path::new(file).starts_with(&project)), "{id}: {done:#}");
    let told = || -> Result<usize> {
        installed.json(&["status"])?;
        wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
        let events = journal::events(&home.root())?;
        Ok(events.iter().filter(|event| event.body["prompt"] == PROMPT).count())
    };
    let options = Options { skip_hook_trust: true, ..Options::default() };
    place.run(&Script::new([Step::text("Well.")]), PROMPT, &options).map(drop)?;
    assert_eq!(told()?, 1, "{id}: the project's hooks did not run");

    installed.remora(&["uninstall", id.id(), "--yes"]).run()?.expect_ok("uninstall").map(drop)?;
    place.run(&Script::new([Step::text("Well.")]), PROMPT, &options).map(drop)?;
    assert_eq!(told()?, 1, "{id}: hooks ran that are not there any more");
    Ok(())
}

#[test]
fn of_claude_code() -> Result<()> {
    in_a_real_host(HostId::ClaudeCode)
}

#[test]
fn of_codex() -> Result<()> {
    in_a_real_host(HostId::Codex)
}

#[test]
fn of_gemini_cli() -> Result<()> {
    in_a_real_host(HostId::GeminiCli)
}

#[test]
fn of_qwen_code() -> Result<()> {
    in_a_real_host(HostId::QwenCode)
}

#[test]
fn of_copilot_cli() -> Result<()> {
    in_a_real_host(HostId::CopilotCli)
}

#[test]
fn of_opencode() -> Result<()> {
    in_a_real_host(HostId::OpenCode)
}

#[test]
fn of_pi() -> Result<()> {
    in_a_real_host(HostId::Pi)
}
