//! The harness itself works: a real host without Remora, without a network, against the fake model.

use remora_tests::host::host;
use remora_tests::{HostId, Options, Result, Script, Step, TestHome};
use serde_json::json;

/// The prompt reaches the model, the tool that the model asks for is run, and its result reaches the
/// model in turn.
fn prompt_and_tool_arrive(id: HostId) -> Result<()> {
    let Some(host) = host(id) else { return Ok(()) };
    let home = TestHome::new()?;
    let (tool, argument) = id.shell_tool();
    // The mark is put together by the shell, so that it cannot come from the call's own text.
    let command = "printf 'tool-%s-mark\\n' was-run; touch touched";
    let script = Script::new([
        Step::call(tool, json!({argument: command, "description": "leave a mark"})),
        Step::text("All finished."),
    ]);
    let run = host.run(&home, &script, "please say PROMPT-MARK", &Options::default())?.expect_ok(&host)?;

    let outline = run.model.outline();
    assert!(!run.model.find("PROMPT-MARK").is_empty(), "the prompt did not arrive\n{outline}");
    assert!(home.project().join("touched").exists(), "the tool was not run\n{}", run.process.describe());
    let results = run.model.find("tool-was-run-mark");
    assert!(results.iter().any(|found| found.text.role == "tool"), "no result\n{outline}{results:#?}");
    let steps = run.model.main().count();
    assert!(steps >= 2, "the main conversation has two requests\n{outline}");
    assert!(run.process.out().contains("All finished."), "{}", run.process.describe());
    Ok(())
}

#[test]
fn claude_code() -> Result<()> {
    prompt_and_tool_arrive(HostId::ClaudeCode)
}

#[test]
fn codex() -> Result<()> {
    prompt_and_tool_arrive(HostId::Codex)
}

#[test]
fn gemini_cli() -> Result<()> {
    prompt_and_tool_arrive(HostId::GeminiCli)
}

#[test]
fn opencode() -> Result<()> {
    prompt_and_tool_arrive(HostId::OpenCode)
}

#[test]
fn qwen_code() -> Result<()> {
    prompt_and_tool_arrive(HostId::QwenCode)
}

#[test]
fn copilot_cli() -> Result<()> {
    prompt_and_tool_arrive(HostId::CopilotCli)
}

#[test]
fn pi() -> Result<()> {
    prompt_and_tool_arrive(HostId::Pi)
}
