//! `remora status`: one screen.

use serde_json::Value;

use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("status", Value::Null)?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

fn render(value: &Value) -> String {
    let mut rows = Vec::new();
    let mut row = |name: &str, text: String| rows.push(vec![output::styled(name, Style::Bold), text]);
    let engine = &value["engine"];
    row(
        "Engine",
        format!(
            "running, process {}, version {}",
            output::number(engine, "pid"),
            output::text(engine, "version")
        ),
    );
    for off in output::list(&value["memory"], "off") {
        row("Memory", output::styled(&off_line(off), Style::Warning));
    }
    row("Memories", memories(&value["memories"]));
    if let Some(path) = value["project"].get("path").and_then(Value::as_str) {
        row("Project", output::path(path));
    }
    if let Some(sources) = sources(output::list(value, "sources")) {
        row("Taken in", sources);
    }
    let journal = &value["journal"];
    row(
        "Journal",
        format!(
            "{} from {}, {}",
            output::counted(output::number(journal, "events"), "event", "events"),
            output::counted(output::number(journal, "sessions"), "session", "sessions"),
            output::bytes(output::number(journal, "bytes")),
        ),
    );
    let tokens = &value["tokens"];
    row(
        "Today",
        format!(
            "about {} given to models, {} spent on models",
            output::counted(output::number(tokens, "injected_today"), "token", "tokens"),
            output::grouped(output::number(tokens, "spent_today")),
        ),
    );
    if let Some(provider) = provider(value) {
        row("Model", provider);
    }
    if let Some(waiting) = review(&value["review"]) {
        row("Review", waiting);
    }
    let hosts = output::list(value, "hosts");
    let heard: Vec<String> = hosts
        .iter()
        .map(|host| {
            let at = output::text(host, "last_heard").replace('T', " ");
            format!("{} (last heard {})", output::text(host, "host"), at.get(..16).unwrap_or(&at))
        })
        .collect();
    row("Hosts", if heard.is_empty() { "none heard yet".into() } else { heard.join(", ") });
    let mut out = output::columns(&rows);
    for finding in output::list(value, "findings") {
        out.push_str(&output::styled(&format!("\n! {}\n", output::text(finding, "what")), Style::Warning));
        out.push_str(&format!("  {}\n", output::text(finding, "next")));
    }
    out
}

/// Where and why memory is off, and how that is undone.
pub(super) fn off_line(off: &Value) -> String {
    format!("{}; {}", output::text(off, "what"), output::text(off, "undo"))
}

/// Where snapshots come from; nothing where there are none.
pub(super) fn sources(all: &[Value]) -> Option<String> {
    let named = all.iter().filter(|source| source["problem"].is_null()).map(|source| {
        let gone = match output::number(source, "gone") {
            0 => String::new(),
            n => format!(", {n} gone there"),
        };
        let snapshots = output::counted(output::number(source, "snapshots"), "snapshot", "snapshots");
        format!("{} ({snapshots}{gone})", output::path(&output::text(source, "folder")))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// The model that chooses memories and how it is; nothing where none is set up.
fn provider(value: &Value) -> Option<String> {
    let provider = value.get("provider").filter(|provider| !provider.is_null())?;
    let name = output::text(provider, "model");
    let name = if name.is_empty() { "set up, but not usable".into() } else { name };
    let state = match provider["state"].as_str() {
        Some("ready") => "ready".to_owned(),
        Some("resting") => format!("left alone for {} s", output::number(provider, "rests_seconds")),
        Some("spent") => "today's budget of tokens is spent; words alone choose until midnight".to_owned(),
        _ => "not asked".to_owned(),
    };
    let choices = output::list(value, "choices");
    let chose =
        choices.iter().find(|choices| choices["step"] == "selector").map_or(String::new(), |choices| {
            let made = output::counted(output::number(choices, "made"), "choice", "choices");
            format!("; {made} today, {} took something", output::number(choices, "with_some"))
        });
    let of = output::grouped(output::number(provider, "daily_tokens"));
    let spent = output::grouped(output::number(&value["tokens"], "spent_today"));
    Some(format!("{name}, {state}{chose}; {spent} of {of} tokens"))
}

/// What waits for the person's word; nothing where nothing does.
fn review(value: &Value) -> Option<String> {
    let (here, elsewhere) = (output::number(value, "here"), output::number(value, "elsewhere"));
    let waits = |n: i64| if n == 1 { "waits" } else { "wait" };
    match (here, elsewhere) {
        (0, 0) => None,
        (0, n) => Some(format!("{n} {} in other projects: `remora review --everywhere`", waits(n))),
        (n, 0) => Some(format!("{n} {} for your word: `remora review`", waits(n))),
        (n, more) => {
            Some(format!("{n} {} for your word: `remora review`; {more} in other projects", waits(n)))
        }
    }
}

fn memories(value: &Value) -> String {
    let total = output::counted(output::number(value, "total"), "memory", "memories");
    let kinds: Vec<String> = ["user", "feedback", "project", "reference"]
        .iter()
        .filter_map(|kind| {
            let n = output::number(&value["by_type"], kind);
            (n > 0).then(|| format!("{n} {kind}"))
        })
        .collect();
    if kinds.is_empty() { total } else { format!("{total}: {}", kinds.join(", ")) }
}
