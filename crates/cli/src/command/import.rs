//! `remora import`.

use serde_json::{Value, json};

use crate::arguments::{Import, ImportSource, NativeImport};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(engine: &Engine, args: &Import, in_project: bool, as_json: bool) -> Result<(), Failure> {
    match &args.source {
        ImportSource::History(args) => super::history::run(engine, args, in_project, as_json),
        ImportSource::ClaudeCode(args) => native(engine, "claude-code", *args, as_json),
        ImportSource::Codex(args) => native(engine, "codex", *args, as_json),
        ImportSource::GeminiCli(args) => native(engine, "gemini-cli", *args, as_json),
        ImportSource::QwenCode(args) => native(engine, "qwen-code", *args, as_json),
        ImportSource::Host { host, native: args } => native(engine, host, *args, as_json),
    }
}

fn native(engine: &Engine, host: &str, args: NativeImport, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("import", json!({"host": host, "dry_run": args.dry_run}))?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

fn render(value: &Value) -> String {
    let count = |key: &str| i64::try_from(output::list(value, key).len()).unwrap_or(0);
    let folder = output::path(&output::text(value, "folder"));
    if ["new", "changed", "same", "gone", "left_out"].iter().all(|key| count(key) == 0) {
        return format!(
            "{} has no memory of this project (looked in {folder}).\n",
            output::text(value, "host")
        );
    }
    let verb = if value["dry_run"] == Value::Bool(true) { "Would be taken" } else { "Taken" };
    let mut out = format!(
        "{verb} from {folder}: {} new, {} changed; {} as before.\n",
        count("new"),
        count("changed"),
        count("same")
    );
    for (key, what) in [
        ("gone", "not there any more, the snapshot stays"),
        ("left_out", "left out: deleted by you, or too large"),
    ] {
        for file in output::list(value, key) {
            out.push_str(&format!("  {}: {what}\n", output::plain(file.as_str().unwrap_or_default())));
        }
    }
    out
}
