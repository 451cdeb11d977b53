//! What records tell, as events: calls meet their answers, the last word of a turn becomes its end.

mod open;

use std::sync::Arc;

use remora_event::{Agent, Event, EventKind, Outcome, Tool, Via, key_for_prompt, key_for_tool};
use serde_json::Value;

use crate::definition::{Definition, Makes, Rule};
use crate::field::{Field, text_of};
use crate::find::Source;
use crate::folders::Folders;
use crate::mark::short_digest;
use crate::moment;
use crate::path::At;
use crate::place::Facts;
use crate::tools::Tools;
pub(crate) use open::Held;
use open::{Call, Open, Said};

/// At most so much of what went wrong is taken out of an answer, in characters.
const ERROR: usize = 1_000;

/// Makes events of records, one after the other.
pub(crate) struct Telling {
    definition: Arc<Definition>,
    source: Source,
    facts: Facts,
    open: Open,
    events: Vec<Event>,
    folders: Arc<Folders>,
}

/// One part of one record, with what it says of itself.
struct Part<'a> {
    at: At<'a>,
    rule: &'a Rule,
    identity: String,
    /// Where the record begins, and what was known there.
    held: &'a Held,
    facts: Facts,
}

impl Telling {
    pub(crate) fn new(definition: Arc<Definition>, source: Source, facts: Facts) -> Self {
        let folders = Arc::default();
        Self { definition, source, facts, open: Open::default(), events: Vec::new(), folders }
    }

    /// Takes in which folders are known.
    pub(crate) fn know(&mut self, folders: Arc<Folders>) {
        self.folders = folders;
    }

    /// What is known after the records so far.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The earliest record of which something is still to be told.
    pub(crate) fn held(&self) -> Option<&Held> {
        self.open.first()
    }

    /// The events so far, which are then the caller's.
    pub(crate) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// How many events wait to be taken.
    pub(crate) fn waiting(&self) -> usize {
        self.events.len()
    }

    /// Takes in one record, which begins at `offset`. `bytes`: as it stands in the source.
    pub(crate) fn hear(&mut self, record: &Value, bytes: &[u8], offset: u64) {
        let held = Held { offset, facts: self.facts.clone() };
        let chain = short_digest(&[self.facts.chain.as_bytes(), bytes]);
        let at = At { record, item: record };
        let definition = Arc::clone(&self.definition);
        if !definition.skip.iter().any(|condition| condition.holds(at)) {
            let said = definition.fields.id.as_ref().and_then(|id| id.text(at));
            let identity = said.unwrap_or_else(|| chain.clone());
            let folders = Arc::clone(&self.folders);
            let facts = self.facts.told_at(&definition.fields, at, &folders);
            self.note(&facts);
            for rule in &definition.rules {
                rule.visit(record, |at, place| {
                    let own = rule.fields.id.as_ref().and_then(|id| id.text(at));
                    let identity = own.unwrap_or_else(|| format!("{identity}/{place}"));
                    let facts = facts.told_at(&rule.fields, at, &folders);
                    self.tell(&Part { at, rule, identity, held: &held, facts });
                });
            }
        }
        self.facts.chain = chain;
    }

    /// The source has come to its end and nobody writes it any more: what is open ends.
    pub(crate) fn end(&mut self) {
        for call in self.open.take_calls(None) {
            self.tell_call(call, None);
        }
        for said in self.open.take_said(None) {
            self.tell_end(said);
        }
    }

    /// What has been open over more than `bytes` ends, so that a place in the source moves on.
    pub(crate) fn end_before(&mut self, offset: u64) {
        for call in self.open.take_calls_before(offset) {
            self.tell_call(call, None);
        }
        for said in self.open.take_said_before(offset) {
            self.tell_end(said);
        }
    }

    /// What holds for all that follows.
    fn note(&mut self, facts: &Facts) {
        let known = std::mem::take(&mut self.facts);
        // Whose transcript it is was said once; of records that name an agent each speaks for itself.
        let agent = match (known.agent, &facts.agent) {
            (Some(known), Some(told)) if known.id == told.id => Some(told.clone()),
            (None, Some(told)) if self.source.agent.as_ref() == Some(&told.id) => Some(told.clone()),
            (known, _) => known,
        };
        let Facts { turn, prompts, start, start_at, started, chain, .. } = known;
        self.facts = Facts { agent, turn, prompts, start, start_at, started, chain, ..facts.clone() };
    }

