//! The journal keeps what it was told, whatever ends the engine and whatever becomes of its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use remora_tests::session::at_ease;
use remora_tests::{Error, Finished, Installed, Result, Session, TestHome, faults, journal, wait_until};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::first_event::spooled;

const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const HOOKS: usize = 8;
/// What each hook tells in a test that runs with all others, and in one that takes minutes.
const EVENTS_OF_ONE: usize = 130;
const MANY_EVENTS_OF_ONE: usize = 1_250;

fn remora(home: &TestHome, arguments: &[&str]) -> Result<Finished> {
    home.remora(arguments)?.run()?.expect_ok(&arguments.join(" "))
}

fn status(home: &TestHome) -> Result<Value> {
    let said = remora(home, &["status", "--json"])?;
    serde_json::from_slice(&said.stdout).map_err(Error::json("remora status"))
}

fn all_taken_in(home: &TestHome) -> Result<()> {
    status(home).map(drop)?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())
}

/// A stream of numbers that looks random and is the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Kills every engine of the home that comes up, at random moments, until it is told to end.
fn kill_engines(home: &TestHome, end: &AtomicBool) -> usize {
    let mut numbers = Numbers(7);
    let mut killed = 0;
    while !end.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(20 + numbers.below(200)));
        for engine in home.engines() {
            // It may have left by itself, having found another one.
            killed += usize::from(faults::kill(engine.pid()).is_ok());
        }
        // As if the pause after an attempt that failed had passed: one may have been killed while it started.
        let _ = fs::remove_file(home.root().join("run/start"));
    }
    killed
}

#[test]
fn an_engine_that_is_killed_again_and_again_loses_and_doubles_nothing() -> Result<()> {
    killed_again_and_again(EVENTS_OF_ONE)
}

/// The same with ten thousand events.
#[test]
#[ignore = "takes minutes: cargo test -p remora-tests -- --ignored ten_thousand"]
fn ten_thousand_events_and_an_engine_that_is_killed_again_and_again() -> Result<()> {
    killed_again_and_again(MANY_EVENTS_OF_ONE)
}

fn killed_again_and_again(events_of_one: usize) -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    installed.json(&["remember", RULE])?;
    let memory = installed.json(&["list"])?;
    let (end, told) = (AtomicBool::new(false), AtomicUsize::new(0));
    let tell = |hook: usize| -> Result<()> {
        for number in 0..events_of_one {
            let payload = json!({
                "session_id": format!("session-{hook}"), "cwd": home.project(), "tool_name": "Bash",
                "tool_use_id": format!("call-{number}"), "tool_input": {"command": format!("make {hook} {number}")},
                "tool_response": {"stdout": "done"},
            });
            let launch = installed.hook("claude-code", "post-tool-use")?.args(at_ease());
            let done = launch.stdin(payload.to_string()).run()?.expect_ok("the hook")?;
            assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{}", done.describe());
            told.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let killed = std::thread::scope(|scope| {
        let killer = scope.spawn(|| kill_engines(&home, &end));
        let hooks: Vec<_> = (0..HOOKS).map(|hook| scope.spawn(move || tell(hook))).collect();
        let ended: Vec<_> = hooks.into_iter().map(|hook| hook.join().expect("no panic")).collect();
        end.store(true, Ordering::Release);
        let killed = killer.join().expect("no panic");
        ended.into_iter().collect::<Result<Vec<()>>>().map(|_| killed)
    })?;
    let log = fs::read_to_string(home.root().join("logs/hooks.log")).unwrap_or_default();
    assert!(killed >= 5 && log.contains("the event is in the spool"), "killed {killed} times\n{log}");

    installed.json(&["status"])?;
    let mut waiting = usize::MAX;
    while waiting > 0 {
        // As long as it gets less.
        let before = waiting;
        wait_until("the spool to be taken in", || spooled(&home.root()).len() < before)?;
        waiting = spooled(&home.root()).len();
    }
    let mut stored = BTreeMap::new();
    for event in journal::events(&home.root())? {
        let command = event.body["tool"]["input"]["command"].as_str().unwrap_or_default().to_owned();
        *stored.entry((event.session, command)).or_insert(0) += 1;
    }
    assert_eq!(told.into_inner(), HOOKS * events_of_one);
    let twice: Vec<_> = stored.iter().filter(|(_, times)| **times != 1).collect();
    assert_eq!(twice, [], "killed {killed} times");
    assert_eq!(stored.len(), HOOKS * events_of_one, "killed {killed} times");
    assert_eq!(journal::integrity(&home.root())?, "ok");
    assert_eq!(installed.json(&["list"])?, memory, "the memory is whole");
    Ok(())
}

/// What is done to a journal that was closed properly.
type Damage = fn(&Path) -> std::io::Result<()>;

const DAMAGES: [(&str, Damage); 5] = [
    ("no bytes", |file| fs::write(file, "")),
    ("half a header", |file| fs::File::options().write(true).open(file)?.set_len(50)),
    ("one page", |file| fs::File::options().write(true).open(file)?.set_len(4096)),
    ("half of it", |file| {
        let file = fs::File::options().write(true).open(file)?;
        file.set_len(file.metadata()?.len() / 2 / 4096 * 4096)
    }),
    ("no database at all", |file| fs::write(file, "once upon a time ".repeat(5_000))),
];

#[test]
fn a_damaged_journal_is_set_aside_and_memory_is_untouched() -> Result<()> {
    for (name, damage) in DAMAGES {
        let home = TestHome::new()?;
        remora(&home, &["remember", RULE]).map(drop)?;
        let session = Session::new(&home, "before");
        let _ = session.start("startup")?;
        for number in 0..12 {
            let _ = session.shell(&format!("make {number}"), &"a long output\n".repeat(1_000))?;
        }
        let memory = remora(&home, &["list", "--json"])?.out();
        remora(&home, &["engine", "stop"]).map(drop)?;
        let file = home.root().join("journal.db");
        assert!(fs::metadata(&file).expect("a journal").len() > 100_000, "{name}");
        damage(&file).map_err(Error::file("damaging", &file))?;
        let damaged = fs::read(&file).map_err(Error::file("reading", &file))?;

        assert_eq!(remora(&home, &["list", "--json"])?.out(), memory, "{name}");
        let after = Session::new(&home, "after");
        assert!(after.start("startup")?.says("integration-tests-talk-real-postgres"), "{name}");
        let _ = after.shell("make after", "it works")?;
        let events = journal::events(&home.root())?;
        let of_after = events.iter().filter(|event| event.session == "after").count();
        assert_eq!(of_after, 2, "{name}: {}", engine_log(&home));
        let found = remora(&home, &["search", "make after", "--json"])?.out();
        assert!(found.contains("it works"), "{name}: {found}");
        assert_eq!(journal::integrity(&home.root())?, "ok", "{name}");
        let aside: Vec<PathBuf> = set_aside(&home);
        if damaged.is_empty() {
            // An empty file holds nothing that anybody could want back.
            assert_eq!(aside, Vec::<PathBuf>::new(), "{name}");
        } else {
            let [aside] = aside.try_into().unwrap_or_else(|found| panic!("{name}: {found:?}"));
            assert_eq!(
                fs::read(&aside).expect("the damaged journal"),
                damaged,
                "{name}: it is kept as it was"
            );
        }
    }
    Ok(())
}

fn set_aside(home: &TestHome) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.root()).expect("the data root").flatten();
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("journal.db.damaged") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    entries.map(|entry| entry.path()).filter(is_aside).collect()
}

