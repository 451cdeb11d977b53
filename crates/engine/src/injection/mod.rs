//! Injection: the text that is handed to a host for its model, always within the budget that the call
//! named, always data in one of two wrappers, always in the ledger.

mod budget;
mod checks;
mod disagreement;
#[cfg(test)]
mod hostile_text;
mod late;
mod look_up;
mod placed;
mod point;
mod prompt;
mod protocol;
mod recent;
mod selection;
mod session_start;
mod tool_document;
mod wrapper;
mod written;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use remora_event::{Event, EventKind};

use crate::config::{Config, Notice};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::SessionRow;
use crate::journal::complaint::Attempt;
use crate::ledger::{self, Context, Given};
use crate::memories::{Entry, Freshness, Shelf};
use crate::native;
use crate::selector;
use crate::sources::Turn;
use crate::wishes::Kept;

pub(crate) use budget::{Room, tokens_of};
use checks::Checks;
pub(crate) use late::Late;
use placed::Placed;
use prompt::Chosen;
use selection::Selection;
pub use wrapper::Wrapper;
pub(crate) use wrapper::{memory as memory_text, one_line};

/// How long a hook that says nothing of a deadline waits, in milliseconds.
const DEADLINE_MS: u64 = 150;

/// What is left of a deadline for everything but the indexing of memories, in milliseconds.
const TO_ANSWER_MS: u64 = 60;

/// What is handed over for one event.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Injection {
    /// The ledger's id.
    pub(crate) id: String,
    /// The text for the model; empty: nothing is handed over.
    pub(crate) text: String,
    /// One line for the person.
    pub(crate) notice: Option<String>,
    /// The project's slug.
    pub(crate) project: Option<String>,
    /// What the text is made of.
    pub(crate) items: Vec<Item>,
    /// How it was chosen, also when nothing was.
    pub(crate) choices: Vec<Choice>,
}

impl Injection {
    fn new(project: Option<&SessionRow>) -> Self {
        Self {
            id: uuid::Uuid::now_v7().to_string(),
            project: project.map(|row| row.slug.clone()),
            ..Self::default()
        }
    }

    /// Says what became of the person's wishes, to the model and to the person.
    pub(crate) fn tell(&mut self, kept: &[Kept], event: &Event, config: &Config) {
        if kept.is_empty() {
            return;
        }
        let lines: Vec<String> = kept.iter().map(|kept| wrapper::one_line(&kept.for_model())).collect();
        let text = format!("<remora-memory>\n{}\n</remora-memory>\n", lines.join("\n"));
        let room = budget::Room::new(config.inject.budget.prompt, event.budget);
        if room.measure(&self.text) + room.measure(&text) <= room.left() {
            self.text.insert_str(0, &text);
        }
        if config.notice != Notice::Never {
            let lines: Vec<String> = kept.iter().map(Kept::for_person).collect();
            self.notice = Some(wrapper::one_line(&lines.join(" ")));
        }
    }

    /// What the text costs the person, estimated.
    pub(crate) fn tokens(&self) -> i64 {
        if self.text.is_empty() { 0 } else { tokens_of(&self.text) }
    }
}

/// One part of an injection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// body, index or text.
    pub(crate) part: &'static str,
    /// The memory's file, or the name of a text of our own.
    pub(crate) file: String,
    /// The memory's name.
    pub(crate) name: String,
    /// user, private, team or native.
    pub(crate) scope: &'static str,
    /// start, lexical, selector, bridge or point.
    pub(crate) step: &'static str,
    /// The score that chose it.
    pub(crate) score: Option<f64>,
    /// What it costs, estimated.
    pub(crate) tokens: i64,
    /// Tells whether the same words were given.
    pub(crate) digest: String,
}

impl Item {
    fn of(entry: &Entry, part: &'static str, step: &'static str, text: &str) -> Self {
        Self {
            part,
            file: entry.file_in_ledger(),
            name: entry.name.clone(),
            scope: entry.scope.as_str(),
            step,
            score: None,
            tokens: tokens_of(text),
            digest: entry.digest.clone(),
        }
    }

