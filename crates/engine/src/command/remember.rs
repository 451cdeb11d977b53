//! `remember`: one memory, saved where it belongs.

use std::path::PathBuf;
use std::sync::Arc;

use remora_memory::new_memory::{self, NewMemory};
use remora_memory::path::MemoryPath;
use remora_memory::project::ProjectId;
use remora_memory::write::{Links, MemoryDir};
use remora_memory::{By, MemoryKind, dates};
use remora_recall::similar::normal_content;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::changes::Change;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::index_keeper;
use crate::injection::one_line;
use crate::memories::{Entry, Scope, Shelf};
use crate::redaction::Redaction;
use crate::reinforcement::{self, Voice};
use crate::review::{Candidate, Named, Put, What};
use crate::{clock, doubts, spool, touched, turn};

/// Longer texts are documents, not memories.
const LONGEST: usize = 16_000;

/// What `remember` takes.
#[derive(Debug, Deserialize)]
pub(crate) struct Arguments {
    text: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    anyway: bool,
    /// Who writes it.
    #[serde(default)]
    by: Author,
    /// The program by which it came; the command if it is not named.
    #[serde(default)]
    source: Option<String>,
    /// The person said it in a prompt of their own.
    #[serde(skip)]
    in_prompt: bool,
}

impl Arguments {
    /// What a person said in a prompt of their own, in a host.
    pub(crate) fn said(text: String, host: &str) -> Self {
        Self {
            text,
            kind: None,
            name: None,
            description: None,
            anyway: false,
            by: Author::Person,
            source: Some(host.to_owned()),
            in_prompt: true,
        }
    }
}

/// Who asks for a memory to be saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Author {
    /// The person, who typed it.
    #[default]
    Person,
    /// The agent, for the person or by itself.
    Agent,
}

impl Author {
    fn written(self) -> By {
        match self {
            Self::Person => By::Person,
            Self::Agent => By::Agent,
        }
    }

    /// What to do next, for whoever asked: an agent has no flags.
    fn hint(self, person: &'static str, agent: &'static str) -> &'static str {
        match self {
            Self::Person => person,
            Self::Agent => agent,
        }
    }
}

/// `{"saved": {...}, "already": bool, "notes": [...]}`, or `{"waiting": {...}, "notes": [...]}` where the person has
/// to say a word first.
pub(crate) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    if args.by == Author::Agent {
        // What the agent has read may still wait in the spool.
        spool::taken_in(engine).await;
    }
    let shelf = engine.shelf_of(&place).await?;
    let (keeper, noted) = (Arc::clone(engine), place.clone());
    let saved = blocking(move || save(&keeper, &shelf, &place, &args)).await?;
    if let Some(change) = change_of(&saved) {
        open_project_of(engine, &noted, &change).await;
        engine.note_change(&noted, change).await?;
    }
    Ok(saved)
}

/// Whoever saves something in a project where no session was yet has worked in it all the same: it is known from now on.
async fn open_project_of(engine: &Arc<Engine>, place: &Place, change: &Change) {
    if let (Some((slug, root)), Change::Saved { folder, .. }) = (&place.project, change)
        && !place.is_named
        && place.memory_dir.as_ref() == Some(folder)
    {
        engine.open_project(&ProjectId { slug: slug.clone(), root: root.clone() }).await;
    }
}

/// What can be taken back of a save; nothing where nothing was written.
fn change_of(saved: &Value) -> Option<Change> {
    if saved["already"] == Value::Bool(true) {
        return None;
    }
    let text = |key: &str| saved["saved"][key].as_str().map(str::to_owned);
    let (file, path) = (text("file")?, PathBuf::from(text("path")?));
    let folder = path.ancestors().nth(file.split('/').count())?.to_owned();
    Some(Change::Saved { folder, file, name: text("name")? })
}

