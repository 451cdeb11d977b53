//! At the point of action: when a file has just been read or changed, or a command has just run, what memory and journal
//! know about this file or this command. Specific, short, once to a conversation.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use remora_event::{Event, EventKind, ToolKind};

use super::budget::Room;
use super::checks::Checks;
use super::wrapper::{one_line, short};
use super::{Choice, Injection, Placed, given_to};
use crate::bridge;
use crate::clock;
use crate::command_line;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::complaint::Attempt;
use crate::journal::fixes::{self, Fix};
use crate::journal::{SessionRow, relative};
use crate::memories::{Freshness, Shelf};

/// The whole text is at most so long, in the host's own unit.
const LONGEST: usize = 1_500;

/// So many memories at most.
const MEMORIES: usize = 2;

/// Of a call that touches many files only the first count.
const FILES: usize = 3;

/// How long a hook waits until it is known which memories name what.
const PATIENCE: Duration = Duration::from_millis(30);

/// Characters of a command and of a complaint.
const COMMAND: usize = 120;
const COMPLAINT: usize = 160;

/// What a call is about.
#[derive(Debug, Clone)]
struct Touched {
    files: Vec<PathBuf>,
    command: Option<String>,
    /// The command, where it failed.
    failed: Option<Attempt>,
}

impl Touched {
    fn by(event: &Event, home: Option<&Path>, attempt: Option<&Attempt>) -> Option<Self> {
        if event.event == EventKind::PreToolUse {
            return None;
        }
        let tool = event.tool.as_ref()?;
        let is_shell = tool.kind == ToolKind::Shell;
        if !is_shell && !matches!(tool.kind, ToolKind::Read | ToolKind::Edit | ToolKind::Write) {
            return None;
        }
        let mut files = bridge::files_of(event, home);
        files.truncate(FILES);
        let line = if is_shell { command_line::of(tool) } else { None };
        let command = line.and_then(|line| command_line::name(&line));
        let failed = attempt.filter(|attempt| attempt.failed).cloned();
        (!files.is_empty() || command.is_some()).then_some(Self { files, command, failed })
    }
}

/// What is known about what the call touched; nothing where nothing is, or the conversation has it. `attempt`: the command
/// that it reports.
pub(super) async fn injection(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
    attempt: Option<&Attempt>,
) -> Result<Option<Injection>, EngineError> {
    if event.probe || !engine.config().inject.point {
        return Ok(None);
    }
    let (Some(touched), Some(row)) = (Touched::by(event, engine.home(), attempt), session) else {
        return Ok(None);
    };
    let shelf = engine.shelf(session, Freshness::Kept).await?;
    let ids = named_by(&shelf, &touched).await;
    let known = known_of(engine, event, row, &touched).await?;
    if ids.is_empty() && known.is_none() {
        return Ok(None);
    }
    let given = given_to(engine, event).await?;
    let checks = Checks::of(engine, event, session, &shelf, ids.iter().map(String::as_str)).await;
    let config = engine.config();
    let mut injection = Injection::new(session);
    let mut placed = Placed::new(Room::new(LONGEST, event.budget), &config, &given, &checks);
    for entry in ids.iter().filter_map(|id| shelf.entry(id)) {
        if injection.items.len() < MEMORIES {
            placed.add(&mut injection, entry, "point", None);
        }
    }
    if let Some(known) = &known {
        let file = format!("fix/{}", known.fix);
        let is_given = given.contains_key(&("text".to_owned(), "private".to_owned(), file.clone()));
        if !is_given {
            placed.say(&mut injection, &file, "what made it work before", known.text.clone());
        }
    }
    injection.text = placed.text();
    let offered = ids.len() + usize::from(known.is_some());
    injection.choices.push(Choice::new("point", offered, injection.items.len()));
    Ok((!injection.items.is_empty()).then_some(injection))
}

