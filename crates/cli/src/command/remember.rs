//! `remora remember`.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::arguments::Remember;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(engine: &Engine, args: &Remember, as_json: bool) -> Result<(), Failure> {
    let text = match args.text.as_slice() {
        [dash] if dash == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        words => words.join(" "),
    };
    let value = engine.ask(
        "remember",
        json!({
            "text": text,
            "type": args.kind.map(crate::arguments::Kind::as_str),
            "name": args.name,
            "description": args.description,
            "anyway": args.anyway,
        }),
    )?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

/// One line that says what went where, and a line for each thing worth knowing.
fn render(value: &Value) -> String {
    let saved = &value["saved"];
    let whose = if output::text(saved, "scope") == "user" { "about you" } else { "in this project" };
    let verb = if value["already"] == Value::Bool(true) { "Already remembered" } else { "Remembered" };
    let mut out = format!(
        "{verb} {whose} as {} ({}): {}\n",
        output::text(saved, "name"),
        output::text(saved, "type"),
        output::path(&output::text(saved, "path")),
    );
    for note in output::list(value, "notes") {
        out.push_str(&format!("  {}\n", output::plain(note.as_str().unwrap_or_default())));
    }
    out
}