fn save(engine: &Engine, shelf: &Shelf, place: &Place, args: &Arguments) -> Result<Value, EngineError> {
    let mut notes = Vec::new();
    let text = checked_text(args, &engine.redaction(), &mut notes)?;
    let kind = kind_of(args, &text)?;
    if let Some(same) = same_content(shelf, &text) {
        let voice = if args.in_prompt { Voice::Person } else { Voice::Command };
        let is_confirmed = reinforcement::confirm(engine, same, place.slug(), voice)?;
        notes.push(if is_confirmed {
            "its words are the same; today was added to the days on which it was confirmed".to_owned()
        } else {
            "its words are the same; nothing was written".to_owned()
        });
        return Ok(json!({
            "saved": super::list::entry_json(same), "already": true, "confirmed": is_confirmed, "notes": notes,
        }));
    }
    let folder = folder_for(kind, place, &engine.root().user_memory(), args.by)?;
    let dir = MemoryDir::create(&folder, Links::Inside)?;
    let new = composed(args, kind, &text, &dir)?;
    let file = new.file_name();
    if let Some(tool) = read_from_outside(engine, place, args)? {
        return set_aside(engine, place, &folder, &new, &tool, &notes);
    }
    dir.create_new(&MemoryPath::parse(&file)?, new.text().as_bytes())?;
    touched::made(&folder.join(&file), new.text().as_bytes());
    let line = index_keeper::change(&dir, |index| {
        index.upsert(&file, &new.name, &new.description);
    });
    if let Err(error) = line {
        // The memory stands and is recalled.
        notes.push(format!("its line could not be added to the index: {error}"));
    }
    let scope = if kind == MemoryKind::User { Scope::User } else { Scope::Private };
    let named = Named { folder: folder.clone(), file: file.clone(), name: new.name.clone() };
    for older in
        doubts::raise(engine.memories().review(), shelf, place.slug(), &new.source, &named, &new.text())?
    {
        notes.push(format!("{older:?} may not hold any more: `remora review` shows both"));
    }
    Ok(json!({
        "saved": {
            "id": format!("memory:{}/{file}", scope.as_str()), "file": file, "name": new.name, "type": kind.as_str(), "scope": scope.as_str(),
            "description": new.description, "path": folder.join(&file),
        },
        "already": false,
        "notes": notes,
    }))
}

/// The tool by which the agent's present turn read from outside; a person's own words are theirs in any turn.
fn read_from_outside(
    engine: &Engine,
    place: &Place,
    args: &Arguments,
) -> Result<Option<String>, EngineError> {
    if args.by == Author::Person {
        return Ok(None);
    }
    Ok(engine.journal().read(|connection| turn::outside_somewhere(connection, place.slug()))?)
}

/// Puts a memory where it waits for the person's word.
fn set_aside(
    engine: &Engine,
    place: &Place,
    folder: &std::path::Path,
    new: &NewMemory,
    tool: &str,
    notes: &[String],
) -> Result<Value, EngineError> {
    let project = if new.kind == MemoryKind::User { None } else { place.slug() };
    let what = What::New { folder: folder.to_owned(), file: new.file_name() };
    let why = format!("an agent wrote it in a turn that used {}", one_line(tool));
    let candidate = Candidate::new(project, &new.source, &why, what);
    match engine.memories().review().put(&candidate, Some(&new.text()))? {
        Put::Waits(candidate) => {
            Ok(json!({"waiting": super::review::shown(engine, &candidate), "notes": notes}))
        }
        Put::Rejected => Err(EngineError::refused(
            "the person has rejected this before",
            "ask the person; what they say themselves is saved",
        )),
    }
}

