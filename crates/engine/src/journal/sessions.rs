//! Sessions as they are listed.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::filter::Filter;

/// One session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionSummary {
    /// The journal's own number of it.
    pub(crate) row: i64,
    /// The host.
    pub(crate) host: String,
    /// The host's id of it.
    pub(crate) session: String,
    /// The project's slug, if it has one.
    pub(crate) project: Option<String>,
    /// When it was heard first and last, milliseconds since 1970.
    pub(crate) first_at: i64,
    pub(crate) last_at: i64,
    /// How many prompts it had.
    pub(crate) turns: i64,
    /// How many entries it made.
    pub(crate) entries: i64,
    /// What the person asked first.
    pub(crate) title: Option<String>,
}

/// The sessions that are asked for, the one heard last first, and whether there are more.
pub(crate) fn sessions(
    connection: &Connection,
    filter: &Filter,
    limit: usize,
) -> rusqlite::Result<(Vec<SessionSummary>, bool)> {
    let with_file = filter.about_file.as_ref().map(|files| sessions_of(connection, files)).transpose()?;
    let mut found: Vec<(i64, i64)> = Vec::new();
    for project in &filter.projects {
        let mut query = connection.prepare_cached(
            "SELECT last_at, id FROM sessions
              WHERE project IS ?1 AND last_at >= ?2 AND first_at < ?3 ORDER BY last_at DESC",
        )?;
        let mut rows = query.query(params![project, filter.since, filter.until])?;
        let mut of_project = 0;
        while of_project <= limit
            && let Some(row) = rows.next()?
        {
            let session: i64 = row.get(1)?;
            let is_in = |set: &Option<HashSet<i64>>| set.as_ref().is_none_or(|set| set.contains(&session));
            if is_in(&filter.sessions) && is_in(&with_file) {
                found.push((row.get(0)?, session));
                of_project += 1;
            }
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    let is_more = found.len() > limit;
    let rows = found.into_iter().take(limit);
    let sessions = rows.map(|(_, row)| summary(connection, row)).collect::<rusqlite::Result<_>>()?;
    Ok((sessions, is_more))
}

fn sessions_of(connection: &Connection, entries: &HashSet<i64>) -> rusqlite::Result<HashSet<i64>> {
    let mut query = connection.prepare_cached("SELECT session FROM observations WHERE id = ?1")?;
    let found = entries.iter().map(|id| query.query_row([id], |row| row.get(0)).optional());
    found.filter_map(Result::transpose).collect()
}

fn summary(connection: &Connection, row: i64) -> rusqlite::Result<SessionSummary> {
    let title = connection
        .prepare_cached(
            "SELECT title FROM
               (SELECT title, at FROM observations WHERE session = ?1 AND kind = 'prompt' AND agent = '-'
                 UNION ALL
                SELECT title, repeats.at FROM repeats JOIN observations ON observations.id = observation
                 WHERE repeats.session = ?1 AND kind = 'prompt' AND repeats.agent = '-')
              ORDER BY at LIMIT 1",
        )?
        .query_row([row], |row| row.get(0))
        .optional()?;
    connection
        .prepare_cached(
            // `turns` numbers them for good; what was purged is not counted.
            "SELECT host, session, projects.slug, first_at, last_at,
                    (SELECT count(*) FROM events WHERE events.session = sessions.id AND kind = 'user_prompt'
                                                   AND seen_also IS NULL),
                    (SELECT count(*) FROM observations WHERE observations.session = sessions.id)
                  + (SELECT count(*) FROM repeats WHERE repeats.session = sessions.id)
               FROM sessions LEFT JOIN projects ON projects.id = sessions.project WHERE sessions.id = ?1",
        )?
        .query_row([row], |found| {
            Ok(SessionSummary {
                row,
                host: found.get(0)?,
                session: found.get(1)?,
                project: found.get(2)?,
                first_at: found.get(3)?,
                last_at: found.get(4)?,
                turns: found.get(5)?,
                entries: found.get(6)?,
                title,
            })
        })
}
