//! Remora in the real Codex and the real Gemini CLI: what reached the model, what the journal kept, and what
//! is left when it goes.

use std::collections::BTreeMap;
use std::path::Path;

use remora_tests::{
    Call, Error, HostId, Installed, Options, Place, Result, Script, Step, TestHome, journal, times,
};
use serde_json::{Value, json};

/// What the person told Remora.
const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
/// The head of its body, as a model gets it.
const RULE_HEAD: &str = "### integration-tests-talk-real-postgres";
/// What is said once in a context: how to use this memory.
const PROTOCOL: &str = "Remora keeps memory across sessions, worktrees and coding agents.";
const ASKS_FOR_RULE: &str = "which database do the integration tests use?";
const ASKS_FOR_ANOTHER: &str = "write a haiku about the sea";

/// Codex runs hooks that nobody trusts: that it asks for trust is another test's matter.
fn options() -> Options {
    Options { skip_hook_trust: true, ..Options::default() }
}

/// The model runs a command that leaves a mark, which its own text does not have, and then ends its turn.
fn leaves(host: HostId, mark: &str) -> Script {
    let (tool, argument) = host.shell_tool();
    let command = format!("printf '{mark}-%s-mark\\n' tool-output");
    let call = Call::new(tool, json!({argument: command, "description": "leave a mark"}));
    Script::new([Step::calls([call]), Step::text("The real Postgres.")])
}

fn what_was_remembered_reaches_the_model(id: HostId) -> Result<()> {
    let Some(place) = Place::of(id)? else { return Ok(()) };
    let installed = Installed::at_ease_in(&place.home, &[id])?;
    installed.json(&["remember", RULE])?;
    let well = Script::new([Step::text("Well.")]);

    let other = place.run(&well, ASKS_FOR_ANOTHER, &options())?.told();
    assert_eq!((times(&other, PROTOCOL), times(&other, RULE_HEAD)), (1, 0), "{other}");
    let asked = place.run(&leaves(id, "first"), ASKS_FOR_RULE, &options())?.told();
    assert_eq!((times(&asked, PROTOCOL), times(&asked, RULE_HEAD)), (1, 1), "{asked}");
    assert!(asked.contains(RULE), "{asked}");

    // The session goes on: what its context has is not given again.
    let resume = Options { resume: true, ..options() };
    let resumed = place.run(&well, "and on Fridays, which database do they use?", &resume)?.told();
    assert!(resumed.contains(ASKS_FOR_RULE), "not the same session: {resumed}");
    assert_eq!((times(&resumed, PROTOCOL), times(&resumed, RULE_HEAD)), (1, 1), "{resumed}");

    the_journal_has_what_happened(&place, &installed)
}

fn the_journal_has_what_happened(place: &Place, installed: &Installed<'_>) -> Result<()> {
    let host = place.host.id().id();
    let found = installed.json(&["search", "first-tool-output-mark"])?;
    assert_eq!((&found["total"], &found["hits"][0]["kind"]), (&json!(1), &json!("shell")), "{found:#}");
    let elsewhere = place.home.folder().join("elsewhere");
    std::fs::create_dir(&elsewhere).map_err(Error::file("making", &elsewhere))?;
    let elsewhere = elsewhere.to_string_lossy();
    let found = installed.json(&["--project", &elsewhere, "search", "first-tool-output-mark"])?;
    assert_eq!(found["total"], 0, "it happened in another project: {found:#}");

    let events = journal::events(&place.home.root())?;
    let prompts: Vec<_> = events.iter().filter_map(|event| event.body["prompt"].as_str()).collect();
    assert_eq!(prompts, [ASKS_FOR_ANOTHER, ASKS_FOR_RULE, "and on Fridays, which database do they use?"]);
    let project = place.home.project();
    for event in &events {
        assert_eq!(event.body["host"], host, "{event:#?}");
        assert_eq!(event.body["cwd"].as_str().map(Path::new), Some(project.as_path()), "{event:#?}");
        let body = event.body.to_string();
        for inserted in ["hook_context", "environment_context", "session_context", "remora-memory", PROTOCOL]
        {
            assert!(!body.contains(inserted), "{inserted} was captured: {event:#?}");
        }
    }
    let kinds = journal::kinds(&events);
    let wanted = BTreeMap::from([
        ("post_tool_use", 1),
        ("session_end", 3),
        ("session_start", 3),
        ("stop", 3),
        ("user_prompt", 3),
    ]);
    assert_eq!(kinds, wanted, "{events:#?}");
    Ok(())
}

#[test]
fn what_was_remembered_reaches_codex() -> Result<()> {
    what_was_remembered_reaches_the_model(HostId::Codex)
}

#[test]
fn what_was_remembered_reaches_gemini_cli() -> Result<()> {
    what_was_remembered_reaches_the_model(HostId::GeminiCli)
}

/// The person's files of both hosts, with things of their own in them.
fn write_files(home: &TestHome) -> Result<()> {
    home.write(
        ".codex/config.toml",
        "# mine\r\nmodel = \"gpt-5.5\" # best\r\n\r\n[tui]\r\ntheme = \"dark\"\r\n",
    )?;
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    home.write(".codex/hooks.json", theirs)?;
    let settings = "{\n  // signed in\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}},\n  \
        \"general\": {\"enableAutoUpdate\": false}, \"hooks\": {}\n}\n";
    home.write(".gemini/settings.json", settings).map(drop)
}

