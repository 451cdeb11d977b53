//! The executables under test are this workspace's own, and live in a home of the test's own.

use std::time::Duration;

use remora_tests::workspace::Workspace;
use remora_tests::{Engine, Installation, Result, TestHome};

#[test]
fn every_adapters_executables_are_built_and_laid_out() -> Result<()> {
    let installation = Installation::get()?;
    for hook in installation.hooks() {
        let place = installation.folder().join("bin").join(&hook.host).join(&hook.event);
        assert_eq!(hook.path, place);
        assert!(place.is_file(), "{}", place.display());
    }
    assert!(installation.hook("claude-code", "session-start").is_ok());
    assert!(installation.hook("claude-code", "no-such-event").is_err());
    Ok(())
}

#[test]
fn a_copy_of_the_installation_can_be_taken_away() -> Result<()> {
    let home = TestHome::named("with space, ü, 記 ")?;
    let copy = Installation::get()?.copy_to(&home.root())?;
    let hook = copy.hook("claude-code", "stop")?;
    assert!(hook.path.starts_with(home.root()));
    let said = home.launch(&hook.path).arg("--build-id").run()?.expect_ok("the copy")?;
    assert_eq!(said.out().trim().len(), 16, "{}", said.describe());
    std::fs::remove_file(&hook.path).expect("a removed file");
    assert!(Installation::get()?.hook("claude-code", "stop")?.path.exists());
    Ok(())
}

#[test]
fn a_hook_runs_in_the_tests_home_alone() -> Result<()> {
    let home = TestHome::new()?;
    let payload = r#"{"session_id": "s", "cwd": "/nowhere", "hook_event_name": "Stop"}"#;
    let done = home.hook("claude-code", "stop")?.stdin(payload).run()?;
    assert!(done.ok() && !done.output_held, "{}", done.describe());
    assert!(home.root().exists(), "the data root that it was told");
    Ok(())
}

#[test]
fn the_engine_that_a_hook_starts_ends_with_the_home() -> Result<()> {
    if Workspace::read()?.package("remora").is_none() {
        return Ok(());
    }
    let home = TestHome::new()?;
    let payload =
        r#"{"session_id": "s", "cwd": "/nowhere", "hook_event_name": "SessionStart", "source": "startup"}"#;
    let done = home.hook("claude-code", "session-start")?.stdin(payload).run()?;
    assert!(done.ok() && !done.output_held, "{}", done.describe());
    let engine = Engine::wait_for(&home, Duration::from_secs(30))?;
    assert!(engine.runs());
    drop(home);
    assert!(!engine.runs());
    Ok(())
}
