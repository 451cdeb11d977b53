//! `recall`: what would be given to a model for this question, and why.

use std::sync::Arc;

use remora_recall::{Options, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;

/// What `recall` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
    /// Also what the abstention kept back.
    #[serde(default)]
    all: bool,
}

/// `{"query", "project", "offered", "memories": [{..., "tokens", "score", "why"}]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: &Place, args: Arguments) -> Result<Value, EngineError> {
    if args.query.trim().is_empty() {
        return Err(EngineError::usage(
            "the question is empty",
            "write what you want to know: remora recall \"which port\"",
        ));
    }
    let shelf = engine.shelf_of(place).await?;
    let project = place.project_json();
    blocking(move || {
        let options =
            Options { limit: args.limit.unwrap_or(5).clamp(1, 100), abstain: !args.all, explain: true };
        let outcome = shelf.corpus().recall(&Query::new(&args.query), &options);
        let memories: Vec<Value> = outcome
            .ranked
            .iter()
            .filter_map(|hit| {
                let entry = shelf.entry(&hit.id)?;
                let mut value = super::list::entry_json(entry);
                value["tokens"] = json!(super::get::tokens_of(entry));
                value["score"] = json!((f64::from(hit.confidence) * 1000.0).round() / 1000.0);
                value["why"] = json!(hit.why.iter().map(ToString::to_string).collect::<Vec<_>>());
                Some(value)
            })
            .collect();
        Ok(json!({
            "query": args.query,
            "project": project,
            "offered": shelf.recallable(),
            "memories": memories,
        }))
    })
    .await
}
