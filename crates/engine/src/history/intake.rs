//! Events of transcripts brought into the journal: made safe, held against the person's settings, matched with what
//! hooks told, in commits so small that no live event waits for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use remora_event::{Event, EventKind};
use serde::Serialize;

use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::complaint::Attempt;
use crate::journal::{self, Appended, NewEvent, Observation, SessionRow, transcripts};
use crate::recording::Recording;

/// So many events share a commit: a live event waits for one such at most.
const TOGETHER: usize = 32;

/// Which events are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Only {
    /// What happened before is not. Milliseconds since 1970.
    pub(crate) since: Option<i64>,
    /// What belongs to another project is not, by slug.
    pub(crate) project: Option<String>,
}

impl Only {
    /// Whether everything is wanted.
    pub(crate) fn is_all(&self) -> bool {
        self.since.is_none() && self.project.is_none()
    }
}

/// What became of events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Tally {
    /// The sessions of which something is new: their ids.
    pub(crate) sessions: BTreeSet<String>,
    pub(crate) prompts: u64,
    pub(crate) tool_uses: u64,
    /// Ends of turns, starts, compactions.
    pub(crate) others: u64,
    /// How many the journal had already, told by hooks or read before.
    pub(crate) already: u64,
    /// How many are left out, by the reason.
    pub(crate) left_out: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub(crate) fn leave_out(&mut self, why: &'static str, count: u64) {
        if count > 0 {
            *self.left_out.entry(why).or_default() += count;
        }
    }

    fn note(&mut self, new: &NewEvent, appended: &Appended) {
        match appended {
            Appended::New { .. } => {
                self.sessions.insert(new.event.session.clone());
                match new.event.event {
                    EventKind::UserPrompt => self.prompts += 1,
                    EventKind::PostToolUse | EventKind::ToolFailure => self.tool_uses += 1,
                    _ => self.others += 1,
                }
            }
            Appended::Resend | Appended::SeenAlso { .. } | Appended::Ahead { .. } => self.already += 1,
            Appended::Not => {}
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.sessions.extend(other.sessions);
        self.prompts += other.prompts;
        self.tool_uses += other.tool_uses;
        self.others += other.others;
        self.already += other.already;
        for (why, count) in other.left_out {
            self.leave_out(why, count);
        }
    }
}

impl Engine {
    /// Brings events of a transcript into the journal, in their order. A try changes nothing.
    pub(super) async fn take_history(
        self: &Arc<Self>,
        events: Vec<Event>,
        only: &Only,
        dry_run: bool,
    ) -> Result<Tally, EngineError> {
        let mut rows: HashMap<String, Option<Arc<SessionRow>>> = HashMap::new();
        let mut with_rows = Vec::with_capacity(events.len());
        for event in events {
            let row = match rows.get(&event.session) {
                Some(row) => row.clone(),
                None => {
                    let row = self.session_in_history(&event).await?;
                    rows.insert(event.session.clone(), row.clone());
                    row
                }
            };
            with_rows.push((event, row));
        }
        let (engine, only) = (Arc::clone(self), only.clone());
        let prepared = blocking(move || Ok(engine.prepared(with_rows, &only))).await?;
        let mut tally = prepared.tally;
        let mut new = prepared.events;
        while !new.is_empty() {
            let rest = new.split_off(new.len().min(TOGETHER));
            let chunk = std::mem::replace(&mut new, rest);
            let outcome =
                self.journal().write(move |connection| append_all(connection, &chunk, dry_run)).await?;
            tally.add(outcome);
        }
        if !dry_run {
            self.wake_indexer();
        }
        Ok(tally)
    }

    /// The session's project: as the journal knows it, else by the directory.
    async fn session_in_history(
        self: &Arc<Self>,
        event: &Event,
    ) -> Result<Option<Arc<SessionRow>>, EngineError> {
        if let Some(known) = self.known_session(&event.host, &event.session).await? {
            return Ok(Some(known));
        }
        let project = match self.history().known_directory(&event.cwd) {
            Some(known) => known,
            None => {
                let found = self.project_of(Path::new(&event.cwd)).await?;
                // Folders are made for what is worked on, not for what is gone.
                if let Some(project) = found.as_ref().filter(|project| project.root.is_dir()) {
                    self.open_project(project).await;
                }
                let found = found.map(|project| (project.slug, project.root));
                self.history().note_directory(&event.cwd, found.clone());
                found
            }
        };
        Ok(project
            .map(|(slug, root)| Arc::new(SessionRow { slug, path: root.to_string_lossy().into_owned() })))
    }

