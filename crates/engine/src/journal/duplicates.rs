//! Entries that say nearly the same: found to be proposed, and merged where that is safe.

use rusqlite::{Connection, OptionalExtension, params};

/// What is compared of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) body: String,
}

/// The newest things that were said in a project, by the person or by the main agent at the end of a turn.
pub(crate) fn newest_said(connection: &Connection, slug: &str, most: usize) -> rusqlite::Result<Vec<Said>> {
    let mut query = connection.prepare_cached(
        "SELECT observations.id, last_at, kind, title, body
           FROM observations JOIN projects ON projects.id = observations.project
          WHERE slug = ?1 AND kind IN ('prompt', 'turn') AND agent = '-' ORDER BY last_at DESC LIMIT ?2",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    query
        .query_map(params![slug, most], |row| {
            Ok(Said {
                id: row.get(0)?,
                at: row.get(1)?,
                kind: row.get(2)?,
                title: row.get(3)?,
                body: row.get(4)?,
            })
        })?
        .collect()
}

/// Makes one entry a repetition of another: what it was said at counts there. Answers whether both were there.
pub(crate) fn merge(connection: &Connection, from: i64, into: i64) -> rusqlite::Result<bool> {
    let own = connection
        .prepare_cached("SELECT event, session, at, agent FROM observations WHERE id = ?1")?
        .query_row([from], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, String>(3)?,
            ))
        })
        .optional()?;
    let is_there: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM observations WHERE id = ?1)")?
        .query_row([into], |row| row.get(0))?;
    let Some((event, session, at, agent)) = own.filter(|_| is_there && from != into) else {
        return Ok(false);
    };
    connection
        .prepare_cached("UPDATE repeats SET observation = ?2 WHERE observation = ?1")?
        .execute([from, into])?;
    super::observation::remove(connection, from)?;
    connection
        .prepare_cached(
            "INSERT INTO repeats (event, observation, session, at, agent) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![event, into, session, at, agent])?;
    super::reinforcement::recount(connection, into)?;
    Ok(true)
}