fn engine_log(home: &TestHome) -> String {
    fs::read_to_string(home.root().join("logs/engine.log")).unwrap_or_default()
}

#[test]
fn a_journal_of_a_newer_version_is_not_touched_and_events_wait() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let _ = session.start("startup")?;
    remora(&home, &["engine", "stop"]).map(drop)?;
    let file = home.root().join("journal.db");
    let version = |version: i32| {
        let set = |database: Connection| database.pragma_update(None, "user_version", version);
        Connection::open(&file).and_then(set).map_err(|source| Error::Journal { path: file.clone(), source })
    };
    let today: i32 = Connection::open(&file)
        .and_then(|database| database.pragma_query_value(None, "user_version", |row| row.get(0)))
        .map_err(|source| Error::Journal { path: file.clone(), source })?;
    version(today + 1)?;
    let before = fs::read(&file).map_err(Error::file("reading", &file))?;

    let _ = session.prompt("does anybody hear me?")?;
    assert_eq!(spooled(&home.root()).len(), 1, "{}", engine_log(&home));
    let refused = home.remora(&["status"])?.run()?;
    assert_eq!(refused.status.code(), Some(1), "{}", refused.describe());
    let said = refused.err().replace(&home.root().to_string_lossy().into_owned(), "[ROOT]");
    let said = said.replace(&format!("its schema is {}", today + 1), "its schema is [NEWER]");
    insta::assert_snapshot!(said.replace(&format!("up to {today}"), "up to [KNOWN]"), @r"
    remora: the engine cannot be started: this journal was written by a newer Remora (its schema is [NEWER], this program knows up to [KNOWN])
      use the newer remora again; or move [ROOT]/journal.db away, and a new journal begins. Nothing is lost meanwhile: events wait in the spool, memories are files
    ");
    assert!(engine_log(&home).contains("written by a newer Remora"), "{}", engine_log(&home));
    assert_eq!(fs::read(&file).map_err(Error::file("reading", &file))?, before);
    assert_eq!(set_aside(&home), Vec::<PathBuf>::new());

    version(today)?;
    all_taken_in(&home)?;
    assert_eq!(journal::events(&home.root())?.len(), 2);
    Ok(())
}

