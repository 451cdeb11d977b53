//! How far transcripts were read, and what does not come again by them.

use std::fmt::Write as _;

use remora_event::Event;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::purge::Selection;

/// The place in a transcript, as JSON.
pub(crate) fn place(connection: &Connection, host: &str, name: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT place FROM transcripts WHERE host = ?1 AND name = ?2")?
        .query_row([host, name], |row| row.get(0))
        .optional()
}

/// Keeps the place in a transcript, in the commit of the events before it.
pub(crate) fn keep_place(
    connection: &Connection,
    host: &str,
    name: &str,
    place: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO transcripts (host, name, place) VALUES (?1, ?2, ?3)
             ON CONFLICT (host, name) DO UPDATE SET place = ?3",
        )?
        .execute([host, name, place])?;
    Ok(())
}

/// The moment noted for something, milliseconds since 1970: `moment`, if none was yet.
pub(crate) fn first_time(connection: &Connection, what: &str, moment: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO progress (name, value) VALUES (?1, ?2)")?
        .execute(params![what, moment])?;
    connection
        .prepare_cached("SELECT value FROM progress WHERE name = ?1")?
        .query_row([what], |row| row.get(0))
}

/// The session that the journal heard of last, as a number that grows.
pub(crate) fn newest_session(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT coalesce(max(id), 0) FROM sessions")?.query_row([], |row| row.get(0))
}

/// The folders that sessions ran in and that projects lie in, at most so many, the newest first.
pub(crate) fn folders(connection: &Connection, most: usize) -> rusqlite::Result<Vec<String>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut query = connection.prepare(
        "SELECT path FROM projects UNION SELECT cwd FROM (SELECT cwd FROM sessions ORDER BY id DESC LIMIT ?1) LIMIT ?1",
    )?;
    query.query_map([most], |row| row.get(0))?.collect()
}

/// How many events of a session there are, as far as up to `most`.
pub(crate) fn events_of(
    connection: &Connection,
    host: &str,
    session: &str,
    most: i64,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM events WHERE session =
               (SELECT id FROM sessions WHERE host = ?1 AND session = ?2) LIMIT ?3)",
        )?
        .query_row(params![host, session, most], |row| row.get(0))
}

/// Notes that what a selection takes away does not come again: what of it happened before now.
pub(super) fn withhold(
    connection: &Connection,
    selection: &Selection,
    sessions: &[(String, String)],
    now: i64,
) -> rusqlite::Result<()> {
    let mut note = connection.prepare_cached(
        "INSERT INTO withheld (kind, name, before) VALUES (?1, ?2, ?3)
         ON CONFLICT (kind, name) DO UPDATE SET before = max(before, ?3)",
    )?;
    match selection {
        Selection::Project { slug } => drop(note.execute(params!["project", digest(&[slug]), now])?),
        Selection::Before { at_ms } => drop(note.execute(params!["all", "", at_ms])?),
        Selection::Session { host, session } => {
            note.execute(params!["session", digest(&[host, session]), now])?;
        }
        // Words stand in records that were not read yet as well: of these sessions nothing older comes any more.
        Selection::Match { .. } => {
            for (host, session) in sessions {
                note.execute(params!["session", digest(&[host, session]), now])?;
            }
        }
    }
    // A place names the session that it is of. Without it the transcript is read again, and gives nothing.
    let mut forget =
        connection.prepare_cached("DELETE FROM transcripts WHERE host = ?1 AND instr(name || place, ?2)")?;
    for (host, session) in sessions {
        forget.execute([host, session])?;
    }
    Ok(())
}

/// Whether an event was purged, or would have been.
pub(crate) fn is_withheld(
    connection: &Connection,
    event: &Event,
    slug: Option<&str>,
    at_ms: i64,
) -> rusqlite::Result<bool> {
    let session = digest(&[&event.host, &event.session]);
    let project = slug.map(|slug| digest(&[slug])).unwrap_or_default();
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM withheld WHERE before > ?1 AND
               (kind = 'session' AND name = ?2 OR kind = 'project' AND name = ?3 OR kind = 'all'))",
        )?
        .query_row(params![at_ms, session, project], |row| row.get(0))
}

fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize()[..16].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
