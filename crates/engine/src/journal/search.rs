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

/// The name under which the indexer keeps how far it is.
pub(super) const INDEXED: &str = "observations_indexed";

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
///
/// The work is bounded, however large the journal is: words are taken by rising frequency until so many rows
/// are planned as may be ranked. Where even the rarest word is in too many rows, the newest of them are given.
pub(crate) fn search(
    connection: &Connection,
    query: &str,
    project: Option<&str>,
    limit: usize,
    order: SearchOrder,
) -> rusqlite::Result<SearchResult> {
    let phrases = remora_recall::analysis::journal_query(query);
    if phrases.is_empty() {
        return Ok(SearchResult::default());
    }
    let planned = planned(connection, &phrases)?;
    let limited = planned.is_empty();
    let expression = if limited { fts_expression(&phrases) } else { fts_expression(&planned) };
    let total = counted(connection, &expression)?;
    // In the order of row numbers FTS5 stops at the last row that is asked for.
    let ranking = match (limited, order) {
        (false, SearchOrder::Best) => "bm25(observation_words, 3.0, 1.0)",
        _ => "rowid DESC",
    };
    let mut ranked = connection.prepare_cached(&format!(
        "SELECT rowid FROM observation_words WHERE observation_words MATCH ?1 ORDER BY {ranking} LIMIT ?2"
    ))?;
    // An entry's text lies beside it in the table: only the entries that are shown are read.
    let mut entry = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM observations
           JOIN sessions ON sessions.id = observations.session
           LEFT JOIN projects ON projects.id = observations.project
          WHERE observations.id = ?1 AND (?2 IS NULL OR projects.slug = ?2)"
    ))?;
    let mut hits = Vec::new();
    let mut rows = ranked.query(params![expression, PLANNED_ROWS])?;
    while hits.len() < limit
        && let Some(row) = rows.next()?
    {
        let id: i64 = row.get(0)?;
        hits.extend(entry.query_row(params![id, project], hit_of).optional()?);
    }
    let total =
        if project.is_some() && hits.len() < limit { i64::try_from(hits.len()).unwrap_or(0) } else { total };
    Ok(SearchResult { hits, total, limited })
}

/// The phrases that are searched: the rarest, as many as together are in not too many rows.
fn planned(connection: &Connection, phrases: &[Vec<String>]) -> rusqlite::Result<Vec<Vec<String>>> {
    let mut costs = Vec::with_capacity(phrases.len());
    for phrase in phrases {
        // A phrase is in no more rows than its rarest word.
        let mut cost = PLANNED_ROWS;
        for word in phrase {
            cost = cost.min(counted(connection, &fts_expression(std::slice::from_ref(&vec![word.clone()])))?);
        }
        costs.push((cost, phrase));
    }
    costs.sort_by_key(|(cost, _)| *cost);
    let mut rows = 0;
    let within = costs.into_iter().take_while(|(cost, _)| {
        rows += cost;
        rows < PLANNED_ROWS
    });
    Ok(within.map(|(_, phrase)| phrase.clone()).collect())
}

/// In how many rows something is, counted up to the number of rows that may be planned.
fn counted(connection: &Connection, expression: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM
               (SELECT 1 FROM observation_words WHERE observation_words MATCH ?1 LIMIT ?2)",
        )?
        .query_row(params![expression, PLANNED_ROWS], |row| row.get(0))
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
/// Any of the phrases. Each term is quoted, so that nothing in it is an operator.
fn fts_expression(phrases: &[Vec<String>]) -> String {
    phrases
        .iter()
        .map(|phrase| format!("\"{}\"", phrase.join(" ").replace('"', "")))
        .collect::<Vec<_>>()
        .join(" OR ")
}
