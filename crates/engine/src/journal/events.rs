//! Sessions and events: what is appended, and how a resend and a second report are recognised.

use remora_event::{Event, EventKind, Via};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::observation::{self, Observation};
use super::{likeness, turn};

/// An event with what the engine found out about it.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    /// The event, redacted.
    pub(crate) event: Event,
    /// When it happened, milliseconds since 1970.
    pub(crate) at_ms: i64,
    /// The project of the event's directory, used when the session is new.
    pub(crate) project: Option<(String, String)>,
    /// What is worth finding again of it.
    pub(crate) observation: Option<Observation>,
    /// Whether the end of a turn is worth a digest.
    pub(crate) observed: bool,
}

/// What became of an appended event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Appended {
    /// It is a new row.
    New {
        /// The row.
        seq: i64,
    },
    /// The same event was already there: a resend.
    Resend,
    /// Another report of the same happening was already there; this one is kept and makes no observation.
    SeenAlso,
    /// It is not to be recorded.
    Not,
}

/// A session as the journal knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionRow {
    /// The project's slug.
    pub(crate) slug: String,
    /// The project's root.
    pub(crate) path: String,
}

/// The id as it is kept: the sixteen bytes of a UUID, or of a digest where it is none.
pub(crate) fn id_bytes(id: &str) -> [u8; 16] {
    match uuid::Uuid::try_parse(id) {
        Ok(uuid) => *uuid.as_bytes(),
        Err(_) => {
            let digest = Sha256::digest(id.as_bytes());
            let mut short = [0; 16];
            short.copy_from_slice(&digest[..16]);
            short
        }
    }
}

/// Appends one event and its observation.
pub(crate) fn append(connection: &Connection, new: &NewEvent) -> rusqlite::Result<Appended> {
    let event = &new.event;
    let id = id_bytes(&event.id);
    let known = connection
        .prepare_cached("SELECT 1 FROM events WHERE id = ?1")?
        .query_row([&id[..]], |_| Ok(()))
        .optional()?;
    if known.is_some() {
        return Ok(Appended::Resend);
    }
    let (session, told_by) = session_of(connection, new)?;
    let seen_also = match earlier_report(connection, session, event)? {
        None if told_by == BOTH => likeness::other_report(connection, session, event, new.at_ms)?,
        earlier => earlier,
    };
    let turn = turn_of(connection, session, event, seen_also.is_some())?;
    // What hooks told already is not kept a second time, only that a transcript tells it too.
    let body = match event.via {
        Via::Transcript if seen_also.is_some() => serde_json::to_string(&likeness::without_words(event)),
        _ => serde_json::to_string(event),
    };
    let body = body.map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    connection
        .prepare_cached(
            "INSERT INTO events (id, session, kind, key, via, adapter, turn, agent, at, tool, seen_also, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            &id[..],
            session,
            event.event.as_str(),
            event.key,
            event.via.as_str(),
            event.adapter,
            turn,
            event.agent_id(),
            new.at_ms,
            event.tool.as_ref().map(|t| t.name.as_str()),
            seen_also,
            body,
        ])?;
    let seq = connection.last_insert_rowid();
    if seen_also.is_some() {
        return Ok(Appended::SeenAlso);
    }
    let digest = match event.event {
        EventKind::Stop | EventKind::SubagentStop if new.observed => {
            turn::digest(connection, session, new, turn.as_deref())?
        }
        _ => None,
    };
    if let Some(observation) = new.observation.as_ref().or(digest.as_ref()) {
        observation::insert(connection, seq, session, new.at_ms, event.agent_id(), observation)?;
    }
    Ok(Appended::New { seq })
}

/// Whether an event, or another report of the same happening, is there already.
pub(crate) fn is_known(
    connection: &Connection,
    id: &str,
    host: &str,
    session: &str,
    key: Option<&str>,
) -> rusqlite::Result<bool> {
    let id = id_bytes(id);
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM events WHERE id = ?1)
                 OR EXISTS (SELECT 1 FROM events JOIN sessions ON sessions.id = events.session
                             WHERE sessions.host = ?2 AND sessions.session = ?3 AND events.key = ?4)",
        )?
        .query_row(params![&id[..], host, session, key], |row| row.get(0))
}

/// Who told of a session, as bits: its hooks, its transcript.
const LIVE: i64 = 1;
const TRANSCRIPT: i64 = 2;
const BOTH: i64 = LIVE | TRANSCRIPT;

