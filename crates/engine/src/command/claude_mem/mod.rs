//! `import claude-mem`: what another memory for coding agents has kept of this project. What happened becomes entries
//! of the journal; rules that the person gave it become snapshots. Its database is only read.

mod database;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_event::{Event, EventKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::database::{Database, Found, MOST_ROWS, Table};
use super::Place;
use super::brought::bring_in;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{NewEvent, Observation};
use crate::redaction::Redaction;
use crate::sources::{Given, Turn, Way, Whose};

/// The tool's name: the host of its entries and the origin of its snapshots.
const NAME: &str = "claude-mem";

/// Where its database lies below the person's home.
const DATABASE: &str = ".claude-mem/claude-mem.db";

/// So many entries are written in one commit: live events have their turn in between.
const COMMIT: usize = 200;

/// What `import_claude_mem` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    dry_run: bool,
    /// How the tool calls the project; the name of its folder if it is not named.
    #[serde(default)]
    called: Option<String>,
}

/// How many were there, new and known.
#[derive(Debug, Default)]
struct Count {
    new: u64,
    same: u64,
}

/// `{"database", "project", "called", "dry_run", "observations": {"new", "same"}, "summaries": {"new", "same"},
/// "rules": {...}, "elsewhere": {NAME: rows}, "cut"}`. `rules` as `import` answers; `cut`: older rows were left.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let Some((slug, root)) = place.project.clone() else {
        return Err(EngineError::usage(
            "there is no project here to take it for",
            "go to the project's folder, or name it with --project",
        ));
    };
    let folder_name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let called = args.called.clone().unwrap_or(folder_name);
    let path = database_path(engine)?;
    let (reader, opened) = (Arc::clone(engine), path.clone());
    let project = (slug.clone(), root.to_string_lossy().into_owned());
    let name = called.clone();
    let read = blocking(move || read(&opened, &name, &project, &reader.redaction())).await?;

    if !args.dry_run {
        let opener = Arc::clone(engine);
        let root = root.clone();
        blocking(move || opener.memories().open_project(&opener.project_at(&root))).await?;
    }
    let mut value = json!({
        "database": path, "project": place.project_json(), "called": called, "dry_run": args.dry_run,
        "elsewhere": read.elsewhere, "cut": read.is_cut,
    });
    for (key, entries) in [("observations", read.observations), ("summaries", read.summaries)] {
        let count = append(engine, entries, args.dry_run).await?;
        value[key] = json!({"new": count.new, "same": count.same});
    }
    let (taker, rules) = (Arc::clone(engine), read.rules);
    value["rules"] = blocking(move || take_rules(&taker, &slug, &root, &path, &rules, args.dry_run)).await?;
    Ok(value)
}

fn database_path(engine: &Engine) -> Result<PathBuf, EngineError> {
    let missing = |path: &str| {
        EngineError::not_found(
            format!("there is no {path}"),
            "claude-mem keeps its memory there; nothing was imported",
        )
    };
    let home = engine.home().ok_or_else(|| missing(&format!("~/{DATABASE}")))?;
    let path = home.join(DATABASE);
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    if is_file { Ok(path) } else { Err(missing(&path.to_string_lossy())) }
}

/// Everything that is taken, as it will be kept.
#[derive(Debug)]
struct Read {
    observations: Vec<NewEvent>,
    summaries: Vec<NewEvent>,
    /// Whether for all projects, number, text, when.
    rules: Vec<(bool, i64, String, i64)>,
    elsewhere: BTreeMap<String, i64>,
    is_cut: bool,
}

fn read(
    path: &Path,
    called: &str,
    project: &(String, String),
    redaction: &Redaction,
) -> Result<Read, EngineError> {
    let failed = |error: rusqlite::Error| {
        EngineError::refused(
            format!("{} cannot be read: {error}", path.display()),
            "end claude-mem's worker and try again; the file itself was not touched",
        )
    };
    let database = Database::open(path).map_err(failed)?;
    let mut elsewhere: BTreeMap<String, i64> = BTreeMap::new();
    let mut is_cut = false;
    let mut rows = |table: Table| -> Result<Vec<NewEvent>, EngineError> {
        for (name, rows) in database.projects(table).map_err(failed)? {
            if name != called && !name.starts_with(&format!("{called}/")) {
                *elsewhere.entry(name).or_default() += rows;
            }
        }
        let (mut events, mut before, mut looked_at) = (Vec::new(), i64::MAX, 0);
        loop {
            let page = database.page(table, called, before).map_err(failed)?;
            let Some(last) = page.last() else { break };
            before = last.id;
            looked_at += page.len();
            events.extend(page.iter().filter_map(|found| event_of(table, found, project, redaction)));
            if looked_at >= MOST_ROWS {
                is_cut = true;
                break;
            }
        }
        // In the order in which it happened.
        events.reverse();
        Ok(events)
    };
    let (observations, summaries) = (rows(Table::Observations)?, rows(Table::Summaries)?);
    let rules = database.directives(called).map_err(failed)?;
    let rules = rules.into_iter().map(|(id, is_global, text, at)| (is_global, id, text, at)).collect();
    Ok(Read { observations, summaries, rules, elsewhere, is_cut })
}

