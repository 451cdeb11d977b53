//! Fits the confidence model on a benchmark folder and prints it as Rust; and says what to expect
//! of it by leaving out each project in turn.
//!
//! `cargo run --release -p remora-recall --example calibrate -- FOLDER [--ridge N] [--no-synonyms]
//! [--pooled]`
#![allow(clippy::print_stdout, missing_docs)]

#[path = "bench/folder.rs"]
mod folder;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use remora_recall::calibration::{Model, NAMES, Observation};
use remora_recall::eval::{self, Judged};
use remora_recall::{Corpus, Options, Query, Synonyms};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let folder = Path::new(arguments.first().expect("the first argument is the benchmark folder"));
    let ridge: f64 = arguments
        .iter()
        .position(|argument| argument == "--ridge")
        .and_then(|at| arguments.get(at + 1)?.parse().ok())
        .unwrap_or(2.0);
    let synonyms = Arc::new(if has("--no-synonyms") { Synonyms::none() } else { Synonyms::built_in() });

    let mut corpora: BTreeMap<String, Corpus> = BTreeMap::new();
    let memories = folder::memories(folder);
    for project in memories.keys() {
        let mut corpus = Corpus::with_synonyms(Arc::clone(&synonyms));
        for (other, documents) in &memories {
            if other == project {
                for document in documents {
                    corpus.put(document);
                }
            } else if has("--pooled") {
                for document in documents {
                    let mut document = document.clone();
                    document.id = format!("{other}/{}", document.id);
                    corpus.put(&document);
                }
            }
        }
        corpora.insert(project.clone(), corpus);
    }
    let queries = folder::queries(folder);
    let observations: Vec<Vec<Observation>> = queries
        .iter()
        .map(|asked| {
            let seen = corpora[&asked.project].observe(&Query::new(&asked.text));
            seen.into_iter()
                .filter(|(id, _)| !asked.neutral.contains(id))
                .map(|(id, features)| Observation { features, right: asked.relevant.contains(&id) })
                .collect()
        })
        .collect();

    let fit = |leave_out: Option<&str>| {
        let rows: Vec<Observation> = queries
            .iter()
            .zip(&observations)
            .filter(|(asked, _)| leave_out != Some(asked.project.as_str()))
            .flat_map(|(_, rows)| rows.iter().cloned())
            .collect();
        Model::fit(&rows, ridge).expect("the features are not degenerate")
    };
    let left_out: BTreeMap<&str, Model> =
        memories.keys().map(|project| (project.as_str(), fit(Some(project)))).collect();
    let whole = fit(None);
    for (name, options) in [("five", Options::no_abstention(5)), ("abstaining", Options::default())] {
        for (fitted, by_project) in [("left out", true), ("on itself", false)] {
            let judged: Vec<Judged> = queries
                .iter()
                .map(|asked| {
                    let model = if by_project { &left_out[asked.project.as_str()] } else { &whole };
                    let outcome =
                        corpora[&asked.project].recall_with(&Query::new(&asked.text), &options, model);
                    Judged {
                        kind: asked.kind.clone(),
                        relevant: asked.relevant.clone(),
                        neutral: asked.neutral.clone(),
                        stale: asked.stale.clone(),
                        returned: outcome.ranked.into_iter().map(|hit| hit.id).collect(),
                    }
                })
                .collect();
            print!("{name}, {fitted}: ");
            let summaries = eval::by_kind(&judged);
            let all = summaries[""];
            let shown = |value: Option<f64>| format!("{:.3}", value.unwrap_or(0.0));
            println!(
                "R@1 {} R@5 {} MRR {} none-FP {} precision {} utility {} size {} stale {}",
                shown(all.recall_at_1),
                shown(all.recall_at_5),
                shown(all.mrr),
                shown(all.false_positive),
                shown(all.precision),
                shown(all.utility),
                shown(all.size),
                shown(all.stale)
            );
            let kinds: Vec<String> = summaries
                .iter()
                .filter(|(kind, _)| !kind.is_empty())
                .map(|(kind, s)| format!("{kind} {} / {}", shown(s.utility), shown(s.recall_at_5)))
                .collect();
            println!("   utility / R@5 by kind: {}", kinds.join(", "));
        }
    }
    println!("bias: {:.3},\nweights: [", whole.bias);
    for (weight, name) in whole.weights.iter().zip(NAMES) {
        println!("    {weight:.3}, // {name}");
    }
    println!("]");
}