    fn tell(&mut self, part: &Part<'_>) {
        let (rule, at) = (part.rule, part.at);
        let text = |field: &Option<Field>| field.as_ref().and_then(|field| field.text(at));
        match rule.makes {
            Makes::Session => {
                self.note(&part.facts);
                self.facts.agent.clone_from(&part.facts.agent);
                if self.facts.start.is_none() && !self.facts.started {
                    self.facts.start = Some(text(&rule.reason).unwrap_or_else(|| "startup".to_owned()));
                    self.facts.start_at.clone_from(&part.facts.at);
                }
            }
            Makes::Prompt => self.tell_prompt(part, text(&rule.text)),
            Makes::Call => {
                let (Some(name), Some(id)) = (text(&rule.name), text(&rule.call)) else { return };
                let input = rule.input.as_ref().and_then(|input| input.unfolded(at)).unwrap_or_default();
                self.open.call(Call {
                    id: Some(id),
                    name,
                    input,
                    identity: part.identity.clone(),
                    facts: part.facts.clone(),
                    held: part.held.clone(),
                });
            }
            Makes::Result => {
                let Some(id) = text(&rule.call) else { return };
                // An answer whose call is not known says nothing that could be found.
                let Some(call) = self.open.answered(&id) else { return };
                self.tell_call(call, Some(part));
            }
            Makes::Tool => {
                let Some(name) = text(&rule.name) else { return };
                let call = Call {
                    id: text(&rule.call),
                    name,
                    input: rule.input.as_ref().and_then(|input| input.unfolded(at)).unwrap_or_default(),
                    identity: part.identity.clone(),
                    facts: part.facts.clone(),
                    held: part.held.clone(),
                };
                self.tell_call(call, Some(part));
            }
            Makes::Message => {
                let Some(said) = text(&rule.text) else { return };
                self.open.said(Said {
                    text: said,
                    outcome: outcome_of(part),
                    identity: part.identity.clone(),
                    facts: part.facts.clone(),
                    held: part.held.clone(),
                });
            }
            Makes::TurnEnd => self.tell_turn_end(part, text(&rule.text)),
            Makes::Compaction => {
                let mut event =
                    self.event(EventKind::PostCompact, &part.facts, &["compaction", &part.identity]);
                event.trigger = text(&rule.reason);
                self.push(event);
            }
            Makes::SubagentStart => {
                let event =
                    self.event(EventKind::SubagentStart, &part.facts, &["subagent_start", &part.identity]);
                self.push(event);
            }
            Makes::SubagentEnd => {
                let mut event =
                    self.event(EventKind::SubagentStop, &part.facts, &["subagent_end", &part.identity]);
                event.message = text(&rule.text);
                event.outcome = Some(outcome_of(part).unwrap_or(Outcome::Completed));
                self.push(event);
            }
        }
    }

    fn tell_prompt(&mut self, part: &Part<'_>, text: Option<String>) {
        let Some(text) = text else { return };
        let words = self.definition.prompts.own_words(&text);
        if words.is_none() && !self.definition.prompts.is_synthetic(&text) {
            return;
        }
        let agent = part.facts.agent.as_ref().map(|agent| agent.id.as_str());
        // Whoever speaks now has seen the end of what was before.
        for call in self.open.take_calls(Some(agent)) {
            self.tell_call(call, None);
        }
        for said in self.open.take_said(Some(agent)) {
            self.tell_end(said);
        }
        let mut facts = part.facts.clone();
        let named = part.rule.fields.turn.as_ref().or(self.definition.fields.turn.as_ref());
        let id = named.and_then(|turn| turn.text(part.at));
        if agent.is_none() && words.is_some() {
            self.facts.prompts += 1;
            facts.prompts = self.facts.prompts;
        }
        facts.turn = id.clone().or_else(|| (facts.prompts > 0).then(|| facts.prompts.to_string()));
        self.facts.turn.clone_from(&facts.turn);
        // A turn that the host began is one, without a prompt of the person's.
        let Some(words) = words else { return };
        let mut event = self.event(EventKind::UserPrompt, &facts, &["prompt", &part.identity]);
        event.prompt = Some(words);
        event.key = id.map(|id| key_for_prompt(&id, event.agent_id()));
        self.push(event);
    }

