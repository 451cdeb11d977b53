//! `work_state`: what is still to be done in the project.

use std::fmt::Write as _;

use remora_engine::Wrapper;
use serde_json::{Value, json};

use super::answer::{self, line, measure};
use super::fields::Fields;
use super::link::Link;
use crate::failure::Failure;
use crate::output;

/// An item is a sentence.
const TEXT: usize = 300;

/// A state is a word.
const STATE: usize = 20;

/// What is kept free for the wrapper and for saying that there is more.
const FRAME: usize = 900;

/// Lists what is open, or sets the state of one item first.
pub(super) async fn call(link: &Link, fields: Fields) -> Result<String, Failure> {
    let text = fields.text_if_any("text", TEXT)?;
    let state = fields.text_if_any("state", STATE)?;
    if !link.has_project() {
        return Err(Failure::new("not_found", "no project is open here", "work belongs to a project"));
    }
    let value =
        link.ask("work", json!({"text": text, "state": state, "by": line(link.client(), 60)})).await?;
    Ok(render(&value))
}

fn render(value: &Value) -> String {
    let mut text = String::new();
    let changed = &value["changed"];
    if changed.is_object() {
        let _ = writeln!(
            text,
            "work:{} is {}: {}",
            output::number(changed, "id"),
            output::text(changed, "state"),
            line(&output::text(changed, "text"), TEXT)
        );
    }
    let items = output::list(value, "items");
    let (mut lines, mut room) = (Vec::new(), answer::LONGEST - FRAME);
    for item in items {
        let item = item_line(item);
        if measure(&item) + 1 > room {
            break;
        }
        room -= measure(&item) + 1;
        lines.push(item);
    }
    if lines.is_empty() {
        text.push_str("Nothing is open in this project.\n");
        return text;
    }
    text.push_str(&Wrapper::Background.around(&[lines.join("\n")]));
    if lines.len() < items.len() {
        let _ = writeln!(text, "There are {} more.", items.len() - lines.len());
    }
    text
}

fn item_line(item: &Value) -> String {
    let abandoned = if item["abandoned"] == Value::Bool(true) { ", possibly abandoned" } else { "" };
    format!(
        "- work:{} · {} · {}{abandoned} · {}",
        output::number(item, "id"),
        output::text(item, "state"),
        output::age(output::number(item, "age_days")),
        line(&output::text(item, "text"), TEXT),
    )
}
