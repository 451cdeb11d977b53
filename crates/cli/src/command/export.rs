//! `remora export`, and `remora import export`.

use std::path::Path;

use serde_json::{Value, json};

use crate::arguments::{Export, ExportFormat};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

/// So many files are named; programs get all of them.
const NAMED: usize = 20;

pub(super) fn run(engine: &Engine, args: &Export, as_json: bool) -> Result<(), Failure> {
    let (format, usual) = match args.format {
        ExportFormat::Markdown => ("markdown", "remora-export"),
        ExportFormat::Json => ("json", "remora-export.json"),
    };
    let to = std::path::absolute(args.to.as_deref().or(args.named.as_deref()).unwrap_or(Path::new(usual)))?;
    let value = engine.ask("export", json!({"to": to, "format": format, "journal": args.journal}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    let events = match value["events"].as_i64() {
        Some(events) => format!(", {}", output::counted(events, "event", "events")),
        None => String::new(),
    };
    let mut out = format!(
        "Exported to {}: {} from {}{events}.\n",
        output::path(&to.to_string_lossy()),
        output::counted(output::number(&value, "files"), "file", "files"),
        output::counted(output::number(&value, "projects"), "project", "projects"),
    );
    out.push_str(&left_out(&value));
    out.push_str(&format!(
        "`remora import export {}` brings it in again.",
        output::path(&to.to_string_lossy())
    ));
    output::line(&out);
    Ok(())
}

pub(super) fn restore(engine: &Engine, from: &Path, dry_run: bool, as_json: bool) -> Result<(), Failure> {
    let from = std::path::absolute(from)?;
    let value = engine.ask("import_export", json!({"from": from, "dry_run": dry_run}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    let count = |key: &str| output::list(&value, key).len();
    let verb = if dry_run { "Would be brought in" } else { "Brought in" };
    let mut out = format!("{verb}: {} new, {} as before.\n", count("new"), count("same"));
    for file in output::list(&value, "kept").iter().filter_map(Value::as_str).take(NAMED) {
        out.push_str(&format!("  {}: another text is there, which stays\n", output::plain(file)));
    }
    if count("kept") > NAMED {
        out.push_str(&format!("  ... and {} more: --json names all of them\n", count("kept") - NAMED));
    }
    out.push_str(&left_out(&value));
    let events = &value["events"];
    if ["new", "same", "unreadable"].iter().any(|key| output::number(events, key) > 0) {
        out.push_str(&format!(
            "  journal: {} new, {} as before, {} unreadable\n",
            output::grouped(output::number(events, "new")),
            output::grouped(output::number(events, "same")),
            output::grouped(output::number(events, "unreadable")),
        ));
    }
    output::line(out.trim_end());
    Ok(())
}

fn left_out(value: &Value) -> String {
    let all = value["left_out"].as_object();
    let mut out = String::new();
    for (file, why) in all.into_iter().flatten().take(NAMED) {
        out.push_str(&format!(
            "  {}: left out: {}\n",
            output::plain(file),
            output::text(&json!({"why": why}), "why")
        ));
    }
    let more = all.map_or(0, serde_json::Map::len).saturating_sub(NAMED);
    if more > 0 {
        out.push_str(&format!("  ... and {more} more: --json names all of them\n"));
    }
    out
}
