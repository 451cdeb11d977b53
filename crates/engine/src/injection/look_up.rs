//! What is given beside a look into a native memory: what else is remembered of the same.

use std::sync::Arc;

use remora_event::Event;
use remora_recall::similar::normal_content;
use remora_recall::{Options, Query};

use super::budget::Room;
use super::checks::Checks;
use super::{Choice, Injection, Item, Placed};
use crate::bridge::{self, LookUp};
use crate::config::Config;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{self, SessionRow};
use crate::ledger::Given;
use crate::memories::{Entry, Freshness, Shelf};

/// At most so many memories beside one look.
const MOST: usize = 5;

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
        let folders = asker.native_folders(row.as_ref());
        let Some(found) = bridge::look_up(&asked, &folders, asker.home()) else { return Ok(None) };
        let question = match &found.question {
            Some(question) => Some(question.clone()),
            None => asker
                .journal()
                .read(|connection| journal::last_prompt(connection, &asked.host, &asked.session))?,
        };
        Ok(question.map(|question| (found, question)))
    })
    .await?;
    let Some((found, question)) = found else { return Ok(None) };
    let (shelf, given) = super::shelf_and_given(engine, event, session, Freshness::Kept).await?;
    if !super::indexed_in_time(&shelf, event).await {
        return Ok(None);
    }
    let mut injection = Injection::new(session);
    let (event, config) = (event.clone(), engine.config());
    blocking(move || {
        compose(&mut injection, &shelf, &found, &question, &event, &config, &given);
        Ok(Some(injection))
    })
    .await
}

fn compose(
    injection: &mut Injection,
    shelf: &Shelf,
    found: &LookUp,
    question: &str,
    event: &Event,
    config: &Config,
    given: &Given,
) {
    let said = event.tool.as_ref().map(|tool| normal_content(&bridge::said(tool))).unwrap_or_default();
    let left_out: Vec<String> = shelf
        .ids()
        .filter(|(_, entry)| {
            let item = Item::of(entry, "body", "bridge", "");
            item.is_given(given) || is_looked_at(entry, found) || is_said(entry, &said)
        })
        .map(|(id, _)| id.to_owned())
        .collect();
    let offered = shelf.recallable().saturating_sub(left_out.len());
    let query = Query::new(&with_subjects(question, found, shelf)).without(left_out);
    let outcome = shelf.corpus().recall(&query, &Options { limit: MOST, ..Options::default() });

    let checks = Checks::default();
    let mut placed = Placed::new(Room::new(LONGEST, event.budget), config, given, &checks);
    for hit in &outcome.ranked {
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
