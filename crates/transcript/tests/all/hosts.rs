//! What transcripts that hosts really wrote give.

use std::fmt::Write as _;
use std::path::Path;

use remora_event::Event;

use crate::kept::{Kept, definition, repository};

/// The transcripts of a host as they lie below a home.
fn home_with(host: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let from = repository().join("tests/fixtures/transcripts").join(host);
    copy(&from, home.path());
    let sql = home.path().join("opencode.sql");
    if sql.exists() {
        let folder = home.path().join(".local/share/opencode");
        std::fs::create_dir_all(&folder).expect("a folder");
        let database = rusqlite::Connection::open(folder.join("opencode.db")).expect("a database");
        database.execute_batch(&std::fs::read_to_string(sql).expect("the tables")).expect("rows");
    }
    home
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("the transcripts") {
        let (from, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).expect("an entry");
        if from.is_dir() {
            std::fs::create_dir_all(&to).expect("a folder");
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).expect("a copy");
            // Which of them was written last says in which order they are read.
            let file = std::fs::File::options().write(true).open(&to).expect("the copy");
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("one time for all");
        }
    }
}

fn told(host: &str) -> Vec<Event> {
    let home = home_with(host);
    let mut kept = Kept::default();
    kept.read(&definition(host), home.path(), (16, true), None).expect("read");
    kept.events
}

/// One line an event.
fn shown(events: &[Event]) -> String {
    let mut out = String::new();
    for event in events {
        let agent =
            event.agent.as_ref().map_or(String::new(), |agent| format!(" [{} {}]", agent.kind, agent.id));
        let turn = event.turn.as_deref().unwrap_or("-");
        let _ = write!(out, "{} {}{agent} turn {turn} at {}", event.event.as_str(), event.session, event.at);
        let _ = writeln!(out, " in {} key {}", event.cwd, event.key.as_deref().unwrap_or("-"));
        let outcome = event.outcome.map_or(String::new(), |outcome| format!("{outcome:?}: "));
        for said in [&event.prompt, &event.message, &event.source, &event.trigger].into_iter().flatten() {
            let _ = writeln!(out, "    {outcome}{}", said.replace('\n', "\\n"));
        }
        if let Some(tool) = &event.tool {
            let _ = writeln!(
                out,
                "    {outcome}{} ({}) {} {:?}",
                tool.name,
                tool.kind.as_str(),
                tool.input,
                tool.paths
            );
            for said in
                [tool.output.as_ref().map(ToString::to_string), tool.error.clone()].into_iter().flatten()
            {
                let _ = writeln!(out, "    -> {}", said.replace('\n', "\\n"));
            }
        }
    }
    out
}

macro_rules! host {
    ($test:ident, $host:literal) => {
        #[test]
        fn $test() {
            let mut settings = insta::Settings::clone_current();
            settings.set_prepend_module_to_snapshot(false);
            settings.bind(|| insta::assert_snapshot!($host, shown(&told($host))));
        }
    };
}

host!(claude_code_tells, "claude-code");
host!(codex_tells, "codex");
host!(gemini_cli_tells, "gemini-cli");
host!(qwen_code_tells, "qwen-code");
host!(copilot_cli_tells, "copilot-cli");
host!(opencode_tells, "opencode");
host!(pi_tells, "pi");

#[test]
fn nothing_that_a_hook_put_in_is_told_as_the_person_s() {
    for host in ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "opencode", "pi"] {
        for event in told(host) {
            let said = event.prompt.unwrap_or_default();
            assert!(!said.contains("INJECTED"), "{host}: {said}");
        }
    }
}

#[test]
fn a_database_is_not_changed_by_reading() {
    let home = home_with("opencode");
    let folder = home.path().join(".local/share/opencode");
    let names = || {
        let entries = std::fs::read_dir(&folder).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let before = (names(), std::fs::read(folder.join("opencode.db")).expect("bytes"));
    let mut kept = Kept::default();
    kept.read(&definition("opencode"), home.path(), (16, true), None).expect("read");
    assert!(!kept.events.is_empty());
    assert_eq!((names(), std::fs::read(folder.join("opencode.db")).expect("bytes")), before);
}

#[test]
fn a_session_of_a_database_that_changes_is_read_again_and_gives_what_is_new() {
    let home = home_with("opencode");
    let definition = definition("opencode");
    let mut kept = Kept::default();
    kept.read(&definition, home.path(), (3, true), None).expect("read");
    let before = kept.events.len();
    kept.read(&definition, home.path(), (3, true), None).expect("read");
    assert_eq!((kept.events.len(), kept.again), (before, 0), "nothing is new");

    let database =
        rusqlite::Connection::open(home.path().join(".local/share/opencode/opencode.db")).expect("it");
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             INSERT INTO message SELECT 'msg_9', session_id, time_created + 9000000, 0, '{\"role\":\"user\"}'
               FROM message WHERE json_extract(data, '$.role') = 'user' LIMIT 1;
             INSERT INTO part SELECT 'prt_9', 'msg_9', session_id, time_created, 0, '{\"type\":\"text\",\"text\":\"a third\"}'
               FROM message WHERE id = 'msg_9';
             UPDATE session SET time_updated = time_updated + 1 WHERE parent_id IS NULL;",
        )
        .expect("changed");
    // The database is open elsewhere, with its log beside it.
    kept.read(&definition, home.path(), (3, true), None).expect("read");
    let new: Vec<_> = kept.events[before..].iter().filter_map(|event| event.prompt.as_deref()).collect();
    assert_eq!(new, ["a third"]);
}