    /// A text of our own. `digest`: tells whether the same words were given; empty where that is nobody's question.
    fn own(step: &'static str, (file, name): (&str, &str), text: &str, digest: String) -> Self {
        Self {
            part: "text",
            file: file.to_owned(),
            name: name.to_owned(),
            scope: "private",
            step,
            score: None,
            tokens: tokens_of(text),
            digest,
        }
    }

    fn is_given(&self, given: &Given) -> bool {
        given.get(&self.key()) == Some(&self.digest)
    }

    fn is_same_memory(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn key(&self) -> (String, String, String) {
        (self.part.to_owned(), self.scope.to_owned(), self.file.clone())
    }
}

/// How a choice went: 0 of 150 is precision, 0 of 3 is coverage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) step: &'static str,
    pub(crate) offered: i64,
    pub(crate) taken: i64,
    /// What is to be said of it, for people.
    pub(crate) note: String,
}

impl Choice {
    fn new(step: &'static str, offered: usize, taken: usize) -> Self {
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        Self { step, offered: count(offered), taken: count(taken), note: String::new() }
    }
}

/// What an event gets, if anything. `said`: what is to be said of what it wrote into memory. `attempt`: the command that
/// it reports.
pub(crate) async fn for_event(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
    said: &[String],
    attempt: Option<&Attempt>,
) -> Result<Option<Injection>, EngineError> {
    match event.event {
        EventKind::SessionStart => at_session_start(engine, event, session).await.map(Some),
        EventKind::UserPrompt => at_prompt(engine, event, session).await,
        EventKind::PostToolUse if !said.is_empty() => {
            Ok(written::injection(said, event, session, &engine.config()))
        }
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::ToolFailure => {
            let beside = look_up::injection(engine, event, session).await?;
            if beside.as_ref().is_some_and(|beside| !beside.items.is_empty()) {
                return Ok(beside);
            }
            // A look that found nothing keeps nothing from the call that was chosen for its turn.
            let late = match at_tool_use(engine, event, session).await? {
                Some(late) => Some(late),
                None => point::injection(engine, event, session, attempt).await?,
            };
            let Some(mut late) = late else { return Ok(beside) };
            late.choices.extend(beside.into_iter().flat_map(|beside| beside.choices));
            Ok(Some(late))
        }
        _ => Ok(None),
    }
}

async fn at_session_start(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
) -> Result<Injection, EngineError> {
    if event.source.as_deref() == Some("fork") {
        carry_fork(engine, event).await?;
    }
    import_native(engine, event, session).await?;
    let (shelf, given) = shelf_and_given(engine, event, session, Freshness::Scanned).await?;
    // After a clear or a compaction the context has nothing any more, whatever the ledger says.
    let given = match event.source.as_deref() {
        Some("resume" | "fork") => given,
        _ => Given::new(),
    };
    let mut injection = Injection::new(session);
    let keeping = keeping(engine, event, session).await?;
    session_start::compose(&mut injection, &shelf, event, &engine.config(), &given, &keeping);
    let (engine, event, session) = (Arc::clone(engine), event.clone(), session.cloned());
    blocking(move || {
        recent::add(&engine, &event, session.as_ref(), &given, &mut injection)?;
        Ok(injection)
    })
    .await
}

