//! `memory_get`: whole memories and entries of the journal.

use std::fmt::Write as _;

use remora_engine::Wrapper;
use serde_json::{Value, json};

use super::answer::{self, line};
use super::fields::Fields;
use super::link::Link;
use crate::failure::Failure;
use crate::output;

/// At most so many at once.
pub(super) const MOST: usize = 20;

/// The longest id: a scope and a file's name.
const ID: usize = 300;

/// What is kept free for the wrappers and for what was not found or did not fit.
const FRAME: usize = 1_500;

/// Reads what the ids name.
pub(super) async fn call(link: &Link, fields: Fields) -> Result<String, Failure> {
    let ids = fields.texts("ids", MOST, ID)?;
    let value = link.ask("get", json!({"ids": ids, "room": answer::LONGEST - FRAME})).await?;
    let found = output::list(&value, "found");
    let left_out = output::list(&value, "left_out");
    if found.is_empty() && left_out.is_empty() {
        return Err(Failure::new("not_found", missing(&value), "memory_search shows the ids that are here"));
    }
    let of = |wrapper: Wrapper| -> Vec<String> {
        let is_in =
            |item: &&Value| (output::text(item, "wrapper") == "guidance") == (wrapper == Wrapper::Guidance);
        found.iter().filter(is_in).map(|item| output::text(item, "text").into_owned()).collect()
    };
    let mut text = Wrapper::Guidance.around(&of(Wrapper::Guidance));
    text.push_str(&Wrapper::Background.around(&of(Wrapper::Background)));
    if !left_out.is_empty() {
        let ids: Vec<String> =
            left_out.iter().filter_map(Value::as_str).map(|id| format!("{:?}", line(id, 60))).collect();
        let _ = writeln!(text, "There is more; call memory_get again with {}.", ids.join(", "));
    }
    if !output::list(&value, "missing").is_empty() {
        let _ = writeln!(text, "Not here: {}.", missing(&value));
    }
    Ok(text)
}

/// What is not here, each with what may have been meant.
fn missing(value: &Value) -> String {
    const SHOWN: usize = 4;
    let missing = output::list(value, "missing");
    let mut said: Vec<String> = missing
        .iter()
        .take(SHOWN)
        .map(|item| {
            let near: Vec<String> =
                output::list(item, "near").iter().filter_map(Value::as_str).map(|id| line(id, 60)).collect();
            let meant = if near.is_empty() {
                String::new()
            } else {
                format!(" (did you mean {}?)", near.join(" or "))
            };
            format!("there is no {:?}{meant}", line(&output::text(item, "id"), 60))
        })
        .collect();
    if missing.len() > SHOWN {
        said.push(format!("nor {} others", missing.len() - SHOWN));
    }
    said.join(", ")
}
