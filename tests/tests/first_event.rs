//! What a host tells a hook is a row of the journal, once, whatever became of the engine meanwhile.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use remora_tests::payloads::captured;
use remora_tests::session::at_ease;
use remora_tests::{
    Engine, Error, Installed, Launch, Result, Session, TestHome, faults, journal, wait_until,
};
use serde_json::Value;

const HOST: &str = "claude-code";
/// Where the captured sessions ran.
const CAPTURED_IN: &str = "/home/dev/proj";

/// `PostToolUse` is `post-tool-use`.
pub(crate) fn kebab(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// The files of the spool that wait for an engine.
pub(crate) fn spooled(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("spool")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect()
}

/// The ids in the journal, which may not hold one twice.
fn stored_ids(home: &TestHome) -> Result<BTreeSet<String>> {
    let events = journal::events(&home.root())?;
    let ids: BTreeSet<String> = events.iter().map(|event| event.id.clone()).collect();
    assert_eq!(ids.len(), events.len(), "an event is there twice");
    Ok(ids)
}

fn spooled_ids(home: &TestHome) -> Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for file in spooled(&home.root()) {
        let text = std::fs::read(&file).map_err(Error::file("reading", &file))?;
        let event: Value = serde_json::from_slice(&text).map_err(Error::json("the spool"))?;
        ids.insert(event["id"].as_str().expect("an id").to_owned());
    }
    Ok(ids)
}

/// An installation whose engine is not there (yet), and what brings it back.
fn without_engine(home: &TestHome) -> Result<(Installed<'_>, impl Fn() -> std::io::Result<()>)> {
    let installed = Installed::programs_only(home)?;
    let (engine, away) = (installed.program(), home.root().join("bin").join("engine-away"));
    std::fs::rename(&engine, &away).map_err(Error::file("moving", &engine))?;
    Ok((installed, move || std::fs::rename(&away, &engine)))
}

/// Hooks do not try again to start an engine shortly after an attempt that failed: this one was long ago.
fn let_the_pause_pass(home: &TestHome) -> Result<()> {
    let stamp = home.root().join("run").join("start");
    let long_ago = SystemTime::now() - Duration::from_mins(1);
    let age = || File::options().write(true).open(&stamp)?.set_modified(long_ago);
    age().map_err(Error::file("changing the time of", &stamp))
}

/// Adds events like the one that is in the spool, until there are so many.
fn multiply_the_spool(home: &TestHome, events: usize) -> Result<()> {
    let [first] = spooled(&home.root()).try_into().expect("one event in the spool");
    let text = std::fs::read_to_string(&first).map_err(Error::file("reading", &first))?;
    let event: Value = serde_json::from_str(&text).map_err(Error::json("the spool"))?;
    for number in 1..events {
        let id = format!("01930a3f-7c11-7abc-8def-{number:012x}");
        let event =
            text.replace(event["id"].as_str().expect("an id"), &id).replace("p0", &format!("p{number}"));
        let file = first.with_file_name(format!("{:013}-{id}.json", 1_700_000_000_000_usize + number));
        std::fs::write(&file, event).map_err(Error::file("writing", &file))?;
    }
    Ok(())
}

/// Runs a hook that has nothing to say.
fn tell(hook: Launch, payload: String) -> Result<()> {
    let done = hook.stdin(payload).run()?.expect_ok("the hook")?;
    let silent = done.stdout.is_empty() && done.stderr.is_empty() && !done.output_held;
    assert!(silent, "{}", done.describe());
    Ok(())
}

fn prompt(number: usize, project: &Path) -> String {
    serde_json::json!({
        "session_id": format!("session-{}", number % 3), "cwd": project, "prompt_id": format!("p{number}"),
        "hook_event_name": "UserPromptSubmit", "prompt": format!("the prompt of number {number}"),
    })
    .to_string()
}

#[test]
fn every_captured_payload_is_a_row_and_can_be_found() -> Result<()> {
    let home = TestHome::new()?;
    let mut told = 0;
    for payload in captured(HOST)? {
        let Ok(hook) = home.hook(HOST, &kebab(payload.event())) else { continue };
        let text = payload.text.replace(CAPTURED_IN, &home.project().to_string_lossy());
        let done = hook.args(at_ease()).stdin(text).run()?.expect_ok(&payload.name)?;
        assert!(done.stderr.is_empty(), "{}: {}", payload.name, done.describe());
        told += 1;
    }
    let events = journal::events(&home.root())?;
    assert!(told >= 30, "only {told} payloads have a hook");
    assert_eq!(events.len(), told, "{:?}", journal::kinds(&events));
    assert_eq!(stored_ids(&home)?.len(), told);

    let status = home.remora(&["status", "--json"])?.run()?.expect_ok("status")?;
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["journal"]["events"], told, "{status:#}");
    assert_eq!(status["hosts"][0]["host"], HOST);
    for (words, kind) in [("sub-shell-out", "shell"), ("say hello", "prompt"), ("sub done", "turn")] {
        let found = home.remora(&["search", words, "--json"])?.run()?.expect_ok("search")?;
        let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
        let hits = found["hits"].as_array().expect("hits");
        assert!(hits.iter().any(|hit| hit["kind"] == kind), "{words}: {found:#}");
    }
    assert_eq!(spooled(&home.root()), Vec::<PathBuf>::new());
    Ok(())
}

