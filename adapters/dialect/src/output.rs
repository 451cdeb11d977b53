//! A reply as a hook's output: one JSON object on one line, or nothing.

use remora_event::{Event, EventKind, Reply};
use serde_json::{Map, Value, json};

/// What a host reads of its hooks.
#[derive(Debug)]
pub struct Output {
    /// The host's names of the events at which it takes context for the model. At every other event nothing
    /// is ever printed: text at the end of a turn makes the agent go on, or an error appear.
    pub context: &'static [(EventKind, &'static str)],
    /// Where the context stands.
    pub form: Form,
    /// Hosts that run these hooks as well and read the context from the object itself.
    pub also_plain: &'static [&'static str],
}

/// Where the context stands in a hook's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In `hookSpecificOutput`, with the event's name; what is for the person stands beside it.
    Nested,
    /// In the object itself. Nothing reaches the person.
    Flat,
}

impl Output {
    /// The line to print, if there is anything to say.
    pub fn render(&self, reply: &Reply, event: &Event) -> Option<String> {
        let (_, name) = self.context.iter().find(|(kind, _)| *kind == event.event)?;
        let mut output = Map::new();
        if let Some(context) = reply.context.as_deref().filter(|context| !context.is_empty()) {
            if self.form == Form::Nested {
                let specific = json!({"hookEventName": name, "additionalContext": context});
                output.insert("hookSpecificOutput".to_owned(), specific);
            }
            if self.form == Form::Flat || self.also_plain.contains(&event.host.as_str()) {
                output.insert("additionalContext".to_owned(), context.into());
            }
        }
        let notice = reply.notice.as_deref().filter(|notice| !notice.is_empty() && self.form == Form::Nested);
        if let Some(notice) = notice {
            output.insert("systemMessage".to_owned(), notice.into());
        }
        (!output.is_empty()).then(|| format!("{}\n", Value::Object(output)))
    }
}
