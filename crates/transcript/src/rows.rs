//! Transcripts in an SQLite database: opened to read, never changed, not even by a file beside it.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, Statement, named_params};
use serde_json::{Map, Value};

use crate::error::ReadError;
use crate::find::Source;

/// At most so many sessions of one database are looked at.
const SESSIONS: usize = 200_000;

/// A value longer than this is left out, in bytes.
const LONGEST_VALUE: usize = crate::LONGEST_LINE;

/// Opens a database to read.
///
/// While its owner works with it there is a log beside it, and it is read with the owner's locks. Without one it
/// is read as a file that nobody writes: otherwise SQLite would make a log and an index of it beside the file.
pub(crate) fn open(path: &Path) -> Result<Connection, ReadError> {
    let failed = ReadError::database(path);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|found| found.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = if has_log {
        Connection::open_with_flags(path, flags)
    } else {
        let name = format!("file:{}?immutable=1", escaped(&path.to_string_lossy()));
        Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_URI)
    };
    let connection = opened.map_err(&failed)?;
    let settle = || -> rusqlite::Result<()> {
        connection.busy_timeout(std::time::Duration::from_millis(500))?;
        connection.pragma_update(None, "trusted_schema", "OFF")?;
        connection.pragma_update(None, "cell_size_check", "ON")?;
        connection.pragma_update(None, "mmap_size", 0)?;
        connection.pragma_update(None, "query_only", "ON")?;
        connection.pragma_update(None, "cache_size", -512)
    };
    settle().map_err(&failed)?;
    Ok(connection)
}

fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// The sessions of a database.
pub(crate) fn sessions(file: &Source, query: &str) -> Result<Vec<Source>, ReadError> {
    let connection = open(&file.path)?;
    let failed = ReadError::database(&file.path);
    let mut statement = prepared(&connection, query, &file.path)?;
    let columns = names(&statement);
    let mut rows = statement.query([]).map_err(&failed)?;
    let mut found = Vec::new();
    while found.len() < SESSIONS
        && let Some(row) = rows.next().map_err(&failed)?
    {
        let row = object(row, &columns, &[]);
        let Some(session) = row.get("session").and_then(crate::field::plain_text) else {
            return Err(ReadError::Form {
                path: file.path.clone(),
                problem: "the query `sessions` gives no column `session`".to_owned(),
            });
        };
        let changed = row.get("changed").and_then(crate::field::plain_text).unwrap_or_default();
        found.push(Source {
            row: Some(session.clone()),
            modified_ms: changed.parse().ok().filter(|ms| *ms > 100_000_000_000).unwrap_or(file.modified_ms),
            changed: if changed.is_empty() { file.changed.clone() } else { changed },
            session: Some(session),
            ..file.clone()
        });
    }
    let share = file.bytes / u64::try_from(found.len().max(1)).unwrap_or(1);
    found.iter_mut().for_each(|source| source.bytes = share);
    Ok(found)
}

/// Gives the records of a session from the given one on to `take`, until that has enough; answers whether they
/// came to an end.
pub(crate) fn records(
    connection: &Connection,
    source: &Source,
    (query, json): (&str, &[String]),
    from: u64,
    mut take: impl FnMut(Value, u64) -> bool,
) -> Result<bool, ReadError> {
    let failed = ReadError::database(&source.path);
    let mut statement = prepared(connection, query, &source.path)?;
    let columns = names(&statement);
    let session = source.row.as_deref().unwrap_or_default();
    let mut rows = statement.query(named_params! { ":session": session }).map_err(&failed)?;
    let mut place = 0;
    while let Some(row) = rows.next().map_err(&failed)? {
        place += 1;
        if place <= from {
            continue;
        }
        if take(Value::Object(object(row, &columns, json)), place) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn prepared<'c>(connection: &'c Connection, query: &str, path: &Path) -> Result<Statement<'c>, ReadError> {
    let statement = connection.prepare(query).map_err(ReadError::database(path))?;
    if statement.readonly() {
        return Ok(statement);
    }
    Err(ReadError::Form { path: path.to_owned(), problem: "a query changes something".to_owned() })
}

fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

/// A row as an object.
fn object(row: &Row<'_>, columns: &[String], json: &[String]) -> Map<String, Value> {
    let mut fields = Map::new();
    for (place, name) in columns.iter().enumerate() {
        let value = match row.get_ref(place) {
            Ok(ValueRef::Integer(number)) => Value::from(number),
            Ok(ValueRef::Real(number)) => Value::from(number),
            Ok(ValueRef::Text(text)) if text.len() <= LONGEST_VALUE => {
                let text = String::from_utf8_lossy(text);
                let parsed = json.contains(name).then(|| serde_json::from_str(&text).ok()).flatten();
                parsed.unwrap_or_else(|| Value::String(text.into_owned()))
            }
            _ => Value::Null,
        };
        fields.insert(name.clone(), value);
    }
    fields
}
