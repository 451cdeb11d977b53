//! What is given beside a look into a native memory: what else is remembered of the same.
//!
//! A memory tool is answered before it runs where its host's hooks are heard then, and otherwise afterwards: the same
//! call is never answered twice.

use std::sync::Arc;

use remora_event::{Event, EventKind};
use remora_recall::similar::normal_content;
use remora_recall::{Options, Query};

use super::budget::Room;
use super::checks::Checks;
use super::{Choice, Injection, Item, Placed};
use crate::bridge::{self, LookUp};
use crate::clock;
use crate::config::Config;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{self, SessionRow};
use crate::ledger::{self, BeforeTool, Given};
use crate::memories::{Entry, Freshness, Shelf};
use crate::selector::MOST;
use crate::sources;
use crate::texts;

/// One answer is never longer, in the host's own unit.
const LONGEST: usize = 10_000;

/// What a look into a native memory gets, if the event is one and something else is remembered.
pub(super) async fn injection(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
) -> Result<Option<Injection>, EngineError> {
    let (asker, asked, row) = (Arc::clone(engine), event.clone(), session.cloned());
    let found = blocking(move || {
        let folders = || asker.native_folders(row.as_ref());
        let Some(found) = bridge::look_up(&asked, folders, asker.home()) else { return Ok(None) };
        let now = clock::now_millis();
        let before = asker.journal().read(|connection| ledger::before_tool(connection, &asked, now))?;
        if before == BeforeTool::Answered {
            return Ok(None);
        }
        let question = match &found.question {
            Some(question) => Some(question.clone()),
            None => asker
                .journal()
                .read(|connection| journal::last_prompt(connection, &asked.host, &asked.session))?,
        };
        Ok(question.map(|question| (found, question, before)))
    })
    .await?;
    let Some((found, question, before)) = found else { return Ok(None) };
    if let BeforeTool::Lost(id) = &before {
        let id = id.clone();
        engine.journal().write(move |connection| ledger::lose(connection, &id)).await?;
    }
    let (shelf, given) = super::shelf_and_given(engine, event, session, Freshness::Kept).await?;
    if !super::indexed_in_time(&shelf, event).await {
        return Ok(None);
    }
    let mut injection = Injection::new(session);
    let (event, engine) = (event.clone(), Arc::clone(engine));
    blocking(move || {
        let native = answered_by_the_tool(&engine, &event, &shelf);
        let asked = Asked { found, question, native };
        compose(&mut injection, &shelf, &asked, &event, &engine.config(), &given);
        // Nothing was found before the tool, and nothing is found now: that is one choice.
        let is_told = before == BeforeTool::Asked && injection.items.is_empty();
        Ok((!is_told).then_some(injection))
    })
    .await
}

/// What is asked, and what need not be said.
struct Asked {
    found: LookUp,
    question: String,
    /// The ids of what the native tool is about to say itself.
    native: Vec<String>,
}

/// Before one of the host's own memory tools has run nobody knows what it will say, but it says it of what the host
/// keeps: snapshots of that are its own affair.
fn answered_by_the_tool(engine: &Engine, event: &Event, shelf: &Shelf) -> Vec<String> {
    let tool = event.tool.as_ref().filter(|_| event.event == EventKind::PreToolUse);
    let profile = engine.profile(&event.host);
    if !tool.is_some_and(|tool| profile.memory.has_own_tool(&tool.name)) {
        return Vec::new();
    }
    let own = sources::author(&profile.id);
    shelf
        .ids()
        .filter(|(_, entry)| entry.is_snapshot && entry.by == own)
        .map(|(id, _)| id.to_owned())
        .collect()
}

fn compose(
    injection: &mut Injection,
    shelf: &Shelf,
    asked: &Asked,
    event: &Event,
    config: &Config,
    given: &Given,
) {
    let Asked { found, question, native } = asked;
    let output = event.tool.as_ref().and_then(|tool| tool.output.as_ref());
    let said = output.map(|output| normal_content(&texts::all(output).join("\n"))).unwrap_or_default();
    let mut left_out: Vec<String> = shelf
        .ids()
        .filter(|(_, entry)| {
            Item::of(entry, "body", "bridge", "").is_given(given) || is_looked_at(entry, found)
        })
        .map(|(id, _)| id.to_owned())
        .chain(native.iter().cloned())
        .collect();
    let asked = with_subjects(question, found, shelf);
    // Only what would be given is compared with what was said: a comparison costs as much as the memory is long.
    let ranked = loop {
        let query = Query::new(&asked).without(left_out.clone());
        let outcome = shelf.corpus().recall(&query, &Options { limit: MOST, ..Options::default() });
        let known = |id: &str| shelf.entry(id).is_none_or(|entry| is_said(entry, &said));
        let before = left_out.len();
        left_out.extend(outcome.ranked.iter().filter(|hit| known(&hit.id)).map(|hit| hit.id.clone()));
        if left_out.len() == before {
            break outcome.ranked;
        }
    };
    let offered = shelf.recallable().saturating_sub(left_out.len());

    let checks = Checks::default();
    let mut placed = Placed::new(Room::new(LONGEST, event.budget), config, given, &checks);
    for hit in &ranked {
        let Some(entry) = shelf.entry(&hit.id) else { continue };
        placed.add(injection, entry, "bridge", Some(f64::from(hit.confidence)));
    }
    injection.text = placed.text();
    injection.choices.push(Choice::new("bridge", offered, injection.items.len()));
}

/// A file's name alone often says little: what is known of the file says what was looked for in it.
fn with_subjects(question: &str, found: &LookUp, shelf: &Shelf) -> String {
    let mut whole = question.to_owned();
    for entry in shelf.entries.iter().filter(|entry| is_looked_at(entry, found)) {
        whole.push('\n');
        whole.push_str(&entry.description);
    }
    whole.chars().take(bridge::MAX_QUESTION).collect()
}

/// Whether a memory is, or is a snapshot of, a file that was looked at.
fn is_looked_at(entry: &Entry, found: &LookUp) -> bool {
    found.paths.iter().any(|path| *path == entry.path || entry.is_snapshot && path.ends_with(&entry.file))
}

/// Whether the native answer already says what a memory says.
fn is_said(entry: &Entry, said: &str) -> bool {
    let body = normal_content(&entry.memory.body);
    !body.is_empty() && said.contains(&body)
}
