//! `memory_save`: one fact, written by the agent.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::answer::line;
use super::fields::Fields;
use super::link::Link;
use crate::failure::Failure;
use crate::output;

/// Longer texts are documents, not memories: what the engine takes is said in the tool's description.
pub(super) const TEXT: usize = 16_000;

/// Up to here the engine says itself what to do with a document.
const DOCUMENT: usize = 1_000_000;

/// A name is a few words, a description one sentence.
const NAME: usize = 80;
const DESCRIPTION: usize = 300;

/// Saves a memory. Asked twice it is saved once: the same words are recognised.
pub(super) async fn call(link: &Link, fields: Fields) -> Result<String, Failure> {
    let args = json!({
        "text": fields.text("text", DOCUMENT)?,
        "type": fields.text_if_any("type", NAME)?.map(|kind| kind.to_lowercase()),
        "name": fields.text_if_any("name", NAME)?,
        "description": fields.text_if_any("description", DESCRIPTION)?,
        "by": "agent",
        "source": line(link.client(), 60),
    });
    let value = link.ask("remember", args).await?;
    Ok(render(&value))
}

fn render(value: &Value) -> String {
    let waiting = &value["waiting"];
    if !waiting.is_null() {
        return format!(
            "Not saved yet: {} ({}) waits for the person's word, because {}.\n\
             Tell the person in one line that `remora review` shows it. Do not save it in another way.\n",
            line(&output::text(waiting, "name"), 100),
            output::text(waiting, "type"),
            line(&output::text(waiting, "why"), 300),
        );
    }
    let saved = &value["saved"];
    let whose = if output::text(saved, "scope") == "user" { "about the person" } else { "in this project" };
    let verb = if value["already"] == Value::Bool(true) { "Already remembered" } else { "Remembered" };
    let mut text = format!(
        "{verb} {whose}: {} ({}), id {}\n{}\n",
        line(&output::text(saved, "name"), 100),
        output::text(saved, "type"),
        line(&output::text(saved, "id"), 300),
        line(&output::text(saved, "description"), 300),
    );
    for note in output::list(value, "notes").iter().filter_map(Value::as_str) {
        let _ = writeln!(text, "Note: {}.", line(note, 300));
    }
    text.push_str("Tell the person in one line what was saved. memory_forget takes it back.\n");
    text
}
