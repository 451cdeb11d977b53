//! What a prompt gets: at most five memories that will clearly help; when unsure, none.

use remora_event::Event;
use remora_recall::{Options, Query};

use super::budget::Room;
use super::wrapper::{self, Wrapper};
use super::{Choice, Injection, Item};
use crate::config::{Config, Notice};
use crate::ledger::Given;
use crate::memories::Shelf;

/// At most so many memories at a prompt.
const MOST: usize = 5;

/// The ids of the memories that this context has whole, as they are now.
fn already_given(shelf: &Shelf, given: &Given) -> Vec<String> {
    if given.is_empty() {
        return Vec::new();
    }
    shelf
        .ids()
        .filter(|(_, entry)| Item::of(entry, "body", "lexical", "").is_given(given))
        .map(|(id, _)| id.to_owned())
        .collect()
}

/// What is said where the memories could not be indexed in time: nothing was chosen from any.
pub(crate) fn without_index(injection: &mut Injection) {
    injection.choices.push(Choice { step: "lexical", offered: 0, taken: 0 });
}

/// Fills the injection for a prompt.
pub(crate) fn compose(
    injection: &mut Injection,
    shelf: &Shelf,
    prompt: &str,
    event: &Event,
    config: &Config,
    given: &Given,
) {
    let already = already_given(shelf, given);
    let offered = shelf.recallable().saturating_sub(already.len());
    let query = Query::new(prompt).without(already);
    let outcome = shelf.corpus().recall(&query, &Options { limit: MOST, ..Options::default() });
    let mut room = Room::new(config.inject.budget.prompt, event.budget);
    room =
        room.part(room.left().saturating_sub(Wrapper::Guidance.cost(room) + Wrapper::Background.cost(room)));
    let (mut guidance, mut background) = (Vec::new(), Vec::new());
    for hit in &outcome.ranked {
        let Some(entry) = shelf.entry(&hit.id) else { continue };
        let mut item = Item::of(entry, "body", "lexical", "");
        let text = wrapper::memory(entry, room.part(config.inject.budget.memory));
        if !room.fits(&text) {
            continue;
        }
        room.take(&text);
        item.score = Some(f64::from(hit.confidence));
        item.tokens = super::tokens_of(&text);
        injection.items.push(item);
        match Wrapper::of(entry) {
            Wrapper::Guidance => guidance.push(text),
            Wrapper::Background => background.push(text),
        }
    }
    injection.text = Wrapper::Guidance.around(&guidance) + &Wrapper::Background.around(&background);
    injection.choices.push(Choice {
        step: "lexical",
        offered: i64::try_from(offered).unwrap_or(i64::MAX),
        taken: i64::try_from(injection.items.len()).unwrap_or(i64::MAX),
    });
    if config.notice == Notice::Always && !injection.items.is_empty() {
        let names: Vec<&str> = injection.items.iter().map(|item| item.name.as_str()).collect();
        injection.notice = Some(format!("Remora: recalled {}", wrapper::one_line(&names.join(", "))));
    }
}