/// The memories that name what was touched.
async fn named_by(shelf: &Arc<Shelf>, touched: &Touched) -> Vec<String> {
    let (at, touched) = (Arc::clone(shelf), touched.clone());
    let looking = blocking(move || {
        let points = at.points();
        let files = touched.files.iter().flat_map(|file| points.about_file(file));
        let commands = touched.command.iter().flat_map(|name| points.about_command(name));
        let mut ids: Vec<String> = Vec::new();
        for id in files.chain(commands) {
            if !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
        Ok(ids)
    });
    tokio::time::timeout(PATIENCE, looking).await.ok().and_then(Result::ok).unwrap_or_default()
}

/// What the journal knows of it, in words.
#[derive(Debug)]
struct Known {
    fix: i64,
    text: String,
}

/// What once made a command work that complains of the same, or which change of this file did.
async fn known_of(
    engine: &Arc<Engine>,
    event: &Event,
    row: &SessionRow,
    touched: &Touched,
) -> Result<Option<Known>, EngineError> {
    if touched.failed.is_none() && touched.files.is_empty() {
        return Ok(None);
    }
    let (engine, row, touched) = (Arc::clone(engine), row.clone(), touched.clone());
    let (cwd, host, session) = (event.cwd.clone(), event.host.clone(), event.session.clone());
    blocking(move || {
        let own = (host.as_str(), session.as_str());
        let title = |fix: &Fix| engine.profile(&fix.host).title().to_owned();
        let found = engine.journal().read(|connection| {
            if let Some(attempt) = &touched.failed {
                let fix = fixes::of_complaint(connection, &row.slug, attempt, own)?;
                return Ok(fix.map(|fix| Known { text: same_complaint(&fix, &title(&fix)), fix: fix.id }));
            }
            for file in &touched.files {
                let path = file.to_string_lossy();
                let path = relative(&path, &[&row.path, &cwd]);
                if let Some(fix) = fixes::of_file(connection, &row.slug, path, own)? {
                    let text = changed_file(&fix, path, &title(&fix));
                    return Ok(Some(Known { text, fix: fix.id }));
                }
            }
            Ok(None)
        })?;
        Ok(found)
    })
    .await
}

fn same_complaint(fix: &Fix, host: &str) -> String {
    let mut after = Vec::new();
    if !fix.ran.is_empty() {
        let ran: Vec<String> = fix.ran.iter().map(|command| code(command)).collect();
        after.push(format!("running {}", ran.join(", ")));
    }
    if !fix.changed.is_empty() {
        after.push(format!("changing {}", files(fix, None)));
    }
    let how = if after.is_empty() { String::new() } else { format!(" after {}", after.join(" and ")) };
    let again = match (fix.worked == fix.failed, after.is_empty()) {
        (true, true) => " when it was simply run again".to_owned(),
        (true, false) => String::new(),
        (false, _) => format!(" as {}", code(&fix.worked)),
    };
    format!(
        "{} complained of the same on {} in {}: \"{}\". It worked{again}{how}.\n",
        code(&fix.failed),
        day(fix),
        one_line(host),
        short(&fix.complaint, COMPLAINT),
    )
}

fn changed_file(fix: &Fix, path: &str, host: &str) -> String {
    let others = files(fix, Some(path));
    let with = if others.is_empty() { String::new() } else { format!(", with {others}") };
    format!(
        "A change of {}{with} on {} in {} made {} work, which had failed: \"{}\".\n",
        one_line(path),
        day(fix),
        one_line(host),
        code(&fix.worked),
        short(&fix.complaint, COMPLAINT),
    )
}

/// The files that were changed, but one.
fn files(fix: &Fix, but: Option<&str>) -> String {
    let files = fix.changed.iter().filter(|file| Some(file.as_str()) != but);
    files.map(|file| one_line(file)).collect::<Vec<_>>().join(", ")
}

fn code(command: &str) -> String {
    format!("`{}`", short(command, COMMAND).replace('`', "'"))
}

fn day(fix: &Fix) -> String {
    clock::rfc3339(fix.at).chars().take(10).collect()
}
