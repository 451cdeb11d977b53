//! Measuring recall on benchmark files, through the very code that answers prompts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use chrono::{Duration, Utc};
use remora_memory::{Folder, Scan};
use remora_recall::eval::{self, Judged};
use remora_recall::{Corpus, Document, Options, Query};
use serde_json::{Map, Value, json};

use crate::memories::{Place, Scope, Shelf, View};
use crate::review::Waiting;
use crate::selector::Manifest;

/// Rounds of resampling for an interval.
const ROUNDS: usize = 1_000;

/// As many memories as a prompt is given at most.
const MOST: usize = 5;

/// `eval recall DIR`: a folder of projects with `memory/*.md`, `queries.jsonl` and, where there is one,
/// `dates.json` with days of age. `run`: what was returned, a line a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRun {
    /// `{"queries", "abstaining": {...}, "five": {...}, "selector": {...}, "both": {...}, "by_kind": {...},
    /// "median_ms"}`. `selector`: what a model that is never wrong could choose from the lines it is given; `both`: the
    /// same beside what words give at the prompt.
    pub scores: Value,
    /// `{"id", "ranked": [files]}` for every query, with abstention.
    pub run: Vec<Value>,
}

/// Measures recall on a benchmark folder.
pub fn recall(folder: &Path) -> anyhow::Result<RecallRun> {
    let text = fs_err::read_to_string(folder.join("queries.jsonl")).context("this is no benchmark folder")?;
    let dates: Value = std::fs::read_to_string(folder.join("dates.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let mut shelves: BTreeMap<String, Arc<Shelf>> = BTreeMap::new();
    let (mut run, mut abstaining, mut five, mut millis) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut selector, mut both) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let asked: Value =
            serde_json::from_str(line).with_context(|| format!("queries.jsonl, line {}", number + 1))?;
        let project = asked["project"].as_str().unwrap_or_default().to_owned();
        if !shelves.contains_key(&project) {
            shelves.insert(project.clone(), Arc::new(shelf(folder, &project, &dates[&project])?));
        }
        let shelf = &shelves[&project];
        let query = Query::new(asked["query"].as_str().unwrap_or_default());
        let started = Instant::now();
        let sure = files(shelf, &query, &Options { limit: MOST, ..Options::default() });
        millis.push(started.elapsed().as_secs_f64() * 1000.0);
        run.push(json!({"id": asked["id"], "ranked": sure}));
        selector.push(judged(&asked, chosen_by_perfect(shelf, &asked, &[])));
        let later = chosen_by_perfect(shelf, &asked, &sure);
        both.push(judged(&asked, sure.iter().cloned().chain(later).take(MOST).collect()));
        abstaining.push(judged(&asked, sure));
        five.push(judged(&asked, files(shelf, &query, &Options::no_abstention(MOST))));
    }
    if run.is_empty() {
        bail!("queries.jsonl has no queries");
    }
    let mut kinds = Map::new();
    for (kind, summary) in eval::by_kind(&abstaining) {
        let without = eval::by_kind(&five).remove(&kind);
        kinds.insert(
            kind,
            json!({
                "queries": summary.queries, "utility": summary.utility, "none_fp": summary.false_positive,
                "r1": without.as_ref().and_then(|summary| summary.recall_at_1),
                "r5": without.as_ref().and_then(|summary| summary.recall_at_5),
            }),
        );
    }
    let scores = json!({
        "queries": run.len(),
        "abstaining": measures(&abstaining),
        "five": measures(&five),
        "selector": measures(&selector),
        "both": measures(&both),
        "by_kind": kinds,
        "median_ms": median(&mut millis),
    });
    Ok(RecallRun { scores, run })
}

/// The memories of one project, read as a session's are, as old as the benchmark says.
fn shelf(folder: &Path, project: &str, ages: &Value) -> anyhow::Result<Shelf> {
    let path = folder.join(project).join("memory");
    let mut scan: Scan = Folder::scan(&path)?;
    let now = Utc::now();
    for memory in &mut scan.memories {
        if let Some(days) = ages[&memory.file].as_i64() {
            Arc::make_mut(memory).metadata.updated = Some(now - Duration::days(days));
        }
    }
    let place =
        Place { folder: path, scope: Scope::Private, origin: None, is_snapshot: false, elsewhere: None };
    let view = View { project: None, places: vec![place] };
    Ok(Shelf::of(&view, &[Arc::new(scan)], &Waiting::default(), "remora"))
}

