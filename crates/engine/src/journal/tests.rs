//! What events make of the journal, told to a database in a temporary folder.

use remora_event::{Agent, Event, EventKind, Outcome, Tool, ToolKind};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use super::complaint::Attempt;
use super::{Appended, Asked, Filter, NewEvent, Observation, SearchOrder, schema};

/// A journal and what is told to it.
struct Teller {
    connection: Connection,
    _folder: TempDir,
    told: u32,
}

const DAY: i64 = 86_400_000;
/// Noon of a day, so that no time zone moves it to another.
const NOON: i64 = 20_000 * DAY + DAY / 2;

impl Teller {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let connection = schema::open_writer(&folder.path().join("journal.db"), folder.path());
        Self { connection: connection.expect("a journal"), _folder: folder, told: 0 }
    }

    fn tell(&mut self, host: &str, session: &str, at_ms: i64, change: impl FnOnce(&mut Event)) -> Appended {
        self.told += 1;
        let [id, session, cwd, at] = [&format!("event {}", self.told), session, "/p", ""].map(str::to_owned);
        let mut event = Event::new(EventKind::Stop, id, host, session, cwd, at);
        change(&mut event);
        let new = NewEvent {
            at_ms,
            project: Some(("p".into(), "/p".into())),
            observation: Observation::of(&event),
            attempt: Attempt::of(&event),
            observed: true,
            event,
        };
        super::append(&self.connection, &new).expect("appended")
    }

    fn prompt(&mut self, host: &str, session: &str, at_ms: i64, text: &str) -> Appended {
        self.tell(host, session, at_ms, |event| {
            event.event = EventKind::UserPrompt;
            event.prompt = Some(text.into());
        })
    }

    fn shell(&mut self, host: &str, session: &str, at_ms: i64, command: &str, output: &str) -> Appended {
        self.tell(host, session, at_ms, |event| {
            event.event = EventKind::PostToolUse;
            event.tool = Some(tool("Bash", ToolKind::Shell, json!({"command": command}), output));
        })
    }

    fn stop(&mut self, host: &str, session: &str, at_ms: i64, message: &str) -> Appended {
        self.tell(host, session, at_ms, |event| event.message = Some(message.into()))
    }

    fn number(&self, sql: &str) -> i64 {
        self.connection.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    fn texts(&self, sql: &str) -> Vec<String> {
        let mut query = self.connection.prepare(sql).expect("a query");
        let rows = query.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("texts")
    }

    fn index(&self) {
        super::indexer::index_all(&self.connection).expect("indexed");
    }

    fn found(&self, words: &str) -> Vec<i64> {
        let filter = Filter::resolve(&self.connection, &Asked::project(Some("p"))).expect("a filter");
        let found = super::search(&self.connection, words, &filter, 20, SearchOrder::Newest).expect("found");
        found.hits.iter().map(|hit| hit.id).collect()
    }
}

fn tool(name: &str, kind: ToolKind, input: serde_json::Value, output: &str) -> Tool {
    Tool {
        name: name.into(),
        call: None,
        input,
        output: Some(output.into()),
        error: None,
        duration_ms: None,
        kind,
        paths: Vec::new(),
    }
}

#[test]
fn the_same_words_in_any_session_and_host_are_one_entry_with_its_days() {
    let mut teller = Teller::new();
    teller.prompt("claude-code", "a", NOON, "Always use uv, never pip!");
    teller.prompt("codex", "b", NOON + 1, "always use  uv never pip");
    teller.prompt("codex", "c", NOON + 2 * DAY, "Always use uv, never pip");
    teller.prompt("codex", "c", NOON + 2 * DAY + 1, "Always use pip, never uv");
    assert_eq!(teller.number("SELECT count(*) FROM events"), 4);
    let days = teller.texts("SELECT day FROM reinforcements WHERE observation = 1 ORDER BY day");
    assert_eq!((teller.number("SELECT count(*) FROM observations"), days.len()), (2, 2), "{days:?}");
    let filter = Filter::resolve(&teller.connection, &Asked::project(Some("p"))).expect("a filter");
    let (entries, _) = super::newest(&teller.connection, &filter, 9).expect("entries");
    assert_eq!((entries[1].id, entries[1].at, entries[1].days.len()), (1, NOON + 2 * DAY, 2));
    let of_b = Asked { session: Some("b".into()), ..Asked::project(Some("p")) };
    let of_b = Filter::resolve(&teller.connection, &of_b).expect("a filter");
    assert_eq!(super::newest(&teller.connection, &of_b, 9).expect("entries").0.len(), 1);
}