/// A row as an entry of the journal; nothing where it says nothing.
fn event_of(
    table: Table,
    found: &Found,
    project: &(String, String),
    redaction: &Redaction,
) -> Option<NewEvent> {
    let (kind, title, text, files) = match table {
        Table::Observations => observation(found),
        Table::Summaries => summary(found),
    };
    let title =
        title.or_else(|| text.lines().next().map(str::to_owned)).filter(|title| !title.trim().is_empty())?;
    // The row's number alone may be given twice, in another database.
    let id = format!("{NAME}/{}/{}/{}/{}", table.name(), found.session, found.id, found.at_ms);
    let session = if found.session.is_empty() { NAME } else { &found.session };
    let mut event = Event::new(
        EventKind::Notification,
        id,
        NAME,
        session.to_owned(),
        project.1.clone(),
        clock::rfc3339(found.at_ms),
    );
    event.via = remora_event::Via::Api;
    event.message = Some(text);
    event.extra =
        Map::from_iter([("note".to_owned(), json!({"kind": kind, "title": title, "paths": files}))]);
    let event = redaction.accepted(event);
    Some(NewEvent {
        at_ms: found.at_ms,
        project: Some(project.clone()),
        observation: Observation::of(&event),
        attempt: None,
        observed: false,
        event,
    })
}

type Said = (&'static str, Option<String>, String, Vec<String>);

fn observation(found: &Found) -> Said {
    let mut lines: Vec<String> = ["subtitle", "narrative", "text"]
        .iter()
        .filter_map(|column| found.text(column))
        .map(str::to_owned)
        .collect();
    lines.extend(found.list("facts").into_iter().map(|fact| format!("- {fact}")));
    let title =
        found.text("title").or_else(|| found.text("subtitle")).map(|title| match found.text("type") {
            Some(kind) => format!("{kind}: {title}"),
            None => title.to_owned(),
        });
    let files = found.list("files_modified").into_iter().chain(found.list("files_read")).collect();
    ("note", title, lines.join("\n"), files)
}

fn summary(found: &Found) -> Said {
    let headed = [
        ("request", "Asked"),
        ("investigated", "Looked at"),
        ("learned", "Learned"),
        ("completed", "Done"),
        ("next_steps", "Next"),
        ("notes", "Notes"),
    ];
    let lines: Vec<String> =
        headed.iter().filter_map(|(column, head)| Some(format!("{head}: {}", found.text(column)?))).collect();
    let title = found.text("request").or_else(|| found.text("completed")).map(str::to_owned);
    let files = found.list("files_edited").into_iter().chain(found.list("files_read")).collect();
    ("turn", title, lines.join("\n"), files)
}

/// Writes entries down that are not there yet, a few at a time.
async fn append(engine: &Arc<Engine>, entries: Vec<NewEvent>, dry_run: bool) -> Result<Count, EngineError> {
    let mut count = Count::default();
    let mut entries = entries.into_iter().peekable();
    while entries.peek().is_some() {
        let some: Vec<NewEvent> = entries.by_ref().take(COMMIT).collect();
        let all = some.len() as u64;
        let same = bring_in(engine, some, dry_run).await? as u64;
        count.same += same;
        count.new += all - same;
    }
    engine.wake_indexer();
    Ok(count)
}

/// Rules become snapshots: of the project, and of the person where they hold everywhere.
fn take_rules(
    engine: &Engine,
    slug: &str,
    root: &Path,
    database: &Path,
    rules: &[(bool, i64, String, i64)],
    dry_run: bool,
) -> Result<Value, EngineError> {
    let of = |wanted: bool| {
        let rules = rules.iter().filter(move |(is_global, ..)| *is_global == wanted);
        rules
            .map(|(_, id, text, at)| Given { id: id.to_string(), text: text.clone(), at_ms: *at })
            .collect::<Vec<_>>()
    };
    let project = Whose::Project { slug: slug.to_owned(), root: root.to_owned() };
    let mut all = Vec::new();
    for (whose, rules) in [(project, of(false)), (Whose::Person, of(true))] {
        let way = Way { dry_run, again: true };
        let take = || engine.take_given(&whose, NAME, database, &rules, way);
        all.extend(engine.take_alone(&whose, Turn::Wait, take)?);
    }
    Ok(super::import::together(&all))
}
