//! When a model has just written into memory: what is to be said of it goes back to the model.

use remora_event::Event;

use super::budget::Room;
use super::{Injection, Item};
use crate::config::Config;
use crate::journal::SessionRow;

/// What is said, one sentence a file; nothing where there is nothing to say.
pub(crate) fn injection(
    said: &[String],
    event: &Event,
    session: Option<&SessionRow>,
    config: &Config,
) -> Option<Injection> {
    let text = format!("<remora-memory>\n{}\n</remora-memory>\n", said.join("\n"));
    if said.is_empty() || !Room::new(config.inject.budget.prompt, event.budget).fits(&text) {
        return None;
    }
    let mut injection = Injection::new(session);
    let of = ("check", "what is to be said of a memory that was written");
    injection.items.push(Item::own("point", of, &text, String::new()));
    injection.text = text;
    Some(injection)
}
