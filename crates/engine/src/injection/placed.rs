//! Memories put into the two wrappers, each once, as far as the room goes.

use super::budget::Room;
use super::checks::Checks;
use super::wrapper::{self, Wrapper};
use super::{Given, Injection, Item, tokens_of};
use crate::config::Config;
use crate::memories::Entry;

/// The texts of both wrappers.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    room: Room,
    config: &'a Config,
    given: &'a Given,
    checks: &'a Checks,
    guidance: Vec<String>,
    background: Vec<String>,
}

impl<'a> Placed<'a> {
    /// Nothing yet. `room`: for both wrappers and what is in them. `given`: what the context has. `checks`: what was
    /// found of what memories name.
    pub(super) fn new(room: Room, config: &'a Config, given: &'a Given, checks: &'a Checks) -> Self {
        let room = room.part(room.left().saturating_sub(Wrapper::costs(room)));
        Self { room, config, given, checks, guidance: Vec::new(), background: Vec::new() }
    }

    /// Puts a memory in, unless the context has it or it does not fit.
    pub(super) fn add(
        &mut self,
        injection: &mut Injection,
        entry: &Entry,
        step: &'static str,
        score: Option<f64>,
    ) {
        let mut item = Item::of(entry, "body", step, "");
        if item.is_given(self.given) || injection.items.iter().any(|other| other.is_same_memory(&item)) {
            return;
        }
        let found = self.checks.line(entry);
        let text = wrapper::memory_with(
            entry,
            self.room.part_in_wrapper(self.config.inject.budget.memory),
            found.as_deref(),
        );
        if !self.room.fits_in_wrapper(&text) {
            return;
        }
        self.room.take_in_wrapper(&text);
        item.score = score;
        item.tokens = tokens_of(&text);
        injection.items.push(item);
        match Wrapper::of(entry) {
            Wrapper::Guidance => self.guidance.push(text),
            Wrapper::Background => self.background.push(text),
        }
    }

    /// Puts a line of our own in. `file` and `name`: what the ledger says of it.
    pub(super) fn say(&mut self, injection: &mut Injection, file: &str, name: &str, text: String) {
        if !self.room.fits_in_wrapper(&text) {
            return;
        }
        self.room.take_in_wrapper(&text);
        injection.items.push(Item::own("point", (file, name), &text, String::new()));
        self.background.push(text);
    }

    /// The whole text; empty where nothing was put in.
    pub(super) fn text(&self) -> String {
        Wrapper::Guidance.around(&self.guidance) + &Wrapper::Background.around(&self.background)
    }
}
