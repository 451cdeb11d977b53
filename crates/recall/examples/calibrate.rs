//! Fits the confidence model on a benchmark folder and prints it as Rust; and says what to expect
//! of it by leaving out each project in turn.
//!
//! Each query is asked of its own project alone and of corpora that hold other projects' memories
//! as well, so that the model learns what a larger corpus does to chance matches.
//!
//! `cargo run --release -p remora-recall --example calibrate -- FOLDER [--ridge N] [--no-synonyms]
//! [--run FILE]`
//!
//! `--run` writes what each query gets from its own project by the model that has not seen it.
#![allow(clippy::print_stdout, missing_docs)]

// It is shared with the other example, which reads all of it.
#[allow(dead_code)]
#[path = "bench/folder.rs"]
mod folder;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use remora_recall::calibration::{Model, NAMES, Observation};
use remora_recall::eval::{self, Judged};
use remora_recall::{Corpus, Document, Options, Query, Synonyms};

/// How many other projects are added.
const ADDED: [usize; 4] = [0, 1, 2, 4];

type Memories = BTreeMap<String, Vec<Document>>;
/// By number of added projects, by project.
type Corpora = BTreeMap<usize, BTreeMap<String, Corpus>>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let folder = Path::new(arguments.first().expect("the first argument is the benchmark folder"));
    let value = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let ridge: f64 = value("--ridge").and_then(|ridge| ridge.parse().ok()).unwrap_or(4.0);
    let synonyms = Arc::new(if has("--no-synonyms") { Synonyms::none() } else { Synonyms::built_in() });

    let memories = folder::memories(folder);
    let queries = folder::queries(folder);
    let corpora: Corpora = ADDED
        .into_iter()
        .map(|added| {
            let of_project =
                |project: &String| (project.clone(), corpus(&memories, project, added, &synonyms));
            (added, memories.keys().map(of_project).collect())
        })
        .collect();
    let observations: Vec<Vec<Observation>> = queries
        .iter()
        .map(|asked| corpora.values().flat_map(|by| observe(&by[&asked.project], asked)).collect())
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
    let losses: Vec<f64> = queries
        .iter()
        .zip(&observations)
        .map(|(asked, rows)| rows.iter().map(|row| loss(&left_out[asked.project.as_str()], row)).sum::<f64>())
        .collect();
    #[allow(clippy::cast_precision_loss)]
    let mean = losses.iter().sum::<f64>() / (losses.len() * ADDED.len()) as f64;
    println!("log loss a query, left out: {mean:.4}");
    for (added, by_project) in &corpora {
        for (name, options) in [("five", Options::no_abstention(5)), ("abstaining", Options::default())] {
            let judge = |model: &dyn Fn(&str) -> Model| -> Vec<Judged> {
                queries
                    .iter()
                    .map(|asked| judged(&by_project[&asked.project], asked, &options, &model(&asked.project)))
                    .collect()
            };
            println!("{added} projects added, {name}, left out:");
            let judged = judge(&|project| left_out[project].clone());
            print_scores(&judged);
            if let Some(file) = value("--run").filter(|_| *added == 0 && options.abstain) {
                let lines = queries.iter().zip(&judged).map(|(asked, judged)| {
                    serde_json::json!({"id": asked.id, "ranked": judged.returned}).to_string() + "\n"
                });
                std::fs::write(file, lines.collect::<String>()).expect("the run file can be written");
            }
            if options.abstain {
                println!("{added} projects added, {name}, on itself:");
                print_scores(&judge(&|_| whole.clone()));
            }
        }
    }
    println!("bias: {:.3},\nweights: [", whole.bias);
    for (weight, name) in whole.weights.iter().zip(NAMES) {
        println!("    {weight:.3}, // {name}");
    }
    println!("]");
}

/// A project's memories, and those of the projects behind it in the order of their names.
fn corpus(memories: &Memories, project: &String, added: usize, synonyms: &Arc<Synonyms>) -> Corpus {
    let mut corpus = Corpus::with_synonyms(Arc::clone(synonyms));
    for document in &memories[project] {
        corpus.put(document);
    }
    let others = memories.iter().skip_while(|(name, _)| *name <= project);
    let others = others.chain(memories.iter().take_while(|(name, _)| *name < project));
    for (name, documents) in others.take(added) {
        for document in documents {
            corpus.put(&Document { id: format!("{name}/{}", document.id), ..document.clone() });
        }
    }
    corpus
}

/// How surprised a model is by what is right.
fn loss(model: &Model, row: &Observation) -> f64 {
    let confidence = f64::from(model.confidence(&row.features)).clamp(1e-6, 1.0 - 1e-6);
    -if row.right { confidence.ln() } else { (1.0 - confidence).ln() }
}

fn observe(corpus: &Corpus, asked: &folder::Asked) -> Vec<Observation> {
    let seen = corpus.observe(&Query::new(&asked.text)).into_iter();
    seen.filter(|(id, _)| !asked.neutral.contains(id))
        .map(|(id, features)| Observation { features, right: asked.relevant.contains(&id) })
        .collect()
}

fn judged(corpus: &Corpus, asked: &folder::Asked, options: &Options, model: &Model) -> Judged {
    let outcome = corpus.recall_with(&Query::new(&asked.text), options, model);
    Judged {
        kind: asked.kind.clone(),
        relevant: asked.relevant.clone(),
        neutral: asked.neutral.clone(),
        stale: asked.stale.clone(),
        returned: outcome.ranked.into_iter().map(|hit| hit.id).collect(),
    }
}

fn print_scores(judged: &[Judged]) {
    let summaries = eval::by_kind(judged);
    let all = summaries[""];
    let shown = |value: Option<f64>| format!("{:.3}", value.unwrap_or(0.0));
    println!(
        "   R@1 {} R@5 {} MRR {} none-FP {} precision {} utility {} size {} stale {}",
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
