//! Secrets of every kind go through real hooks and the engine, and none is in any file that is left.

#[path = "../../crates/redact/tests/tables/mod.rs"]
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use remora_tests::{Error, Result, Session, TestHome, wait_until};
use serde_json::{Value, json};
use tables::{INNOCENT, NAMES, PLACES, TOKENS, key_blocks};

use crate::first_event::spooled;

/// So many cases go into one text: as many as a tool's output has that printed a file of settings.
const TOGETHER: usize = 12;

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// In which files of the data root a text is, in any of the ways in which a program may have written it.
pub(crate) fn holding(root: &Path, text: &str) -> Vec<String> {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let escaped = serde_json::to_string(text).unwrap_or_default();
    let forms = [text.as_bytes().to_vec(), escaped.trim_matches('"').as_bytes().to_vec(), utf16];
    let has = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        forms.iter().any(|form| !form.is_empty() && memchr::memmem::find(&bytes, form).is_some())
    };
    // The programs themselves hold nothing of the person's.
    let all = files(root).into_iter().filter(|path| !path.starts_with(root.join("bin")));
    all.filter(has).map(|path| path.display().to_string()).collect()
}

/// What is secret in a case: what redaction takes out of it, piece by piece.
fn secrets_of(text: &str) -> Vec<String> {
    remora_redact::find_secrets(text).into_iter().map(|found| text[found.range].to_owned()).collect()
}

fn cases() -> Vec<String> {
    let written = [TOKENS, PLACES, NAMES].concat();
    let written = written.iter().filter(|(text, wanted)| text != wanted).map(|(text, _)| (*text).to_owned());
    written.chain(key_blocks().into_iter().map(|(text, _)| text)).collect()
}

fn of_api(home: &TestHome, number: usize, via: &str, event: &Value) -> Result<()> {
    let mut whole = json!({
        "v": 1, "id": format!("{via} {number}"), "host": "elsewhere", "adapter": "test", "via": via,
        "session": "api", "cwd": home.project(), "at": "2026-11-02T10:00:00Z", "want": "ack",
    });
    if let (Value::Object(whole), Value::Object(event)) = (&mut whole, event) {
        whole.extend(event.clone());
    }
    home.remora(&["event"])?.stdin(whole.to_string()).run()?.expect_ok("remora event").map(drop)
}

#[test]
fn no_secret_of_any_shape_is_left_in_any_file() -> Result<()> {
    let home = TestHome::new()?;
    let cases = cases();
    let mut secrets: Vec<String> = cases.iter().flat_map(|text| secrets_of(text)).collect();
    secrets.retain(|secret| secret.len() >= 6);
    assert!(cases.len() >= 120 && secrets.len() >= 60, "{} cases, {} secrets", cases.len(), secrets.len());

    // With no engine that can come up everything goes to the spool first.
    let session = Session::new(&home, "one");
    let run = home.root().join("run");
    fs::create_dir_all(home.root()).map_err(Error::file("making", &home.root()))?;
    fs::write(&run, "no folder").map_err(Error::file("writing", &run))?;
    for (number, texts) in cases.chunks(TOGETHER).enumerate() {
        let text = texts.join("\n\n");
        let _ = match number % 3 {
            0 => session.prompt(&text)?,
            1 => session.shell(&format!("cat settings {}", texts[0]), &text)?,
            _ => session.stop(&text)?,
        };
    }
    assert_eq!(spooled(&home.root()).len(), cases.len().div_ceil(TOGETHER));
    let left: Vec<String> =
        secrets.iter().filter(|secret| !holding(&home.root(), secret).is_empty()).cloned().collect();
    assert_eq!(left, Vec::<String>::new(), "in the spool");
    fs::remove_file(&run).map_err(Error::file("removing", &run))?;

    // And what comes by other ways than our hooks, one case at a time.
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    for (number, text) in cases.iter().enumerate() {
        let via = ["api", "transcript", "plugin"][number % 3];
        let event = match number % 4 {
            0 => json!({"event": "user_prompt", "prompt": text}),
            1 => json!({"event": "stop", "message": text, "extra": {"note": {"deep": [text]}}}),
            2 => {
                json!({"event": "post_tool_use", "memory_query": text, "tool": {"name": "Other", "input": {"a": [text]}, "output": text}})
            }
            _ => {
                json!({"event": "tool_failure", "tool": {"name": "Other", "input": {"a": text}, "error": text}})
            }
        };
        of_api(&home, number, via, &event)?;
    }
    let found = home.remora(&["search", "redacted", "--json"])?.run()?.expect_ok("remora search")?.out();
    assert!(found.contains("[redacted: "), "{found}");
    // A copy as it is made before a migration, and the log of a stop.
    home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
    let mut left = Vec::new();
    for secret in &secrets {
        left.extend(holding(&home.root(), secret).into_iter().map(|file| format!("{secret} in {file}")));
    }
    assert_eq!(left, Vec::<String>::new(), "{} of {} secrets are left", left.len(), secrets.len());
    Ok(())
}

