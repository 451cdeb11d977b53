//! Entries of the journal as they are read: one, the newest, and those around one in its session.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::filter::{FACETS, Filter};

/// At most so many entries are looked at for those that are asked for.
const LOOKED_AT: usize = 200_000;

/// One entry of the journal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JournalEntry {
    /// The observation's number.
    pub(crate) id: i64,
    /// The observation's kind.
    pub(crate) kind: String,
    /// When it was made last, milliseconds since 1970; in a timeline, when it was made there.
    pub(crate) at: i64,
    /// The host it happened in.
    pub(crate) host: String,
    /// The host's session id.
    pub(crate) session: String,
    /// The project's slug, if the session has one.
    pub(crate) project: Option<String>,
    /// The subagent's id; `-` for the main agent.
    pub(crate) agent: String,
    /// One line.
    pub(crate) title: String,
    /// The whole text; the caller cuts what it shows.
    pub(crate) body: String,
    /// The files that it is about, as JSON.
    pub(crate) paths: String,
    /// On which days it was made, where it was made again: at most ten.
    pub(crate) days: Vec<String>,
}

/// What [`entry_of`] reads, in its order.
const COLUMNS: &str =
    "observations.id, observations.kind, observations.last_at, sessions.host, sessions.session,
    projects.slug, observations.agent, observations.title, observations.body, observations.paths,
    (SELECT group_concat(day, ' ') FROM reinforcements WHERE observation = observations.id)";

fn entry_of(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    let days: Option<String> = row.get(10)?;
    Ok(JournalEntry {
        id: row.get(0)?,
        kind: row.get(1)?,
        at: row.get(2)?,
        host: row.get(3)?,
        session: row.get(4)?,
        project: row.get(5)?,
        agent: row.get(6)?,
        title: row.get(7)?,
        body: row.get(8)?,
        paths: row.get(9)?,
        days: days.unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
    })
}

/// One entry by its number, whosever it is.
pub(super) fn read(connection: &Connection, id: i64) -> rusqlite::Result<Option<JournalEntry>> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS}
               FROM observations
               JOIN sessions ON sessions.id = observations.session
               LEFT JOIN projects ON projects.id = observations.project
              WHERE observations.id = ?1"
        ))?
        .query_row([id], entry_of)
        .optional()
}

/// One entry by its number, if it is asked for.
pub(crate) fn entry(
    connection: &Connection,
    id: i64,
    filter: &Filter,
) -> rusqlite::Result<Option<JournalEntry>> {
    match filter.accepts_id(connection, id)? {
        Some(_) => read(connection, id),
        None => Ok(None),
    }
}

/// The newest entries that are asked for, newest first, and whether there are more.
pub(crate) fn newest(
    connection: &Connection,
    filter: &Filter,
    limit: usize,
) -> rusqlite::Result<(Vec<JournalEntry>, bool)> {
    let mut found: Vec<(i64, i64)> = Vec::new();
    if let Some(files) = &filter.about_file {
        for id in files {
            found.extend(filter.accepts_id(connection, *id)?.map(|at| (at, *id)));
        }
    } else {
        for project in &filter.projects {
            found.extend(newest_of(connection, filter, *project, limit + 1)?);
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    let is_more = found.len() > limit;
    let ids = found.into_iter().take(limit);
    let entries = ids.map(|(_, id)| read(connection, id)).collect::<rusqlite::Result<Vec<_>>>()?;
    Ok((entries.into_iter().flatten().collect(), is_more))
}

/// When and which entries of a project are the newest.
fn newest_of(
    connection: &Connection,
    filter: &Filter,
    project: Option<i64>,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT {FACETS} FROM observations INDEXED BY observations_by_project
          WHERE project IS ?1 AND last_at >= ?2 ORDER BY last_at DESC"
    ))?;
    let mut rows = query.query(params![project, filter.since])?;
    let (mut found, mut looked_at) = (Vec::new(), 0);
    while found.len() < limit
        && looked_at < LOOKED_AT
        && let Some(row) = rows.next()?
    {
        looked_at += 1;
        if let Some(at) = filter.accepts(connection, row)? {
            found.push((at, row.get(0)?));
        }
    }
    Ok(found)
}

/// The entries around one, in the order in which they happened in its session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timeline {
    /// The entries; `at` and `agent` are those of this session.
    pub(crate) entries: Vec<JournalEntry>,
    /// How many of the session's entries came before these.
    pub(crate) earlier: i64,
    /// How many came after them.
    pub(crate) later: i64,
}

/// What happened in a session: entries that it made, and those that it made again.
pub(super) const HAPPENED: &str = "
    SELECT id, event, at, agent FROM observations WHERE session = ?1
     UNION ALL
    SELECT observation, event, at, agent FROM repeats WHERE session = ?1";

/// The entries around one that is asked for, if it is.
pub(crate) fn around(
    connection: &Connection,
    id: i64,
    filter: &Filter,
    (before, after): (usize, usize),
) -> rusqlite::Result<Option<Timeline>> {
    if filter.accepts_id(connection, id)?.is_none() {
        return Ok(None);
    }
    let (session, at, event): (i64, i64, i64) = connection
        .prepare_cached("SELECT session, at, event FROM observations WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let part = |comparison: &str, direction: &str, limit: usize| {
        let sql = format!(
            "SELECT id, at, agent, event FROM ({HAPPENED})
              WHERE (at, event) {comparison} (?2, ?3) ORDER BY at {direction}, event {direction} LIMIT ?4"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut query = connection.prepare_cached(&sql)?;
        let rows = query.query_map(params![session, at, event, limit], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
        rows.collect::<rusqlite::Result<Vec<(i64, i64, String, i64)>>>()
    };
    let mut places = part("<", "DESC", before)?;
    places.reverse();
    places.extend(part(">=", "ASC", after + 1)?);
    let beyond = |comparison: &str, edge: Option<&(i64, i64, String, i64)>| -> rusqlite::Result<i64> {
        let Some((_, at, _, event)) = edge else { return Ok(0) };
        let sql = format!("SELECT count(*) FROM ({HAPPENED}) WHERE (at, event) {comparison} (?2, ?3)");
        connection.prepare_cached(&sql)?.query_row(params![session, at, event], |row| row.get(0))
    };
    let (earlier, later) = (beyond("<", places.first())?, beyond(">", places.last())?);
    let (host, name): (String, String) = connection
        .prepare_cached("SELECT host, session FROM sessions WHERE id = ?1")?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut entries = Vec::with_capacity(places.len());
    for (id, at, agent, _) in places {
        let Some(entry) = read(connection, id)? else { continue };
        entries.push(JournalEntry { at, agent, host: host.clone(), session: name.clone(), ..entry });
    }
    Ok(Some(Timeline { entries, earlier, later }))
}
