//! The indexer that feeds the full-text search: it reads and analyses beside the writer, which only adds what
//! is ready.

use rusqlite::{Connection, OptionalExtension, params};

use super::search::INDEXED;

/// Observations that are ready to be added to the index.
#[derive(Debug)]
pub(crate) struct Batch {
    from: i64,
    rows: Vec<Words>,
    /// Whether more may be waiting behind these.
    pub(crate) is_full: bool,
}

#[derive(Debug)]
struct Words {
    id: i64,
    title: String,
    body: String,
}

/// Reads up to `most` observations that are not in the index, and analyses them. None: nothing is waiting.
pub(crate) fn next_batch(connection: &Connection, most: usize) -> rusqlite::Result<Option<Batch>> {
    let from = indexed_to(connection)?;
    let mut query = connection
        .prepare_cached("SELECT id, title, body FROM observations WHERE id > ?1 ORDER BY id LIMIT ?2")?;
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = query
        .query_map(params![from, limit], |row| {
            let words = |column| {
                row.get::<_, String>(column).map(|text| remora_recall::analysis::analyse_for_journal(&text))
            };
            Ok(Words { id: row.get(0)?, title: words(1)?, body: words(2)? })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let is_full = rows.len() == most;
    Ok((!rows.is_empty()).then_some(Batch { from, rows, is_full }))
}

/// Adds a batch, unless the index has moved since it was read. What was deleted meanwhile is left out: its
/// words must not come back.
pub(crate) fn add(connection: &Connection, batch: &Batch) -> rusqlite::Result<()> {
    if indexed_to(connection)? != batch.from {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO observation_words (rowid, title, body)
         SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM observations WHERE id = ?1)",
    )?;
    for words in &batch.rows {
        insert.execute(params![words.id, words.title, words.body])?;
    }
    let Some(last) = batch.rows.last() else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO progress (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
        )?
        .execute(params![INDEXED, last.id])?;
    Ok(())
}

/// The number of the last observation that is in the index.
fn indexed_to(connection: &Connection) -> rusqlite::Result<i64> {
    let value = connection
        .prepare_cached("SELECT value FROM progress WHERE name = ?1")?
        .query_row([INDEXED], |row| row.get(0))
        .optional()?;
    Ok(value.unwrap_or(0))
}

/// Indexes everything that waits.
#[cfg(test)]
pub(super) fn index_all(connection: &Connection) -> rusqlite::Result<()> {
    while let Some(batch) = next_batch(connection, 50)? {
        add(connection, &batch)?;
    }
    Ok(())
}
