//! Another tool's database: opened for reading alone, page by page. Columns that a version does not have are empty.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, params_from_iter};

/// At most so many rows of a table are looked at, the newest.
pub(super) const MOST_ROWS: usize = 50_000;

/// So many characters of a column are read.
const LONGEST: usize = 16_000;

/// So many sessions are known by their two names.
const MOST_SESSIONS: usize = 100_000;

/// So many rows are read at a time.
const PAGE: usize = 500;

/// The open database.
#[derive(Debug)]
pub(super) struct Database {
    connection: Connection,
    sessions: HashMap<String, String>,
}

/// One table whose rows are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Observations,
    Summaries,
}

impl Table {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Observations => "observations",
            Self::Summaries => "session_summaries",
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Observations => {
                &["type", "title", "subtitle", "narrative", "facts", "text", "files_read", "files_modified"]
            }
            Self::Summaries => &[
                "request",
                "investigated",
                "learned",
                "completed",
                "next_steps",
                "notes",
                "files_read",
                "files_edited",
            ],
        }
    }
}

/// One row, whatever its table calls its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) id: i64,
    /// The session as its host calls it, where that is known.
    pub(super) session: String,
    /// Milliseconds since 1970.
    pub(super) at_ms: i64,
    columns: BTreeMap<&'static str, String>,
}

impl Found {
    /// A column's text, nothing where it is empty.
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        self.columns.get(column).map(|text| text.trim()).filter(|text| !text.is_empty())
    }

    /// A column that holds a list of texts as JSON, or one text.
    pub(super) fn list(&self, column: &str) -> Vec<String> {
        let Some(text) = self.text(column) else { return Vec::new() };
        serde_json::from_str(text).unwrap_or_else(|_| vec![text.to_owned()])
    }
}

