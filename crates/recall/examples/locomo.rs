//! Measures the retrieval of evidence sessions on the `LoCoMo` file: each session is one document of
//! its turns; a question is a hit when any session with evidence is among the first k.
//!
//! `cargo run --release -p remora-recall --example locomo -- FILE [--misses] [--captions]`
#![allow(clippy::print_stdout, missing_docs)]

use std::time::{Duration, Instant};

use remora_recall::eval;
use remora_recall::{Corpus, Document, Options, Query};
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let text = std::fs::read_to_string(arguments.first().expect("the first argument is the file"))
        .expect("the file can be read");
    let samples: Value = serde_json::from_str(&text).expect("the file is JSON");

    let mut hits: Vec<[f64; 3]> = Vec::new();
    let mut ranks: Vec<f64> = Vec::new();
    let mut times: Vec<Duration> = Vec::new();
    for sample in samples.as_array().expect("the file is a list of conversations") {
        let corpus = Corpus::new(&sessions(&sample["conversation"], has("--captions")));
        for question in sample["qa"].as_array().expect("a conversation has questions") {
            let relevant = evidence(question);
            if relevant.is_empty() {
                continue;
            }
            let asked = question["question"].as_str().unwrap_or_default();
            let start = Instant::now();
            let outcome = corpus.recall(&Query::new(asked), &Options::no_abstention(10));
            times.push(start.elapsed());
            let returned: Vec<String> = outcome.ranked.into_iter().map(|hit| hit.id).collect();
            hits.push([1, 3, 5].map(|k| eval::any_hit(&returned, &relevant, k)));
            let first = returned.iter().position(|id| relevant.contains(id));
            #[allow(clippy::cast_precision_loss)]
            ranks.push(first.map_or(0.0, |at| 1.0 / (at + 1) as f64));
            if has("--misses") && first != Some(0) {
                println!("{asked}\n   right {relevant:?}, returned {:?}", &returned[..returned.len().min(5)]);
            }
        }
    }
    for (at, k) in [1, 3, 5].into_iter().enumerate() {
        let values: Vec<f64> = hits.iter().map(|hit| hit[at]).collect();
        let interval = eval::bootstrap(&values, 1_000).expect("there are questions");
        println!(
            "R@{k} {:.2} % ({:.2} to {:.2})",
            100.0 * interval.mean,
            100.0 * interval.low,
            100.0 * interval.high
        );
    }
    let mrr = eval::bootstrap(&ranks, 1_000).expect("there are questions");
    times.sort();
    println!("MRR {:.3}, {} questions, median search {:?}", mrr.mean, ranks.len(), times[times.len() / 2]);
}

fn sessions(conversation: &Value, captions: bool) -> Vec<Document> {
    (1..)
        .map_while(|number| {
            let key = format!("session_{number}");
            // Dates are given for some sessions that have no turns.
            conversation.get(format!("{key}_date_time")).map(|date| (number, &conversation[&key], date))
        })
        .filter_map(|(number, turns, date)| {
            let lines: Vec<String> = turns
                .as_array()?
                .iter()
                .map(|turn| {
                    let said = |key: &str| turn[key].as_str().unwrap_or_default();
                    let caption = if captions { said("blip_caption") } else { "" };
                    format!("{}: {} {caption}", said("speaker"), said("text"))
                })
                .collect();
            Some(Document {
                id: format!("{number}"),
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
        .flat_map(|ids| ids.split(|c: char| c == ';' || c == ',' || c.is_whitespace()))
        .filter_map(|id| {
            let session = id.trim().strip_prefix('D')?.split(':').next()?;
            session.parse::<u32>().ok().map(|number| number.to_string())
        })
        .collect()
}