#[test]
fn what_only_looks_like_a_secret_is_kept_as_it_was() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let _ = session.start("startup")?;
    for (number, text) in INNOCENT.iter().enumerate() {
        let _ = match number % 2 {
            0 => session.prompt(text)?,
            _ => session.shell("cat notes", text)?,
        };
    }
    let events = remora_tests::journal::events(&home.root())?;
    let kept: Vec<String> = events
        .iter()
        .filter_map(|event| event.body["prompt"].as_str().or(event.body["tool"]["output"]["stdout"].as_str()))
        .map(str::to_owned)
        .collect();
    let alarms: Vec<&str> =
        INNOCENT.iter().copied().filter(|text| !kept.iter().any(|kept| kept.contains(text))).collect();
    assert!(INNOCENT.len() >= 60);
    assert_eq!(alarms, Vec::<&str>::new(), "{} false alarms of {}", alarms.len(), INNOCENT.len());
    Ok(())
}

#[test]
fn what_is_private_excluded_or_a_file_of_credentials_is_in_no_file() -> Result<()> {
    let home = TestHome::new()?;
    home.write(
        ".config/remora/config.toml",
        "[journal]\nexclude_paths = [\"payroll\"]\nexclude_tools = [\"mcp__bank__*\"]\nexclude_projects = [\"*/apart\"]\n\
         [redact]\npatterns = ['EMP-\\d+']\n",
    )?;
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    let apart = home.folder().join("apart");
    fs::create_dir_all(&apart).map_err(Error::file("making", &apart))?;
    let session = Session::new(&home, "one");
    let _ = session.start("startup")?;
    let read = |file: &str, says: &str| {
        json!({
            "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_use_id": format!("read {file}"),
            "tool_input": {"file_path": home.project().join(file)}, "tool_response": {"content": says},
        })
    };
    let _ =
        session.prompt("keep this <private>walrus-one</private> and <PRIVATE>walrus-two, never closed")?;
    for (file, says) in [
        (".env", "PORT=walrus-three"),
        (".npmrc", "walrus-four"),
        ("home/.netrc", "walrus-five"),
        (".kube/config", "walrus-six"),
        ("payroll/may.csv", "walrus-seven"),
    ] {
        let _ = session.tell("post-tool-use", &read(file, says))?;
    }
    let _ = session.shell("cat .env.local", "walrus-eight")?;
    let _ = session.shell("grep -r may . ", "payroll/may.csv: walrus-nine")?;
    let bank = json!({
        "hook_event_name": "PostToolUse", "tool_name": "mcp__bank__balance", "tool_use_id": "bank",
        "tool_input": {"account": "walrus-ten"}, "tool_response": "walrus-eleven",
    });
    let _ = session.tell("post-tool-use", &bank)?;
    let own = json!({
        "hook_event_name": "PostToolUse", "tool_name": "mcp__remora__memory_search", "tool_use_id": "own",
        "tool_input": {"query": "walrus-twelve"}, "tool_response": "walrus-thirteen",
    });
    let _ = session.tell("post-tool-use", &own)?;
    let _ = session.shell("remora recall fish", "walrus-fourteen")?;
    let _ = session.stop("<remora-guidance>\nwalrus-fifteen\n</remora-guidance> done")?;
    let _ = Session::new(&home, "two").in_folder(&apart).prompt("walrus-sixteen")?;
    let _ = session.prompt("my number is EMP-4711 and the ordinary part is a seahorse")?;

    let found = home.remora(&["search", "seahorse"])?.run()?.expect_ok("remora search")?.out();
    assert!(found.contains("[redacted: by your pattern]"), "{found}");
    home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
    for text in ["walrus", "EMP-4711"] {
        assert_eq!(holding(&home.root(), text), Vec::<String>::new(), "{text}");
    }
    assert!(!holding(&home.root(), "seahorse").is_empty(), "what is looked for would be found");
    Ok(())
}
