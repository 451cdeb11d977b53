//! Full-text search over the journal, with bounded work, and the indexer that feeds it.

use rusqlite::{Connection, params};

use super::entries::{self, JournalEntry};
use super::filter::Filter;

/// At most so many matching rows are ranked; a query whose words are in more is answered from the newest.
const PLANNED_ROWS: i64 = 20_000;

/// How far the rows of a word are counted at first, and how much further each time.
const COUNTED_FIRST: i64 = 256;
const COUNTED_FURTHER: i64 = 4;

/// Words that are in so many rows together tell enough: more common ones would hardly change the order.
const ENOUGH_ROWS: i64 = 2_000;

/// So many rows are counted for one query.
const COUNTING: i64 = 60_000;

/// So many hits are counted exactly; where there are more, that is said.
const COUNTED: usize = 1_000;

/// A search's result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SearchResult {
    /// The best hits.
    pub(crate) hits: Vec<JournalEntry>,
    /// How many entries match, as far as they were counted.
    pub(crate) total: usize,
    /// There are more than were counted.
    pub(crate) is_more: bool,
    /// The query's words are so common that only the newest entries were looked at.
    pub(crate) limited: bool,
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

/// Searches the entries that are asked for.
///
/// The work is bounded, however large the journal is: words are taken by rising frequency until so many rows
/// are planned as may be ranked. Where even the rarest word is in too many rows, the newest of them are given.
pub(crate) fn search(
    connection: &Connection,
    query: &str,
    filter: &Filter,
    limit: usize,
    order: SearchOrder,
) -> rusqlite::Result<SearchResult> {
    let phrases = remora_recall::analysis::journal_query(query);
    if phrases.is_empty() {
        return Ok(SearchResult::default());
    }
    let planned = planned(connection, &phrases)?;
    let limited = planned.is_empty();
    let all: Vec<&[String]> = phrases.iter().map(Vec::as_slice).collect();
    let expression = fts_expression(if limited { &all } else { &planned });
    // In the order of row numbers FTS5 stops at the last row that is asked for.
    let ranking = match (limited, order) {
        (false, SearchOrder::Best) => "bm25(observation_words, 3.0, 1.0)",
        _ => "rowid DESC",
    };
    let mut ranked = connection.prepare_cached(&format!(
        "SELECT rowid FROM observation_words WHERE observation_words MATCH ?1 ORDER BY {ranking} LIMIT ?2"
    ))?;
    let enough = match order {
        SearchOrder::Best => limit.max(COUNTED),
        // What was taken in last did not always happen last.
        SearchOrder::Newest => usize::MAX,
    };
    let mut found: Vec<(i64, i64)> = Vec::new();
    let mut rows = ranked.query(params![expression, PLANNED_ROWS])?;
    let mut is_more = false;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let Some(at) = filter.accepts_id(connection, id)? else { continue };
        if found.len() == enough {
            is_more = true;
            break;
        }
        found.push((at, id));
    }
    if order == SearchOrder::Newest {
        found.sort_unstable_by(|a, b| b.cmp(a));
    }
    let total = found.len();
    // An entry's text lies beside it in the table: only the entries that are shown are read.
    let shown = found.into_iter().take(limit);
    let hits = shown.map(|(_, id)| entries::read(connection, id)).collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(SearchResult { hits: hits.into_iter().flatten().collect(), total, is_more, limited })
}

/// The phrases that are searched: the rarest, as many as together are in not too many rows. Those that are left after
/// each round of counting are the more common ones, so that no common word is counted far where rare ones tell enough.
fn planned<'a>(connection: &Connection, phrases: &'a [Vec<String>]) -> rusqlite::Result<Vec<&'a [String]>> {
    let mut open: Vec<&[String]> = phrases.iter().map(Vec::as_slice).collect();
    // Should the counting come to its end, long words were counted: they are in fewer rows.
    open.sort_by_key(|phrase| std::cmp::Reverse(phrase.iter().map(String::len).max()));
    let mut planned = Vec::new();
    let (mut rows, mut counting, mut cap) = (0, COUNTING, COUNTED_FIRST);
    while !open.is_empty() && rows < ENOUGH_ROWS && counting > 0 {
        let (mut rare, mut common) = (Vec::new(), Vec::new());
        for phrase in open {
            let cost = if counting > 0 { rarest(connection, phrase, cap)? } else { cap };
            counting -= cost;
            if cost < cap {
                rare.push((cost, phrase));
            } else {
                common.push(phrase);
            }
        }
        rare.sort_by_key(|(cost, _)| *cost);
        for (cost, phrase) in rare {
            if rows + cost >= PLANNED_ROWS {
                return Ok(planned);
            }
            rows += cost;
            planned.push(phrase);
        }
        if cap == PLANNED_ROWS {
            break;
        }
        open = common;
        cap = (cap * COUNTED_FURTHER).min(PLANNED_ROWS);
    }
    Ok(planned)
}

/// In how many rows a phrase is at most: as many as its rarest word, counted up to `most`.
fn rarest(connection: &Connection, phrase: &[String], most: i64) -> rusqlite::Result<i64> {
    let mut least = most;
    for word in phrase {
        least = least.min(counted(connection, &fts_expression(&[std::slice::from_ref(word)]), least)?);
    }
    Ok(least)
}

/// In how many rows something is, counted up to `most`.
fn counted(connection: &Connection, expression: &str, most: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM
               (SELECT 1 FROM observation_words WHERE observation_words MATCH ?1 LIMIT ?2)",
        )?
        .query_row(params![expression, most], |row| row.get(0))
}

/// Any of the phrases. Each is quoted, so that nothing in it is an operator.
fn fts_expression(phrases: &[&[String]]) -> String {
    phrases
        .iter()
        .map(|phrase| format!("\"{}\"", phrase.join(" ").replace('"', "")))
        .collect::<Vec<_>>()
        .join(" OR ")
}