async fn at_prompt(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
) -> Result<Option<Injection>, EngineError> {
    let Some(prompt) = event.prompt.clone().filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let (mut shelf, given) = shelf_and_given(engine, event, session, Freshness::Kept).await?;
    // Of a prompt that takes what is late, that is what the session's start could not be given. A subagent has no
    // start of a session.
    let with_start = event.late && event.agent.is_none() && !session_start::is_given(&given);
    if with_start {
        import_native(engine, event, session).await?;
        shelf = engine.shelf(session, Freshness::Scanned).await?;
    }
    let mut injection = Injection::new(session);
    let ticket = injection.id.clone();
    let earlier = if event.probe { Vec::new() } else { engine.late().begin(event, &ticket) };
    let words_due = !indexed_in_time(&shelf, event).await;
    let (mut chosen, mut disagreements) = (Vec::new(), Vec::new());
    if !words_due {
        let (own, of, told, at) = (Arc::clone(engine), event.clone(), given.clone(), Arc::clone(&shelf));
        let asked = prompt.clone();
        let (words, completed) = blocking(move || {
            let words = prompt::by_words(&at, &asked, &told, || selection::tools_in_use(&own, &of));
            let completed = disagreement::complete(&at, words.with(earlier));
            Ok((words, completed))
        })
        .await?;
        (chosen, disagreements) = completed;
        injection.choices.push(words.choice);
    }
    let checks =
        Checks::of(engine, event, session, &shelf, chosen.iter().map(|choice| choice.id.as_str())).await;
    let keeping = if with_start { Some(keeping(engine, event, session).await?) } else { None };
    let (event, engine, session) = (event.clone(), Arc::clone(engine), session.cloned());
    blocking(move || {
        let config = engine.config();
        let choice = Chosen { chosen: &chosen, disagreements: &disagreements };
        prompt::compose(&mut injection, &shelf, choice, &event, &config, &given, &checks);
        let room = Room::new(config.inject.budget.prompt, event.budget);
        let room_left = room.left().saturating_sub(room.measure(&injection.text));
        let memories_left = selector::MOST.saturating_sub(injection.items.len());
        if let Some(keeping) = keeping {
            session_start::put_before(&mut injection, &shelf, &event, &config, given.clone(), &keeping);
            recent::add(&engine, &event, session.as_ref(), &given, &mut injection)?;
        }
        if !event.probe {
            engine.late().leave_room(&Context::of(&event), &ticket, room_left, memories_left);
            let entries: Vec<&Entry> = chosen.iter().filter_map(|choice| shelf.entry(&choice.id)).collect();
            checks.go_on(&engine, &event, &ticket, &given_of(&injection, &entries));
            let now = injection.items.iter().map(|item| (item.key(), item.digest.clone()));
            let given = given.into_iter().chain(now).collect();
            Selection { engine, event, shelf, prompt, given, ticket, words_due }.begin();
        }
        Ok(Some(injection))
    })
    .await
}

/// Of these memories those that an injection carries.
fn given_of<'a>(injection: &Injection, entries: &[&'a Entry]) -> Vec<&'a Entry> {
    let is_in = |entry: &Entry| {
        let item = Item::of(entry, "body", "lexical", "");
        injection.items.iter().any(|other| other.is_same_memory(&item))
    };
    entries.iter().filter(|entry| is_in(entry)).copied().collect()
}

/// What was chosen too late for the turn's prompt rides on a tool's hook, where the host takes it there.
async fn at_tool_use(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
) -> Result<Option<Injection>, EngineError> {
    let due = if event.late && !event.probe { engine.late().due(event) } else { None };
    let Some(due) = due else { return Ok(None) };
    let (shelf, given) = shelf_and_given(engine, event, session, Freshness::Kept).await?;
    let checks = Checks::of(engine, event, session, &shelf, due.ids()).await;
    let mut injection = Injection::new(session);
    late::compose(&mut injection, &shelf, &due, event, &engine.config(), &given, &checks);
    let is_something = !injection.items.is_empty();
    engine.late().offered(&Context::of(event), &due, is_something.then_some(injection.id.as_str()));
    let entries: Vec<&Entry> = due.ids().filter_map(|id| shelf.entry(id)).collect();
    checks.go_on(engine, event, due.ticket(), &given_of(&injection, &entries));
    Ok(is_something.then_some(injection))
}

/// How the session's model keeps memory, and where.
async fn keeping(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
) -> Result<session_start::Keeping, EngineError> {
    let (engine, host, session) = (Arc::clone(engine), event.host.clone(), session.cloned());
    blocking(move || {
        let root = session.as_ref().map(|row| Path::new(&row.path));
        let profile = engine.profile(&host);
        let has_folder = native::is_made_by_rule(&profile)
            && root.is_some_and(|root| engine.native_folder(&host, root).is_some());
        let way = protocol::Way::of(&profile, has_folder);
        let folder = session.as_ref().map(|row| engine.memory_dir(&row.slug, Path::new(&row.path)));
        Ok(session_start::Keeping { way, folder })
    })
    .await
}

