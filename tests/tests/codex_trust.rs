//! Codex runs a hook only when the person trusts it: without a word where they do not, and `remora` says so.

use remora_tests::{Call, HostId, Installed, Place, Result, Script, Step, TestHome, journal};
use serde_json::{Value, json};

fn asks_codex(place: &Place) -> Result<()> {
    let call = Call::new("exec_command", json!({"cmd": "true"}));
    let script = Script::new([Step::calls([call]), Step::text("All finished.")]);
    let run = place.run(&script, "say hello", &remora_tests::Options::default())?;
    assert!(run.process.out().contains("All finished."), "{}", run.process.describe());
    Ok(())
}

/// What `remora doctor` says of Codex, whether it finds all well or not.
fn doctor(place: &Place, installed: &Installed<'_>) -> Result<Value> {
    let said = place.host.beside(installed.remora(&["doctor", "--json"]))?.run()?;
    let report: Value = serde_json::from_slice(&said.stdout).expect("a report");
    let of_codex = |host: &&Value| host["host"] == "codex";
    Ok(report["hosts"].as_array().expect("hosts").iter().find(of_codex).expect("Codex").clone())
}

/// What `remora install --trust` prints.
fn install_with_trust(place: &Place, installed: &Installed<'_>) -> Result<String> {
    let install = installed.remora(&["install", "codex", "--yes", "--trust"]);
    Ok(place.host.beside(install)?.run()?.expect_ok("remora install")?.out())
}

fn config(home: &TestHome) -> Option<String> {
    std::fs::read_to_string(home.home().join(".codex/config.toml")).ok()
}

#[test]
fn without_trust_nothing_breaks_and_nothing_is_heard() -> Result<()> {
    let Some(place) = Place::of(HostId::Codex)? else { return Ok(()) };
    let installed = Installed::programs_only(&place.home)?;
    let said = installed.remora(&["install", "codex", "--yes"]).run()?.expect_ok("remora install")?;
    assert!(said.out().contains("remora install codex --trust"), "{}", said.describe());
    asks_codex(&place)?;
    assert!(journal::events(&place.home.root())?.is_empty());
    let report = doctor(&place, &installed)?;
    assert_eq!((&report["installed"], &report["trusted"]), (&json!(true), &json!(false)), "{report:#}");
    let why = &report["findings"][0];
    assert!(why["text"].as_str().expect("text").contains("passes them over"), "{report:#}");
    assert!(why["next"].as_str().expect("text").contains("--trust"), "{report:#}");
    Ok(())
}

#[test]
fn with_trust_it_is_heard_and_all_goes_again() -> Result<()> {
    let Some(place) = Place::of(HostId::Codex)? else { return Ok(()) };
    for before in [None, Some("# mine\r\nmodel_reasoning_effort = \"low\"\r\n\r\n[tui]\r\ntheme = \"dark\"")]
    {
        if let Some(text) = before {
            place.home.write(".codex/config.toml", text)?;
        }
        let installed = Installed::programs_only(&place.home)?;
        let install = || install_with_trust(&place, &installed);
        let shown = install()?;
        let command = format!("{}/session-start --root", place.home.root().join("bin/codex").display());
        assert!(shown.contains(&command) && shown.contains("trusts them from now on"), "{shown}");
        let report = doctor(&place, &installed)?;
        assert_eq!((&report["current"], &report["trusted"]), (&json!(true), &json!(true)), "{report:#}");
        let again = install()?;
        assert!(again.contains("Nothing was changed") && !again.contains("passes"), "{again}");

        asks_codex(&place)?;
        let events = journal::events(&place.home.root())?;
        let kinds = journal::kinds(&events);
        for kind in ["session_start", "user_prompt", "post_tool_use", "stop"] {
            assert!(kinds.contains_key(kind), "{kinds:?}");
        }
        let uninstall = ["uninstall", "codex", "--yes"];
        installed.remora(&uninstall).run()?.expect_ok("remora uninstall").map(drop)?;
        assert_eq!(config(&place.home).as_deref(), before);
    }
    Ok(())
}

#[test]
fn trust_goes_from_a_file_that_was_touched_since_and_others_stay() -> Result<()> {
    let Some(place) = Place::of(HostId::Codex)? else { return Ok(()) };
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    place.home.write(".codex/hooks.json", theirs)?;
    let file = place.home.home().join(".codex/hooks.json");
    let trusted = format!("\n[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n", file.display());
    let before = format!("model_reasoning_effort = \"low\"\n\n[hooks.state]\n{trusted}");
    place.home.write(".codex/config.toml", &before)?;
    let installed = Installed::programs_only(&place.home)?;
    let shown = install_with_trust(&place, &installed)?;
    assert!(!shown.contains("  stop  true"), "another's hook is not ours to trust: {shown}");
    let between = config(&place.home).expect("the configuration");
    assert!(between.contains(&trusted), "{between}");
    let touched = between.replace("\"low\"", "\"high\"");
    place.home.write(".codex/config.toml", &touched)?;
    installed.remora(&["uninstall", "codex", "--yes"]).run()?.expect_ok("remora uninstall").map(drop)?;
    assert_eq!(config(&place.home), Some(before.replace("\"low\"", "\"high\"")));
    assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), Some(theirs));
    Ok(())
}

#[test]
fn trust_that_cannot_be_recorded_is_explained() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    let install = ["install", "codex", "--yes", "--trust"];
    let said = installed.remora(&install).env("PATH", "/usr/bin:/bin").run()?;
    assert!(!said.ok() && said.describe().contains("Codex itself was not found"), "{}", said.describe());
    assert!(home.home().join(".codex/hooks.json").exists(), "what could be done is done");
    Ok(())
}
