//! `journal purge`: deleted for good, wherever it lies that Remora can reach.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::Local;
use remora_event::Event;
use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use super::asked::project_called;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::purge::{Purged, Selection, forms, holds, purge};
use crate::journal::{self};
use crate::when::{End, moment};

/// Shorter words would take half of everything with them.
const SHORTEST: usize = 3;

/// What `journal purge` takes: exactly one of the first four.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// The project of the directory.
    #[serde(default)]
    here: bool,
    /// A project by slug or path, also one that is not there any more.
    #[serde(default)]
    project: Option<String>,
    /// The beginning of a session's id.
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    host: Option<String>,
    #[serde(default)]
    before: Option<String>,
    #[serde(default, rename = "match")]
    words: Option<String>,
    /// Say what would go.
    #[serde(default)]
    dry_run: bool,
}

/// `{"what", "dry_run", "removed": {"events", "entries", "sessions", "injections", "work_items", "changes", "spooled", "log_lines",
/// "backups": [files]}, "notes": [sentences]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let dry_run = args.dry_run;
    let worker = Arc::clone(engine);
    let (selection, what) = blocking(move || selected(&worker, &place, &args)).await?;
    let removed = purge_everywhere(engine, &selection, dry_run).await?;
    let notes = notes(engine, &selection).await?;
    Ok(json!({"what": what, "dry_run": dry_run, "removed": removed, "notes": notes}))
}

/// Purges rows, spool, logs and backups; counts only, where it is a try.
pub(crate) async fn purge_everywhere(
    engine: &Arc<Engine>,
    selection: &Selection,
    dry_run: bool,
) -> Result<Value, EngineError> {
    // Events on their way go first: the engine may take them in at any moment.
    let spooled = purge_spool(engine, selection, dry_run).await?;
    let wanted = selection.clone();
    let rows = engine.journal().write(move |connection| rows(connection, &wanted, dry_run)).await?;
    if !dry_run && rows.any() {
        engine.journal().scrub().await?;
    }
    let (worker, wanted) = (Arc::clone(engine), selection.clone());
    let (backups, log_lines) = blocking(move || {
        Ok((purge_backups(&worker, &wanted, dry_run), purge_logs(&worker, &wanted, dry_run)))
    })
    .await?;
    engine.forget_places();
    let mut removed = json!(rows);
    removed["spooled"] = json!(spooled);
    removed["log_lines"] = json!(log_lines);
    removed["backups"] = json!(backups);
    Ok(removed)
}

/// What goes; a try is rolled back.
fn rows(connection: &Connection, selection: &Selection, dry_run: bool) -> rusqlite::Result<Purged> {
    connection.execute_batch("SAVEPOINT purge")?;
    let purged = purge(connection, selection, clock::now_millis())?;
    connection.execute_batch(if dry_run { "ROLLBACK TO purge; RELEASE purge" } else { "RELEASE purge" })?;
    Ok(purged)
}

