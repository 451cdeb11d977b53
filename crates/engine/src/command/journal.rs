//! `sessions`, `entries` and `timeline`: what happened, by session, by file, by time.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use super::asked::Filters;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{self, Filter, JournalEntry, SessionSummary};

/// At most so many in one answer.
const MOST: usize = 1_000;

/// So many entries before and after one, unless it is said otherwise.
const AROUND: usize = 8;

/// What lists take.
#[derive(Debug, Deserialize)]
pub(super) struct ListArguments {
    #[serde(default)]
    limit: Option<usize>,
    #[serde(flatten)]
    filters: Filters,
}

/// What `timeline` takes.
#[derive(Debug, Deserialize)]
pub(super) struct TimelineArguments {
    /// The number of an entry, also as `journal:12` or `#12`.
    id: Value,
    #[serde(default)]
    before: Option<usize>,
    #[serde(default)]
    after: Option<usize>,
    #[serde(flatten)]
    filters: Filters,
}

/// `{"sessions": [{"host", "session", "project", "first_at", "last_at", "age_days", "turns", "entries", "title"}],
/// "more"}`, the one heard last first.
pub(super) async fn sessions(
    engine: &Arc<Engine>,
    place: Place,
    cwd: Option<&Path>,
    args: ListArguments,
) -> Result<Value, EngineError> {
    let asked = args.filters.read(engine, &place, cwd).await?;
    let limit = args.limit.unwrap_or(20).clamp(1, MOST);
    let engine = Arc::clone(engine);
    blocking(move || {
        let (sessions, is_more) = engine
            .journal()
            .read(|connection| journal::sessions(connection, &Filter::resolve(connection, &asked)?, limit))?;
        let now = clock::now_millis();
        let sessions: Vec<Value> = sessions.iter().map(|session| session_json(session, now)).collect();
        Ok(json!({"sessions": sessions, "more": is_more}))
    })
    .await
}

/// `{"entries": [...], "more"}`, the newest first; an entry is what a search's hit is, without a snippet.
pub(super) async fn entries(
    engine: &Arc<Engine>,
    place: Place,
    cwd: Option<&Path>,
    args: ListArguments,
) -> Result<Value, EngineError> {
    let asked = args.filters.read(engine, &place, cwd).await?;
    let limit = args.limit.unwrap_or(20).clamp(1, MOST);
    let engine = Arc::clone(engine);
    blocking(move || {
        let (entries, is_more) = engine
            .journal()
            .read(|connection| journal::newest(connection, &Filter::resolve(connection, &asked)?, limit))?;
        let now = clock::now_millis();
        let entries: Vec<Value> = entries.iter().map(|entry| entry_json(entry, now)).collect();
        Ok(json!({"entries": entries, "more": is_more}))
    })
    .await
}

/// `{"host", "session", "project", "entries": [...with "here" on the one that was asked for], "earlier", "later"}`, in
/// the order in which they happened.
pub(super) async fn timeline(
    engine: &Arc<Engine>,
    place: Place,
    cwd: Option<&Path>,
    args: TimelineArguments,
) -> Result<Value, EngineError> {
    let Some(id) = number(&args.id) else {
        return Err(EngineError::usage(
            format!("{} is no entry of the journal", args.id),
            "name one by its number, as `remora search` shows it: remora timeline 12",
        ));
    };
    let asked = args.filters.read(engine, &place, cwd).await?;
    let around = (args.before.unwrap_or(AROUND).min(MOST), args.after.unwrap_or(AROUND).min(MOST));
    let engine = Arc::clone(engine);
    blocking(move || {
        let timeline = engine.journal().read(|connection| {
            journal::around(connection, id, &Filter::resolve(connection, &asked)?, around)
        })?;
        let Some(timeline) = timeline else {
            return Err(EngineError::not_found(
                format!("there is no entry {id} here"),
                "`remora search` shows the numbers; --in names another project",
            ));
        };
        let now = clock::now_millis();
        let first = timeline.entries.first();
        let entries: Vec<Value> = timeline
            .entries
            .iter()
            .map(|entry| {
                let mut value = entry_json(entry, now);
                value["here"] = json!(entry.id == id);
                value
            })
            .collect();
        Ok(json!({
            "host": first.map(|entry| &entry.host), "session": first.map(|entry| &entry.session),
            "project": first.and_then(|entry| entry.project.as_ref()),
            "entries": entries, "earlier": timeline.earlier, "later": timeline.later,
        }))
    })
    .await
}

fn number(id: &Value) -> Option<i64> {
    match id {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => {
            let text = text.trim();
            text.strip_prefix("journal:")
                .or_else(|| text.strip_prefix('#'))
                .unwrap_or(text)
                .trim()
                .parse()
                .ok()
        }
        _ => None,
    }
}

fn session_json(session: &SessionSummary, now: i64) -> Value {
    json!({
        "host": session.host,
        "session": session.session,
        "project": session.project,
        "first_at": clock::rfc3339(session.first_at),
        "last_at": clock::rfc3339(session.last_at),
        "age_days": clock::days_since(session.last_at, now),
        "turns": session.turns,
        "entries": session.entries,
        "title": session.title.as_deref().map(remora_redact::neutralise),
    })
}

/// An entry in a list.
pub(super) fn entry_json(entry: &JournalEntry, now: i64) -> Value {
    let paths: Value = serde_json::from_str(&entry.paths).unwrap_or_default();
    json!({
        "id": entry.id,
        "kind": entry.kind,
        "at": clock::rfc3339(entry.at),
        "age_days": clock::days_since(entry.at, now),
        "days": entry.days,
        "tokens": super::get::tokens_of_entry(&entry.title, &entry.body),
        "host": entry.host,
        "session": entry.session,
        "agent": (entry.agent != "-").then_some(&entry.agent),
        "project": entry.project,
        "paths": paths,
        "title": remora_redact::neutralise(&entry.title),
    })
}
