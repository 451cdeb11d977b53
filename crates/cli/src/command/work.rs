//! `remora work`.

use serde_json::{Value, json};

use crate::arguments::{Work, WorkCommand};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, args: Work, as_json: bool) -> Result<(), Failure> {
    let mut asked = json!({"all": args.all});
    if let Some(command) = args.command {
        let (state, words) = match command {
            WorkCommand::Add { text } => ("todo", text),
            WorkCommand::Start { item } => ("doing", item),
            WorkCommand::Done { item } => ("done", item),
            WorkCommand::Drop { item } => ("dropped", item),
        };
        asked["text"] = json!(words.join(" "));
        asked["state"] = json!(state);
    }
    let value = engine.ask("work", asked)?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

fn render(value: &Value) -> String {
    let mut out = String::new();
    let changed = &value["changed"];
    if changed.is_object() {
        let (state, text) = (output::text(changed, "state"), output::text(changed, "text"));
        out.push_str(&format!("{state}: {text}  {}\n\n", number(changed)));
    }
    let items = output::list(value, "items");
    if items.is_empty() {
        out.push_str("Nothing is open here.\n  `remora work add TEXT` adds something; agents' own to-do lists come by themselves.\n");
        return out;
    }
    let rows: Vec<Vec<String>> = items.iter().map(row).collect();
    for line in output::columns(&rows).lines() {
        out.push_str(&output::fit(line, output::width()));
        out.push('\n');
    }
    out
}

fn row(item: &Value) -> Vec<String> {
    let abandoned = if item["abandoned"] == Value::Bool(true) { ", possibly abandoned" } else { "" };
    let age = format!("{}{abandoned}", output::age(output::number(item, "age_days")));
    vec![
        number(item),
        output::text(item, "state").into_owned(),
        output::text(item, "text").into_owned(),
        output::styled(&format!("{} · {age}", output::text(item, "host")), Style::Faint),
    ]
}

fn number(item: &Value) -> String {
    format!("#{}", output::number(item, "id"))
}