fn files(shelf: &Shelf, query: &Query, options: &Options) -> Vec<String> {
    let outcome = shelf.corpus().recall(query, options);
    outcome.ranked.iter().filter_map(|hit| Some(shelf.entry(&hit.id)?.file.clone())).collect()
}

/// What a model that is never wrong chooses: of the lines that it is given those that are right, through the check of
/// its answer.
fn chosen_by_perfect(shelf: &Shelf, asked: &Value, shown: &[String]) -> Vec<String> {
    let prompt = asked["query"].as_str().unwrap_or_default();
    let manifest = Manifest::of(shelf, prompt, &shown.iter().cloned().collect());
    let chosen = manifest.chosen(&json!({"files": asked["relevant"]}));
    chosen.ids.iter().filter_map(|id| Some(shelf.entry(id)?.file.clone())).collect()
}

fn judged(asked: &Value, returned: Vec<String>) -> Judged {
    let list = |key: &str| -> Vec<String> {
        let items = asked[key].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    Judged {
        kind: asked["kind"].as_str().unwrap_or_default().to_owned(),
        relevant: list("relevant"),
        neutral: list("ok"),
        stale: list("stale"),
        returned,
    }
}

/// Every measure with its interval of 95 in 100 resamplings.
fn measures(judged: &[Judged]) -> Value {
    let scored: Vec<eval::Scored> = judged.iter().map(eval::score).collect();
    let interval = |values: Vec<f64>| match eval::bootstrap(&values, ROUNDS) {
        Some(found) => json!({"mean": found.mean, "low": found.low, "high": found.high}),
        None => Value::Null,
    };
    json!({
        "utility": interval(scored.iter().map(|one| one.utility).collect()),
        "r1": interval(scored.iter().filter_map(|one| one.recall_at_1).collect()),
        "r5": interval(scored.iter().filter_map(|one| one.recall_at_5).collect()),
        "mrr": interval(scored.iter().filter_map(|one| one.reciprocal_rank).collect()),
        "none_fp": interval(scored.iter().filter_map(|one| one.false_positive).collect()),
        "precision": eval::summary(&scored).precision,
    })
}

/// `eval locomo FILE`: each session of a conversation is one document; a question counts as a hit when any
/// of its evidence sessions is among the first k.
/// `{"total": {"n", "r1", "r5", "mrr", "median_ms"}, "by_category": {...}}`.
pub fn locomo(file: &Path) -> anyhow::Result<Value> {
    let text = fs_err::read_to_string(file)?;
    let samples: Value = serde_json::from_str(&text).context("the file is not JSON")?;
    let samples = samples.as_array().context("the file is no list of conversations")?;
    let mut answers: Vec<Answer> = Vec::new();
    for sample in samples {
        let corpus = Corpus::new(&sessions(&sample["conversation"]));
        for question in sample["qa"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let relevant = evidence(question);
            if relevant.is_empty() {
                continue;
            }
            let query = Query::new(question["question"].as_str().unwrap_or_default());
            let started = Instant::now();
            let outcome = corpus.recall(&query, &Options::no_abstention(10));
            let millis = started.elapsed().as_secs_f64() * 1000.0;
            let rank = outcome.ranked.iter().position(|hit| relevant.contains(&hit.id));
            answers.push(Answer { category: question["category"].to_string(), rank, millis });
        }
    }
    if answers.is_empty() {
        bail!("{} has no questions with evidence", file.display());
    }
    let mut categories: BTreeMap<String, Vec<&Answer>> = BTreeMap::new();
    for answer in &answers {
        categories.entry(answer.category.clone()).or_default().push(answer);
    }
    let by_category: Map<String, Value> =
        categories.iter().map(|(category, answers)| (category.clone(), totals(answers))).collect();
    Ok(json!({"total": totals(&answers.iter().collect::<Vec<_>>()), "by_category": by_category}))
}

/// One question's answer: where the first right session stood.
struct Answer {
    category: String,
    rank: Option<usize>,
    millis: f64,
}

fn totals(answers: &[&Answer]) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
    let share = |hits: usize| hits as f64 / answers.len() as f64;
    let within =
        |k: usize| share(answers.iter().filter(|answer| answer.rank.is_some_and(|rank| rank < k)).count());
    #[expect(clippy::cast_precision_loss, reason = "ranks up to ten")]
    let reciprocal: f64 =
        answers.iter().filter_map(|answer| answer.rank).map(|rank| 1.0 / (rank + 1) as f64).sum();
    #[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
    let mrr = reciprocal / answers.len() as f64;
    let mut millis: Vec<f64> = answers.iter().map(|answer| answer.millis).collect();
    json!({"n": answers.len(), "r1": within(1), "r5": within(5), "mrr": mrr, "median_ms": median(&mut millis)})
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn sessions(conversation: &Value) -> Vec<Document> {
    (1..)
        .map_while(|number| {
            let key = format!("session_{number}");
            // Dates are given for some sessions that have no turns.
            conversation.get(format!("{key}_date_time")).map(|date| (number, &conversation[&key], date))
        })
        .filter_map(|(number, turns, date)| {
            let said = |turn: &Value, key: &str| turn[key].as_str().unwrap_or_default().to_owned();
            let lines: Vec<String> = turns
                .as_array()?
                .iter()
                .map(|turn| format!("{}: {}", said(turn, "speaker"), said(turn, "text")))
                .collect();
            Some(Document {
                id: number.to_string(),
                description: date.as_str().unwrap_or_default().to_owned(),
                body: lines.join("\n"),
                ..Document::default()
            })
        })
        .collect()
}

/// The sessions of evidence ids such as `D8:6`; several may stand in one string.
fn evidence(question: &Value) -> Vec<String> {
    let ids = question["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
    ids.iter()
        .filter_map(Value::as_str)
        .flat_map(|ids| ids.split([';', ',', ' ']))
        .filter_map(|id| id.trim().strip_prefix('D')?.split(':').next()?.parse::<u32>().ok())
        .map(|session| session.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project of so many memories, of which a few are asked for in other words than theirs.
    fn benchmark(memories: usize) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = folder.path().join("shop").join("memory");
        std::fs::create_dir_all(&memory).expect("folders");
        let subjects =
            ["invoices", "carts", "couriers", "refunds", "coupons", "warehouses", "suppliers", "returns"];
        for number in 0..memories {
            let subject = subjects[number % subjects.len()];
            let text = format!(
                "---\nname: {subject}-{number}\ndescription: How {subject} of batch {number} are settled\ntype: project\n---\n\
                 {subject} of batch {number} are settled by the clerk.\n"
            );
            std::fs::write(memory.join(format!("m{number}.md")), text).expect("written");
        }
        let asked = |id: usize, query: &str, relevant: &[&str]| {
            json!({"id": id, "project": "shop", "kind": "plain", "query": query, "relevant": relevant})
                .to_string()
        };
        let queries = [
            asked(1, "settle the couriers of batch 10", &["m10.md"]),
            asked(2, "refunds of batch 3 and coupons of batch 4", &["m3.md", "m4.md"]),
            asked(3, "write a haiku about the sea", &[]),
            asked(4, "couriers, batch 2 again", &["m2.md"]),
        ];
        std::fs::write(folder.path().join("queries.jsonl"), queries.join("\n")).expect("written");
        folder
    }

    #[test]
    fn a_selector_that_is_never_wrong_gets_what_it_needs_from_few_and_many_memories() {
        for memories in [20, 600] {
            let folder = benchmark(memories);
            let scores = recall(folder.path()).expect("measured").scores;
            let utility = scores["selector"]["utility"]["mean"].as_f64().expect("a number");
            assert!(utility >= 0.95, "{memories}: {scores:#}");
            assert_eq!(scores["selector"]["none_fp"]["mean"], 0.0, "{memories}: {scores:#}");
        }
    }
}
