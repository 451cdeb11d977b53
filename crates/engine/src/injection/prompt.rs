//! What a prompt gets: at most five memories that will clearly help; when unsure, none.

use remora_event::Event;
use remora_recall::{Options, Query};

use super::budget::Room;
use super::checks::Checks;
use super::disagreement::Disagreement;
use super::late::LateChoice;
use super::wrapper;
use super::{Choice, Injection, Item, Placed, tool_document};
use crate::config::{Config, Notice};
use crate::ledger::Given;
use crate::memories::Shelf;
use crate::selector::MOST;

/// What was chosen for an earlier prompt is still relevant where words alone are so sure of it, or surer: below what
/// they need to choose it, above what everything is worth that shares a word.
const STILL_RELEVANT: f32 = 0.4;

/// What words alone say to a prompt.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// What they are sure of.
    pub(super) sure: Vec<LateChoice>,
    /// What else they would think of.
    near: Vec<String>,
    pub(super) choice: Choice,
}

/// The ids of the memories that this context has whole, as they are now.
pub(super) fn already_given(shelf: &Shelf, given: &Given) -> Vec<String> {
    if given.is_empty() {
        return Vec::new();
    }
    shelf
        .ids()
        .filter(|(_, entry)| Item::of(entry, "body", "lexical", "").is_given(given))
        .map(|(id, _)| id.to_owned())
        .collect()
}

/// Lexical recall for a prompt. `tools`: what the model has just used, asked for only where it matters.
pub(super) fn by_words(
    shelf: &Shelf,
    prompt: &str,
    given: &Given,
    tools: impl FnOnce() -> Vec<String>,
) -> Words {
    let already = already_given(shelf, given);
    let offered = shelf.recallable().saturating_sub(already.len());
    let query = Query::new(prompt).without(already);
    let outcome = shelf.corpus().recall(&query, &Options { limit: MOST, ..Options::default() });
    let mut sure: Vec<LateChoice> = outcome
        .ranked
        .iter()
        .map(|hit| LateChoice { id: hit.id.clone(), step: "lexical", score: Some(f64::from(hit.confidence)) })
        .collect();
    let before = sure.len();
    if sure.iter().filter_map(|hit| shelf.entry(&hit.id)).any(tool_document::is_document) {
        let tools = tools();
        sure.retain(|hit| shelf.entry(&hit.id).is_some_and(|entry| !tool_document::explains(entry, &tools)));
    }
    let left_out = before - sure.len();
    let near = outcome.left_out.iter().filter(|hit| hit.confidence >= STILL_RELEVANT);
    Words {
        near: near.map(|hit| hit.id.clone()).collect(),
        choice: Choice {
            note: if left_out > 0 { format!("{left_out} that explain a tool in use") } else { String::new() },
            ..Choice::new("lexical", offered, sure.len())
        },
        sure,
    }
}

impl Words {
    /// What a prompt is given: what words are sure of, and of what was chosen for the prompt before it and never given,
    /// what they still see a relation to.
    pub(super) fn with(&self, earlier: Vec<LateChoice>) -> Vec<LateChoice> {
        let earlier = earlier.into_iter().filter(|choice| self.near.contains(&choice.id));
        self.sure.iter().cloned().chain(earlier).take(MOST).collect()
    }
}

/// What a prompt is given, and where it contradicts itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) chosen: &'a [LateChoice],
    pub(super) disagreements: &'a [Disagreement],
}

/// Fills the injection for a prompt.
pub(super) fn compose(
    injection: &mut Injection,
    shelf: &Shelf,
    choice: Chosen<'_>,
    event: &Event,
    config: &Config,
    given: &Given,
    checks: &Checks,
) {
    let mut placed = Placed::new(Room::new(config.inject.budget.prompt, event.budget), config, given, checks);
    let has = |injection: &Injection, id: &String| {
        let item = shelf.entry(id).map(|entry| Item::of(entry, "body", "lexical", ""));
        item.is_some_and(|item| {
            item.is_given(given) || injection.items.iter().any(|other| other.is_same_memory(&item))
        })
    };
    for chosen in choice.chosen.iter().take(MOST) {
        let Some(entry) = shelf.entry(&chosen.id) else { continue };
        placed.add(injection, entry, chosen.step, chosen.score);
    }
    for two in choice.disagreements {
        if two.ids.iter().all(|id| has(injection, id)) {
            placed.say(injection, "disagreement", "two memories that disagree", format!("{}\n", two.line));
        }
    }
    injection.text = placed.text();
    if config.notice == Notice::Always && !injection.items.is_empty() {
        let names: Vec<&str> = injection.items.iter().map(|item| item.name.as_str()).collect();
        injection.notice = Some(format!("Remora: recalled {}", wrapper::one_line(&names.join(", "))));
    }
}