#[test]
fn of_many_days_the_ten_newest_are_kept() {
    let mut teller = Teller::new();
    for day in 0..14 {
        for time in 0..3 {
            teller.prompt("h", &format!("s{day}"), NOON + day * DAY + time, "run the tests again please");
        }
    }
    let days = teller.texts("SELECT day FROM reinforcements ORDER BY day");
    assert_eq!((days.len(), teller.number("SELECT count(*) FROM events")), (10, 42));
    // The first of the fourteen days is 2024-10-04.
    assert_eq!(days.first().map(String::as_str), Some("2024-10-08"));
}

#[test]
fn the_same_command_twice_in_a_turn_is_two_events_and_one_entry() {
    let mut teller = Teller::new();
    teller.prompt("h", "s", NOON, "is it green?");
    for time in 1..3 {
        let appended = teller.shell("h", "s", NOON + time, "cargo test", "ok");
        assert!(matches!(appended, Appended::New { .. }));
    }
    teller.shell("h", "s", NOON + 3, "cargo test", "1 failed");
    assert_eq!(teller.number("SELECT count(*) FROM events WHERE tool = 'Bash'"), 3);
    assert_eq!(teller.number("SELECT count(*) FROM observations WHERE kind = 'shell'"), 2);
}

#[test]
fn a_command_says_the_same_whatever_the_host_calls_its_tool() {
    let mut teller = Teller::new();
    teller.shell("claude-code", "a", NOON, "cargo test", "ok");
    teller.tell("gemini-cli", "b", NOON + 1, |event| {
        event.event = EventKind::PostToolUse;
        let input = json!({"command": "cargo test", "description": "Runs the tests"});
        event.tool = Some(tool("run_shell_command", ToolKind::Shell, input, "ok\n"));
    });
    assert_eq!(teller.number("SELECT count(*) FROM observations"), 1);
}