    /// Why an event does not come into the journal, if it does not. Blocks.
    fn why_not(&self, event: &Event, row: Option<&SessionRow>, only: &Only) -> Option<&'static str> {
        let slug = row.map(|row| row.slug.as_str());
        let at = clock::millis_of(&event.at).unwrap_or_else(clock::now_millis);
        let config = self.config();
        let is_own = || Path::new(&event.cwd).starts_with(self.root().path());
        if event.session.is_empty() {
            return Some("without_session");
        }
        // Of a host that says only a folder's digest, what ran in an unknown folder would belong to nothing.
        let is_nowhere = event.cwd.is_empty() && row.is_none();
        if is_nowhere && self.history().definition(&event.host).is_some_and(|one| one.wants_folders()) {
            return Some("without_folder");
        }
        if self.profile(&event.host).ignores(&event.cwd) || is_own() {
            return Some("not_work");
        }
        if only.project.as_deref().is_some_and(|wanted| slug != Some(wanted)) {
            return Some("other_project");
        }
        if only.since.is_some_and(|since| at < since) {
            return Some("older");
        }
        let kept = config.journal.keep.map(|keep| i64::try_from(keep.0.as_millis()).unwrap_or(i64::MAX));
        if kept.is_some_and(|kept| at < clock::now_millis().saturating_sub(kept)) {
            return Some("older_than_kept");
        }
        let root = row.map(|row| Path::new(&row.path));
        let session = Some(event.session.as_str());
        let was_paused =
            || self.pauses(|pauses| pauses.held_for(slug, session, at) || pauses.hold_for(slug, session));
        if !config.is_on(root) || was_paused() {
            return Some("switched_off");
        }
        let withheld =
            self.journal().read(|connection| transcripts::is_withheld(connection, event, slug, at));
        withheld.unwrap_or(true).then_some("purged")
    }

    /// The events that are wanted, made safe, with what is worth finding again of them. Blocks.
    fn prepared(&self, events: Vec<(Event, Option<Arc<SessionRow>>)>, only: &Only) -> Prepared {
        let (redaction, exclusion, config) = (self.redaction(), self.exclusion(), self.config());
        let mut prepared = Prepared::default();
        for (event, row) in events {
            if let Some(why) = self.why_not(&event, row.as_deref(), only) {
                prepared.tally.leave_out(why, 1);
                continue;
            }
            let event = redaction.accepted(event);
            let profile = self.profile(&event.host);
            let root = row.as_ref().map(|row| row.path.as_str());
            let recording = if exclusion.covers(&event, root) {
                Recording::Nothing
            } else {
                Recording::of(&event, &config, &profile)
            };
            if recording == Recording::Nothing {
                prepared.tally.leave_out("excluded", 1);
                continue;
            }
            let observed = recording == Recording::Observed;
            prepared.events.push(NewEvent {
                at_ms: clock::millis_of(&event.at).unwrap_or_else(clock::now_millis),
                project: row.map(|row| (row.slug.clone(), row.path.clone())),
                observation: if observed { Observation::of(&event) } else { None },
                attempt: if observed { Attempt::of(&event) } else { None },
                observed,
                event: event.without_call(),
            });
        }
        prepared
    }
}

/// Events ready for the journal.
#[derive(Debug, Default)]
struct Prepared {
    events: Vec<NewEvent>,
    /// What is left out.
    tally: Tally,
}

fn append_all(
    connection: &rusqlite::Connection,
    events: &[NewEvent],
    dry_run: bool,
) -> rusqlite::Result<Tally> {
    let mut tally = Tally::default();
    if dry_run {
        connection.execute_batch("SAVEPOINT trial")?;
    }
    for new in events {
        let appended = journal::append(connection, new)?;
        tally.note(new, &appended);
    }
    if dry_run {
        connection.execute_batch("ROLLBACK TO trial; RELEASE trial")?;
    }
    Ok(tally)
}
