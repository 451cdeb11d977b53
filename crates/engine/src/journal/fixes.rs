//! What made a command work that had failed: kept where the same session shows both, so that the next one that meets the
//! same complaint, or reads the file that was changed, can be told.

use remora_event::Event;
use rusqlite::{Connection, OptionalExtension, params};

use super::complaint::{self, Attempt};
use super::entries::HAPPENED;
use super::events::NewEvent;
use super::turn::relative;
use crate::command_line;

/// A command that works again later than this was mended by something else, in milliseconds.
const WITHIN: i64 = 24 * 60 * 60 * 1000;

/// Where more files were changed in between, none of them is what made the difference.
const FILES: usize = 5;

/// So many commands that were run in between are told, the last ones.
const COMMANDS: i64 = 3;

/// At most so many failures are explained by one success.
const FAILURES: i64 = 20;

/// What made a command work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fix {
    /// The event of the failure: the fix's own number.
    pub(crate) id: i64,
    /// When it worked, milliseconds since 1970.
    pub(crate) at: i64,
    /// The host.
    pub(crate) host: String,
    /// The command that failed.
    pub(crate) failed: String,
    /// What it complained of.
    pub(crate) complaint: String,
    /// The command as it worked.
    pub(crate) worked: String,
    /// What was run in between and went well.
    pub(crate) ran: Vec<String>,
    /// The files that were changed in between.
    pub(crate) changed: Vec<String>,
}

/// Notes the attempt that an event reports, and what it shows about earlier and later ones of its session.
pub(super) fn note(connection: &Connection, seq: i64, session: i64, new: &NewEvent) -> rusqlite::Result<()> {
    let Some(attempt) = &new.attempt else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO attempts (event, session, name, at, failed, complaint) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            seq,
            session,
            &attempt.name[..],
            new.at_ms,
            attempt.failed,
            attempt.complaint.as_ref().map(|complaint| &complaint[..]),
        ])?;
    let root = new.project.as_ref().map_or("", |(_, path)| path.as_str());
    let roots = [root, new.event.cwd.as_str()];
    if !attempt.failed {
        return explain(connection, session, &attempt.name, (seq, new.at_ms), &roots);
    }
    // Events may arrive late: what made this one work may be known already.
    let worked = connection
        .prepare_cached(
            "SELECT event, at FROM attempts WHERE session = ?1 AND name = ?2 AND at > ?3 AND failed = 0
              ORDER BY at LIMIT 1",
        )?
        .query_row(params![session, &attempt.name[..], new.at_ms], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    worked.map_or(Ok(()), |worked| explain(connection, session, &attempt.name, worked, &roots))
}

/// Every failure since the command worked last is explained by what came before it works now.
fn explain(
    connection: &Connection,
    session: i64,
    name: &[u8; 16],
    (worked, at): (i64, i64),
    roots: &[&str],
) -> rusqlite::Result<()> {
    let mut query = connection.prepare_cached(
        "SELECT event, at, complaint FROM attempts
          WHERE session = ?1 AND name = ?2 AND at < ?3 AND at > ?4 AND failed = 1
            AND at > coalesce((SELECT max(at) FROM attempts
                                WHERE session = ?1 AND name = ?2 AND at < ?3 AND failed = 0), 0)
          ORDER BY at DESC LIMIT ?5",
    )?;
    let failures = query
        .query_map(params![session, &name[..], at, at - WITHIN, FAILURES], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<rusqlite::Result<Vec<(i64, i64, Option<Vec<u8>>)>>>()?;
    for (failed, failed_at, complaint) in failures {
        let Some(complaint) = complaint else { continue };
        let changed = changed_between(connection, session, (failed_at, at), roots)?;
        if changed.len() > FILES {
            continue;
        }
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO fixes (failed, worked, project, name, complaint, at)
                 SELECT ?1, ?2, sessions.project, ?3, ?4, ?5 FROM sessions WHERE sessions.id = ?6",
            )?
            .execute(params![failed, worked, &name[..], complaint, at, session])?;
        for path in changed {
            connection
                .prepare_cached("INSERT OR IGNORE INTO fix_paths (fix, path) VALUES (?1, ?2)")?
                .execute(params![failed, path])?;
        }
    }
    Ok(())
}

/// The files that were changed in a session between two moments; one more than count where there are more.
fn changed_between(
    connection: &Connection,
    session: i64,
    (from, to): (i64, i64),
    roots: &[&str],
) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT DISTINCT paths.path FROM ({HAPPENED}) AS happened
           JOIN observations ON observations.id = happened.id
           JOIN observation_paths AS paths ON paths.observation = happened.id
          WHERE happened.at > ?2 AND happened.at < ?3 AND observations.kind IN ('write', 'edit') LIMIT ?4"
    ))?;
    let most = i64::try_from(FILES + 1).unwrap_or(i64::MAX);
    query
        .query_map(params![session, from, to, most], |row| row.get::<_, String>(0))?
        .map(|path| path.map(|path| relative(&path, roots).to_owned()))
        .collect()
}

