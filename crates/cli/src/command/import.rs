//! `remora import` and `remora ingest`.

use serde_json::{Value, json};

use super::export;
use crate::arguments::{Import, ImportSource, Ingest, NativeImport};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

/// So many files of one kind are named; programs get all of them.
const NAMED: usize = 20;

pub(super) fn run(engine: &Engine, args: &Import, in_project: bool, as_json: bool) -> Result<(), Failure> {
    match &args.source {
        ImportSource::History(args) => super::history::run(engine, args, in_project, as_json),
        ImportSource::ClaudeCode(args) => native(engine, "claude-code", *args, as_json),
        ImportSource::Codex(args) => native(engine, "codex", *args, as_json),
        ImportSource::GeminiCli(args) => native(engine, "gemini-cli", *args, as_json),
        ImportSource::QwenCode(args) => native(engine, "qwen-code", *args, as_json),
        ImportSource::ClaudeMem { called, dry_run } => {
            claude_mem(engine, called.as_deref(), *dry_run, as_json)
        }
        ImportSource::Export { from, dry_run } => export::restore(engine, from, *dry_run, as_json),
        ImportSource::Host { host, native: args } => native(engine, host, *args, as_json),
    }
}

pub(super) fn ingest(engine: &Engine, args: &Ingest, as_json: bool) -> Result<(), Failure> {
    let path = std::path::absolute(&args.path)?;
    let value = engine.ask("ingest", json!({"path": path, "dry_run": args.dry_run}))?;
    show(&value, as_json, |value| {
        let from = output::path(&path.to_string_lossy());
        if is_nothing(value) {
            format!("No Markdown file was found in {from}.\n")
        } else {
            taken(value, &from)
        }
    });
    Ok(())
}

fn native(engine: &Engine, host: &str, args: NativeImport, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("import", json!({"host": host, "dry_run": args.dry_run}))?;
    show(&value, as_json, |value| {
        if is_nothing(value) {
            let folder = output::path(&output::text(value, "folder"));
            return format!("{host} has no memory of this project (looked in {folder}).\n");
        }
        taken(value, &output::plain(host))
    });
    Ok(())
}

fn claude_mem(engine: &Engine, called: Option<&str>, dry_run: bool, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("import_claude_mem", json!({"called": called, "dry_run": dry_run}))?;
    show(&value, as_json, |value| {
        let verb = if dry_run { "Would be taken" } else { "Taken" };
        let count = |key: &str, what: &str| output::number(&value[key], what);
        let found: i64 =
            ["observations", "summaries"].map(|key| count(key, "new") + count(key, "same")).iter().sum();
        if found == 0 && is_nothing(&value["rules"]) {
            return nothing_of_claude_mem(value);
        }
        let mut out = format!(
            "{verb} from {} for {}:\n  observations: {} new, {} as before\n  summaries of sessions: {} new, {} as before\n",
            output::path(&output::text(value, "database")),
            output::text(value, "called"),
            count("observations", "new"),
            count("observations", "same"),
            count("summaries", "new"),
            count("summaries", "same"),
        );
        if !is_nothing(&value["rules"]) {
            out.push_str(&format!("  rules that you gave it: {}\n", counts(&value["rules"])));
        }
        if value["cut"] == Value::Bool(true) {
            out.push_str("  Only the newest 50,000 of each were looked at.\n");
        }
        out.push_str(&other_projects(value));
        out
    });
    Ok(())
}

/// Nothing was found: in the whole database, or of this project.
fn nothing_of_claude_mem(value: &Value) -> String {
    let database = output::path(&output::text(value, "database"));
    let others = other_projects(value);
    if others.is_empty() {
        return format!("{database} holds no observations, summaries or rules: there is nothing to take.\n");
    }
    format!("{database} holds nothing of a project called {}.\n{others}", output::text(value, "called"))
}

