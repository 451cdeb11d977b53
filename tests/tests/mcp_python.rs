//! A real client over MCP, the SDK of the protocol's makers, in both generations of the protocol.

use std::path::{Path, PathBuf};

use remora_tests::{Error, Result, TestHome};
use serde_json::{Value, json};

use crate::mcp::{happened, remember, server};

/// Set to 1, tests fail where it is missing.
const REQUIRE: &str = "REMORA_REQUIRE_MCP_PYTHON";
const NAME: &str = "mcp-python";
const WANTED: &str = include_str!("../mcp/requirements.txt");

/// The Python of the environment that `mcp/install.sh` makes, or nothing with a line that says so.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
fn python() -> Option<PathBuf> {
    let folder = std::env::var_os("REMORA_TEST_HOSTS").map(PathBuf::from).or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        Some(cache?.join("remora-test-hosts"))
    })?;
    let folder = folder.join(NAME);
    if std::fs::read_to_string(folder.join("requirements.txt")).is_ok_and(|there| there == WANTED) {
        return Some(folder.join("bin").join("python"));
    }
    let required = std::env::var(REQUIRE).is_ok_and(|value| value == "1");
    assert!(!required, "{NAME} is required by {REQUIRE}: tests/mcp/install.sh makes it");
    eprintln!("SKIPPED {NAME}: tests/mcp/install.sh makes it");
    None
}

/// Lets the client play a script, started in `cwd` with `root` open.
fn play(
    python: &Path,
    home: &TestHome,
    mode: &str,
    cwd: &Path,
    root: Option<&Path>,
    script: &Value,
) -> Result<Value> {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp/client.py");
    let root = root.map_or_else(|| "-".into(), |root| root.as_os_str().to_owned());
    let words = [python.into(), client.into_os_string(), mode.into(), root];
    let done =
        server(home)?.through(words).cwd(cwd).stdin(script.to_string()).run()?.expect_ok("client.py")?;
    assert!(!done.output_held, "something that the client started is still there");
    serde_json::from_slice(&done.stdout).map_err(Error::json("client.py"))
}

#[test]
fn a_real_client_saves_searches_reads_and_forgets() -> Result<()> {
    let Some(python) = python() else { return Ok(()) };
    for (mode, newest) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let home = TestHome::new()?;
        let project = home.project();
        remember(&home, &project, &["--type", "user", "I count herons at the weekend."])?;
        happened(&home, &project, "earlier", "where do the herons nest")?;
        let id = "memory:private/project_herons_nest_north_tower.md";
        let script = json!([
            ["memory_save", {"text": "Herons nest in the north tower.", "type": "project"}],
            ["memory_search", {"query": "herons"}],
            ["memory_get", {"ids": [id, "journal:1"]}],
            ["memory_forget", {"name": id}],
            ["memory_search", {"query": "herons", "limit": "three"}],
            ["prompt:remember", {"fact": "Herons leave in August."}],
        ]);
        // Started in the home folder: the project is what the client has open.
        let said = play(&python, &home, mode, &home.home(), Some(&project), &script)?;
        assert_eq!(said["protocol"], newest, "{said}");
        assert_eq!(
            said["tools"],
            json!([
                "memory_search",
                "memory_timeline",
                "memory_get",
                "memory_save",
                "work_state",
                "memory_forget"
            ])
        );
        assert_eq!(said["prompts"], json!(["remember", "review"]));
        let told = said["instructions"].as_str().unwrap_or_default();
        assert!(told.starts_with("Remora is the person's memory"), "{said}");
        for (at, (is_error, contains)) in [
            (false, id),
            (false, "journal:1"),
            (false, "where do the herons nest"),
            (false, "forget --undo"),
            (true, "a whole number from 1 to 25"),
            (false, "Herons leave in August."),
        ]
        .into_iter()
        .enumerate()
        {
            let answer = &said["answers"][at];
            assert_eq!(answer["is_error"], is_error, "{mode} {at}: {answer}");
            assert!(
                answer["text"].as_str().is_some_and(|text| text.contains(contains)),
                "{mode} {at}: {answer}"
            );
        }
        let found = said["answers"][1]["text"].as_str().unwrap_or_default();
        assert!(found.contains("I count herons") && found.contains("north tower"), "{found}");
    }
    Ok(())
}

#[test]
fn a_client_with_nothing_open_is_where_it_was_started() -> Result<()> {
    let Some(python) = python() else { return Ok(()) };
    let home = TestHome::new()?;
    remember(&home, &home.project(), &["--type", "project", "The quarry closes in May."])?;
    let script = json!([["memory_search", {"query": "quarry"}]]);
    for mode in ["legacy", "auto"] {
        for (cwd, is_project) in [(home.project(), true), (home.home(), false)] {
            let said = play(&python, &home, mode, &cwd, None, &script)?;
            let text = said["answers"][0]["text"].as_str().unwrap_or_default();
            assert_eq!(text.contains("closes in May"), is_project, "{mode} {}: {text}", cwd.display());
        }
    }
    Ok(())
}
