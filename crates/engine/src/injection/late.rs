//! Late delivery: what was chosen for a prompt after its hook had to leave rides on the next hook of the same turn and
//! the same agent that can take it, once; a turn without one leaves it to the next prompt, if it is still relevant.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use remora_event::Event;

use super::budget::Room;
use super::checks::Checks;
use super::{Given, Injection, Placed, wrapper};
use crate::config::Config;
use crate::ledger::Context;
use crate::memories::Shelf;

/// Contexts that are waited for; beyond it the ones that waited longest go.
const MOST_CONTEXTS: usize = 1_024;
/// An offer that nobody confirmed is made again after this time.
const OFFER_HOLDS: Duration = Duration::from_secs(60);

/// What waits, by context.
#[derive(Debug, Default)]
pub(crate) struct Late {
    contexts: Mutex<HashMap<Context, Waiting>>,
}

/// What waits for one context's next hook.
#[derive(Debug)]
struct Waiting {
    ticket: String,
    turn: Option<String>,
    /// What the prompt left of its room, in the host's units, and of its memories.
    room: usize,
    memories: usize,
    choices: Vec<LateChoice>,
    /// What was found since of what memories name that were given: a memory's name, and what is to be said.
    said: Vec<(String, String)>,
    since: Instant,
    /// The injection that it was last offered in, and when.
    offered: Option<(String, Instant)>,
}

/// One memory that was chosen too late for its prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LateChoice {
    /// The shelf's id.
    pub(crate) id: String,
    /// selector or lexical.
    pub(crate) step: &'static str,
    /// The score that chose it, if it was chosen by one.
    pub(crate) score: Option<f64>,
}

/// What a hook may hand over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Due {
    ticket: String,
    room: usize,
    memories: usize,
    choices: Vec<LateChoice>,
    said: Vec<(String, String)>,
}

impl Late {
    /// A prompt begins: what was chosen for the one before it and never given comes back. `ticket`: the prompt's own.
    pub(crate) fn begin(&self, event: &Event, ticket: &str) -> Vec<LateChoice> {
        let mut contexts = self.contexts();
        if contexts.len() >= MOST_CONTEXTS
            && let Some(oldest) =
                contexts.iter().min_by_key(|(_, w)| w.since).map(|(context, _)| context.clone())
        {
            contexts.remove(&oldest);
        }
        let fresh = Waiting {
            ticket: ticket.to_owned(),
            turn: event.turn.clone(),
            room: 0,
            memories: 0,
            choices: Vec::new(),
            said: Vec::new(),
            since: Instant::now(),
            offered: None,
        };
        contexts.insert(Context::of(event), fresh).map(|before| before.choices).unwrap_or_default()
    }

    /// How much a prompt has left for what comes later.
    pub(crate) fn leave_room(&self, context: &Context, ticket: &str, room: usize, memories: usize) {
        if let Some(waiting) = self.contexts().get_mut(context).filter(|waiting| waiting.ticket == ticket) {
            (waiting.room, waiting.memories) = (room, memories);
        }
    }

    /// Something was chosen for a prompt. Nothing happens where another prompt came since.
    pub(crate) fn add(&self, context: &Context, ticket: &str, choices: Vec<LateChoice>) {
        let mut contexts = self.contexts();
        let Some(waiting) = contexts.get_mut(context).filter(|waiting| waiting.ticket == ticket) else {
            return;
        };
        for choice in choices {
            if !waiting.choices.iter().any(|known| known.id == choice.id) {
                waiting.choices.push(choice);
                waiting.offered = None;
            }
        }
    }

    /// Something is to be said of a memory that was given.
    pub(crate) fn say(&self, context: &Context, ticket: &str, name: &str, said: String) {
        let mut contexts = self.contexts();
        let Some(waiting) = contexts.get_mut(context).filter(|waiting| waiting.ticket == ticket) else {
            return;
        };
        waiting.said.push((name.to_owned(), said));
        waiting.offered = None;
    }

    /// What may ride on this call: of the same agent, in the same turn, not on its way already.
    pub(crate) fn due(&self, event: &Event) -> Option<Due> {
        let contexts = self.contexts();
        let waiting = contexts.get(&Context::of(event))?;
        let is_same_turn = waiting.turn.is_none() || event.turn.is_none() || waiting.turn == event.turn;
        let is_on_its_way = waiting.offered.as_ref().is_some_and(|(_, when)| when.elapsed() < OFFER_HOLDS);
        let has_memories = waiting.memories > 0 && !waiting.choices.is_empty();
        let is_due = is_same_turn && !is_on_its_way && (has_memories || !waiting.said.is_empty());
        is_due.then(|| Due {
            ticket: waiting.ticket.clone(),
            room: waiting.room,
            memories: waiting.memories,
            choices: waiting.choices.clone(),
            said: waiting.said.clone(),
        })
    }

    /// It leaves with this injection; or, without one, there was nothing to hand over after all.
    pub(crate) fn offered(&self, context: &Context, due: &Due, injection: Option<&str>) {
        let mut contexts = self.contexts();
        let Some(waiting) = contexts.get_mut(context).filter(|waiting| waiting.ticket == due.ticket) else {
            return;
        };
        match injection {
            Some(id) => waiting.offered = Some((id.to_owned(), Instant::now())),
            None => {
                waiting.choices.retain(|choice| !due.choices.contains(choice));
                waiting.said.retain(|said| !due.said.contains(said));
            }
        }
    }

