//! What passes through the journal, in the order in which it came: for whoever looks on.

use remora_event::Event;
use rusqlite::{Connection, Row, params};

/// At most so many rows are looked at in one go, so that who asks for little does not hold a reader for long.
const LOOKED_AT: i64 = 5_000;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Watched {
    /// Only of this project, by slug.
    pub(crate) project: Option<String>,
    /// Only of this host.
    pub(crate) host: Option<String>,
    /// Only of sessions whose id begins so.
    pub(crate) session: Option<String>,
}

/// One event as it came.
#[derive(Debug, Clone)]
pub(crate) struct Passing {
    /// The row.
    pub(crate) seq: i64,
    /// When it happened, milliseconds since 1970.
    pub(crate) at: i64,
    /// The project's slug, if the session has one.
    pub(crate) project: Option<String>,
    /// The event, redacted.
    pub(crate) event: Event,
    /// Whether another origin tells of the same happening, and that counts.
    pub(crate) seen_also: bool,
    /// What was handed over in answer to it.
    pub(crate) given: Option<Given>,
}

/// What was handed over for one event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    /// Whether the hook said that it printed it.
    pub(crate) is_shown: bool,
    /// What it cost, estimated.
    pub(crate) tokens: i64,
    /// The names of what it was made of, with part and step.
    pub(crate) items: Vec<(String, String, String)>,
}

/// The events that came after a row, at most so many, and the row up to which was looked.
pub(crate) fn passed_after(
    connection: &Connection,
    after: i64,
    watched: &Watched,
    most: usize,
) -> rusqlite::Result<(Vec<Passing>, i64)> {
    let newest = newest(connection)?;
    // Rows that were purged do not come again.
    let from = after.min(newest);
    let to = newest.min(from.saturating_add(LOOKED_AT));
    let found = between(connection, (from, to), watched, "ASC", most)?;
    let reached = if found.len() < most { to } else { found.last().map_or(to, |last| last.seq) };
    Ok((found, reached))
}

/// The last events, at most so many, in the order in which they came, and the newest row.
pub(crate) fn last_passed(
    connection: &Connection,
    watched: &Watched,
    most: usize,
) -> rusqlite::Result<(Vec<Passing>, i64)> {
    let to = newest(connection)?;
    let mut found = between(connection, (to.saturating_sub(LOOKED_AT), to), watched, "DESC", most)?;
    found.reverse();
    Ok((found, to))
}

fn newest(connection: &Connection) -> rusqlite::Result<i64> {
    let mut query = connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM events")?;
    query.query_row([], |row| row.get(0))
}

fn between(
    connection: &Connection,
    (from, to): (i64, i64),
    watched: &Watched,
    order: &str,
    most: usize,
) -> rusqlite::Result<Vec<Passing>> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT events.seq, events.at, projects.slug, events.body, events.seen_also IS NOT NULL
           FROM events
           JOIN sessions ON sessions.id = events.session
           LEFT JOIN projects ON projects.id = sessions.project
          WHERE events.seq > ?1 AND events.seq <= ?2
            AND (?3 IS NULL OR projects.slug = ?3) AND (?4 IS NULL OR sessions.host = ?4)
            AND (?5 IS NULL OR substr(sessions.session, 1, length(?5)) = ?5)
          ORDER BY events.seq {order} LIMIT ?6"
    ))?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows =
        query.query_map(params![from, to, watched.project, watched.host, watched.session, most], passing)?;
    let mut found = Vec::new();
    for passing in rows {
        let Some(mut passing) = passing? else { continue };
        passing.given = given(connection, passing.seq)?;
        found.push(passing);
    }
    Ok(found)
}

/// Nothing where the row is no event that this version understands.
fn passing(row: &Row<'_>) -> rusqlite::Result<Option<Passing>> {
    let Ok(event) = serde_json::from_str(row.get_ref(3)?.as_str().unwrap_or_default()) else {
        return Ok(None);
    };
    Ok(Some(Passing {
        seq: row.get(0)?,
        at: row.get(1)?,
        project: row.get(2)?,
        event,
        seen_also: row.get(4)?,
        given: None,
    }))
}

fn given(connection: &Connection, seq: i64) -> rusqlite::Result<Option<Given>> {
    let mut query =
        connection.prepare_cached("SELECT id, state = 'shown', tokens FROM injections WHERE seq = ?1")?;
    let heads: Vec<(String, bool, i64)> = query
        .query_map([seq], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let Some((id, is_shown, tokens)) = heads.into_iter().next() else { return Ok(None) };
    let mut query = connection
        .prepare_cached("SELECT name, part, step FROM injection_items WHERE injection = ?1 ORDER BY place")?;
    let items = query
        .query_map([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(Given { is_shown, tokens, items }))
}