/// What the arguments select, with the words for it.
fn selected(engine: &Engine, place: &Place, args: &Arguments) -> Result<(Selection, String), EngineError> {
    let hint = "name one of --project DIR, --in PROJECT, --session ID, --before TIME, --match WORDS";
    let chosen = [
        args.here,
        args.project.is_some(),
        args.session.is_some(),
        args.before.is_some(),
        args.words.is_some(),
    ];
    if chosen.iter().filter(|chosen| **chosen).count() != 1 {
        return Err(EngineError::usage("purge what?", hint));
    }
    if let Some(name) = &args.project {
        let known = engine.journal().read(journal::projects)?;
        let (slug, path) = project_called(&known, name)?;
        return Ok((Selection::Project { slug: slug.clone() }, format!("the project {path}")));
    }
    if let Some(session) = &args.session {
        let found = engine
            .journal()
            .read(|connection| journal::sessions_called(connection, session, args.host.as_deref()))?;
        return match found.as_slice() {
            [(host, session)] => Ok((
                Selection::Session { host: host.clone(), session: session.clone() },
                format!("the session {session} in {host}"),
            )),
            [] => Err(EngineError::not_found(
                format!("there is no session {session:?}"),
                "`remora journal sessions --all-projects` shows them",
            )),
            several => Err(EngineError::usage(
                format!("{session:?} begins {} sessions", several.len()),
                "write more of its id, or name the host with --host",
            )),
        };
    }
    if let Some(before) = &args.before {
        let at_ms = moment(before, End::First, Local::now()).ok_or_else(|| {
            EngineError::usage(
                format!("--before {before:?} is no moment"),
                "write 2026-11-02, yesterday or 90d",
            )
        })?;
        return Ok((Selection::Before { at_ms }, format!("what happened before {}", clock::rfc3339(at_ms))));
    }
    if let Some(words) = &args.words {
        if words.trim().chars().count() < SHORTEST {
            return Err(EngineError::usage(
                format!("{words:?} would match far too much"),
                "write at least three characters",
            ));
        }
        return Ok((Selection::Match { text: words.clone() }, format!("what holds {words:?}")));
    }
    match place.slug() {
        Some(slug) => {
            let root = place.project.as_ref().map(|(_, root)| root.display().to_string()).unwrap_or_default();
            Ok((Selection::Project { slug: slug.to_owned() }, format!("the project {root}")))
        }
        None => Err(EngineError::usage("there is no project here", hint)),
    }
}

/// Removes spooled events; answers how many. What cannot be read as an event goes if its bytes hold what is selected.
async fn purge_spool(
    engine: &Arc<Engine>,
    selection: &Selection,
    dry_run: bool,
) -> Result<usize, EngineError> {
    let folders = [engine.root().spool(), engine.root().spool_bad()];
    let files = blocking(move || {
        let files = folders.iter().flat_map(|folder| entries(folder));
        Ok(files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect::<Vec<_>>())
    })
    .await?;
    let mut gone = 0;
    for path in files {
        let Ok(bytes) = remora_memory::ordinary::read(&path) else { continue };
        let is_selected = match serde_json::from_slice::<Event>(&bytes) {
            Ok(event) => {
                let slug = match selection {
                    Selection::Project { .. } => slug_of(engine, &event).await?,
                    _ => None,
                };
                selection.covers(&event, clock::millis_of(&event.at), slug.as_deref())
            }
            Err(_) => needles(selection).iter().any(|needle| holds(&String::from_utf8_lossy(&bytes), needle)),
        };
        if is_selected && (dry_run || std::fs::remove_file(&path).is_ok()) {
            gone += 1;
        }
    }
    Ok(gone)
}

/// The project that an event will belong to.
async fn slug_of(engine: &Arc<Engine>, event: &Event) -> Result<Option<String>, EngineError> {
    if let Some(slug) = engine.slug_of_session(&event.host, &event.session) {
        return Ok(Some(slug));
    }
    Ok(engine.project_of(Path::new(&event.cwd)).await?.map(|project| project.slug))
}

/// Removes copies of the journal that hold what is selected, or of which it cannot be told.
fn purge_backups(engine: &Engine, selection: &Selection, dry_run: bool) -> Vec<String> {
    let of_journal = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("journal-schema-") || name.starts_with("journal.db.damaged-")
    };
    let copies = [engine.root().backups(), engine.root().path().to_owned()];
    let mut gone = Vec::new();
    for copy in copies.iter().flat_map(|folder| entries(folder)).filter(of_journal) {
        let is_side_file =
            copy.to_string_lossy().ends_with("-wal") || copy.to_string_lossy().ends_with("-shm");
        if is_side_file || copy_is_clean(&copy, selection) == Some(true) {
            continue;
        }
        if dry_run || std::fs::remove_file(&copy).is_ok() {
            for side in ["-wal", "-shm"] {
                let mut name = copy.clone().into_os_string();
                name.push(side);
                if !dry_run {
                    let _ = std::fs::remove_file(name);
                }
            }
            gone.push(copy.display().to_string());
        }
    }
    gone
}

