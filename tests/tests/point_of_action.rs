//! When a file is touched or a command fails, the agent is told what is known about that very file or command: once.

use std::path::Path;

use remora_tests::host::host;
use remora_tests::{Error, HostId, Installed, Options, Result, Script, Step, TestHome};
use serde_json::{Value, json};

use crate::found_again::tell;
use crate::mcp::remember;

const POOL: &str = "The retries in src/db/pool.rs are there because the proxy drops idle connections.";
const BUILD: &str =
    "Build the site with `npm run build:ci`, since `npm run build` writes into the wrong folder.";

/// What an event is answered.
fn answer(home: &TestHome, session: &str, event: &Value) -> Result<String> {
    let mut whole = json!({
        "v": 1, "id": format!("{session} {event}"), "host": "gemini-cli", "adapter": "test", "session": session,
        "cwd": home.project(), "at": "2026-11-20T10:00:00Z", "want": "context",
        "budget": {"amount": 10_000, "unit": "utf16"},
    });
    if let (Value::Object(whole), Value::Object(event)) = (&mut whole, event) {
        whole.extend(event.clone());
    }
    let said = home.remora(&["event"])?.stdin(whole.to_string()).run()?.expect_ok("remora event")?;
    let reply: Value = serde_json::from_slice(&said.stdout).map_err(Error::json("the reply"))?;
    if let Some(id) = reply["injection"].as_str() {
        let why = home.remora(&["why", "--json"])?.run()?.expect_ok("remora why")?;
        assert!(
            String::from_utf8_lossy(&why.stdout).contains("point") || reply["context"].is_null(),
            "{id} {reply}"
        );
    }
    Ok(reply["context"].as_str().unwrap_or_default().to_owned())
}

fn shell(event: &str, command: &str, output: &str) -> Value {
    let mut tool =
        json!({"name": "Bash", "kind": "shell", "input": {"command": command}, "output": {"stdout": output}});
    if event == "tool_failure" {
        tool["error"] = json!(output);
    }
    json!({"event": event, "tool": tool})
}

fn file(kind: &str, path: &Path) -> Value {
    json!({"event": "post_tool_use", "tool": {
        "name": kind, "kind": kind, "input": {"file_path": path, "new_string": "x"}, "paths": [path]}})
}

/// A session in which a command failed and was mended, in another agent, some days ago.
fn mended(home: &TestHome) -> Result<()> {
    let here = home.project();
    let changed = here.join("src/cache.js");
    let steps = [
        (
            "09:00:00",
            shell("tool_failure", "npm test", "> test\nError: Cannot find module 'lru-cache' (7)\n  at x"),
        ),
        ("09:01:00", shell("post_tool_use", "ls node_modules", "left-pad")),
        ("09:02:00", shell("post_tool_use", "npm ci", "added 12 packages")),
        ("09:03:00", file("edit", &changed)),
        ("09:04:00", shell("post_tool_use", "npm test -- --ci", "12 passed, 0 failed")),
    ];
    for (time, event) in steps {
        tell(home, &here, "codex", "earlier", &format!("2026-11-02T{time}Z"), &event)?;
    }
    Ok(())
}

#[test]
fn a_file_that_a_memory_names_brings_the_memory_once() -> Result<()> {
    let home = TestHome::new()?;
    remember(&home, &home.project(), &["--type", "project", POOL])?;
    let pool = home.write_in_project("src/db/pool.rs", "fn retry() {}\n")?;
    let other = home.write_in_project("src/web/pool.rs", "fn render() {}\n")?;
    assert_eq!(answer(&home, "one", &file("read", &other))?, "");
    let told = answer(&home, "one", &file("read", &pool))?;
    assert!(told.contains(POOL) && told.contains("src/db/pool.rs: still there"), "{told}");
    assert_eq!(answer(&home, "one", &file("edit", &pool))?, "", "it was given again");
    assert!(
        answer(&home, "two", &shell("post_tool_use", "cat src/db/pool.rs", "fn retry() {}"))?.contains(POOL)
    );
    Ok(())
}

#[test]
fn a_command_that_a_memory_names_brings_the_memory() -> Result<()> {
    let home = TestHome::new()?;
    remember(&home, &home.project(), &["--type", "feedback", BUILD])?;
    assert_eq!(answer(&home, "one", &shell("post_tool_use", "npm run lint", "ok"))?, "");
    let told = answer(&home, "one", &shell("post_tool_use", "cd web && npm run build -- --prod", "built"))?;
    assert!(told.contains(BUILD) && told.contains("remora-guidance"), "{told}");
    Ok(())
}

