//! Full-text search over the journal, with bounded work, and the indexer that feeds it.

use rusqlite::{Connection, OptionalExtension, Row, params};

/// At most so many matching rows are ranked; a query whose words are in more is answered from the newest.
const PLANNED_ROWS: i64 = 20_000;

/// A search's result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SearchResult {
    /// The best hits.
    pub(crate) hits: Vec<SearchHit>,
    /// How many entries match, as far as they were counted.
    pub(crate) total: i64,
    /// The query's words are so common that only the newest entries were looked at.
    pub(crate) limited: bool,
}

/// One found entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchHit {
    /// The observation's number.
    pub(crate) id: i64,
    /// The observation's kind.
    pub(crate) kind: String,
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    /// The host it happened in.
    pub(crate) host: String,
    /// The host's session id.
    pub(crate) session: String,
    /// The project's slug, if the session has one.
    pub(crate) project: Option<String>,
    /// One line.
    pub(crate) title: String,
    /// The whole text; the caller cuts the snippet.
    pub(crate) body: String,
}

/// In which order hits come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchOrder {
    /// Best match first.
    Best,
    /// Newest first.
    Newest,
}

const INDEXED: &str = "observations_indexed";

/// Adds up to `most` observations to the index. Answers how many are still waiting to be looked at.
pub(crate) fn index_some(connection: &Connection, most: i64) -> rusqlite::Result<bool> {
    let from: i64 = connection
        .query_row("SELECT value FROM progress WHERE name = ?1", [INDEXED], |row| row.get(0))
        .optional()?
        .unwrap_or(0);
    let rows: Vec<(i64, String, String)> = {
        let mut query = connection
            .prepare_cached("SELECT id, title, body FROM observations WHERE id > ?1 ORDER BY id LIMIT ?2")?;
        query
            .query_map(params![from, most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?
    };
    let Some(last) = rows.last().map(|row| row.0) else { return Ok(false) };
    let mut insert = connection
        .prepare_cached("INSERT INTO observation_words (rowid, title, body) VALUES (?1, ?2, ?3)")?;
    for (id, title, body) in &rows {
        insert.execute(params![id, words(title), words(body)])?;
    }
    connection
        .prepare_cached(
            "INSERT INTO progress (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
        )?
        .execute(params![INDEXED, last])?;
    Ok(i64::try_from(rows.len()).unwrap_or(0) == most)
}

/// How many observations are not in the index yet.
pub(crate) fn unindexed(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row(
        "SELECT (SELECT coalesce(max(id), 0) FROM observations)
              - (SELECT coalesce(max(value), 0) FROM progress WHERE name = ?1)",
        [INDEXED],
        |row| row.get(0),
    )
}

/// Searches the observations of one project, or of all where none is named.
pub(crate) fn search(
    connection: &Connection,
    query: &str,
    project: Option<&str>,
    limit: usize,
    order: SearchOrder,
) -> rusqlite::Result<SearchResult> {
    let terms = remora_recall::analysis::journal_query(query);
    if terms.is_empty() {
        return Ok(SearchResult::default());
    }
    let expression = fts_expression(&terms);
    let total: i64 = connection.prepare_cached(
        "SELECT count(*) FROM (SELECT 1 FROM observation_words WHERE observation_words MATCH ?1 LIMIT ?2)",
    )?.query_row(params![expression, PLANNED_ROWS], |row| row.get(0))?;
    let limited = total >= PLANNED_ROWS;
    let ranking = match (limited, order) {
        (false, SearchOrder::Best) => "bm25(observation_words, 3.0, 1.0)",
        _ => "-observations.id",
    };
    let sql = format!(
        "SELECT {COLUMNS}
           FROM observation_words
           JOIN observations ON observations.id = observation_words.rowid
           JOIN sessions ON sessions.id = observations.session
           LEFT JOIN projects ON projects.id = observations.project
          WHERE observation_words MATCH ?1 AND (?2 IS NULL OR projects.slug = ?2)
          ORDER BY {ranking} LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let hits: Vec<SearchHit> = statement
        .query_map(params![expression, project, i64::try_from(limit).unwrap_or(i64::MAX)], hit_of)?
        .collect::<rusqlite::Result<_>>()?;
    let total =
        if project.is_some() && hits.len() < limit { i64::try_from(hits.len()).unwrap_or(0) } else { total };
    Ok(SearchResult { hits, total, limited })
}

/// One entry of a project by its number.
pub(crate) fn entry(connection: &Connection, id: i64, project: &str) -> rusqlite::Result<Option<SearchHit>> {
    let sql = format!(
        "SELECT {COLUMNS}
           FROM observations
           JOIN sessions ON sessions.id = observations.session
           JOIN projects ON projects.id = observations.project
          WHERE observations.id = ?1 AND projects.slug = ?2"
    );
    connection.prepare_cached(&sql)?.query_row(params![id, project], hit_of).optional()
}

/// What [`hit_of`] reads, in its order.
const COLUMNS: &str = "observations.id, observations.kind, observations.at, sessions.host, sessions.session,
    projects.slug, observations.title, observations.body";

fn hit_of(row: &Row<'_>) -> rusqlite::Result<SearchHit> {
    Ok(SearchHit {
        id: row.get(0)?,
        kind: row.get(1)?,
        at: row.get(2)?,
        host: row.get(3)?,
        session: row.get(4)?,
        project: row.get(5)?,
        title: row.get(6)?,
        body: row.get(7)?,
    })
}

/// The terms of a text as FTS5 takes them.
fn words(text: &str) -> String {
    remora_recall::analysis::analyse_for_journal(text)
}

/// Any of the phrases. Each term is quoted, so that nothing in it is an operator.
fn fts_expression(phrases: &[Vec<String>]) -> String {
    phrases
        .iter()
        .map(|phrase| format!("\"{}\"", phrase.join(" ").replace('"', "")))
        .collect::<Vec<_>>()
        .join(" OR ")
}
