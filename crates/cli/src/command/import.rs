//! `remora import`.

use serde_json::{Value, json};

use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(engine: &Engine, host: &str, dry_run: bool, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("import", json!({"host": host, "dry_run": dry_run}))?;
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