const FILES: [&str; 3] = [".codex/config.toml", ".codex/hooks.json", ".gemini/settings.json"];

fn files(home: &TestHome) -> Vec<Option<String>> {
    FILES.map(|file| std::fs::read_to_string(home.home().join(file)).ok()).into()
}

#[test]
fn what_was_there_before_is_there_afterwards() -> Result<()> {
    let home = TestHome::new()?;
    write_files(&home)?;
    let before = files(&home);
    let installed = Installed::programs_only(&home)?;
    for _ in 0..2 {
        installed
            .remora(&["install", "codex", "gemini-cli", "--yes"])
            .run()?
            .expect_ok("install")
            .map(drop)?;
    }
    let between = files(&home);
    for ((file, before), between) in FILES.iter().zip(&before).zip(&between) {
        assert_ne!(before, between, "{file}");
    }
    installed
        .remora(&["uninstall", "codex", "gemini-cli", "--yes"])
        .run()?
        .expect_ok("uninstall")
        .map(drop)?;
    assert_eq!(files(&home), before);
    Ok(())
}

#[test]
fn every_hook_of_both_is_proved() -> Result<()> {
    let home = TestHome::new()?;
    write_files(&home)?;
    let installed = Installed::programs_only(&home)?;
    installed.remora(&["install", "codex", "gemini-cli", "--yes"]).run()?.expect_ok("install").map(drop)?;
    let said = installed.remora(&["doctor", "--prove", "--json"]).run()?;
    let report: Value = serde_json::from_slice(&said.stdout).expect("a report");
    let proofs = report["proofs"].as_array().expect("proofs");
    let of = |host: &str| proofs.iter().filter(|proof| proof["host"] == host).collect::<Vec<_>>();
    for (host, hooks, of_others) in [("codex", 10, 1), ("gemini-cli", 5, 0)] {
        let proofs = of(host);
        let with = |outcome: &str| proofs.iter().filter(|proof| proof["outcome"] == outcome).count();
        assert_eq!((with("passed"), with("not_run")), (hooks, of_others), "{proofs:#?}");
        assert_eq!(proofs.len(), hooks + of_others, "{proofs:#?}");
    }
    Ok(())
}

#[test]
fn a_host_whose_hooks_are_gone_goes_on() -> Result<()> {
    for id in [HostId::Codex, HostId::GeminiCli] {
        let Some(place) = Place::of(id)? else { continue };
        let installed = Installed::at_ease_in(&place.home, &[id])?;
        let bin = installed.program().parent().expect("a folder").join(id.id());
        std::fs::remove_dir_all(&bin).map_err(Error::file("removing", &bin))?;
        let run = place.run(&leaves(id, "lone"), "go on", &options())?;
        assert!(run.told().contains("lone-tool-output-mark"), "{}", run.model.outline());
        assert!(run.process.out().contains("The real Postgres."), "{}", run.process.describe());
    }
    Ok(())
}

#[test]
fn what_one_host_was_taught_the_others_know() -> Result<()> {
    let all = [HostId::ClaudeCode, HostId::Codex, HostId::GeminiCli];
    let home = TestHome::new()?;
    let hosts: Vec<_> = all.iter().filter_map(|id| remora_tests::host::host(*id)).collect();
    if hosts.len() < all.len() {
        return Ok(());
    }
    let installed = Installed::at_ease_in(&home, &all)?;
    // Each host's model saves one fact, as the protocol tells it to, and the others are asked for it.
    let remora = installed.program();
    let facts = [
        (
            "The staging cluster is called heron.",
            "### staging-cluster-called-heron",
            "what is the staging cluster called?",
        ),
        (
            "Release notes are written in Portuguese.",
            "### release-notes-written-portuguese",
            "in which language are release notes written?",
        ),
        (
            "The nightly backup starts at 02:40 UTC.",
            "### nightly-backup-starts-02-40",
            "when does the nightly backup start?",
        ),
    ];
    for (host, (fact, _, _)) in hosts.iter().zip(facts) {
        let (tool, argument) = host.id().shell_tool();
        let command = format!("{} --root {} remember '{fact}'", remora.display(), home.root().display());
        let call = Call::new(tool, json!({argument: command, "description": "remember"}));
        let script = Script::new([Step::calls([call]), Step::text("Noted.")]);
        host.run(&home, &script, "please note what I told you", &options())?.expect_ok(host).map(drop)?;
    }
    for (number, host) in hosts.iter().enumerate() {
        for (fact, head, question) in facts.iter().enumerate().filter(|(of, _)| *of != number).map(|(_, f)| f)
        {
            let script = Script::new([Step::text("Well.")]);
            let run = host.run(&home, &script, question, &options())?.expect_ok(host)?;
            let told = run.told();
            assert_eq!((times(&told, head), times(&told, fact) >= 1), (1, true), "{}: {told}", host.id());
        }
    }
    let status = installed.json(&["status"])?;
    let heard: Vec<&Value> =
        status["hosts"].as_array().expect("hosts").iter().map(|host| &host["host"]).collect();
    assert_eq!(heard.len(), all.len(), "{status:#}");
    Ok(())
}