#[test]
fn an_event_without_an_engine_waits_in_the_spool_and_is_stored_once() -> Result<()> {
    let home = TestHome::new()?;
    let (installed, bring_back) = without_engine(&home)?;
    tell(installed.hook(HOST, "user-prompt-submit")?, prompt(1, &home.project()))?;
    let [waiting] = spooled(&home.root()).try_into().expect("one event in the spool");
    let resent = std::fs::read(&waiting).map_err(Error::file("reading", &waiting))?;
    let ids = spooled_ids(&home)?;

    bring_back().expect("the engine's program");
    installed.json(&["status"])?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    assert_eq!(stored_ids(&home)?, ids);

    // A sender that does not know whether its event arrived sends it again.
    let again = waiting.with_file_name("1-again.json");
    std::fs::write(&again, resent).map_err(Error::file("writing", &again))?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    assert_eq!(stored_ids(&home)?, ids);
    let status = installed.json(&["status"])?;
    assert_eq!(status["findings"], serde_json::json!([]), "{status:#}");
    Ok(())
}

#[test]
fn an_engine_that_is_killed_while_it_takes_the_spool_in_loses_and_doubles_nothing() -> Result<()> {
    const EVENTS: usize = 1_500;
    let home = TestHome::new()?;
    let (installed, bring_back) = without_engine(&home)?;
    tell(installed.hook(HOST, "user-prompt-submit")?, prompt(0, &home.project()))?;
    multiply_the_spool(&home, EVENTS)?;
    let ids = spooled_ids(&home)?;
    assert_eq!(ids.len(), EVENTS);
    bring_back().expect("the engine's program");
    let_the_pause_pass(&home)?;
    let mut killed_amid = 0;
    for number in EVENTS.. {
        let before = spooled(&home.root()).len();
        if before == 0 {
            break;
        }
        // The next hook finds nobody, leaves its event behind and starts the next engine.
        tell(installed.hook(HOST, "user-prompt-submit")?, prompt(number, &home.project()))?;
        wait_until("some of the spool to be taken in", || spooled(&home.root()).len() < before)?;
        for engine in home.engines() {
            faults::kill(engine.pid())?;
            killed_amid += usize::from(!spooled(&home.root()).is_empty());
        }
    }
    assert!(killed_amid >= 1, "the engine was never killed in the middle");
    installed.json(&["status"])?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    assert_eq!(journal::integrity(&home.root())?, "ok");
    let stored = stored_ids(&home)?;
    assert!(stored.is_superset(&ids), "{} of {} are missing", ids.difference(&stored).count(), ids.len());
    Ok(())
}

#[test]
fn ten_hooks_at_once_start_one_engine_and_are_all_heard_once() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    std::thread::scope(|scope| {
        let (home, installed) = (&home, &installed);
        let hooks: Vec<_> = (0..10)
            .map(|number| {
                scope.spawn(move || {
                    tell(installed.hook(HOST, "user-prompt-submit")?, prompt(number, &home.project()))
                })
            })
            .collect();
        hooks.into_iter().try_for_each(|hook| hook.join().expect("no panic"))
    })?;
    let engine = Engine::wait_for(&home, Duration::from_mins(1))?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    wait_until("all but one engine to be gone", || home.engines().len() <= 1)?;
    assert_eq!(home.engines(), [engine]);
    let lock = std::fs::read_to_string(home.root().join("run/engine.lock")).expect("the engine's lock");
    assert!(lock.starts_with(&format!("pid {}\n", engine.pid())), "{lock}");

    let events = journal::events(&home.root())?;
    let prompts: BTreeSet<&str> = events.iter().filter_map(|event| event.body["prompt"].as_str()).collect();
    assert_eq!((events.len(), prompts.len()), (10, 10), "{events:#?}");
    Ok(())
}

#[test]
fn an_engine_without_work_leaves_by_itself() -> Result<()> {
    let home = TestHome::new()?;
    // The installer wrote down where this person's configuration is; no variable says it.
    let config = home.write("my settings/config.toml", "[engine]\nidle_exit = \"1s\"\n")?;
    let record = format!("config = {config:?}\nhome = {:?}\n", home.home());
    home.write(".local/share/remora/root.toml", record)?;
    let session = Session::new(&home, "one");
    let answer = session.start("startup")?;
    assert!(answer.says("<remora-memory>"), "{answer:?}");
    assert!(journal::events(&home.root())?.len() == 1);
    wait_until("the engine to leave", || home.engines().is_empty())?;
    assert!(!home.root().join("run/s").exists(), "its socket is left");

    // The next event brings it back.
    let _ = session.prompt("are you there again?")?;
    wait_until("the spool to be taken in", || {
        spooled(&home.root()).is_empty()
            && journal::events(&home.root()).is_ok_and(|stored| stored.len() == 2)
    })?;
    wait_until("the engine to leave again", || home.engines().is_empty())?;
    Ok(())
}
