//! Two projects that became one: what the journal knows of one is the other's from then on.

use rusqlite::{Connection, OptionalExtension, params};

use super::{observation, reinforcement};

/// Gives everything of one project to another, by slug; answers how many sessions that were. `path`: where the project
/// lies now, if the one that is kept lies there no more. Entries that say the same become one, and of two items of work
/// that say the same the one that was changed later stays.
pub(crate) fn join(
    connection: &Connection,
    from: &str,
    (to, path): (&str, &str),
    moved: bool,
) -> rusqlite::Result<usize> {
    let id = |slug: &str| {
        connection
            .query_row("SELECT id FROM projects WHERE slug = ?1", [slug], |row| row.get::<_, i64>(0))
            .optional()
    };
    if moved {
        connection.execute("UPDATE projects SET path = ?2 WHERE slug = ?1", [to, path])?;
    }
    connection.execute("UPDATE injections SET project = ?2 WHERE project = ?1", [from, to])?;
    let Some(old) = id(from)? else { return Ok(0) };
    let Some(new) = id(to)? else {
        connection
            .execute("UPDATE projects SET slug = ?2, path = ?3 WHERE id = ?1", params![old, to, path])?;
        let sessions: i64 =
            connection
                .query_row("SELECT count(*) FROM sessions WHERE project = ?1", [old], |row| row.get(0))?;
        return Ok(usize::try_from(sessions).unwrap_or(0));
    };
    merge_entries(connection, old, new)?;
    connection.execute("UPDATE observations SET project = ?2 WHERE project = ?1", [old, new])?;
    connection.execute(
        "DELETE FROM work_items WHERE id IN (
           SELECT CASE WHEN a.changed_at > b.changed_at THEN b.id ELSE a.id END
             FROM work_items AS a JOIN work_items AS b ON b.key = a.key AND b.project = ?2
            WHERE a.project = ?1)",
        [old, new],
    )?;
    connection.execute("UPDATE fixes SET project = ?2 WHERE project = ?1", [old, new])?;
    connection.execute("UPDATE work_items SET project = ?2 WHERE project = ?1", [old, new])?;
    let sessions = connection.execute("UPDATE sessions SET project = ?2 WHERE project = ?1", [old, new])?;
    connection.execute("DELETE FROM projects WHERE id = ?1", [old])?;
    Ok(sessions)
}

/// Entries that the other project has as well become repeats of its own.
fn merge_entries(connection: &Connection, old: i64, new: i64) -> rusqlite::Result<()> {
    let mut query = connection.prepare(
        "SELECT mine.id, mine.event, min(theirs.id)
           FROM observations AS mine JOIN observations AS theirs
             ON theirs.project = ?2 AND theirs.content = mine.content
          WHERE mine.project = ?1 AND mine.content IS NOT NULL GROUP BY mine.id",
    )?;
    let same: Vec<(i64, i64, i64)> = query
        .query_map([old, new], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (mine, event, theirs) in same {
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO repeats (event, observation, session, at, agent)
                 SELECT ?2, ?3, session, at, agent FROM observations WHERE id = ?1",
            )?
            .execute([mine, event, theirs])?;
        connection
            .prepare_cached("UPDATE repeats SET observation = ?2 WHERE observation = ?1")?
            .execute([mine, theirs])?;
        observation::remove(connection, mine)?;
        reinforcement::recount(connection, theirs)?;
    }
    Ok(())
}
