//! Sessions and events: what is appended, and how a resend and a second report are recognised.

use remora_event::{Event, EventKind, Via};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::complaint::Attempt;
use super::fixes;
use super::observation::{self, Observation};
use super::origins::{self, Report};
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
    /// The command that it reports.
    pub(crate) attempt: Option<Attempt>,
    /// Whether the end of a turn is worth a digest.
    pub(crate) observed: bool,
}

/// What became of an appended event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Appended {
    /// It is a new row that counts.
    New {
        /// The row.
        seq: i64,
        /// Whether nobody told of the happening before.
        first: bool,
    },
    /// The same event was already there: a resend.
    Resend,
    /// Another report of the same happening was already there; this one is kept and makes no observation.
    SeenAlso {
        /// The row.
        seq: i64,
    },
    /// Nobody told of it before, and another origin is expected to; this report is kept and makes no observation.
    Ahead {
        /// The row.
        seq: i64,
    },
    /// It is not to be recorded.
    Not,
}

impl Appended {
    /// The row, if there is a new one.
    pub(crate) fn seq(&self) -> Option<i64> {
        match self {
            Self::New { seq, .. } | Self::SeenAlso { seq } | Self::Ahead { seq } => Some(*seq),
            Self::Resend | Self::Not => None,
        }
    }

    /// Whether somebody told of the happening before.
    pub(crate) fn is_told(&self) -> bool {
        matches!(self, Self::New { first: false, .. } | Self::Resend | Self::SeenAlso { .. })
    }
}

/// Who told of a happening before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nobody.
    Nobody,
    /// The very same event is there.
    Itself,
    /// There is another report of it.
    Another,
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
    let session = session_of(connection, new)?;
    let report = report_of(connection, &session, event, new.at_ms)?;
    let (session, seen_also) = (session.id, report.seen_also());
    let turn = turn_of(connection, session, event, seen_also.is_none())?;
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
    match &report {
        Report::Again(_) => return Ok(Appended::SeenAlso { seq }),
        Report::Ahead => return Ok(Appended::Ahead { seq }),
        Report::Awaited(rows) => {
            for row in rows {
                connection
                    .prepare_cached("UPDATE events SET seen_also = ?1 WHERE seq = ?2")?
                    .execute([seq, *row])?;
            }
        }
        Report::First => {}
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
    fixes::note(connection, seq, session, new)?;
    Ok(Appended::New { seq, first: !report.is_told() })
}

/// Who told of an event's happening before.
pub(crate) fn told(connection: &Connection, event: &Event, at_ms: i64) -> rusqlite::Result<Told> {
    let id = id_bytes(&event.id);
    let is_there: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM events WHERE id = ?1)")?
        .query_row([&id[..]], |row| row.get(0))?;
    if is_there {
        return Ok(Told::Itself);
    }
    let Some(session) = known_session(connection, event)? else { return Ok(Told::Nobody) };
    let report = report_of(connection, &session.with(event), event, at_ms)?;
    Ok(if report.is_told() { Told::Another } else { Told::Nobody })
}

/// What an event is in its session: hooks win, whichever of them, and a transcript fills what they left open.
fn report_of(
    connection: &Connection,
    session: &KnownSession,
    event: &Event,
    at_ms: i64,
) -> rusqlite::Result<Report> {
    let report = if event.via == Via::Transcript {
        earlier_report(connection, session.id, event)?.map_or(Report::First, Report::Again)
    } else {
        origins::report(connection, session.id, session.shared, event, at_ms)?
    };
    if report != Report::First || session.told_by != BOTH {
        return Ok(report);
    }
    let other = likeness::other_report(connection, session.id, event, at_ms)?;
    Ok(other.map_or(Report::First, Report::Again))
}

/// Who told of a session, as bits: its hooks, its transcript.
const LIVE: i64 = 1;
const TRANSCRIPT: i64 = 2;
const BOTH: i64 = LIVE | TRANSCRIPT;

fn teller(event: &Event) -> i64 {
    if event.via == Via::Transcript { TRANSCRIPT } else { LIVE }
}

/// A session's row, as far as an event is compared with it.
struct KnownSession {
    id: i64,
    /// Who told of it first while it went on; nobody knows of what is older than the question.
    origin: Option<(String, String)>,
    /// Whether more than one told of it while it went on.
    shared: bool,
    /// [`LIVE`], [`TRANSCRIPT`] or [`BOTH`].
    told_by: i64,
}

impl KnownSession {
    /// The same, with this event's origin among those who tell of it.
    fn with(self, event: &Event) -> Self {
        let is_another = |(via, adapter): &(String, String)| !origins::is_of(event, via, adapter);
        let live = event.via != Via::Transcript;
        let shared = self.shared || live && self.origin.as_ref().is_some_and(is_another);
        Self { shared, told_by: self.told_by | teller(event), ..self }
    }
}

