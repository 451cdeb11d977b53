//! `memory_timeline`: what happened around an entry of the journal, in a line each.

use std::fmt::Write as _;

use remora_engine::Wrapper;
use serde_json::{Value, json};

use super::answer::{self, line, measure};
use super::fields::Fields;
use super::link::Link;
use crate::failure::Failure;
use crate::output;

/// The longest id.
const ID: usize = 40;

/// So many entries on each side unless more are asked for.
const USUAL: usize = 8;

/// At most so many on each side.
pub(super) const MOST: usize = 40;

/// Characters of a title.
const TITLE: usize = 180;

/// What is kept free for the wrapper and for saying that there is more.
const FRAME: usize = 900;

/// Shows the entries of a session around one of them.
pub(super) async fn call(link: &Link, fields: Fields) -> Result<String, Failure> {
    let id = fields.text("id", ID)?;
    let before = fields.number("before", &(0..=MOST))?.unwrap_or(USUAL);
    let after = fields.number("after", &(0..=MOST))?.unwrap_or(USUAL);
    if !link.has_project() {
        return Err(Failure::new(
            "not_found",
            "no project is open here",
            "memory_search finds what is about the person",
        ));
    }
    let value = link.ask("timeline", json!({"id": id, "before": before, "after": after})).await?;
    Ok(render(&value))
}

fn render(value: &Value) -> String {
    let entries = output::list(value, "entries");
    let here = entries.iter().position(|entry| entry["here"] == Value::Bool(true)).unwrap_or(0);
    let mut lines: Vec<String> = entries.iter().map(entry_line).collect();
    // The entry itself stays, the farthest ones go.
    let (mut first, mut last) = (0, lines.len());
    let mut size: usize = lines.iter().map(|text| measure(text) + 1).sum();
    while size > answer::LONGEST - FRAME && last - first > 1 {
        let (left, right) = (here - first, last - 1 - here);
        let gone = if left >= right { &lines[first] } else { &lines[last - 1] };
        size -= measure(gone) + 1;
        if left >= right { first += 1 } else { last -= 1 }
    }
    lines.truncate(last);
    lines.drain(..first);
    let beyond = |count: i64, cut: usize| count + i64::try_from(cut).unwrap_or(0);
    let (earlier, later) = (
        beyond(output::number(value, "earlier"), first),
        beyond(output::number(value, "later"), entries.len() - last),
    );
    let mut text = format!(
        "Session {} in {}; memory_get with an id reads it whole.\n",
        line(&output::text(value, "session"), 60),
        line(&output::text(value, "host"), 40)
    );
    text.push_str(&Wrapper::Background.around(&[lines.join("\n")]));
    if earlier + later > 0 {
        let _ = writeln!(text, "There is more in this session: {earlier} before these, {later} after.");
    }
    text
}

fn entry_line(entry: &Value) -> String {
    let mark = if entry["here"] == Value::Bool(true) { "> " } else { "- " };
    let by = if entry["agent"].is_string() { " of a subagent" } else { "" };
    format!(
        "{mark}journal:{} · {}{by} · {} · {}",
        output::number(entry, "id"),
        line(&output::text(entry, "kind"), 20),
        output::moment(&output::text(entry, "at")),
        line(&output::text(entry, "title"), TITLE),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_entries_go_first() {
        let entry = |id: usize| {
            json!({"id": id, "kind": "shell", "at": "2026-11-02T10:00:00+00:00",
            "title": "x".repeat(400), "here": id == 10, "agent": null})
        };
        let entries: Vec<Value> = (1..=80).map(entry).collect();
        let text =
            render(&json!({"host": "h", "session": "s", "entries": entries, "earlier": 5, "later": 7}));
        assert!(measure(&text) <= answer::LONGEST, "{}", measure(&text));
        assert!(text.contains("> journal:10 ·") && text.contains("- journal:1 ·"), "{text}");
        assert!(text.contains("5 before these") && !text.contains("journal:80 "), "{text}");
    }
}