    /// A call with its answer, or one that has none.
    fn tell_call(&mut self, call: Call, answer: Option<&Part<'_>>) {
        let definition = Arc::clone(&self.definition);
        let tools = &definition.tools;
        let name = tools.name(&call.name);
        let kind = tools.kind(&name);
        let mut facts = call.facts;
        if let Some(answer) = answer {
            facts.at.clone_from(&answer.facts.at);
        }
        let cwd = facts.cwd.clone().unwrap_or_default();
        let (mut failed, mut interrupted) = (false, answer.is_none());
        let (mut output, mut error, mut duration) = (None, None, None);
        if let Some(Part { at, rule, .. }) = answer {
            output = rule.output.as_ref().and_then(|output| output.value(*at));
            error = rule.error.as_ref().and_then(|error| error.text(*at));
            failed = error.is_some() || rule.failed.iter().any(|condition| condition.holds(*at));
            interrupted = rule.interrupted.iter().any(|condition| condition.holds(*at));
            duration = rule.duration.as_ref().and_then(|duration| duration.number(*at));
        }
        // What a model read is a text, whatever parts it came in.
        let output = output.map(|output| text_of(&output).map_or(output, Value::String));
        let mut output = output.filter(|output| output.as_str() != Some(""));
        // Of a failure the answer says what went wrong.
        if failed && error.is_none() {
            let said = output.take_if(|output| output.as_str().is_none_or(|said| said.len() <= ERROR));
            let said = said.as_ref().or(output.as_ref()).and_then(Value::as_str).unwrap_or("it failed");
            error = Some(said.trim().chars().take(ERROR).collect());
        }
        let event_kind = if failed { EventKind::ToolFailure } else { EventKind::PostToolUse };
        let what = call.id.as_deref().unwrap_or(&call.identity);
        let mut event = self.event(event_kind, &facts, &["tool", what]);
        if !self.definition.own_calls {
            event.key = call.id.as_deref().map(|id| key_for_tool(event_kind, id, event.agent_id()));
        }
        event.outcome = Some(match (interrupted, failed) {
            (true, _) => Outcome::Interrupted,
            (false, true) => Outcome::Failed,
            (false, false) => Outcome::Completed,
        });
        let input = Tools::plain_input(kind, call.input);
        event.tool = Some(Tool {
            paths: tools.paths(kind, &input, &cwd),
            name,
            call: call.id,
            input,
            output,
            error,
            duration_ms: duration,
            kind,
        });
        self.push(event);
    }

    fn tell_turn_end(&mut self, part: &Part<'_>, text: Option<String>) {
        let agent = part.facts.agent.as_ref().map(|agent| agent.id.as_str());
        for call in self.open.take_calls(Some(agent)) {
            self.tell_call(call, None);
        }
        let last = self.open.take_said(Some(agent)).pop();
        let outcome = outcome_of(part);
        let said = match (text, last) {
            (Some(text), last) => Said {
                text,
                outcome,
                identity: last.map_or_else(|| part.identity.clone(), |said| said.identity),
                facts: part.facts.clone(),
                held: part.held.clone(),
            },
            (None, Some(mut said)) => {
                said.outcome = outcome.or(said.outcome);
                said
            }
            (None, None) => return,
        };
        self.tell_end(said);
    }

    /// The end of a turn, or of a subagent.
    fn tell_end(&mut self, said: Said) {
        let kind = if said.facts.agent.is_some() { EventKind::SubagentStop } else { EventKind::Stop };
        let mut event = self.event(kind, &said.facts, &["end", &said.identity]);
        event.outcome = Some(said.outcome.unwrap_or(Outcome::Completed));
        event.message = Some(said.text);
        self.push(event);
    }

    /// An event of this session. `what`: which of its happenings; the same makes the same id.
    fn event(&self, kind: EventKind, facts: &Facts, what: &[&str]) -> Event {
        let session = facts.session.clone().or_else(|| self.source.session.clone()).unwrap_or_default();
        let agent = facts
            .agent
            .clone()
            .or_else(|| self.source.agent.clone().map(|id| Agent { id, kind: String::new() }));
        let host = &self.definition.host;
        let whose = if self.definition.shared_ids { "" } else { session.as_str() };
        let agent_id = agent.as_ref().map_or("-", |agent| agent.id.as_str());
        let mut parts: Vec<&[u8]> = vec![host.as_bytes(), whose.as_bytes(), agent_id.as_bytes()];
        parts.extend(what.iter().map(|part| part.as_bytes()));
        let id = uuid(&short_digest(&parts));
        let at = facts.at.clone().unwrap_or_else(|| moment::of_millis(self.source.modified_ms));
        let cwd = facts.cwd.clone().unwrap_or_default();
        let mut event = Event::new(kind, id, host, session, cwd, at);
        event.via = Via::Transcript;
        event.host_version.clone_from(&facts.version);
        event.parent_session.clone_from(&facts.parent);
        event.agent = agent;
        event.turn.clone_from(&facts.turn);
        event
    }

    fn push(&mut self, event: Event) {
        // A session of which nothing else is told was none.
        if let Some(source) = self.facts.start.take() {
            self.facts.started = true;
            let at = self.facts.start_at.take().or_else(|| Some(event.at.clone()));
            let facts = Facts { at, turn: None, ..self.facts.clone() };
            let mut start = self.event(EventKind::SessionStart, &facts, &["start", &source]);
            start.source = Some(source);
            if start.agent.is_none() {
                self.events.push(start);
            }
        }
        self.events.push(event);
    }
}

fn outcome_of(part: &Part<'_>) -> Option<Outcome> {
    let any = |conditions: &[crate::condition::Condition]| conditions.iter().any(|one| one.holds(part.at));
    if any(&part.rule.interrupted) {
        return Some(Outcome::Interrupted);
    }
    any(&part.rule.failed).then_some(Outcome::Failed)
}

/// A digest in the form of a UUID of version 8.
fn uuid(digest: &str) -> String {
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