impl Database {
    /// Opens the database so that nothing is written, not even beside it where nobody has it open.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        let log = path.with_extension("db-wal");
        let is_at_rest = std::fs::metadata(log).map_or(true, |found| found.len() == 0);
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let mut uri = String::from("file:");
        for byte in path.to_string_lossy().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    uri.push(char::from(byte));
                }
                other => uri.push_str(&format!("%{other:02x}")),
            }
        }
        uri.push_str(if is_at_rest { "?mode=ro&immutable=1" } else { "?mode=ro" });
        let connection = Connection::open_with_flags(uri, flags)?;
        connection.busy_timeout(Duration::from_secs(2))?;
        // Somebody else's schema must not run functions, and a damaged page is an error.
        connection.pragma_update(None, "trusted_schema", "OFF")?;
        connection.pragma_update(None, "cell_size_check", "ON")?;
        connection.pragma_update(None, "mmap_size", 0)?;
        let mut database = Self { connection, sessions: HashMap::new() };
        database.sessions = database.read_sessions()?;
        Ok(database)
    }

    /// The columns of a table; none where it is no table.
    fn columns_of(&self, table: &str) -> rusqlite::Result<HashSet<String>> {
        let is_table: bool = self.connection.query_row(
            "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1)",
            [table],
            |row| row.get(0),
        )?;
        if !is_table {
            return Ok(HashSet::new());
        }
        let mut query = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        query.query_map([table], |row| row.get(0))?.collect()
    }

    /// What the tool calls a session, and what its host does.
    fn read_sessions(&self) -> rusqlite::Result<HashMap<String, String>> {
        let columns = self.columns_of("sdk_sessions")?;
        let pair = [("memory_session_id", "content_session_id"), ("sdk_session_id", "claude_session_id")];
        let Some((own, host)) =
            pair.into_iter().find(|(own, host)| columns.contains(*own) && columns.contains(*host))
        else {
            return Ok(HashMap::new());
        };
        let sql = format!(
            "SELECT {own}, {host} FROM sdk_sessions WHERE {own} IS NOT NULL AND {host} IS NOT NULL
              ORDER BY id DESC LIMIT {MOST_SESSIONS}"
        );
        let mut query = self.connection.prepare(&sql)?;
        query.query_map([], |row| Ok((text_of(row, 0), text_of(row, 1))))?.collect()
    }

    /// How often each project is named in a table.
    pub(super) fn projects(&self, table: Table) -> rusqlite::Result<BTreeMap<String, i64>> {
        if !self.columns_of(table.name())?.contains("project") {
            return Ok(BTreeMap::new());
        }
        let sql = format!("SELECT substr(project, 1, 500), count(*) FROM {} GROUP BY 1", table.name());
        let mut query = self.connection.prepare(&sql)?;
        query.query_map([], |row| Ok((text_of(row, 0), row.get(1)?)))?.collect()
    }

    /// The rows of a table that belong to a project, the newest first; `before`: only of smaller numbers. An empty
    /// page is the end.
    pub(super) fn page(&self, table: Table, project: &str, before: i64) -> rusqlite::Result<Vec<Found>> {
        let has = self.columns_of(table.name())?;
        if !has.contains("project") || !has.contains("id") {
            return Ok(Vec::new());
        }
        let either = |names: &[&'static str]| {
            names.iter().find(|name| has.contains(**name)).map_or("NULL", |name| *name)
        };
        let session = either(&["memory_session_id", "sdk_session_id", "session_id"]);
        let at = either(&["created_at_epoch"]);
        let merged = if has.contains("merged_into_project") { "merged_into_project = ?1 OR" } else { "" };
        let columns: Vec<String> = table
            .columns()
            .iter()
            .map(|column| {
                if has.contains(*column) { format!("substr({column}, 1, {LONGEST})") } else { "NULL".into() }
            })
            .collect();
        let sql = format!(
            "SELECT id, {session}, {at}, {} FROM {}
              WHERE ({merged} project = ?1 OR substr(project, 1, length(?1) + 1) = ?1 || '/') AND id < ?2
              ORDER BY id DESC LIMIT {PAGE}",
            columns.join(", "),
            table.name()
        );
        let mut query = self.connection.prepare(&sql)?;
        let values: [rusqlite::types::Value; 2] = [project.to_owned().into(), before.into()];
        let rows = query.query_map(params_from_iter(values), |row| {
            let own = text_of(row, 1);
            let columns = table.columns().iter().enumerate();
            let columns = columns.map(|(place, name)| (*name, text_of(row, place + 3))).collect();
            Ok(Found {
                id: row.get(0)?,
                session: self.sessions.get(&own).cloned().unwrap_or(own),
                at_ms: millis(row.get_ref(2)?.as_i64_or_null().ok().flatten().unwrap_or(0)),
                columns,
            })
        })?;
        rows.collect()
    }

    /// Rules that the person gave the tool: number, whether for all projects, text, when.
    pub(super) fn directives(&self, project: &str) -> rusqlite::Result<Vec<(i64, bool, String, i64)>> {
        const MOST: usize = 500;
        let has = self.columns_of("directives")?;
        if !["id", "scope", "project", "content", "status", "created_at_epoch"]
            .iter()
            .all(|name| has.contains(*name))
        {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT id, scope = 'global', substr(content, 1, {LONGEST}), created_at_epoch FROM directives
              WHERE status = 'active' AND (scope = 'global' OR project = ?1) ORDER BY id DESC LIMIT {MOST}"
        );
        let mut query = self.connection.prepare(&sql)?;
        let rows = query.query_map([project], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                text_of(row, 2),
                millis(row.get_ref(3)?.as_i64_or_null().ok().flatten().unwrap_or(0)),
            ))
        })?;
        rows.collect()
    }
}

/// Older versions wrote seconds.
fn millis(at: i64) -> i64 {
    if at.unsigned_abs() < 100_000_000_000 { at.saturating_mul(1000) } else { at }
}

/// A column's text whatever its type is; broken characters are shown as such.
fn text_of(row: &Row<'_>, place: usize) -> String {
    match row.get_ref(place) {
        Ok(ValueRef::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        Ok(ValueRef::Integer(number)) => number.to_string(),
        _ => String::new(),
    }
}
