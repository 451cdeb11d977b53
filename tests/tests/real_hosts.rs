//! The harness itself works: a real host without Remora, without a network, against the fake model.

use remora_tests::host::host;
use remora_tests::{Call, Error, Host, HostId, Options, Result, Script, Step, TestHome};
use serde_json::json;

/// The prompt reaches the model, the tools that the model asks for are run, and their results reach the
/// model in turn; a second run goes on where the first one ended; and there is no network.
fn the_harness_works(id: HostId) -> Result<()> {
    let Some(host) = host(id) else { return Ok(()) };
    let home = TestHome::new()?;
    first_run(&host, &home)?;
    second_run(&host, &home)
}

fn first_run(host: &Host, home: &TestHome) -> Result<()> {
    let (tool, argument) = host.id().shell_tool();
    let shell = |command: &str| Call::new(tool, json!({argument: command, "description": "leave a mark"}));
    let script = Script::new([
        // The marks are put together by the shell, so that they cannot come from the calls' own text.
        Step::calls([
            shell("printf 'first-%s-mark\\n' was-run; cat /proc/net/dev > network"),
            shell("printf 'second-%s-mark\\n' was-run"),
        ]),
        Step::text("All finished."),
    ]);
    let run = host.run(home, &script, "please say PROMPT-MARK", &Options::default())?.expect_ok(host)?;

    let outline = run.model.outline();
    assert!(!run.model.find("PROMPT-MARK").is_empty(), "the prompt did not arrive\n{outline}");
    for mark in ["first-was-run-mark", "second-was-run-mark"] {
        let results = run.model.find(mark);
        assert!(results.iter().any(|found| found.text.role == "tool"), "no {mark}\n{outline}{results:#?}");
    }
    let steps = run.model.main().count();
    assert_eq!(steps, 2, "requests beside the main conversation used up the script\n{outline}");
    assert!(run.process.out().contains("All finished."), "{}", run.process.describe());

    let file = home.project().join("network");
    let network = std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?;
    let interfaces: Vec<&str> = network.lines().skip(2).filter_map(|line| line.split(':').next()).collect();
    assert!(interfaces.iter().all(|name| name.trim() == "lo"), "there is a network: {interfaces:?}");
    Ok(())
}

fn second_run(host: &Host, home: &TestHome) -> Result<()> {
    let script = Script::new([Step::text("Still here.")]);
    let options = Options { resume: true, ..Options::default() };
    let run = host.run(home, &script, "and now SECOND-MARK", &options)?.expect_ok(host)?;
    let main: Vec<_> = run.model.main().collect();
    let outline = run.model.outline();
    assert_eq!(main.len(), 1, "{outline}");
    for mark in ["PROMPT-MARK", "first-was-run-mark", "SECOND-MARK"] {
        assert!(main[0].says(mark), "the resumed session lacks {mark}\n{outline}");
    }
    Ok(())
}

#[test]
fn claude_code() -> Result<()> {
    the_harness_works(HostId::ClaudeCode)
}

#[test]
fn codex() -> Result<()> {
    the_harness_works(HostId::Codex)
}

#[test]
fn gemini_cli() -> Result<()> {
    the_harness_works(HostId::GeminiCli)
}

#[test]
fn opencode() -> Result<()> {
    the_harness_works(HostId::OpenCode)
}

#[test]
fn qwen_code() -> Result<()> {
    the_harness_works(HostId::QwenCode)
}

#[test]
fn copilot_cli() -> Result<()> {
    the_harness_works(HostId::CopilotCli)
}

#[test]
fn pi() -> Result<()> {
    the_harness_works(HostId::Pi)
}