/// What it keeps of other projects.
fn other_projects(value: &Value) -> String {
    let others: Vec<String> = value["elsewhere"]
        .as_object()
        .into_iter()
        .flatten()
        .take(NAMED)
        .map(|(name, rows)| {
            format!("{} ({})", output::plain(name), rows.as_i64().map_or_else(String::new, output::grouped))
        })
        .collect();
    if others.is_empty() {
        return String::new();
    }
    format!(
        "It also knows {}: import them from their folders, or name one with --called.\n",
        others.join(", ")
    )
}

fn show(value: &Value, as_json: bool, render: impl FnOnce(&Value) -> String) {
    if as_json {
        output::json(value);
    } else {
        output::line(render(value).trim_end());
    }
}

fn count(value: &Value, key: &str) -> i64 {
    i64::try_from(output::list(value, key).len()).unwrap_or(0)
}

/// Whether nothing was found at all.
fn is_nothing(value: &Value) -> bool {
    let beside = value["beside"].as_object().is_none_or(serde_json::Map::is_empty);
    beside && ["new", "changed", "same", "gone", "left_out"].iter().all(|key| count(value, key) == 0)
}

fn counts(value: &Value) -> String {
    format!(
        "{} new, {} changed, {} as before",
        count(value, "new"),
        count(value, "changed"),
        count(value, "same")
    )
}

/// What was taken, and of what was not, why.
fn taken(value: &Value, from: &str) -> String {
    let verb = if value["dry_run"] == Value::Bool(true) { "Would be taken" } else { "Taken" };
    let mut out = format!("{verb} from {from}: {}.\n", counts(value));
    for limit in output::list(value, "limits").iter().filter_map(Value::as_str) {
        out.push_str(&format!("  ! {}\n", output::plain(limit)));
    }
    if !output::list(value, "limits").is_empty() {
        out.push_str("    `remora ingest FOLDER` takes the folders below it one by one.\n");
    }
    let mut lines: Vec<String> = Vec::new();
    for (key, mark) in [("new", "+"), ("changed", "~")] {
        lines.extend(files(value, key).map(|file| format!("  {mark} {file}")));
    }
    let beside = value["beside"].as_object().into_iter().flatten();
    lines.extend(beside.map(|(file, other)| {
        let other = output::plain(other.as_str().unwrap_or_default());
        format!(
            "  ~ {}: you changed the snapshot, which stays; what the file says now is {other}",
            output::plain(file)
        )
    }));
    lines.extend(
        files(value, "gone").map(|file| format!("  - {file}: not there any more, the snapshot stays")),
    );
    lines.extend(output::list(value, "left_out").iter().filter_map(Value::as_str).map(|file| {
        let why = output::plain(value["reasons"][file].as_str().unwrap_or("left out"));
        let file = if file.is_empty() { String::new() } else { format!("{}: ", output::plain(file)) };
        format!("  · {file}left out: {why}")
    }));
    let more = lines.len().saturating_sub(NAMED);
    for line in lines.iter().take(NAMED) {
        out.push_str(&format!("{line}\n"));
    }
    if more > 0 {
        out.push_str(&format!("  ... and {more} more: --json names all of them\n"));
    }
    out
}

fn files<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = String> + 'a {
    output::list(value, key).iter().filter_map(Value::as_str).map(output::plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_database_is_said_to_be_empty() {
        let none = json!({"new": 0, "same": 0});
        let mut value = json!({
            "database": "/h/.claude-mem/claude-mem.db", "called": "shop", "observations": none, "summaries": none,
            "rules": {}, "elsewhere": {},
        });
        let empty = nothing_of_claude_mem(&value);
        value["elsewhere"] = json!({"kiosk": 1200});
        insta::assert_snapshot!(format!("{empty}{}", nothing_of_claude_mem(&value)), @r"
        /h/.claude-mem/claude-mem.db holds no observations, summaries or rules: there is nothing to take.
        /h/.claude-mem/claude-mem.db holds nothing of a project called shop.
        It also knows kiosk (1,200): import them from their folders, or name one with --called.
        ");
    }
}
