//! `remora why`.

use serde_json::{Value, json};

use crate::arguments::Why;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, args: &Why, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("why", json!({"session": args.session, "host": args.host, "last": args.last}))?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

fn render(value: &Value) -> String {
    if value["session"].is_null() {
        return "No session of an agent was heard here yet.\n  `remora doctor` says whether the hooks are in place.\n".into();
    }
    let mut out = format!("Session {} in {}\n", output::text(value, "session"), output::text(value, "host"));
    let injections = output::list(value, "injections");
    if injections.is_empty() {
        out.push_str("Nothing was given to its model.\n");
    }
    for injection in injections {
        let at = output::text(injection, "at").replace('T', " ");
        let state =
            if output::text(injection, "state") == "shown" { "" } else { ", not confirmed by the hook" };
        let tokens = output::counted(output::number(injection, "tokens"), "token", "tokens");
        out.push_str(&format!(
            "\n{}  {}\n",
            output::styled(
                &format!("{} {}", at.get(..19).unwrap_or(&at), output::text(injection, "event")),
                Style::Bold
            ),
            output::styled(&format!("about {tokens}{state}"), Style::Faint),
        ));
        let rows: Vec<Vec<String>> = output::list(injection, "items").iter().map(item).collect();
        out.push_str(&output::columns(&rows));
    }
    let choices = output::list(value, "choices");
    if !choices.is_empty() {
        out.push_str(&format!("\n{}\n", output::styled("Choices, newest first", Style::Bold)));
        let rows: Vec<Vec<String>> = choices.iter().take(10).map(choice).collect();
        out.push_str(&output::columns(&rows));
    }
    out
}

fn item(item: &Value) -> Vec<String> {
    let score =
        item.get("score").and_then(Value::as_f64).map_or(String::new(), |score| format!("score {score:.2}"));
    vec![
        format!("  {}", output::text(item, "name")),
        output::text(item, "part").into_owned(),
        output::text(item, "step").into_owned(),
        score,
        output::counted(output::number(item, "tokens"), "token", "tokens"),
    ]
}

fn choice(choice: &Value) -> Vec<String> {
    let at = output::text(choice, "at").replace('T', " ");
    vec![
        format!("  {}", at.get(11..19).unwrap_or(&at)),
        output::text(choice, "step").into_owned(),
        format!("{} of {}", output::number(choice, "taken"), output::number(choice, "offered")),
        output::styled(&output::text(choice, "note"), Style::Faint),
    ]
}