#[test]
fn a_turn_s_digest_says_what_was_asked_changed_run_and_said() {
    let mut teller = Teller::new();
    teller.prompt("h", "s", NOON, "the billing total is off by a cent");
    for (time, file) in [(1, "/p/src/billing.rs"), (2, "/p/tests/billing.rs"), (3, "/p/src/billing.rs")] {
        teller.tell("h", "s", NOON + time, |event| {
            event.event = EventKind::PostToolUse;
            let mut edit = tool("Edit", ToolKind::Edit, json!({"new_string": format!("{time}")}), "");
            edit.paths = vec![file.into()];
            event.tool = Some(edit);
        });
    }
    teller.shell("h", "s", NOON + 4, "ls -la", "total 0");
    teller.tell("h", "s", NOON + 5, |event| {
        event.event = EventKind::ToolFailure;
        let failed = tool("Bash", ToolKind::Shell, json!({"command": "cargo test"}), "");
        event.tool = Some(Tool { error: Some("exit 101".into()), ..failed });
    });
    // A subagent's doings are in its own turn.
    teller.tell("h", "s", NOON + 6, |event| {
        event.event = EventKind::PostToolUse;
        event.agent = Some(Agent { id: "a1".into(), kind: "Explore".into() });
        event.tool = Some(tool("Bash", ToolKind::Shell, json!({"command": "make everything"}), ""));
    });
    teller.tell("h", "s", NOON + 7, |event| {
        event.message = Some("## Result\n\nOne test still fails.".into());
        event.outcome = Some(Outcome::Interrupted);
    });
    let digest = teller.texts("SELECT title || char(10) || body FROM observations WHERE kind = 'turn'");
    insta::assert_snapshot!(digest.join("\n---\n"), @r"
    One test still fails.
    Asked: the billing total is off by a cent
    Changed: tests/billing.rs, src/billing.rs
    Ran: cargo test (failed)
    Ended: interrupted
    ## Result

    One test still fails.
    ");
}

#[test]
fn a_turn_that_ends_twice_has_one_digest() {
    let mut teller = Teller::new();
    teller.prompt("h", "s", NOON, "make it green");
    teller.stop("h", "s", NOON + 1, "Almost.");
    teller.index();
    assert_eq!(teller.found("almost").len(), 1);
    teller.shell("h", "s", NOON + 2, "make", "done");
    teller.stop("h", "s", NOON + 3, "Green at last.");
    teller.index();
    let titles = teller.texts("SELECT title FROM observations WHERE kind = 'turn'");
    assert_eq!(titles, ["Green at last."]);
    assert_eq!((teller.found("almost"), teller.found("last").len()), (vec![], 1));
    teller.prompt("h", "s", NOON + 4, "and now?");
    teller.stop("h", "s", NOON + 5, "Now nothing.");
    assert_eq!(teller.number("SELECT count(*) FROM observations WHERE kind = 'turn'"), 2);
}

#[test]
fn an_older_schema_is_brought_forward_with_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("journal.db");
    {
        let old = Connection::open(&file).expect("a database");
        old.execute_batch(include_str!("schema_1.sql")).expect("the first schema");
        old.execute_batch(
            "PRAGMA user_version = 1;
             INSERT INTO projects VALUES (1, 'p', '/p');
             INSERT INTO sessions VALUES (1, 'h', 's', 1, '/p', NULL, 1, 5, 5);
             INSERT INTO events VALUES (1, x'01', 1, 'post_tool_use', NULL, 'api', 'h', NULL, '-', 5, 'Edit', NULL, '{}');
             INSERT INTO observations VALUES (1, 1, 1, 1, 'edit', '-', 5, 'Edit: a.rs', 'whirligig', '[\"/p/src/a.rs\"]');",
        )
        .expect("a journal of the first schema");
    }
    let backups = folder.path().join("backups");
    let journal = schema::open_writer(&file, &backups).expect("brought forward");
    let version: i32 = journal.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
    assert_eq!(version, schema::SCHEMA_VERSION);
    super::indexer::index_all(&journal).expect("indexed");
    let asked = Asked { file: Some("src/a.rs".into()), ..Asked::project(Some("p")) };
    let filter = Filter::resolve(&journal, &asked).expect("a filter");
    let found = super::search(&journal, "whirligig", &filter, 5, SearchOrder::Best).expect("found");
    assert_eq!((found.hits.len(), found.hits[0].at), (1, 5));
    let copy = Connection::open(backups.join("journal-schema-1.db")).expect("a copy");
    let version: i32 = copy.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
    let body: String = copy.query_row("SELECT body FROM observations", [], |row| row.get(0)).expect("a row");
    assert_eq!((version, body.as_str()), (1, "whirligig"));
}

