//! A memory is confirmed when the world says the fact again: then a day is added to its file. What Remora told a model
//! and the model says back is an echo, and confirms nothing.

use remora_memory::edit::{self, NewValue};

use crate::clock;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::file_keeper;
use crate::ledger;
use crate::memories::Entry;

/// Only the newest days are kept.
const MOST_DAYS: usize = 10;
/// Whoever says within this time what they were told may be repeating it, in milliseconds.
const ECHO_MS: i64 = 24 * 60 * 60 * 1000;

/// Who says the fact again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// The person, in a prompt of their own.
    Person,
    /// A command: the person typed it, or an agent did.
    Command,
}

/// Adds today to the days on which a memory was confirmed; whether that was done. Blocks.
pub(crate) fn confirm(
    engine: &Engine,
    entry: &Entry,
    project: Option<&str>,
    voice: Voice,
) -> Result<bool, EngineError> {
    let today = clock::today();
    let day = clock::day_number(today);
    let is_known = entry.life.created == day || entry.life.confirmed.contains(&day);
    if entry.is_snapshot || is_known || voice == Voice::Command && is_echo(engine, entry, project)? {
        return Ok(false);
    }
    let mut days: Vec<_> = entry.memory.metadata.reinforced.clone();
    days.push(today);
    days.sort_unstable();
    days.dedup();
    let days: Vec<String> =
        days[days.len().saturating_sub(MOST_DAYS)..].iter().map(ToString::to_string).collect();
    let changed = std::fs::metadata(&entry.path).and_then(|found| found.modified());
    let written = file_keeper::change(&entry.folder(), &entry.file, |text| {
        edit::set_metadata(&entry.file, text, "reinforced", NewValue::List(&days))
    })?;
    // The fact itself is as old as before.
    if let (true, Ok(changed)) = (written, changed) {
        std::fs::File::options().write(true).open(&entry.path)?.set_modified(changed)?;
    }
    Ok(written)
}

fn is_echo(engine: &Engine, entry: &Entry, project: Option<&str>) -> Result<bool, EngineError> {
    let since = clock::now_millis() - ECHO_MS;
    let (file, scope) = (entry.file_in_ledger(), entry.scope.as_str());
    Ok(engine.journal().read(|connection| ledger::was_told(connection, &file, scope, project, since))?)
}
