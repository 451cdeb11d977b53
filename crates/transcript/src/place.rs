//! How far a transcript was read, and what was known there.

use remora_event::Agent;
use serde::{Deserialize, Serialize};

use crate::definition::Fields;
use crate::field::Field;
use crate::find::Source;
use crate::folders::Folders;
use crate::mark::Mark;
use crate::moment;
use crate::path::At;

/// A place in a transcript from which everything can be read that made no event yet. It holds names, times and
/// digests, never a text of the transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Bytes of a file, rows of a database.
    pub(crate) offset: u64,
    pub(crate) mark: Mark,
    pub(crate) facts: Facts,
    /// How the source was when all of it had been read; empty before.
    pub(crate) done: String,
}

/// What records said of all that follow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Facts {
    pub(crate) session: Option<String>,
    pub(crate) parent: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) agent: Option<Agent>,
    /// The turn's id where records have one, else the number of prompts so far.
    pub(crate) turn: Option<String>,
    pub(crate) prompts: u64,
    /// When the last record was written, RFC 3339.
    pub(crate) at: Option<String>,
    /// Why the session started, once that was told and made no event yet.
    pub(crate) start: Option<String>,
    pub(crate) start_at: Option<String>,
    /// That it started was told: hosts write the same again when they go on.
    pub(crate) started: bool,
    /// A digest of all records so far: it tells records from each other that have no ids.
    pub(crate) chain: String,
}

impl Place {
    /// Whether there is nothing new in a source since it was read to its end.
    pub fn is_end_of(&self, source: &Source) -> bool {
        !self.done.is_empty() && self.done == source.changed
    }

    /// How far it is, in the source's own measure.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl Facts {
    /// What is known at a part of a record: what it says itself, else what was said before.
    pub(crate) fn told_at(&self, fields: &Fields, at: At<'_>, folders: &Folders) -> Self {
        let said = |field: &Option<Field>| field.as_ref().and_then(|field| field.text(at));
        let mut facts = self.clone();
        let keep = |into: &mut Option<String>, said: Option<String>| *into = said.or(into.take());
        keep(&mut facts.session, said(&fields.session));
        keep(&mut facts.parent, said(&fields.parent));
        keep(&mut facts.cwd, said(&fields.cwd));
        if facts.cwd.is_none()
            && let Some(digest) = said(&fields.cwd_digest)
        {
            facts.cwd = folders.with_digest(&digest).map(str::to_owned);
        }
        keep(&mut facts.version, said(&fields.version));
        keep(&mut facts.turn, said(&fields.turn));
        let moment = fields.at.as_ref().and_then(|field| field.value(at)).as_ref().and_then(moment::rfc3339);
        keep(&mut facts.at, moment);
        if let Some(id) = said(&fields.agent) {
            let kind = said(&fields.agent_kind);
            let known = facts.agent.take().filter(|agent| agent.id == id).map(|agent| agent.kind);
            facts.agent = Some(Agent { id, kind: kind.or(known).unwrap_or_default() });
        } else if let (Some(kind), Some(agent)) = (said(&fields.agent_kind), &mut facts.agent) {
            agent.kind = kind;
        }
        facts
    }
}
