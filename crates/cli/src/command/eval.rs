//! `remora eval`: benchmarks of recall, through the code that answers prompts. Needs no engine.

use std::io::Write as _;

use serde_json::Value;

use crate::arguments::EvalCommand;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(command: EvalCommand, as_json: bool) -> Result<(), Failure> {
    match command {
        EvalCommand::Recall { folder, run } => {
            let measured = remora_engine::eval::recall(&folder)?;
            if let Some(file) = run {
                let mut out = std::fs::File::create(&file)?;
                for line in &measured.run {
                    writeln!(out, "{line}")?;
                }
            }
            show(&measured.scores, as_json, recall_table)
        }
        EvalCommand::Locomo { file } => show(&remora_engine::eval::locomo(&file)?, as_json, locomo_table),
    }
}

fn show(value: &Value, as_json: bool, table: fn(&Value) -> String) -> Result<(), Failure> {
    if as_json {
        output::json(value);
    } else {
        output::line(table(value).trim_end());
    }
    Ok(())
}

fn recall_table(value: &Value) -> String {
    let mut out = format!(
        "{} queries, median {:.2} ms a query; in brackets the 95 % interval\n\n",
        output::number(value, "queries"),
        value["median_ms"].as_f64().unwrap_or(0.0)
    );
    let head = ["", "utility", "R@1", "R@5", "MRR", "none-FP", "precision"]
        .map(|word| output::styled(word, Style::Bold));
    let mut rows = vec![head.to_vec()];
    let ways = [
        ("abstaining", "with abstention"),
        ("five", "five, no threshold"),
        ("selector", "a perfect selector"),
        ("both", "words, then it"),
    ];
    for (key, title) in ways {
        let scores = &value[key];
        let mut row = vec![title.to_owned()];
        row.extend(["utility", "r1", "r5", "mrr", "none_fp"].map(|name| interval(&scores[name])));
        row.push(plain(&scores["precision"]));
        rows.push(row);
    }
    out.push_str(&output::columns(&rows));
    out.push('\n');
    let head = ["kind", "queries", "utility", "none-FP", "R@1 (five)", "R@5 (five)"];
    let mut rows = vec![head.map(|word| output::styled(word, Style::Bold)).to_vec()];
    for (kind, scores) in value["by_kind"].as_object().into_iter().flatten() {
        let mut row = vec![output::plain(kind), output::number(scores, "queries").to_string()];
        row.extend(["utility", "none_fp", "r1", "r5"].map(|name| plain(&scores[name])));
        rows.push(row);
    }
    out + &output::columns(&rows)
}

fn locomo_table(value: &Value) -> String {
    let head = ["category", "questions", "R@1", "R@5", "MRR", "median"];
    let mut rows = vec![head.map(|word| output::styled(word, Style::Bold)).to_vec()];
    let mut row = |name: &str, scores: &Value| {
        let median = format!("{:.2} ms", scores["median_ms"].as_f64().unwrap_or(0.0));
        let mut row = vec![output::plain(name), output::number(scores, "n").to_string()];
        row.extend(["r1", "r5", "mrr"].map(|name| plain(&scores[name])));
        row.push(median);
        rows.push(row);
    };
    for (category, scores) in value["by_category"].as_object().into_iter().flatten() {
        row(category, scores);
    }
    row("all", &value["total"]);
    output::columns(&rows)
}

fn interval(value: &Value) -> String {
    match (value["mean"].as_f64(), value["low"].as_f64(), value["high"].as_f64()) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.3} [{low:.3}, {high:.3}]"),
        _ => "-".into(),
    }
}

fn plain(value: &Value) -> String {
    value.as_f64().map_or_else(|| "-".into(), |number| format!("{number:.3}"))
}
