//! Memories put into the two wrappers, each once, as far as the room goes.

use super::budget::Room;
use super::wrapper::{self, Wrapper};
use super::{Given, Injection, Item, tokens_of};
use crate::config::Config;
use crate::memories::Entry;

/// The texts of both wrappers.
#[derive(Debug, Default)]
pub(super) struct Placed {
    guidance: Vec<String>,
    background: Vec<String>,
}

impl Placed {
    /// Puts a memory in, unless the context has it or it does not fit.
    #[expect(clippy::too_many_arguments, reason = "where from, where to, and what for")]
    pub(super) fn add(
        &mut self,
        injection: &mut Injection,
        entry: &Entry,
        step: &'static str,
        score: Option<f64>,
        room: &mut Room,
        config: &Config,
        given: &Given,
    ) {
        let mut item = Item::of(entry, "body", step, "");
        if item.is_given(given) || injection.items.iter().any(|other| other.is_same_memory(&item)) {
            return;
        }
        let text = wrapper::memory(entry, room.part(config.inject.budget.memory));
        if !room.fits(&text) {
            return;
        }
        room.take(&text);
        item.score = score;
        item.tokens = tokens_of(&text);
        injection.items.push(item);
        match Wrapper::of(entry) {
            Wrapper::Guidance => self.guidance.push(text),
            Wrapper::Background => self.background.push(text),
        }
    }

    /// The whole text; empty where nothing was put in.
    pub(super) fn text(&self) -> String {
        Wrapper::Guidance.around(&self.guidance) + &Wrapper::Background.around(&self.background)
    }
}