fn known_session(connection: &Connection, event: &Event) -> rusqlite::Result<Option<KnownSession>> {
    connection
        .prepare_cached(
            "SELECT id, via, adapter, shared, told_by FROM sessions WHERE host = ?1 AND session = ?2",
        )?
        .query_row([&event.host, &event.session], |row| {
            let origin = row.get::<_, Option<String>>(1)?.zip(row.get::<_, Option<String>>(2)?);
            Ok(KnownSession { id: row.get(0)?, origin, shared: row.get(3)?, told_by: row.get(4)? })
        })
        .optional()
}

/// The row of the event's session, made by its first event, which also fixes the project; and who tells of it, this
/// event's origin among them.
fn session_of(connection: &Connection, new: &NewEvent) -> rusqlite::Result<KnownSession> {
    let event = &new.event;
    let live = event.via != Via::Transcript;
    let (via, adapter) = (live.then(|| event.via.as_str()), live.then_some(event.adapter.as_str()));
    if let Some(known) = known_session(connection, event)? {
        let known = known.with(event);
        connection
            .prepare_cached(
                "UPDATE sessions SET last_at = max(last_at, ?2), first_at = min(first_at, ?2),
                        parent = coalesce(parent, ?3), via = coalesce(via, ?4), adapter = coalesce(adapter, ?5),
                        shared = ?6, told_by = ?7 WHERE id = ?1",
            )?
            .execute(params![
                known.id,
                new.at_ms,
                event.parent_session,
                via,
                adapter,
                known.shared,
                known.told_by
            ])?;
        return Ok(known);
    }
    let project = match &new.project {
        Some((slug, path)) => Some(project_of(connection, slug, path)?),
        None => None,
    };
    connection
        .prepare_cached(
            "INSERT INTO sessions (host, session, project, cwd, parent, first_at, last_at, via, adapter, told_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            event.host,
            event.session,
            project,
            event.cwd,
            event.parent_session,
            new.at_ms,
            via,
            adapter,
            teller(event)
        ])?;
    let id = connection.last_insert_rowid();
    Ok(KnownSession { id, origin: None, shared: false, told_by: teller(event) })
}

pub(super) fn project_of(connection: &Connection, slug: &str, path: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO projects (slug, path) VALUES (?1, ?2) ON CONFLICT (slug) DO NOTHING")?
        .execute([slug, path])?;
    connection.prepare_cached("SELECT id FROM projects WHERE slug = ?1")?.query_row([slug], |row| row.get(0))
}

/// The row that already reports what a transcript tells, by the key that hosts' own ids make. A transcript tells nothing
/// twice: two of its records with one key are two happenings.
fn earlier_report(connection: &Connection, session: i64, event: &Event) -> rusqlite::Result<Option<i64>> {
    let Some(key) = &event.key else { return Ok(None) };
    connection
        .prepare_cached(
            "SELECT seq FROM events WHERE session = ?1 AND key = ?2 AND seen_also IS NULL
                AND via <> 'transcript'",
        )?
        .query_row(params![session, key], |row| row.get(0))
        .optional()
}

/// The host's turn id, or the number of prompts so far.
fn turn_of(
    connection: &Connection,
    session: i64,
    event: &Event,
    counts: bool,
) -> rusqlite::Result<Option<String>> {
    if event.event == EventKind::UserPrompt && counts {
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

/// The projects of the sessions whose id begins so, by slug; nothing of a session without one.
pub(crate) fn projects_of_session(
    connection: &Connection,
    beginning: &str,
    host: Option<&str>,
) -> rusqlite::Result<Vec<Option<String>>> {
    let mut query = connection.prepare_cached(
        "SELECT DISTINCT slug FROM sessions LEFT JOIN projects ON projects.id = sessions.project
          WHERE substr(session, 1, length(?1)) = ?1 AND (?2 IS NULL OR host = ?2)",
    )?;
    query.query_map(params![beginning, host], |row| row.get(0))?.collect()
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

/// One event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventRow {
    pub(crate) seq: i64,
    /// The event as JSON.
    pub(crate) body: String,
    /// The slug and the path of its session's project.
    pub(crate) project: Option<(String, String)>,
}

/// The events after one, in the order in which they came.
pub(crate) fn page_of_events(
    connection: &Connection,
    after: i64,
    limit: usize,
) -> rusqlite::Result<Vec<EventRow>> {
    let mut query = connection.prepare_cached(
        "SELECT events.seq, events.body, projects.slug, projects.path
           FROM events JOIN sessions ON sessions.id = events.session
           LEFT JOIN projects ON projects.id = sessions.project
          WHERE events.seq > ?1 ORDER BY events.seq LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = query.query_map(params![after, limit], |row| {
        let (slug, path): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
        Ok(EventRow { seq: row.get(0)?, body: row.get(1)?, project: slug.zip(path) })
    })?;
    rows.collect()
}

/// How many events, sessions and observations there are.
pub(crate) fn counts(connection: &Connection) -> rusqlite::Result<(i64, i64, i64)> {
    // The highest row number would be quicker, and would count what was purged. An index is counted: a million rows
    // take some 15 ms.
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get(0));
    Ok((
        count("SELECT count(*) FROM events")?,
        count("SELECT count(*) FROM sessions")?,
        count("SELECT count(*) FROM observations")?,
    ))
}
