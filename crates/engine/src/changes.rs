//! What was saved and forgotten, so that the last of it can be taken back.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, params};
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

/// Writes a change down.
pub(crate) fn record(connection: &Connection, change: &Change) -> rusqlite::Result<()> {
    let text =
        serde_json::to_string(change).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
    connection
        .prepare_cached("INSERT INTO changes (at, change) VALUES (?1, ?2)")?
        .execute(params![clock::now_millis(), text])?;
    Ok(())
}

/// The newest change that was not taken back.
pub(crate) fn newest(connection: &Connection) -> rusqlite::Result<Option<(i64, Change)>> {
    let found: Option<(i64, String)> = connection
        .prepare_cached("SELECT id, change FROM changes WHERE undone = 0 ORDER BY id DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.and_then(|(id, text)| Some((id, serde_json::from_str(&text).ok()?))))
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
