//! What was begun and has not come to its end: calls without an answer, and the last words of a turn.

use remora_event::Outcome;
use serde_json::Value;

use crate::place::Facts;

/// At most so many calls wait for their answers; the oldest is given up.
const CALLS: usize = 256;

/// At most so many agents have a last word in one transcript.
const AGENTS: usize = 64;

/// Where a record begins, and what was known there: from here it can be read again.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) offset: u64,
    pub(crate) facts: Facts,
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) identity: String,
    pub(super) facts: Facts,
    pub(super) held: Held,
}

/// What an agent said last.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) outcome: Option<Outcome>,
    pub(super) identity: String,
    pub(super) facts: Facts,
    pub(super) held: Held,
}

/// All that is open.
#[derive(Debug, Default)]
pub(super) struct Open {
    calls: Vec<Call>,
    said: Vec<Said>,
}

impl Open {
    pub(super) fn call(&mut self, call: Call) {
        self.calls.retain(|known| known.id != call.id);
        if self.calls.len() >= CALLS {
            self.calls.remove(0);
        }
        self.calls.push(call);
    }

    /// The call that is answered.
    pub(super) fn answered(&mut self, id: &str) -> Option<Call> {
        let place = self.calls.iter().position(|call| call.id.as_deref() == Some(id))?;
        Some(self.calls.remove(place))
    }

    /// The last words of an agent replace those before them.
    pub(super) fn said(&mut self, said: Said) {
        let agent = agent(&said.facts).map(str::to_owned);
        self.said.retain(|known| self::agent(&known.facts) != agent.as_deref());
        if self.said.len() >= AGENTS {
            self.said.remove(0);
        }
        self.said.push(said);
    }

    /// The earliest record that is needed again.
    pub(super) fn first(&self) -> Option<&Held> {
        let calls = self.calls.iter().map(|call| &call.held);
        calls.chain(self.said.iter().map(|said| &said.held)).min_by_key(|held| held.offset)
    }

    /// Takes the calls of an agent (`Some(None)`: of the main agent), or all.
    pub(super) fn take_calls(&mut self, of: Option<Option<&str>>) -> Vec<Call> {
        self.calls.extract_if(.., |call| of.is_none_or(|agent| self::agent(&call.facts) == agent)).collect()
    }

    /// The same of last words.
    pub(super) fn take_said(&mut self, of: Option<Option<&str>>) -> Vec<Said> {
        self.said.extract_if(.., |said| of.is_none_or(|agent| self::agent(&said.facts) == agent)).collect()
    }

    /// Takes the calls that stand before a place.
    pub(super) fn take_calls_before(&mut self, offset: u64) -> Vec<Call> {
        self.calls.extract_if(.., |call| call.held.offset < offset).collect()
    }

    /// The same of last words.
    pub(super) fn take_said_before(&mut self, offset: u64) -> Vec<Said> {
        self.said.extract_if(.., |said| said.held.offset < offset).collect()
    }
}

fn agent(facts: &Facts) -> Option<&str> {
    facts.agent.as_ref().map(|agent| agent.id.as_str())
}
