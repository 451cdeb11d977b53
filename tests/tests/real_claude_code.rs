//! Remora in the real Claude Code: what reached the model, what the person saw, what the journal kept.

use remora_tests::host::host;
use remora_tests::{Call, Host, HostId, Installed, Options, Result, Run, Script, Step, TestHome, journal};
use serde_json::{Value, json};

/// What the person told Remora, in a session long ago or just now.
const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const RULE_MARK: &str = "on port 5544, never to mocks";
const ROLE: &str = "I am the database administrator and answer in Swedish.";

fn shell(command: &str) -> Call {
    Call::new("Bash", json!({"command": command, "description": "look around"}))
}

fn run(host: &Host, home: &TestHome, script: &Script, prompt: &str, options: &Options) -> Result<Run> {
    host.run(home, script, prompt, options)?.expect_ok(host)
}

/// All that the last request of the main conversation said to the model, in one text.
fn told(run: &Run) -> String {
    let last = run.model.main().last().expect("a request of the main conversation");
    last.texts().iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn probe() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    let installed = Installed::at_ease(&home)?;
    installed.json(&["remember", RULE])?;
    installed.json(&["remember", ROLE, "--type", "user"])?;
    let script = Script::new([Step::calls([shell("printf 'tool-%s-mark\\n' output")]), Step::text("All finished.")]);
    let run1 = run(&host, &home, &script, "which database do integration tests use?", &Options::default())?;
    eprintln!("{}\n{}", run1.model.outline(), told(&run1));
    eprintln!("{}", run1.process.describe());
    eprintln!("{}", run1.process.elapsed.as_millis());
    let options = Options { resume: true, ..Options::default() };
    let run2 = run(&host, &home, &Script::new([Step::text("ok")]), "thanks, and which port do integration tests use?", &options)?;
    eprintln!("{}\n{}", run2.model.outline(), told(&run2));
    eprintln!("{}", run2.process.describe());
    let events = journal::events(&home.root())?;
    eprintln!("{:#?}", events.iter().map(|e| (e.kind.clone(), e.agent.clone(), e.session.clone())).collect::<Vec<_>>());
    eprintln!("{}", installed.remora(&["why"]).run()?.out());
    Ok(())
}
