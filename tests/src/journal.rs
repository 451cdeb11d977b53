//! The journal's database, read from outside: what is there once all is said.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::error::{Error, Result};

/// One row of the journal's events.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// The sender's id.
    pub id: String,
    /// The session's id.
    pub session: String,
    /// `user_prompt`, `post_tool_use`, ...
    pub kind: String,
    /// The subagent's id; `-` for the main agent.
    pub agent: String,
    /// Whether another row tells the same.
    pub seen_also: bool,
    /// The whole event.
    pub body: Value,
}

/// All events of a data root's journal, in the order in which they were stored.
pub fn events(root: &Path) -> Result<Vec<StoredEvent>> {
    let file = root.join("journal.db");
    let read = || -> rusqlite::Result<Vec<StoredEvent>> {
        let database = open(&file)?;
        let mut query = database.prepare(
            "SELECT sessions.session, kind, agent, seen_also IS NOT NULL, body FROM events
               JOIN sessions ON sessions.id = events.session ORDER BY seq",
        )?;
        query
            .query_map([], |row| {
                let body: String = row.get(4)?;
                let body: Value = serde_json::from_str(&body).unwrap_or_default();
                Ok(StoredEvent {
                    id: body["id"].as_str().unwrap_or_default().to_owned(),
                    session: row.get(0)?,
                    kind: row.get(1)?,
                    agent: row.get(2)?,
                    seen_also: row.get(3)?,
                    body,
                })
            })?
            .collect()
    };
    read().map_err(|source| Error::Journal { path: file.clone(), source })
}

/// How many events of each kind there are.
pub fn kinds(events: &[StoredEvent]) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    for event in events {
        *kinds.entry(event.kind.as_str()).or_default() += 1;
    }
    kinds
}

/// What SQLite finds wrong with the database; `ok` when nothing is.
pub fn integrity(root: &Path) -> Result<String> {
    let file = root.join("journal.db");
    open(&file)
        .and_then(|database| database.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
        .map_err(|source| Error::Journal { path: file, source })
}

fn open(file: &Path) -> rusqlite::Result<Connection> {
    let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    database.busy_timeout(std::time::Duration::from_secs(10))?;
    Ok(database)
}
