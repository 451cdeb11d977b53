//! `remora list` and `remora show`.

use serde_json::{Value, json};

use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("list", Value::Null)?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

fn render(value: &Value) -> String {
    let memories = output::list(value, "memories");
    let mut out = String::new();
    if memories.is_empty() {
        out.push_str("Nothing is remembered here yet.\n");
        out.push_str("  remora remember \"Integration tests talk to a real database, never to mocks.\"\n");
    }
    let (about, here): (Vec<&Value>, Vec<&Value>) =
        memories.iter().partition(|memory| is_about_person(memory));
    section(&mut out, "About you", &about);
    section(&mut out, "In this project", &here);
    if let Some(folder) = value.get("memory_dir").and_then(Value::as_str) {
        out.push_str(&output::styled(&format!("\nThe files: {}\n", output::path(folder)), Style::Faint));
    }
    for file in output::list(value, "unreadable") {
        let line = format!(
            "{}:{}: {}",
            output::path(&output::text(file, "file")),
            output::number(file, "line"),
            output::text(file, "problem")
        );
        out.push_str(&output::styled(&format!("\nCannot be read: {line}\n"), Style::Warning));
    }
    out
}

/// Whether it is about the person, wherever it lies.
fn is_about_person(memory: &Value) -> bool {
    output::text(memory, "scope") == "user" || output::text(memory, "type") == "user"
}

fn section(out: &mut String, title: &str, memories: &[&Value]) {
    if memories.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&output::styled(&format!("{title} ({})\n", memories.len()), Style::Bold));
    let rows: Vec<Vec<String>> = memories.iter().map(|memory| row(memory)).collect();
    let width = output::width();
    for line in output::columns(&rows).lines() {
        out.push_str(&output::fit(line, width));
        out.push('\n');
    }
}

fn row(memory: &Value) -> Vec<String> {
    let pin = if memory.get("pinned") == Some(&Value::Bool(true)) { " (pinned)" } else { "" };
    let gone = match output::text(memory, "superseded_by").as_ref() {
        "" => String::new(),
        "history" => " (history)".into(),
        by => format!(" (replaced by {by})"),
    };
    vec![
        format!("  {}{pin}{gone}", output::fit(&output::text(memory, "name"), 44)),
        output::text(memory, "type").into_owned(),
        output::age(output::number(memory, "age_days")),
        output::text(memory, "description").into_owned(),
    ]
}

pub(super) fn show(engine: &Engine, name: &str, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("show", json!({"name": name}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    let mut head = format!(
        "{} · {} · {} · {}",
        output::text(&value, "type"),
        output::text(&value, "scope"),
        output::age(output::number(&value, "age_days")),
        output::path(&output::text(&value, "path")),
    );
    if value.get("pinned") == Some(&Value::Bool(true)) {
        head.push_str(" · pinned");
    }
    output::line(&output::styled(&head, Style::Faint));
    output::line(output::text(&value, "text").trim_end());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_what_is_about_the_person_first() {
        let memory = |name: &str, scope: &str, days: i64| {
            json!({"name": name, "scope": scope, "type": "feedback", "age_days": days, "description": "d",
                   "pinned": days == 2, "superseded_by": null})
        };
        let value = json!({
            "memories": [memory("here", "private", 2), memory("role", "user", 0)],
            "memory_dir": "/m",
            "unreadable": [{"file": "/m/broken.md", "line": 3, "problem": "no closing ---"}],
        });
        insta::assert_snapshot!(render(&value), @r"
        About you (1)
          role  feedback  today  d

        In this project (1)
          here (pinned)  feedback  2 days ago  d

        The files: /m

        Cannot be read: /m/broken.md:3: no closing ---
        ");
    }
}