#[test]
fn a_socket_that_a_dead_engine_left_is_taken_over() -> Result<()> {
    let home = TestHome::new()?;
    let run = home.root().join("run");
    fs::create_dir_all(&run).map_err(Error::file("making", &run))?;
    let socket = run.join("s");
    drop(std::os::unix::net::UnixListener::bind(&socket).map_err(Error::file("binding", &socket))?);
    fs::write(run.join("engine.lock"), "pid 1\nbuild old\n").expect("the lock of a dead engine");
    status(&home).map(drop)?;
    let [engine] = home.engines().try_into().expect("one engine");
    faults::kill(engine.pid())?;
    assert!(socket.exists(), "a killed engine leaves its socket behind");
    assert!(Session::new(&home, "one").start("startup")?.says("<remora-memory>"));
    assert_eq!(home.engines().len(), 1);

    // A file that is no socket is somebody else's: it stays.
    remora(&home, &["engine", "stop"]).map(drop)?;
    fs::write(&socket, "precious").map_err(Error::file("writing", &socket))?;
    let refused = home.remora(&["status"])?.run()?;
    assert!(!refused.ok(), "{}", refused.describe());
    assert_eq!(fs::read(&socket).expect("the file"), b"precious");
    Ok(())
}

#[test]
fn a_second_engine_refuses() -> Result<()> {
    let home = TestHome::new()?;
    status(&home).map(drop)?;
    let engines = home.engines();
    let second = home.remora(&["engine", "run"])?.run()?;
    assert_eq!(second.status.code(), Some(1), "{}", second.describe());
    assert!(second.err().contains("is running already"), "{}", second.describe());
    assert_eq!(home.engines(), engines);
    assert!(Session::new(&home, "one").start("startup")?.says("<remora-memory>"));
    Ok(())
}

#[test]
fn a_clock_that_jumps_loses_nothing() -> Result<()> {
    let home = TestHome::new()?;
    let times =
        ["2026-11-30T12:00:00+01:00", "2020-01-01T00:00:00Z", "2099-12-31T23:59:59-08:00", "yesterday", ""];
    for (number, at) in times.iter().enumerate() {
        let event = json!({
            "v": 1, "event": "user_prompt", "id": format!("0193{number:04}-7c11-7abc-8def-0123456789ab"),
            "host": "claude-code", "adapter": "claude-code", "session": "one", "cwd": home.project(), "at": at,
            "prompt": format!("remarkable words of number {number}"), "want": "ack",
        });
        let done = home.remora(&["event"])?.stdin(event.to_string()).run()?.expect_ok("remora event")?;
        assert!(serde_json::from_slice::<Value>(&done.stdout).is_ok(), "{at}: {}", done.describe());
    }
    assert_eq!(journal::events(&home.root())?.len(), times.len());
    let found = remora(&home, &["search", "remarkable words", "--newest", "--json"])?;
    let found: Value = serde_json::from_slice(&found.stdout).map_err(Error::json("remora search"))?;
    assert_eq!(found["total"], times.len(), "{found:#}");
    for at in ["2026-11-30T11:00:00+00:00", "2020-01-01T00:00:00+00:00", "2100-01-01T07:59:59+00:00"] {
        let is_there = found["hits"].as_array().is_some_and(|hits| hits.iter().any(|hit| hit["at"] == at));
        assert!(is_there, "{at} in {found:#}");
    }

    // A memory from the future is today's, and a stamp from the future stops nobody.
    remora(&home, &["remember", RULE]).map(drop)?;
    let list = remora(&home, &["list", "--json"])?;
    let list: Value = serde_json::from_slice(&list.stdout).map_err(Error::json("remora list"))?;
    let folder = PathBuf::from(list["memory_dir"].as_str().expect("a folder"));
    let file = folder.join("future.md");
    fs::write(&file, "---\nname: future\ndescription: The moon base opens\ntype: project\n---\nOpens.\n")
        .expect("written");
    let later = SystemTime::now() + Duration::from_hours(24 * 400);
    let set = |path: &Path| fs::File::options().write(true).open(path)?.set_modified(later);
    set(&file).map_err(Error::file("changing the time of", &file))?;
    let session = Session::new(&home, "two");
    let _ = session.start("startup")?;
    let answer = session.prompt("when does the moon base open?")?;
    assert!(answer.says("future.md · today"), "{}", answer.context);
    remora(&home, &["engine", "stop"]).map(drop)?;
    let stamp = home.root().join("run/start");
    fs::write(&stamp, "1\n\n").map_err(Error::file("writing", &stamp))?;
    set(&stamp).map_err(Error::file("changing the time of", &stamp))?;
    assert!(Session::new(&home, "three").start("startup")?.says("<remora-memory>"));
    Ok(())
}
