//! Measures recall on a benchmark folder and prints a table; optionally writes the run as JSON
//! lines.
//!
//! `cargo run --release -p remora-recall --example bench -- FOLDER [--five] [--no-synonyms]
//! [--pooled] [--overturn] [--run FILE] [--explain ID]`
//!
//! `--overturn` takes out first what a newer memory clearly replaces, as saving would have done.
#![allow(clippy::print_stdout, missing_docs)]

mod folder;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use remora_recall::eval::{self, Judged, Summary};
use remora_recall::overturned::overturned;
use remora_recall::{Corpus, Document, Options, Query, Synonyms};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let value = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let folder = Path::new(arguments.first().expect("the first argument is the benchmark folder"));
    let synonyms = Arc::new(if has("--no-synonyms") { Synonyms::none() } else { Synonyms::built_in() });

    let mut corpora: BTreeMap<String, Corpus> = BTreeMap::new();
    for (project, documents) in folder::memories(folder) {
        let key = if has("--pooled") { String::new() } else { project.clone() };
        let corpus = corpora.entry(key).or_insert_with(|| Corpus::with_synonyms(Arc::clone(&synonyms)));
        let documents = if has("--overturn") { still_holding(&documents) } else { documents };
        for mut document in documents {
            if has("--pooled") {
                document.id = format!("{project}/{}", document.id);
            }
            corpus.put(&document);
        }
    }
    let mut options = if has("--five") { Options::no_abstention(5) } else { Options::default() };
    options.explain = value("--explain").is_some();

    let mut judged = Vec::new();
    let mut run = String::new();
    for asked in folder::queries(folder) {
        let (key, prefix) = if has("--pooled") {
            (String::new(), format!("{}/", asked.project))
        } else {
            (asked.project.clone(), String::new())
        };
        let outcome = corpora[&key].recall(&Query::new(&asked.text), &options);
        if value("--explain").is_some_and(|id| asked.id.starts_with(id.as_str())) {
            println!("{} [{}] {}\n  right: {}", asked.id, asked.kind, asked.text, asked.relevant.join(", "));
            for (mark, hit) in
                outcome.ranked.iter().map(|h| ('+', h)).chain(outcome.left_out.iter().map(|h| ('-', h)))
            {
                println!("  {mark} {} score {:.2} confidence {:.2}", hit.id, hit.score, hit.confidence);
                for reason in hit.why.iter().take(8) {
                    println!("      {:.2} {reason}", reason.weight);
                }
            }
        }
        let returned: Vec<String> = outcome
            .ranked
            .iter()
            .map(|hit| hit.id.strip_prefix(&prefix).unwrap_or(&hit.id).to_owned())
            .collect();
        let _ = writeln!(run, "{}", serde_json::json!({"id": asked.id, "ranked": returned}));
        judged.push(Judged {
            kind: asked.kind,
            relevant: asked.relevant,
            neutral: asked.neutral,
            stale: asked.stale,
            returned,
        });
    }
    if let Some(file) = value("--run") {
        std::fs::write(file, run).expect("the run file can be written");
    }
    print_table(&judged);
}

/// The documents without those that a newer one clearly replaces.
fn still_holding(documents: &[Document]) -> Vec<Document> {
    let corpus = Corpus::new(documents);
    let replaced = |older: &Document| {
        corpus.nearest(older, 3).iter().any(|near| {
            documents.iter().any(|newer| {
                newer.id == near.id
                    && newer.day > older.day
                    && overturned(newer, older, near.similarity).is_some()
            })
        })
    };
    let kept: Vec<Document> = documents.iter().filter(|document| !replaced(document)).cloned().collect();
    for document in documents.iter().filter(|document| kept.iter().all(|other| other.id != document.id)) {
        println!("taken out: {}", document.id);
    }
    kept
}

fn print_table(judged: &[Judged]) {
    println!("| kind | queries | R@1 | R@5 | MRR | none FP | precision | utility | returned | stale |");
    for (kind, summary) in eval::by_kind(judged) {
        let Summary {
            queries,
            recall_at_1,
            recall_at_5,
            mrr,
            false_positive,
            precision,
            utility,
            size,
            stale,
        } = summary;
        let cells: Vec<String> =
            [recall_at_1, recall_at_5, mrr, false_positive, precision, utility, size, stale]
                .iter()
                .map(|cell| cell.map_or(String::new(), |cell| format!("{cell:.3}")))
                .collect();
        println!("| {} | {queries} | {} |", if kind.is_empty() { "all" } else { &kind }, cells.join(" | "));
    }
    let utilities: Vec<f64> = judged.iter().map(|one| eval::score(one).utility).collect();
    if let Some(interval) = eval::bootstrap(&utilities, 2_000) {
        println!("utility {:.3}, 95 % from {:.3} to {:.3}", interval.mean, interval.low, interval.high);
    }
}