/// The newest fix of a project for a command that complains of the same, but those of the given session.
pub(crate) fn of_complaint(
    connection: &Connection,
    slug: &str,
    attempt: &Attempt,
    own: (&str, &str),
) -> rusqlite::Result<Option<Fix>> {
    let Some(complaint) = attempt.complaint else { return Ok(None) };
    let found = connection
        .prepare_cached(&format!(
            "{FOUND} WHERE projects.slug = ?1 AND fixes.name = ?2 AND fixes.complaint = ?3
                 AND NOT (sessions.host = ?4 AND sessions.session = ?5)
              ORDER BY fixes.at DESC LIMIT 1"
        ))?
        .query_row(params![slug, &attempt.name[..], &complaint[..], own.0, own.1], bare)
        .optional()?;
    found.map(|fix| filled(connection, fix)).transpose().map(Option::flatten)
}

/// The newest fix of a project in which this file was changed, but those of the given session.
pub(crate) fn of_file(
    connection: &Connection,
    slug: &str,
    path: &str,
    own: (&str, &str),
) -> rusqlite::Result<Option<Fix>> {
    let found = connection
        .prepare_cached(&format!(
            "{FOUND} JOIN fix_paths ON fix_paths.fix = fixes.failed
              WHERE fix_paths.path = ?2 AND projects.slug = ?1
                AND NOT (sessions.host = ?3 AND sessions.session = ?4)
              ORDER BY fixes.at DESC LIMIT 1"
        ))?
        .query_row(params![slug, path, own.0, own.1], bare)
        .optional()?;
    found.map(|fix| filled(connection, fix)).transpose().map(Option::flatten)
}

const FOUND: &str =
    "SELECT fixes.failed, fixes.worked, fixes.at, sessions.host, attempts.session, attempts.at
       FROM fixes JOIN projects ON projects.id = fixes.project
       JOIN attempts ON attempts.event = fixes.failed JOIN sessions ON sessions.id = attempts.session";

/// A fix by its numbers.
struct Bare {
    failed: i64,
    worked: i64,
    at: i64,
    host: String,
    session: i64,
    failed_at: i64,
}

fn bare(row: &rusqlite::Row<'_>) -> rusqlite::Result<Bare> {
    Ok(Bare {
        failed: row.get(0)?,
        worked: row.get(1)?,
        at: row.get(2)?,
        host: row.get(3)?,
        session: row.get(4)?,
        failed_at: row.get(5)?,
    })
}

/// The fix in words; nothing where its events cannot be read any more.
fn filled(connection: &Connection, fix: Bare) -> rusqlite::Result<Option<Fix>> {
    let (failed, worked) = (event(connection, fix.failed)?, event(connection, fix.worked)?);
    let (Some(failed), Some(worked)) = (failed, worked) else { return Ok(None) };
    let is_failure = failed.event == remora_event::EventKind::ToolFailure;
    let complaint = failed.tool.as_ref().and_then(|tool| complaint::line_of(tool, is_failure));
    let (Some(complaint), Some(failed), Some(worked)) = (complaint, command_of(&failed), command_of(&worked))
    else {
        return Ok(None);
    };
    let mut query = connection.prepare_cached("SELECT path FROM fix_paths WHERE fix = ?1 ORDER BY path")?;
    let changed = query.query_map([fix.failed], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut query = connection.prepare_cached(
        "SELECT event FROM attempts WHERE session = ?1 AND at > ?2 AND at < ?3 AND failed = 0
          ORDER BY at DESC LIMIT ?4",
    )?;
    let between = query
        .query_map(params![fix.session, fix.failed_at, fix.at, COMMANDS], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut ran = Vec::new();
    for seq in between.into_iter().rev() {
        ran.extend(event(connection, seq)?.as_ref().and_then(command_of));
    }
    Ok(Some(Fix { id: fix.failed, at: fix.at, host: fix.host, failed, complaint, worked, ran, changed }))
}

fn event(connection: &Connection, seq: i64) -> rusqlite::Result<Option<Event>> {
    let body = connection
        .prepare_cached("SELECT body FROM events WHERE seq = ?1")?
        .query_row([seq], |row| row.get::<_, String>(0))
        .optional()?;
    Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
}

fn command_of(event: &Event) -> Option<String> {
    command_line::of(event.tool.as_ref()?)
}
