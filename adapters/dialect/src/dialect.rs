//! A payload as an event.

use remora_event::{Event, EventKind, Outcome, Tool, key_for_prompt, key_for_tool};
use remora_hook::Payload;
use serde_json::Value;

use crate::{Fields, Prompts, Tools};

/// How one host, or one adapter for several, speaks.
#[derive(Debug)]
pub struct Dialect {
    /// The adapter's id, and the host's unless the adapter says otherwise afterwards.
    pub adapter: &'static str,
    /// The names of a payload's fields.
    pub fields: Fields,
    /// How the person's words are told from the host's.
    pub prompts: Prompts,
    /// What is known of the host's tools.
    pub tools: Tools,
    /// Takes a tool's answer, by the tool's name, out of what the host puts around it.
    pub plain_answer: fn(&str, Value) -> Value,
}

impl Dialect {
    /// Makes the event. Id, time and what the call can take are the caller's.
    pub fn parse(&self, kind: EventKind, payload: &mut Payload) -> Event {
        let fields = &self.fields;
        let session = fields.session(payload);
        let cwd = fields.cwd(payload).unwrap_or_default();
        let mut event = Event::new(kind, String::new(), self.adapter, session, cwd, String::new());
        event.turn = payload.first_text(fields.turn);
        event.agent = fields.agent(payload);
        event.transcript = payload.first_text(fields.transcript);
        event.extra = fields.extra(payload);
        match kind {
            EventKind::SessionStart => event.source = payload.text("source"),
            EventKind::UserPrompt => self.add_prompt(&mut event, payload),
            EventKind::PreToolUse | EventKind::PostToolUse | EventKind::ToolFailure => {
                self.add_tool(&mut event, payload);
            }
            EventKind::PreCompact | EventKind::PostCompact => event.trigger = payload.text("trigger"),
            EventKind::Stop | EventKind::SubagentStop => {
                event.message = fields.message.iter().find_map(|key| payload.take_text(key));
                event.outcome = Some(Outcome::Completed);
            }
            EventKind::SessionEnd => event.reason = payload.text("reason"),
            _ => {}
        }
        event
    }

    fn add_prompt(&self, event: &mut Event, payload: &mut Payload) {
        let source = payload.text("source");
        let text = self.fields.prompt.iter().find_map(|key| payload.take_text(key)).unwrap_or_default();
        if self.prompts.is_synthetic(&text, source.as_deref()) {
            event.extra.insert("synthetic".to_owned(), true.into());
        } else {
            event.prompt = self.prompts.own_words(&text);
        }
        if let Some(source) = source {
            event.extra.insert("prompt_source".to_owned(), source.into());
        }
        event.key = event.turn.as_deref().map(|turn| key_for_prompt(turn, event.agent_id()));
    }

    fn add_tool(&self, event: &mut Event, payload: &mut Payload) {
        let name = payload.text("tool_name").unwrap_or_default();
        let call = payload.text("tool_use_id");
        let input = self.fields.input.iter().find_map(|key| payload.take_unfolded(key)).unwrap_or_default();
        let answer = self.fields.output.iter().find_map(|key| payload.take(key));
        let mut error = self.fields.error.iter().find_map(|key| payload.take_text(key));
        let interrupted = payload.flag("is_interrupt").unwrap_or(false)
            || answer.as_ref().and_then(|answer| answer.get("interrupted")) == Some(&Value::Bool(true));
        let signs = &self.tools.failure;
        let failure = answer.as_ref().and_then(|answer| signs.in_fields(answer));
        let answer = answer.map(|answer| (self.plain_answer)(&name, answer));
        let failure = failure.or_else(|| signs.in_text(answer.as_ref()?));
        if event.event == EventKind::PostToolUse
            && let Some(failure) = failure
        {
            event.event = EventKind::ToolFailure;
            error = error.or(Some(failure));
        }
        event.outcome = match event.event {
            _ if interrupted => Some(Outcome::Interrupted),
            EventKind::ToolFailure => Some(Outcome::Failed),
            EventKind::PostToolUse => signs.otherwise(&name),
            _ => None,
        };
        event.key = call.as_deref().map(|call| key_for_tool(event.event, call, event.agent_id()));
        event.memory_query = self.tools.memory_query(&name, self.fields.mcp(payload), &input);
        event.tool = Some(Tool {
            kind: self.tools.kind(&name, event.memory_query.is_some()),
            paths: self.tools.paths(&name, &input, &event.cwd),
            output: answer.and_then(|answer| self.tools.slim(&name, answer)),
            error,
            duration_ms: self.fields.duration.iter().find_map(|key| payload.number(key)),
            name,
            call,
            input,
        });
    }
}