/// The row of the event's session, made by its first event, which also fixes the project; and who told of it.
fn session_of(connection: &Connection, new: &NewEvent) -> rusqlite::Result<(i64, i64)> {
    let event = &new.event;
    let teller = if event.via == Via::Transcript { TRANSCRIPT } else { LIVE };
    let known: Option<(i64, i64)> = connection
        .prepare_cached("SELECT id, told_by FROM sessions WHERE host = ?1 AND session = ?2")?
        .query_row(params![event.host, event.session], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((id, told_by)) = known {
        connection
            .prepare_cached(
                "UPDATE sessions SET last_at = max(last_at, ?2), first_at = min(first_at, ?2),
                        parent = coalesce(parent, ?3), told_by = told_by | ?4 WHERE id = ?1",
            )?
            .execute(params![id, new.at_ms, event.parent_session, teller])?;
        return Ok((id, told_by | teller));
    }
    let project = match &new.project {
        Some((slug, path)) => Some(project_of(connection, slug, path)?),
        None => None,
    };
    connection
        .prepare_cached(
            "INSERT INTO sessions (host, session, project, cwd, parent, first_at, last_at, told_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)",
        )?
        .execute(params![
            event.host,
            event.session,
            project,
            event.cwd,
            event.parent_session,
            new.at_ms,
            teller
        ])?;
    Ok((connection.last_insert_rowid(), teller))
}

pub(super) fn project_of(connection: &Connection, slug: &str, path: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO projects (slug, path) VALUES (?1, ?2) ON CONFLICT (slug) DO NOTHING")?
        .execute([slug, path])?;
    connection.prepare_cached("SELECT id FROM projects WHERE slug = ?1")?.query_row([slug], |row| row.get(0))
}

/// The row that already reports what this event reports, by the key that hosts' own ids make. A transcript tells
/// nothing twice: two of its records with one key are two happenings.
fn earlier_report(connection: &Connection, session: i64, event: &Event) -> rusqlite::Result<Option<i64>> {
    let Some(key) = &event.key else { return Ok(None) };
    connection
        .prepare_cached(
            "SELECT seq FROM events WHERE session = ?1 AND key = ?2 AND seen_also IS NULL
                AND NOT (via = 'transcript' AND ?3 = 'transcript')",
        )?
        .query_row(params![session, key, event.via.as_str()], |row| row.get(0))
        .optional()
}

/// The host's turn id, or the number of prompts so far.
fn turn_of(
    connection: &Connection,
    session: i64,
    event: &Event,
    seen_also: bool,
) -> rusqlite::Result<Option<String>> {
    if event.event == EventKind::UserPrompt && !seen_also {
        connection
            .prepare_cached("UPDATE sessions SET turns = turns + 1 WHERE id = ?1")?
            .execute([session])?;
    }
    if event.turn.is_some() {
        return Ok(event.turn.clone());
    }
    let turns: i64 = connection
        .prepare_cached("SELECT turns FROM sessions WHERE id = ?1")?
        .query_row([session], |row| row.get(0))?;
    Ok((turns > 0).then(|| turns.to_string()))
}

/// What the person asked last in a session.
pub(crate) fn last_prompt(
    connection: &Connection,
    host: &str,
    session: &str,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "SELECT json_extract(events.body, '$.prompt')
               FROM events JOIN sessions ON sessions.id = events.session
              WHERE sessions.host = ?1 AND sessions.session = ?2 AND events.kind = 'user_prompt'
              ORDER BY events.at DESC LIMIT 1",
        )?
        .query_row([host, session], |row| row.get(0))
        .optional()
        .map(Option::flatten)
}

/// The session's project, if the journal knows the session.
pub(crate) fn session(
    connection: &Connection,
    host: &str,
    session: &str,
) -> rusqlite::Result<Option<SessionRow>> {
    connection
        .prepare_cached(
            "SELECT projects.slug, projects.path FROM sessions JOIN projects ON projects.id = sessions.project
             WHERE sessions.host = ?1 AND sessions.session = ?2",
        )?
        .query_row([host, session], |row| Ok(SessionRow { slug: row.get(0)?, path: row.get(1)? }))
        .optional()
}

/// Every project that the journal knows: slug and path.
pub(crate) fn projects(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let mut query = connection.prepare_cached("SELECT slug, path FROM projects ORDER BY slug")?;
    query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The sessions whose id begins so, at most ten: host and id.
pub(crate) fn sessions_called(
    connection: &Connection,
    beginning: &str,
    host: Option<&str>,
) -> rusqlite::Result<Vec<(String, String)>> {
    let mut query = connection.prepare_cached(
        "SELECT host, session FROM sessions
          WHERE substr(session, 1, length(?1)) = ?1 AND (?2 IS NULL OR host = ?2) LIMIT 10",
    )?;
    query.query_map(params![beginning, host], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// When each host was last heard while it worked, milliseconds since 1970. What a transcript told says nothing of hooks.
pub(crate) fn last_heard(connection: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let mut query = connection.prepare_cached(
        "SELECT host, max(last_at) FROM sessions WHERE told_by & 1 GROUP BY host ORDER BY host",
    )?;
    query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The names of the tools that a session used last, newest first, each once.
pub(crate) fn last_tools(
    connection: &Connection,
    host: &str,
    session: &str,
) -> rusqlite::Result<Vec<String>> {
    const LOOKED_AT: i64 = 30;
    let mut query = connection.prepare_cached(
        "SELECT tool FROM events
          WHERE session = (SELECT id FROM sessions WHERE host = ?1 AND session = ?2) AND tool IS NOT NULL
          ORDER BY at DESC LIMIT ?3",
    )?;
    let mut tools: Vec<String> = Vec::new();
    for tool in query.query_map(params![host, session, LOOKED_AT], |row| row.get::<_, String>(0))? {
        let tool = tool?;
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    Ok(tools)
}

/// How many events, sessions and observations there are.
pub(crate) fn counts(connection: &Connection) -> rusqlite::Result<(i64, i64, i64)> {
    // The highest row number stands for the count: counting a million rows takes longer than a status may.
    let top = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    Ok((
        top("SELECT max(seq) FROM events")?.unwrap_or(0),
        top("SELECT max(id) FROM sessions")?.unwrap_or(0),
        top("SELECT max(id) FROM observations")?.unwrap_or(0),
    ))
}