/// Whether a copy of the journal has nothing of what is selected; nothing where that cannot be told.
fn copy_is_clean(copy: &Path, selection: &Selection) -> Option<bool> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copy = Connection::open_with_flags(copy, flags).ok()?;
    let counted = |sql: &str, text: &str| copy.query_row(sql, [text], |row| row.get::<_, i64>(0)).ok();
    let found = match selection {
        Selection::Project { slug } => counted("SELECT count(*) FROM projects WHERE slug = ?1", slug)?,
        Selection::Session { session, .. } => {
            counted("SELECT count(*) FROM sessions WHERE session = ?1", session)?
        }
        Selection::Before { at_ms } => {
            copy.query_row("SELECT count(*) FROM events WHERE at < ?1", [at_ms], |row| row.get(0)).ok()?
        }
        Selection::Match { text } => {
            let mut query = copy
                .prepare(
                    "SELECT body FROM events UNION ALL SELECT title || char(10) || body FROM observations",
                )
                .ok()?;
            let mut rows = query.query([]).ok()?;
            let forms = forms(text);
            let mut found = 0;
            while let Some(row) = rows.next().ok()? {
                let said = row.get_ref(0).ok()?.as_str().unwrap_or_default();
                found += i64::from(forms.iter().any(|form| holds(said, form)));
            }
            found
        }
    };
    Some(found == 0)
}

/// Takes lines that name what is selected out of the logs; answers how many.
fn purge_logs(engine: &Engine, selection: &Selection, dry_run: bool) -> usize {
    let needles = needles(selection);
    if needles.is_empty() {
        return 0;
    }
    let mut gone = 0;
    for log in entries(&engine.root().logs()) {
        let Ok(text) = remora_memory::ordinary::read(&log) else { continue };
        let text = String::from_utf8_lossy(&text);
        let (lost, kept): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| needles.iter().any(|needle| holds(line, needle)));
        if lost.is_empty() {
            continue;
        }
        gone += lost.len();
        if !dry_run {
            let mut kept = kept.join("\n");
            kept.push('\n');
            // In place: whoever has the file open goes on at its end.
            if let Err(error) = std::fs::write(&log, kept) {
                tracing::warn!(%error, log = %log.display(), "a log could not be cleaned");
            }
        }
    }
    gone
}

/// The words by which files without structure are searched, in small letters.
fn needles(selection: &Selection) -> Vec<String> {
    match selection {
        Selection::Project { slug } => vec![slug.to_lowercase()],
        Selection::Session { session, .. } => vec![session.to_lowercase()],
        Selection::Before { .. } => Vec::new(),
        Selection::Match { text } => forms(text).into_iter().collect(),
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    found.filter(|path| path.is_file()).collect()
}

/// What a person should know: what else may hold the same words.
async fn notes(engine: &Arc<Engine>, selection: &Selection) -> Result<Vec<String>, EngineError> {
    let mut notes = vec!["what the agents themselves keep (their transcripts) is not touched".to_owned()];
    if let Selection::Match { text } = selection {
        let (worker, text) = (Arc::clone(engine), text.to_lowercase());
        let memories = blocking(move || {
            let folders =
                [worker.root().path().join("user"), worker.root().projects(), worker.root().trash()];
            let mut found: Vec<String> = Vec::new();
            let mut waiting = folders.to_vec();
            while let Some(folder) = waiting.pop() {
                for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                    let path = entry.path();
                    if path.is_dir() && !path.is_symlink() {
                        waiting.push(path);
                    } else if remora_memory::ordinary::read_to_string(&path)
                        .is_ok_and(|said| holds(&said, &text))
                    {
                        found.push(path.display().to_string());
                    }
                }
            }
            found.sort();
            Ok(found)
        })
        .await?;
        for file in memories.iter().take(5) {
            notes.push(format!("{file} holds it: `remora forget NAME --for-good` removes a memory"));
        }
        if memories.len() > 5 {
            notes.push(format!("{} more files of memory hold it", memories.len() - 5));
        }
    }
    Ok(notes)
}