/// Whether recall can be asked before the hook has to leave: the first prompt after the engine's start may
/// come while many memories are still being indexed.
async fn indexed_in_time(shelf: &Arc<Shelf>, event: &Event) -> bool {
    if shelf.is_indexed() {
        return true;
    }
    let left = event.deadline_ms.unwrap_or(DEADLINE_MS).saturating_sub(TO_ANSWER_MS);
    let shelf = Arc::clone(shelf);
    let indexing = tokio::task::spawn_blocking(move || {
        shelf.corpus();
    });
    tokio::time::timeout(Duration::from_millis(left), indexing).await.is_ok()
}

/// The memory that the host keeps itself is taken in, as it is now.
async fn import_native(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
) -> Result<(), EngineError> {
    let Some(row) = session.filter(|_| !event.probe) else { return Ok(()) };
    let (taker, slug, root) = (Arc::clone(engine), row.slug.clone(), std::path::PathBuf::from(&row.path));
    let taken = blocking(move || taker.take_project(&slug, &root, Turn::Leave));
    // A folder on a slow disk, or very many files for the first time, hold up no session: it goes on beside.
    let patience = Duration::from_millis(event.deadline_ms.unwrap_or(DEADLINE_MS) / 2);
    match tokio::time::timeout(patience, taken).await {
        Err(_) => tracing::debug!("what hosts keep for a project is still being taken"),
        Ok(Err(error)) => tracing::warn!(%error, "what hosts keep for a project could not be taken"),
        Ok(Ok(taken)) => {
            if taken.iter().any(|taken| !taken.unsettled.is_empty()) {
                engine.sources().want(&row.slug);
            }
        }
    }
    Ok(())
}

/// The memories that this session can see, and what its context already has.
async fn shelf_and_given(
    engine: &Arc<Engine>,
    event: &Event,
    session: Option<&SessionRow>,
    freshness: Freshness,
) -> Result<(Arc<Shelf>, Given), EngineError> {
    let shelf = engine.shelf(session, freshness).await?;
    Ok((shelf, given_to(engine, event).await?))
}

/// What the event's context already has.
async fn given_to(engine: &Arc<Engine>, event: &Event) -> Result<Given, EngineError> {
    let (engine, context) = (Arc::clone(engine), Context::of(event));
    let fades = engine.profile(&event.host).compaction_is_never_told();
    let read = move || Ok(engine.journal().read(|connection| ledger::given(connection, &context, fades))?);
    blocking(read).await
}

/// A session's start that takes no context: what its parent's context has, a fork's has too.
pub(crate) async fn at_silent_start(engine: &Arc<Engine>, event: &Event) -> Result<(), EngineError> {
    if event.event == EventKind::SessionStart && event.source.as_deref() == Some("fork") {
        carry_fork(engine, event).await?;
    }
    Ok(())
}

/// A fork that names no parent is looked up in the head of its transcript.
async fn carry_fork(engine: &Arc<Engine>, event: &Event) -> Result<(), EngineError> {
    let (reader, event) = (Arc::clone(engine), event.clone());
    let parent = match event.parent_session.clone() {
        Some(parent) => Some(parent),
        None => match event.transcript.clone() {
            Some(transcript) => {
                let (host, own) = (event.host.clone(), event.session.clone());
                blocking(move || Ok(session_named_in(&reader, Path::new(&transcript), &host, &own))).await?
            }
            None => None,
        },
    };
    let Some(parent) = parent else { return Ok(()) };
    let to = Context::of(&event);
    let from = Context { session: parent, ..to.clone() };
    engine.journal().write(move |connection| ledger::carry_over(connection, &from, &to)).await?;
    Ok(())
}

/// The last session of this host, known to the journal, whose id stands in the head of a transcript.
fn session_named_in(engine: &Engine, transcript: &Path, host: &str, own: &str) -> Option<String> {
    use std::io::Read as _;
    const HEAD: u64 = 256 * 1024;
    let mut head = Vec::new();
    remora_memory::ordinary::open(transcript).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let mut candidates: Vec<&str> = head
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .filter(|word| word.len() >= 16 && *word != own)
        .collect();
    candidates.sort_unstable();
    candidates.dedup();
    engine
        .journal()
        .read(|connection| {
            let mut found = None;
            for candidate in candidates {
                if crate::journal::session(connection, host, candidate)?.is_some() {
                    found = Some(candidate.to_owned());
                }
            }
            Ok(found)
        })
        .ok()
        .flatten()
}