#[test]
fn what_mended_a_command_is_known_in_whatever_order_its_events_arrive() {
    let shell = |command: &'static str, error: Option<&'static str>| {
        move |event: &mut Event| {
            event.event = EventKind::PostToolUse;
            event.tool = Some(Tool {
                name: "Bash".into(),
                call: None,
                input: json!({"command": command}),
                output: None,
                error: error.map(str::to_owned),
                duration_ms: None,
                kind: ToolKind::Shell,
                paths: Vec::new(),
            });
        }
    };
    let told = [
        (NOON, "npm test", Some("Error: Cannot find module 'x'")),
        (NOON + 1_000, "npm ci", None),
        (NOON + 2_000, "npm test", None),
        (NOON + 3_000, "npm test", None),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let mut teller = Teller::new();
        for place in order {
            let (at, command, error) = told[place];
            teller.tell("h", "s", at, shell(command, error));
        }
        let mut query = teller.connection.prepare("SELECT at FROM fixes").expect("a query");
        let found: Vec<i64> =
            query.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("numbers");
        assert_eq!(found, [NOON + 2_000], "told in the order {order:?}");
    }
}

#[test]
fn a_project_that_is_joined_to_another_brings_its_sessions() {
    let mut teller = Teller::new();
    let tell = |teller: &mut Teller, project: &str, session: &str, at_ms, text: &str| {
        let [id, session, cwd, at] =
            [format!("{session} {at_ms}"), session.into(), "/p".into(), String::new()];
        let mut event = Event::new(EventKind::UserPrompt, id, "h", session, cwd, at);
        event.prompt = Some(text.into());
        let new = NewEvent {
            at_ms,
            project: Some((project.into(), format!("/{project}"))),
            observation: Observation::of(&event),
            attempt: None,
            observed: true,
            event,
        };
        super::append(&teller.connection, &new).expect("appended");
    };
    tell(&mut teller, "old", "a", NOON, "use pnpm here");
    tell(&mut teller, "new", "b", NOON + DAY, "Use pnpm here!");
    tell(&mut teller, "new", "b", NOON + 2 * DAY, "use pnpm here");
    tell(&mut teller, "new", "c", NOON + 2 * DAY + 1, "a whirligig for the roof");
    for (project, text, state, at) in [
        ("old", "paint", "done", 2),
        ("new", "paint", "todo", 1),
        ("old", "nail", "todo", 1),
        ("new", "nail", "done", 2),
        ("new", "saw", "todo", 1),
    ] {
        let sql = "INSERT INTO work_items (project, key, text, state, host, session, list, name, created_at, changed_at)
                   SELECT id, ?2, ?2, ?3, 'h', 's', '', '', 1, ?4 FROM projects WHERE slug = ?1";
        teller.connection.execute(sql, rusqlite::params![project, text, state, at]).expect("an item");
    }
    let joined = super::join(&teller.connection, "new", ("old", "/new"), true).expect("joined");
    assert_eq!(joined, 2);
    assert_eq!(teller.texts("SELECT slug || ' ' || path FROM projects"), ["old /new"]);
    assert_eq!(teller.number("SELECT count(*) FROM sessions WHERE project = (SELECT id FROM projects)"), 3);
    assert_eq!(
        teller.texts("SELECT title FROM observations ORDER BY id"),
        ["use pnpm here", "a whirligig for the roof"]
    );
    assert_eq!(teller.number("SELECT count(*) FROM reinforcements WHERE observation = 1"), 3);
    assert_eq!(teller.number("SELECT count(*) FROM repeats WHERE observation = 1"), 2);
    assert_eq!(
        teller.texts("SELECT text || ' ' || state FROM work_items ORDER BY text"),
        ["nail done", "paint done", "saw todo"]
    );
    // Where the other is not in the journal, the project only gets another name.
    assert_eq!(super::join(&teller.connection, "old", ("older", "/older"), false).expect("joined"), 3);
    assert_eq!(teller.texts("SELECT slug || ' ' || path FROM projects"), ["older /older"]);
    assert_eq!(super::join(&teller.connection, "nobody", ("older", "/x"), false).expect("joined"), 0);
    teller.index();
    let filter = Filter::resolve(&teller.connection, &Asked::project(Some("older"))).expect("a filter");
    let found = super::search(&teller.connection, "whirligig", &filter, 5, SearchOrder::Best).expect("found");
    assert_eq!(found.hits.len(), 1);
}
