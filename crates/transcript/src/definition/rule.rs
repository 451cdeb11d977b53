//! Which event a record makes.

use super::{Fields, Table, conditions};
use crate::condition::Condition;
use crate::error::DefinitionError;
use crate::field::Field;
use crate::path::{At, FieldPath};

/// What a rule makes of a record that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Makes {
    /// What is known of the session from here on, and its start.
    Session,
    /// What the person sent.
    Prompt,
    /// A tool is called; its answer is another record's.
    Call,
    /// The answer to a call.
    Result,
    /// A tool's call with its answer.
    Tool,
    /// What the agent said; the last such text of a turn is its end.
    Message,
    /// The turn is over.
    TurnEnd,
    /// The context was compacted.
    Compaction,
    /// A subagent starts.
    SubagentStart,
    /// A subagent has ended.
    SubagentEnd,
}

const MAKES: [(&str, Makes); 10] = [
    ("session", Makes::Session),
    ("prompt", Makes::Prompt),
    ("call", Makes::Call),
    ("result", Makes::Result),
    ("tool", Makes::Tool),
    ("message", Makes::Message),
    ("turn_end", Makes::TurnEnd),
    ("compaction", Makes::Compaction),
    ("subagent_start", Makes::SubagentStart),
    ("subagent_end", Makes::SubagentEnd),
];

/// One rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) makes: Makes,
    /// All of these must hold.
    when: Vec<Condition>,
    /// None of these may hold.
    unless: Vec<Condition>,
    /// The items of the record that it is about, each by itself.
    each: Option<FieldPath>,
    /// What the rule knows better than the record at large.
    pub(crate) fields: Fields,
    pub(crate) text: Option<Field>,
    pub(crate) name: Option<Field>,
    pub(crate) call: Option<Field>,
    pub(crate) input: Option<Field>,
    pub(crate) output: Option<Field>,
    pub(crate) error: Option<Field>,
    pub(crate) duration: Option<Field>,
    /// A start's source, a compaction's trigger.
    pub(crate) reason: Option<Field>,
    /// Any of these says that it failed.
    pub(crate) failed: Vec<Condition>,
    /// Any of these says that it was interrupted.
    pub(crate) interrupted: Vec<Condition>,
}

impl Rule {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, DefinitionError> {
        let own = [
            "event",
            "when",
            "unless",
            "each",
            "text",
            "name",
            "call",
            "input",
            "output",
            "error",
            "duration",
            "reason",
            "failed",
            "interrupted",
        ];
        table.only(&[own.as_slice(), &Fields::KEYS].concat())?;
        let words = MAKES.map(|(word, _)| word);
        let word = table
            .word("event", &words)?
            .ok_or_else(|| table.error("event", format!("is missing; allowed are {}", words.join(", "))))?;
        let makes =
            MAKES.iter().find(|(known, _)| *known == word).map_or(Makes::Session, |(_, makes)| *makes);
        let rule = Self {
            makes,
            when: conditions(table, "when")?,
            unless: conditions(table, "unless")?,
            each: table.path("each")?,
            fields: Fields::among(table)?,
            text: Field::read(table, "text")?,
            name: Field::read(table, "name")?,
            call: Field::read(table, "call")?,
            input: Field::read(table, "input")?,
            output: Field::read(table, "output")?,
            error: Field::read(table, "error")?,
            duration: Field::read(table, "duration")?,
            reason: Field::read(table, "reason")?,
            failed: conditions(table, "failed")?,
            interrupted: conditions(table, "interrupted")?,
        };
        let needed: &[(&str, bool)] = match makes {
            Makes::Prompt | Makes::Message => &[("text", rule.text.is_some())],
            Makes::Call => &[("name", rule.name.is_some()), ("call", rule.call.is_some())],
            Makes::Result => &[("call", rule.call.is_some())],
            Makes::Tool => &[("name", rule.name.is_some())],
            Makes::SubagentStart | Makes::SubagentEnd => &[("agent", rule.fields.agent.is_some())],
            Makes::Session | Makes::TurnEnd | Makes::Compaction => &[],
        };
        match needed.iter().find(|(_, is_there)| !is_there) {
            Some((key, _)) => Err(table.error(key, format!("is missing: the event {word} needs it"))),
            None => Ok(rule),
        }
    }

    /// Hands over each part of the record that the rule is about, with its place.
    pub(crate) fn visit(&self, record: &serde_json::Value, mut about: impl FnMut(At<'_>, usize)) {
        let mut place = 0;
        let mut look = |item: &serde_json::Value| {
            let at = At { record, item };
            if self.when.iter().all(|condition| condition.holds(at))
                && !self.unless.iter().any(|condition| condition.holds(at))
            {
                about(at, place);
            }
            place += 1;
            false
        };
        match &self.each {
            None => drop(look(record)),
            Some(path) => drop(path.visit(At { record, item: record }, &mut look)),
        }
    }
}
