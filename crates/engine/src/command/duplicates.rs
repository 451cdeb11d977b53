//! `journal duplicates`: entries that say nearly the same.

use std::sync::Arc;

use remora_recall::{Corpus, Document};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::duplicates::{self, Said};

/// The newest so many entries are compared with one another.
const COMPARED: usize = 1_000;

/// Entries less alike are two things.
const ALIKE: f32 = 0.8;

/// At most so many pairs in one answer.
const MOST: usize = 100;

/// What `journal duplicates` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// Merge the pairs of which every rare word agrees.
    #[serde(default)]
    merge: bool,
}

/// `{"pairs": [{"older": {"id", "at", "title"}, "newer": {...}, "likeness", "same", "merged"}], "compared"}`; `same`: every rare word of
/// either stands in the other.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let Some(slug) = place.slug().map(str::to_owned) else {
        return Err(EngineError::usage(
            "there is no project here",
            "go to its folder, or name it with --project",
        ));
    };
    let reader = Arc::clone(engine);
    let (compared, mut pairs) = blocking(move || {
        let said =
            reader.journal().read(|connection| duplicates::newest_said(connection, &slug, COMPARED))?;
        Ok((said.len(), pairs(&said)))
    })
    .await?;
    if args.merge {
        let same: Vec<(i64, i64)> =
            pairs.iter().filter(|pair| pair.same).map(|pair| (pair.newer.id, pair.older.id)).collect();
        let merged = engine
            .journal()
            .write(move |connection| {
                same.into_iter()
                    .map(|(from, into)| duplicates::merge(connection, from, into))
                    .collect::<rusqlite::Result<Vec<bool>>>()
            })
            .await?;
        let mut merged = merged.into_iter();
        for pair in pairs.iter_mut().filter(|pair| pair.same) {
            pair.merged = merged.next() == Some(true);
        }
    }
    let pairs: Vec<Value> = pairs.iter().map(Pair::json).collect();
    Ok(json!({"pairs": pairs, "compared": compared}))
}

/// Two entries that say nearly the same.
struct Pair {
    older: Said,
    newer: Said,
    likeness: f32,
    same: bool,
    merged: bool,
}

impl Pair {
    fn json(&self) -> Value {
        let entry = |said: &Said| {
            json!({
                "id": said.id, "kind": said.kind, "at": clock::rfc3339(said.at), "title": remora_redact::neutralise(&said.title),
            })
        };
        json!({
            "older": entry(&self.older), "newer": entry(&self.newer),
            "likeness": (f64::from(self.likeness) * 100.0).round() / 100.0,
            "same": self.same, "merged": self.merged,
        })
    }
}

/// Each entry with the nearest older one of its kind, the most alike first.
fn pairs(newest_first: &[Said]) -> Vec<Pair> {
    let mut found = Vec::new();
    for kind in ["prompt", "turn"] {
        let mut corpus = Corpus::default();
        // From the oldest on: each is compared with those before it.
        for said in newest_first.iter().rev().filter(|said| said.kind == kind) {
            let document = Document {
                id: said.id.to_string(),
                description: said.title.clone(),
                body: said.body.clone(),
                ..Document::default()
            };
            let near = corpus.nearest(&document, 1).into_iter().next();
            let near = near.filter(|near| near.similarity >= ALIKE);
            let older = near
                .as_ref()
                .and_then(|near| newest_first.iter().find(|other| other.id.to_string() == near.id));
            if let (Some(near), Some(older)) = (near, older) {
                found.push(Pair {
                    older: older.clone(),
                    newer: said.clone(),
                    likeness: near.similarity,
                    same: near.every_rare_term_agrees,
                    merged: false,
                });
            }
            corpus.put(&document);
        }
    }
    found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: i64, title: &str) -> Said {
        Said { id, at: id, kind: "prompt".into(), title: title.into(), body: title.into() }
    }

    #[test]
    fn nearly_the_same_is_found_and_told_from_the_same() {
        let said = [
            said(5, "deploy the billing service to staging"),
            said(4, "Please deploy the billing service to staging!"),
            said(3, "rename the whirligig in the parser"),
            said(2, "rename the whirligig in the lexer"),
            said(1, "what is the weather"),
        ];
        let found = pairs(&said);
        let shown: Vec<String> =
            found.iter().map(|pair| format!("{} {} {}", pair.newer.id, pair.older.id, pair.same)).collect();
        assert!(shown.contains(&"5 4 true".to_owned()), "{shown:?}");
        assert!(!shown.iter().any(|pair| pair.starts_with("3 2") && pair.ends_with("true")), "{shown:?}");
    }
}