/// The new memory, under a name that is free in its folder.
fn composed(
    args: &Arguments,
    kind: MemoryKind,
    text: &str,
    dir: &MemoryDir,
) -> Result<NewMemory, EngineError> {
    let source = args.source.as_deref().and_then(said).unwrap_or_else(|| "remora".to_owned());
    let mut new = NewMemory::from_text(kind, text, args.by.written(), &source, clock::today());
    if let Some(name) = args.name.as_deref().and_then(said) {
        new.name = name;
    }
    if let Some(description) = args.description.as_deref().and_then(said) {
        new.description = dates::absolute_dates(&description, clock::today());
    }
    if !args.anyway
        && let Some(problem) = new_memory::too_vague(&new.description)
    {
        return Err(EngineError::refused(
            problem,
            args.by.hint(
                "say in one sentence what an agent should know or do, or give it with --description",
                "give a description: one sentence that says what an agent should know or do",
            ),
        ));
    }
    Ok(new.with_free_name(|file| MemoryPath::parse(file).is_ok_and(|path| dir.exists(&path))))
}

/// One line of what was given beside the text, as it may be saved.
fn said(text: &str) -> Option<String> {
    let private = remora_redact::strip_private(text);
    let redacted = remora_redact::redact_secrets(&private);
    let line = one_line(&redacted);
    (!line.is_empty()).then_some(line)
}

/// The text as it may be saved: no secret, nothing that the project itself shows, absolute dates.
fn checked_text(
    args: &Arguments,
    redaction: &Redaction,
    notes: &mut Vec<String>,
) -> Result<String, EngineError> {
    let text = args.text.trim();
    if text.is_empty() {
        return Err(EngineError::usage(
            "there is nothing to remember",
            "remora remember \"Deploys go out on Tuesdays, never on Fridays.\"",
        ));
    }
    if text.chars().count() > LONGEST {
        return Err(EngineError::refused(
            format!("{} characters are a document, not a memory", text.chars().count()),
            "save where the document is and what it is for",
        ));
    }
    if !args.anyway
        && let Some(exclusion) = new_memory::excluded(text)
    {
        return Err(EngineError::refused(
            exclusion.reason().trim_end_matches('.'),
            args.by.hint(
                "save what was surprising about it instead, or say --anyway",
                "ask the person what was surprising about it, and save that",
            ),
        ));
    }
    let told = remora_redact::strip_private(text);
    let redacted = redaction.text(&told);
    if redacted != told {
        notes.push("a secret in it was replaced: secrets are never stored".to_owned());
    }
    let dated = dates::absolute_dates(&redacted, clock::today());
    if dated != redacted {
        notes.push("its dates were made absolute".to_owned());
    }
    Ok(dated)
}

fn kind_of(args: &Arguments, text: &str) -> Result<MemoryKind, EngineError> {
    match args.kind.as_deref() {
        None => Ok(new_memory::kind_from_text(text)),
        Some(word) => MemoryKind::from_word(word).ok_or_else(|| {
            EngineError::usage(
                format!("{word:?} is no type of memory"),
                "the types are user, feedback, project and reference",
            )
        }),
    }
}

fn same_content<'a>(shelf: &'a Shelf, text: &str) -> Option<&'a Entry> {
    // Signs alone have no words: they are compared as they stand.
    let said = |text: &str| Some(normal_content(text)).filter(|words| !words.is_empty());
    let says = |text: &str| said(text).unwrap_or_else(|| text.trim().to_owned());
    let wanted = says(text);
    shelf.entries.iter().find(|entry| says(&entry.memory.body) == wanted)
}

fn folder_for(
    kind: MemoryKind,
    place: &Place,
    user_folder: &std::path::Path,
    by: Author,
) -> Result<PathBuf, EngineError> {
    match (kind, &place.memory_dir) {
        (MemoryKind::User, _) => Ok(user_folder.to_owned()),
        (_, Some(folder)) => Ok(folder.clone()),
        (_, None) => Err(EngineError::usage(
            "this is about a project, and there is none here",
            by.hint(
                "go to the project's folder or name it with --project; --type user saves it about you",
                "the type `user` saves what is about the person in every project",
            ),
        )),
    }
}
