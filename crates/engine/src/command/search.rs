//! `search`: full text over what happened in sessions.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use super::asked::Filters;
use super::journal::entry_json;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{self, Filter, SearchOrder};

/// How long a search waits for the index to take in what just happened.
const CATCH_UP: Duration = Duration::from_secs(2);

/// Characters of a snippet.
const SNIPPET: usize = 160;

/// What `search` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
    /// Newest first instead of best first.
    #[serde(default)]
    newest: bool,
    #[serde(flatten)]
    filters: Filters,
}

/// `{"hits": [{"id", "kind", "at", "host", "session", "agent", "project", "paths", "title", "snippet", ...}], "total"}`.
pub(super) async fn run(
    engine: &Arc<Engine>,
    place: Place,
    cwd: Option<&Path>,
    args: Arguments,
) -> Result<Value, EngineError> {
    if args.query.trim().is_empty() {
        return Err(EngineError::usage(
            "there is nothing to search for",
            "write some words: remora search \"migration failed\"",
        ));
    }
    let asked = args.filters.read(engine, &place, cwd).await?;
    let lagging = catch_up(engine).await?;
    let engine = Arc::clone(engine);
    blocking(move || {
        let order = if args.newest { SearchOrder::Newest } else { SearchOrder::Best };
        let limit = args.limit.unwrap_or(10).clamp(1, 200);
        let found = engine.journal().read(|connection| {
            let filter = Filter::resolve(connection, &asked)?;
            journal::search(connection, &args.query, &filter, limit, order)
        })?;
        let now = clock::now_millis();
        let hits: Vec<Value> = found
            .hits
            .iter()
            .map(|hit| {
                let mut value = entry_json(hit, now);
                value["snippet"] = json!(snippet(&hit.body, &args.query));
                value
            })
            .collect();
        let mut value = json!({"hits": hits, "total": found.total});
        if found.is_more {
            value["more"] = json!(true);
        }
        if found.limited {
            value["limited"] = json!("these words are in very many entries: only the newest were looked at");
        }
        if lagging > 0 {
            value["not_indexed_yet"] = json!(lagging);
        }
        Ok(value)
    })
    .await
}

/// Waits until what happened so far can be found; answers how much cannot be yet.
async fn catch_up(engine: &Arc<Engine>) -> Result<i64, EngineError> {
    let until = Instant::now() + CATCH_UP;
    loop {
        let reader = Arc::clone(engine);
        let waiting = blocking(move || Ok(reader.journal().read(journal::unindexed)?)).await?;
        if waiting <= 0 || Instant::now() > until {
            return Ok(waiting.max(0));
        }
        engine.index_some().await;
    }
}

/// The part of a text around the first of the query's words that stands in it.
fn snippet(body: &str, query: &str) -> String {
    let flat = remora_redact::neutralise(body).split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = flat.to_lowercase();
    let first = query
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .filter_map(|word| lower.find(word))
        .min()
        .unwrap_or(0);
    // Lower-casing can move byte positions; count characters instead.
    let before = lower[..first].chars().count();
    let start = before.saturating_sub(SNIPPET / 3);
    let text: String = flat.chars().skip(start).take(SNIPPET).collect();
    let head = if start > 0 { "…" } else { "" };
    let tail = if start + SNIPPET < flat.chars().count() { "…" } else { "" };
    format!("{head}{text}{tail}")
}

#[cfg(test)]
mod tests {
    use super::snippet;

    #[test]
    fn a_snippet_shows_the_word_that_was_searched() {
        let body = format!("{} the Migration failed {}", "x ".repeat(300), "y ".repeat(300));
        let found = snippet(&body, "migration");
        assert!(
            found.contains("Migration failed") && found.starts_with('…') && found.ends_with('…'),
            "{found}"
        );
        assert_eq!(snippet("端口冲突 在 8080", "端口"), "端口冲突 在 8080");
    }
}
