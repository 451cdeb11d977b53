//! What was saved and forgotten, so that the last of it can be taken back.

use std::path::PathBuf;

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::clock;

/// One change to the memory files that Remora made for somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(crate) enum Change {
    /// A new file.
    Saved { folder: PathBuf, file: String, name: String },
    /// A file that went to the trash.
    Forgot { slot: PathBuf, name: String },
}

/// A change as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Noted {
    #[serde(flatten)]
    pub(crate) change: Change,
    /// The slug of the project in which it was made; absent in what an older Remora wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
}

/// So many changes are looked through for one that can be taken back.
const MOST_LOOKED_AT: usize = 10_000;

/// Writes down a change that was made in a project.
pub(crate) fn record(connection: &Connection, change: Change, from: Option<String>) -> rusqlite::Result<()> {
    let text = serde_json::to_string(&Noted { change, from })
        .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
    connection
        .prepare_cached("INSERT INTO changes (at, change) VALUES (?1, ?2)")?
        .execute(params![clock::now_millis(), text])?;
    Ok(())
}

/// The newest change that was not taken back and that is meant.
pub(crate) fn newest(
    connection: &Connection,
    is_meant: impl Fn(&Noted) -> bool,
) -> rusqlite::Result<Option<(i64, Change)>> {
    let mut statement =
        connection.prepare_cached("SELECT id, change FROM changes WHERE undone = 0 ORDER BY id DESC")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    for row in rows.take(MOST_LOOKED_AT) {
        let (id, text) = row?;
        // What a newer Remora wrote is not ours to take back.
        let Ok(noted) = serde_json::from_str::<Noted>(&text) else { continue };
        if is_meant(&noted) {
            return Ok(Some((id, noted.change)));
        }
    }
    Ok(None)
}

/// Notes that a change was taken back.
pub(crate) fn mark_undone(connection: &Connection, id: i64) -> rusqlite::Result<usize> {
    connection.prepare_cached("UPDATE changes SET undone = 1 WHERE id = ?1")?.execute([id])
}

/// Notes that the memory in this slot of the trash is back, however that came about.
pub(crate) fn mark_restored(connection: &Connection, slot: &std::path::Path) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "UPDATE changes SET undone = 1 WHERE json_extract(change, '$.what') = 'forgot'
                AND json_extract(change, '$.slot') = ?1",
        )?
        .execute([slot.to_string_lossy()])
}

/// Removes every trace of a memory's name and file from the changes.
pub(crate) fn erase(connection: &Connection, name: &str) -> rusqlite::Result<usize> {
    connection.execute("DELETE FROM changes WHERE json_extract(change, '$.name') = ?1", [name])
}
