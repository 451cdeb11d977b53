//! Who tells of a session's events, where several do: a host that runs another host's hooks beside its own reports
//! each happening twice, and one happening is one row that counts.
//!
//! Of each kind one origin owns a session's events: the one that told of the last of them. What another origin tells
//! is kept and counts for nothing: it is another report of the owner's row, by the host's own id or by what it says,
//! or it waits for that row. Where the owner is silent for a while, the other origin takes over. Two equal calls
//! from one origin are two calls: each row is paired with one report of each other origin.

use remora_event::{Event, EventKind};
use remora_recall::similar::normal_content;
use rusqlite::{Connection, OptionalExtension, params};

use super::observation::collect_text;

/// Two reports of one happening are at most so far apart, in milliseconds: hooks of one moment run one after the other.
const APART_MS: i64 = 10_000;

/// An origin of which nothing was heard for so long before and after does not own what happened then, in milliseconds.
const SILENT_MS: i64 = 60_000;

/// At most so many rows are compared with a report, those nearest to it in time.
const COMPARED: usize = 64;

/// `seen_also` of a report that came before the one of the origin that owns such events.
pub(super) const AWAITING: i64 = 0;

/// What a report is, beside what is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// The first of its happening, and it counts.
    First,
    /// The first of its happening, by an origin that does not own such events.
    Ahead,
    /// The row says it already.
    Again(i64),
    /// These rows came before, and this is what they waited for.
    Awaited(Vec<i64>),
}

impl Report {
    /// Whether somebody told of the happening before.
    pub(super) fn is_told(&self) -> bool {
        matches!(self, Self::Again(_) | Self::Awaited(_))
    }

    /// What the row of this report has as `seen_also`.
    pub(super) fn seen_also(&self) -> Option<i64> {
        match self {
            Self::First | Self::Awaited(_) => None,
            Self::Ahead => Some(AWAITING),
            Self::Again(row) => Some(*row),
        }
    }
}

/// What an event is in its session. `shared`: more than one origin tells of it.
pub(super) fn report(
    connection: &Connection,
    session: i64,
    shared: bool,
    event: &Event,
    at_ms: i64,
) -> rusqlite::Result<Report> {
    if let Some(told) = by_key(connection, session, event)? {
        return Ok(told);
    }
    if !shared {
        return Ok(Report::First);
    }
    if let Some(told) = by_content(connection, session, event, at_ms)? {
        return Ok(told);
    }
    let owned = owner_is_another(connection, session, event, at_ms)?;
    Ok(if owned { Report::Ahead } else { Report::First })
}

/// The row with the same key, which hosts' own ids make.
fn by_key(connection: &Connection, session: i64, event: &Event) -> rusqlite::Result<Option<Report>> {
    let Some(key) = &event.key else { return Ok(None) };
    // NULL comes first: what counts already.
    let found = connection
        .prepare_cached(
            "SELECT seq, seen_also, via = ?3 AND adapter = ?4 FROM events
              WHERE session = ?1 AND key = ?2 AND (seen_also IS NULL OR seen_also = 0) ORDER BY seen_also LIMIT 1",
        )?
        .query_row(params![session, key, event.via.as_str(), event.adapter], |row| {
            let (seq, waits, same): (i64, Option<i64>, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(if waits.is_some() && !same { Report::Awaited(vec![seq]) } else { Report::Again(seq) })
        });
    found.optional()
}

/// A row of another origin that says the same, is near in time and has no report of this origin yet.
fn by_content(
    connection: &Connection,
    session: i64,
    event: &Event,
    at_ms: i64,
) -> rusqlite::Result<Option<Report>> {
    let (kind, or_kind) = kinds(event.event);
    let mut query = connection.prepare_cached(
        "SELECT seq, seen_also, key, body, via || ' ' || adapter FROM events
          WHERE session = ?1 AND at BETWEEN ?2 - ?3 AND ?2 + ?3 AND agent = ?4 AND kind IN (?5, ?6)
            AND NOT (via = ?7 AND adapter = ?8) AND (seen_also IS NULL OR seen_also = 0)
            AND NOT EXISTS (SELECT 1 FROM events AS told
                             WHERE told.seen_also = events.seq AND told.via = ?7 AND told.adapter = ?8)
          ORDER BY abs(at - ?2), seq LIMIT ?9",
    )?;
    let mut rows = query.query(params![
        session,
        at_ms,
        APART_MS,
        event.agent_id(),
        kind.as_str(),
        or_kind.as_str(),
        event.via.as_str(),
        event.adapter,
        i64::try_from(COMPARED).unwrap_or(i64::MAX),
    ])?;
    let says = said(event);
    let (mut waiting, mut origins) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let key: Option<String> = row.get(2)?;
        // Two different ids of the host are two happenings.
        if key.is_some() && event.key.is_some() {
            continue;
        }
        let body = row.get_ref(3)?.as_str().unwrap_or_default();
        if serde_json::from_str::<Event>(body).map_or(true, |other| said(&other) != says) {
            continue;
        }
        let seq = row.get(0)?;
        if row.get::<_, Option<i64>>(1)?.is_none() {
            return Ok(Some(Report::Again(seq)));
        }
        let origin: String = row.get(4)?;
        if !origins.contains(&origin) {
            waiting.push(seq);
            origins.push(origin);
        }
    }
    Ok((!waiting.is_empty()).then_some(Report::Awaited(waiting)))
}

/// Whether another origin told of the last event of this kind that counts, and was heard around this time.
fn owner_is_another(
    connection: &Connection,
    session: i64,
    event: &Event,
    at_ms: i64,
) -> rusqlite::Result<bool> {
    let (kind, or_kind) = kinds(event.event);
    let owner: Option<(String, String)> = connection
        .prepare_cached(
            "SELECT via, adapter FROM events
              WHERE session = ?1 AND kind IN (?2, ?3) AND seen_also IS NULL AND via <> 'transcript'
              ORDER BY at DESC, seq DESC LIMIT 1",
        )?
        .query_row(params![session, kind.as_str(), or_kind.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((via, adapter)) = owner.filter(|(via, adapter)| !is_of(event, via, adapter)) else {
        return Ok(false);
    };
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM events WHERE session = ?1 AND at BETWEEN ?2 - ?3 AND ?2 + ?3
                               AND via = ?4 AND adapter = ?5)",
        )?
        .query_row(params![session, at_ms, SILENT_MS, via, adapter], |row| row.get(0))
}

/// Whether an event comes from an origin.
pub(super) fn is_of(event: &Event, via: &str, adapter: &str) -> bool {
    event.via.as_str() == via && event.adapter == adapter
}

/// A failure is the success that it would have been: hosts that have no event for it tell of it as the other.
fn kinds(kind: EventKind) -> (EventKind, EventKind) {
    match kind {
        EventKind::PostToolUse | EventKind::ToolFailure => (EventKind::PostToolUse, EventKind::ToolFailure),
        other => (other, other),
    }
}

/// What an event says, however its origin spells it: what was asked, or what a tool was given. Of other moments there
/// is one at a time.
fn said(event: &Event) -> String {
    let text = match event.event {
        EventKind::UserPrompt => event.prompt.clone().unwrap_or_default(),
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::ToolFailure => {
            let Some(tool) = &event.tool else { return String::new() };
            let mut given = String::new();
            collect_text(&tool.input, &mut given);
            if given.is_empty() { tool.name.to_lowercase() } else { given }
        }
        _ => return String::new(),
    };
    let normal = normal_content(&text);
    if normal.is_empty() { text.trim().to_owned() } else { normal }
}
