//! Work items: what is to be done in a project, by whom it was said last.

use remora_profile::{ToldWork, WorkState};
use remora_recall::similar::normal_content;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// At most so many characters of an item are kept.
const TEXT: usize = 300;

/// At most so many items of one list are taken.
const ITEMS: usize = 200;

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkItem {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) state: String,
    /// Who said so last: a host, or `you`.
    pub(crate) host: String,
    pub(crate) session: String,
    /// Milliseconds since 1970.
    pub(crate) created_at: i64,
    pub(crate) changed_at: i64,
}

/// Where and when something was said of the work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    pub(crate) project: (&'a str, &'a str),
    pub(crate) host: &'a str,
    pub(crate) session: &'a str,
    pub(crate) at_ms: i64,
}

impl Said<'_> {
    /// The name of the one list that a session has; what a person says by itself stands in none.
    fn list(&self) -> String {
        if self.session.is_empty() { String::new() } else { format!("{}/{}", self.host, self.session) }
    }
}

/// Takes in what was said of the work. What is said later wins, in whichever host.
pub(crate) fn tell(connection: &Connection, said: Said<'_>, told: &ToldWork) -> rusqlite::Result<()> {
    let (slug, path) = said.project;
    let project = super::events::project_of(connection, slug, path)?;
    let list = said.list();
    let mut named: Vec<i64> = Vec::new();
    for item in told.items.iter().take(ITEMS) {
        let known = match (&item.text, &item.id) {
            (Some(text), _) => {
                let known = by_text(connection, project, text)?;
                match known {
                    Some(id) => Some(id),
                    None => Some(add(connection, project, &list, said, text, item.id.as_deref())?),
                }
            }
            (None, Some(name)) => by_name(connection, project, &list, name)?,
            (None, None) => None,
        };
        let Some(id) = known else { continue };
        named.push(id);
        connection
            .prepare_cached(
                "UPDATE work_items SET state = coalesce(?2, state), host = ?3, session = ?4, list = ?5,
                        name = coalesce(?6, name), changed_at = ?7 WHERE id = ?1 AND changed_at <= ?7",
            )?
            .execute(params![
                id,
                item.state.map(WorkState::as_str),
                said.host,
                said.session,
                list,
                item.id,
                said.at_ms,
            ])?;
    }
    if told.is_whole && !list.is_empty() {
        drop_unnamed(connection, project, &list, said.at_ms, &named)?;
    }
    Ok(())
}

/// What stood in the list before and stands there no more was dropped, unless it was done.
fn drop_unnamed(
    connection: &Connection,
    project: i64,
    list: &str,
    at_ms: i64,
    named: &[i64],
) -> rusqlite::Result<()> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM work_items
          WHERE project = ?1 AND list = ?2 AND state IN ('todo', 'doing') AND changed_at <= ?3",
    )?;
    let open: Vec<i64> =
        query.query_map(params![project, list, at_ms], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for id in open.into_iter().filter(|id| !named.contains(id)) {
        connection
            .prepare_cached("UPDATE work_items SET state = 'dropped', changed_at = ?2 WHERE id = ?1")?
            .execute([id, at_ms])?;
    }
    Ok(())
}

fn add(
    connection: &Connection,
    project: i64,
    list: &str,
    said: Said<'_>,
    text: &str,
    name: Option<&str>,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO work_items (project, key, text, state, host, session, list, name, created_at, changed_at)
             VALUES (?1, ?2, ?3, 'todo', ?4, ?5, ?6, coalesce(?7, ''), ?8, ?8)",
        )?
        .execute(params![project, key(text), kept(text), said.host, said.session, list, name, said.at_ms])?;
    Ok(connection.last_insert_rowid())
}

fn by_text(connection: &Connection, project: i64, text: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM work_items WHERE project = ?1 AND key = ?2")?
        .query_row(params![project, key(text)], |row| row.get(0))
        .optional()
}

fn by_name(connection: &Connection, project: i64, list: &str, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM work_items WHERE project = ?1 AND list = ?2 AND name = ?3")?
        .query_row(params![project, list, name], |row| row.get(0))
        .optional()
}

/// The same item has one key, however it is written.
fn key(text: &str) -> String {
    let normal = normal_content(&kept(text));
    if normal.is_empty() { text.trim().to_owned() } else { normal }
}

fn kept(text: &str) -> String {
    super::observation::head(&text.split_whitespace().collect::<Vec<_>>().join(" "), TEXT)
}

const COLUMNS: &str = "work_items.id, text, state, host, session, created_at, changed_at";

fn item_of(row: &Row<'_>) -> rusqlite::Result<WorkItem> {
    Ok(WorkItem {
        id: row.get(0)?,
        text: row.get(1)?,
        state: row.get(2)?,
        host: row.get(3)?,
        session: row.get(4)?,
        created_at: row.get(5)?,
        changed_at: row.get(6)?,
    })
}

/// The project's items: what is being done, what is to be done, and where it is wanted what is done or dropped; each
/// the newest first.
pub(crate) fn items(
    connection: &Connection,
    slug: &str,
    with_closed: bool,
    most: usize,
) -> rusqlite::Result<Vec<WorkItem>> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM work_items JOIN projects ON projects.id = work_items.project
          WHERE slug = ?1 AND (?2 OR state IN ('todo', 'doing'))
          ORDER BY CASE state WHEN 'doing' THEN 0 WHEN 'todo' THEN 1 ELSE 2 END, changed_at DESC, work_items.id DESC
          LIMIT ?3"
    ))?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    query.query_map(params![slug, with_closed, most], item_of)?.collect()
}

/// Sets an item's state.
pub(crate) fn set(
    connection: &Connection,
    id: i64,
    state: WorkState,
    said: Said<'_>,
) -> rusqlite::Result<Option<WorkItem>> {
    connection
        .prepare_cached(
            "UPDATE work_items SET state = ?2, changed_at = ?3, host = ?4, session = ?5 WHERE id = ?1",
        )?
        .execute(params![id, state.as_str(), said.at_ms, said.host, said.session])?;
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM work_items WHERE id = ?1"))?
        .query_row([id], item_of)
        .optional()
}

/// Adds an item, or takes up the one that says the same.
pub(crate) fn take_up(
    connection: &Connection,
    said: Said<'_>,
    text: &str,
    state: WorkState,
) -> rusqlite::Result<Option<WorkItem>> {
    let (slug, path) = said.project;
    let project = super::events::project_of(connection, slug, path)?;
    let id = match by_text(connection, project, text)? {
        Some(id) => id,
        None => add(connection, project, "", said, text, None)?,
    };
    set(connection, id, state, said)
}