#[test]
fn a_failure_that_was_mended_before_brings_what_mended_it() -> Result<()> {
    let home = TestHome::new()?;
    mended(&home)?;
    let again = shell("tool_failure", "npm test", "Error: Cannot find module 'lru-cache' (12)");
    let told = answer(&home, "one", &again)?;
    insta::assert_snapshot!("mended_before", told);
    assert_eq!(
        answer(
            &home,
            "one",
            &shell("tool_failure", "npm test -- x", "Error: Cannot find module 'lru-cache' (9)")
        )?,
        ""
    );
    let else_ = shell("tool_failure", "npm test", "Error: Cannot find module 'express'");
    assert_eq!(answer(&home, "two", &else_)?, "", "another complaint is another matter");
    assert_eq!(answer(&home, "two", &shell("post_tool_use", "npm test", "12 passed"))?, "");
    // A host that does not say how a command ended.
    let silent = shell("post_tool_use", "npm test", "Error: Cannot find module 'lru-cache' (12)");
    assert!(answer(&home, "three", &silent)?.contains("npm ci"));
    Ok(())
}

#[test]
fn a_file_whose_change_mended_a_command_says_so() -> Result<()> {
    let home = TestHome::new()?;
    mended(&home)?;
    insta::assert_snapshot!(
        "changed_before",
        answer(&home, "one", &file("read", &home.project().join("src/cache.js")))?
    );
    assert_eq!(answer(&home, "one", &file("edit", &home.project().join("src/cache.js")))?, "");
    Ok(())
}

#[test]
fn nothing_is_said_where_the_person_does_not_want_it() -> Result<()> {
    let home = TestHome::new()?;
    home.write(".config/remora/config.toml", "[inject]\npoint = false\n")?;
    remember(&home, &home.project(), &["--type", "project", POOL])?;
    let pool = home.write_in_project("src/db/pool.rs", "fn retry() {}\n")?;
    assert_eq!(answer(&home, "one", &file("read", &pool))?, "");
    Ok(())
}

#[test]
fn what_is_purged_is_not_told_any_more() -> Result<()> {
    let home = TestHome::new()?;
    mended(&home)?;
    home.remora(&["journal", "purge", "--match", "lru-cache", "--yes"])?
        .run()?
        .expect_ok("purge")
        .map(drop)?;
    let again = shell("tool_failure", "npm test", "Error: Cannot find module 'lru-cache' (12)");
    assert_eq!(answer(&home, "one", &again)?, "");
    Ok(())
}

/// A real Claude Code reads the file and runs the command; what is known reaches its model with the results.
#[test]
fn a_real_agent_is_told_with_the_result_of_its_call() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    let installed = Installed::at_ease(&home)?;
    remember(
        &home,
        &home.project(),
        &["--type", "project", "--description", "why the pool tries again", POOL],
    )?;
    for (time, event) in [
        ("09:00:00", shell("tool_failure", "sh check.sh", "error: port 8080 is taken")),
        ("09:01:00", shell("post_tool_use", "make stop-proxy", "stopped")),
        ("09:02:00", shell("post_tool_use", "sh check.sh", "fine")),
    ] {
        tell(&home, &home.project(), "codex", "earlier", &format!("2026-11-02T{time}Z"), &event)?;
    }
    let pool = home.write_in_project("src/db/pool.rs", "fn retry() {}\n")?;
    home.write_in_project("check.sh", "echo 'error: port 9090 is taken'; exit 1\n")?;
    let script = Script::new(vec![
        Step::call("Read", json!({"file_path": pool})),
        Step::call("Bash", json!({"command": "sh check.sh", "description": "check"})),
        Step::text("Done."),
    ]);
    let run = host.run(&home, &script, "have a look round", &Options::default())?.expect_ok(&host)?;
    let requests: Vec<_> = run.model.main().collect();
    let texts = |at: usize| {
        let texts = requests.get(at).map(|request| request.texts()).unwrap_or_default();
        texts.iter().map(|text| text.text.clone()).collect::<Vec<_>>().join("\n")
    };
    assert!(!texts(0).contains("proxy drops idle"), "{}", texts(0));
    assert!(texts(1).contains(POOL), "{}", texts(1));
    assert!(!texts(1).contains("make stop-proxy"), "{}", texts(1));
    assert!(texts(2).contains("make stop-proxy"), "{}", texts(2));
    assert!(installed.json(&["why"])?.to_string().contains("\"point\""));
    Ok(())
}