    /// A hook printed an injection: what it carried waits no longer.
    pub(crate) fn confirm(&self, injection: &str) {
        for waiting in self.contexts().values_mut() {
            if waiting.offered.as_ref().is_some_and(|(id, _)| id == injection) {
                waiting.choices.clear();
                waiting.said.clear();
                waiting.offered = None;
            }
        }
    }

    /// The session is over.
    pub(crate) fn forget(&self, event: &Event) {
        self.contexts().retain(|context, _| context.host != event.host || context.session != event.session);
    }

    fn contexts(&self) -> MutexGuard<'_, HashMap<Context, Waiting>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Due {
    /// The shelf's ids of the memories.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.choices.iter().map(|choice| choice.id.as_str())
    }

    pub(super) fn ticket(&self) -> &str {
        &self.ticket
    }
}

/// Fills an injection with what is due; empty where the context has all of it, or none of it fits.
pub(super) fn compose(
    injection: &mut Injection,
    shelf: &Shelf,
    due: &Due,
    event: &Event,
    config: &Config,
    given: &Given,
    checks: &Checks,
) {
    let mut placed = Placed::new(Room::new(due.room, event.budget), config, given, checks);
    for choice in &due.choices {
        let Some(entry) = shelf.entry(&choice.id) else { continue };
        if injection.items.len() < due.memories {
            placed.add(injection, entry, choice.step, choice.score);
        }
    }
    for (name, said) in &due.said {
        let name = wrapper::one_line(name);
        let about = format!("what was found of what {name} names");
        placed.say(injection, "look-up", &about, format!("The memory {name}, given before. {said}\n"));
    }
    injection.text = placed.text();
}

#[cfg(test)]
mod tests {
    use remora_event::{Agent, EventKind};

    use super::*;

    fn event(kind: EventKind, turn: Option<&str>, agent: Option<&str>) -> Event {
        let mut event =
            Event::new(kind, "1".into(), "h", "s".into(), "/p".into(), "2026-11-29T10:00:00Z".into());
        event.turn = turn.map(str::to_owned);
        event.agent = agent.map(|id| Agent { id: id.into(), kind: String::new() });
        event
    }

    fn choice(id: &str) -> LateChoice {
        LateChoice { id: id.into(), step: "selector", score: None }
    }

    fn begun(late: &Late, ticket: &str) -> Context {
        let prompt = event(EventKind::UserPrompt, Some("t1"), None);
        late.begin(&prompt, ticket);
        let context = Context::of(&prompt);
        late.leave_room(&context, ticket, 4_000, 3);
        context
    }

    #[test]
    fn a_choice_rides_on_the_next_call_of_the_same_turn_and_agent() {
        let late = Late::default();
        let context = begun(&late, "one");
        let tool = |turn, agent| event(EventKind::PostToolUse, turn, agent);
        assert_eq!(late.due(&tool(Some("t1"), None)), None, "nothing is chosen yet");
        late.add(&context, "one", vec![choice("a.md")]);
        for (turn, agent, expected) in [
            (Some("t1"), None, true),
            (None, None, true),
            (Some("t2"), None, false),
            (Some("t1"), Some("sub"), false),
        ] {
            assert_eq!(late.due(&tool(turn, agent)).is_some(), expected, "{turn:?} {agent:?}");
        }
    }

    #[test]
    fn it_is_offered_once_and_again_only_where_nobody_confirms() {
        let late = Late::default();
        let context = begun(&late, "one");
        late.add(&context, "one", vec![choice("a.md")]);
        let tool = event(EventKind::PostToolUse, Some("t1"), None);
        let due = late.due(&tool).expect("it is due");
        late.offered(&context, &due, Some("i1"));
        assert_eq!(late.due(&tool), None, "it is on its way");
        let long_ago = Instant::now().checked_sub(OFFER_HOLDS);
        if let Some(waiting) = late.contexts().get_mut(&context) {
            waiting.offered = long_ago.map(|when| ("i1".into(), when));
        }
        assert!(late.due(&tool).is_some(), "nobody confirmed it");
        late.offered(&context, &due, Some("i2"));
        late.confirm("i2");
        assert_eq!(late.due(&tool), None, "it was shown");
        late.add(&context, "one", vec![choice("b.md")]);
        assert!(late.due(&tool).is_some(), "something else was chosen since");
    }

    #[test]
    fn a_choice_for_an_earlier_prompt_is_not_taken_for_this_one() {
        let late = Late::default();
        let context = begun(&late, "one");
        late.add(&context, "one", vec![choice("a.md")]);
        let second = event(EventKind::UserPrompt, Some("t2"), None);
        assert_eq!(late.begin(&second, "two"), [choice("a.md")], "what was never given comes back");
        late.add(&context, "one", vec![choice("b.md")]);
        late.leave_room(&context, "two", 4_000, 5);
        assert_eq!(late.due(&event(EventKind::PostToolUse, Some("t2"), None)), None);
        late.add(&context, "two", vec![choice("c.md")]);
        late.forget(&second);
        assert_eq!(late.due(&event(EventKind::PostToolUse, Some("t2"), None)), None, "the session is over");
    }
}
