//! What was said before: in any session and any host the same content is one entry, with the days on which it
//! was made.

use chrono::{DateTime, Local, Utc};
use remora_recall::similar::normal_content;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

/// At most so many days are kept of an entry, the newest.
const DAYS: i64 = 10;

/// A digest of what an entry says, whoever says it and however it is written. Nothing where it says nothing: a
/// prompt of signs alone is no fact.
pub(super) fn content(kind: &str, text: &str) -> Option<[u8; 16]> {
    let normal = normal_content(text);
    if normal.is_empty() {
        return None;
    }
    let digest = Sha256::new().chain_update(kind).chain_update([0]).chain_update(normal).finalize();
    let mut short = [0; 16];
    short.copy_from_slice(&digest[..16]);
    Some(short)
}

/// The project's entry that says the same already, if one does.
pub(super) fn said_before(
    connection: &Connection,
    session: i64,
    content: &[u8; 16],
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(
            "SELECT observations.id FROM observations
              WHERE observations.project IS (SELECT project FROM sessions WHERE id = ?1)
                AND observations.content = ?2 LIMIT 1",
        )?
        .query_row(params![session, &content[..]], |row| row.get(0))
        .optional()
}

/// Notes that an event said what an entry says already.
pub(super) fn reinforce(
    connection: &Connection,
    observation: i64,
    (event, session, at_ms, agent): (i64, i64, i64, &str),
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO repeats (event, observation, session, at, agent) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![event, observation, session, at_ms, agent])?;
    connection
        .prepare_cached("UPDATE observations SET last_at = max(last_at, ?2) WHERE id = ?1")?
        .execute([observation, at_ms])?;
    let first: i64 = connection
        .prepare_cached("SELECT at FROM observations WHERE id = ?1")?
        .query_row([observation], |row| row.get(0))?;
    for at in [first, at_ms] {
        connection
            .prepare_cached("INSERT OR IGNORE INTO reinforcements (observation, day) VALUES (?1, ?2)")?
            .execute(params![observation, day(at)])?;
    }
    connection
        .prepare_cached(
            "DELETE FROM reinforcements WHERE observation = ?1 AND day NOT IN
               (SELECT day FROM reinforcements WHERE observation = ?1 ORDER BY day DESC LIMIT ?2)",
        )?
        .execute([observation, DAYS])?;
    Ok(())
}

/// Counts the days of an entry anew, after events that made it went.
pub(super) fn recount(connection: &Connection, observation: i64) -> rusqlite::Result<()> {
    let known = connection
        .prepare_cached("SELECT at FROM observations WHERE id = ?1")?
        .query_row([observation], |row| row.get::<_, i64>(0))
        .optional()?;
    let Some(first) = known else { return Ok(()) };
    let mut query = connection.prepare_cached("SELECT at FROM repeats WHERE observation = ?1")?;
    let mut times: Vec<i64> =
        query.query_map([observation], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    connection.prepare_cached("DELETE FROM reinforcements WHERE observation = ?1")?.execute([observation])?;
    times.push(first);
    connection
        .prepare_cached("UPDATE observations SET last_at = ?2 WHERE id = ?1")?
        .execute(params![observation, times.iter().max()])?;
    if times.len() > 1 {
        let days: std::collections::BTreeSet<String> = times.into_iter().map(day).collect();
        for day in days.iter().rev().take(usize::try_from(DAYS).unwrap_or(0)) {
            connection
                .prepare_cached("INSERT INTO reinforcements (observation, day) VALUES (?1, ?2)")?
                .execute(params![observation, day])?;
        }
    }
    Ok(())
}

/// The day of a moment where the person is.
fn day(millis: i64) -> String {
    let at = DateTime::<Utc>::from_timestamp_millis(millis).unwrap_or_default();
    at.with_timezone(&Local).date_naive().to_string()
}
