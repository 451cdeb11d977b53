//! `remember`: one memory, saved where it belongs.

use std::path::PathBuf;
use std::sync::Arc;

use remora_memory::new_memory::{self, NewMemory};
use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir};
use remora_memory::{By, MemoryKind, dates};
use remora_recall::similar::normal_content;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::index_keeper;
use crate::memories::{Entry, Scope, Shelf};

/// Longer texts are documents, not memories.
const LONGEST: usize = 16_000;

/// What `remember` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    text: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    anyway: bool,
}

/// `{"saved": {...}, "already": bool, "notes": [...]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let shelf = engine.shelf_of(&place).await?;
    let user_folder = engine.root().user_memory();
    let saved = blocking(move || save(&shelf, &place, &user_folder, &args)).await?;
    Ok(saved)
}

fn save(
    shelf: &Shelf,
    place: &Place,
    user_folder: &std::path::Path,
    args: &Arguments,
) -> Result<Value, EngineError> {
    let mut notes = Vec::new();
    let text = checked_text(args, &mut notes)?;
    let kind = kind_of(args, &text)?;
    if let Some(same) = same_content(shelf, &text) {
        notes.push("its words are the same; nothing was written".to_owned());
        return Ok(json!({"saved": super::list::entry_json(same), "already": true, "notes": notes}));
    }
    let folder = folder_for(kind, place, user_folder)?;
    let dir = MemoryDir::create(&folder, Links::Inside)?;
    let new = composed(args, kind, &text, &dir)?;
    let file = new.file_name();
    dir.create_new(&MemoryPath::parse(&file)?, new.text().as_bytes())?;
    index_keeper::change(&dir, |index| {
        index.upsert(&file, &new.name, &new.description);
    })?;
    let scope = if kind == MemoryKind::User { Scope::User } else { Scope::Private };
    Ok(json!({
        "saved": {
            "file": file, "name": new.name, "type": kind.as_str(), "scope": scope.as_str(),
            "description": new.description, "path": folder.join(&file),
        },
        "already": false,
        "notes": notes,
    }))
}

/// The new memory, under a name that is free in its folder.
fn composed(
    args: &Arguments,
    kind: MemoryKind,
    text: &str,
    dir: &MemoryDir,
) -> Result<NewMemory, EngineError> {
    let mut new = NewMemory::from_text(kind, text, By::Person, "remora", clock::today());
    if let Some(name) = args.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        name.clone_into(&mut new.name);
    }
    if let Some(description) = args.description.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        description.clone_into(&mut new.description);
    }
    if !args.anyway
        && let Some(problem) = new_memory::too_vague(&new.description)
    {
        return Err(EngineError::refused(
            problem,
            "say in one sentence what an agent should know or do, or give it with --description",
        ));
    }
    Ok(new.with_free_name(|file| MemoryPath::parse(file).is_ok_and(|path| dir.exists(&path))))
}

/// The text as it may be saved: no secret, nothing that the project itself shows, absolute dates.
fn checked_text(args: &Arguments, notes: &mut Vec<String>) -> Result<String, EngineError> {
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
            "save what was surprising about it instead, or say --anyway",
        ));
    }
    let redacted = remora_redact::redact_secrets(text);
    if redacted != text {
        notes.push("a secret in it was replaced: secrets are never stored".to_owned());
    }
    let private = remora_redact::strip_private(&redacted).into_owned();
    let dated = dates::absolute_dates(&private, clock::today());
    if dated != private {
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
    let wanted = normal_content(text);
    shelf.entries.iter().find(|entry| normal_content(&entry.body) == wanted)
}

fn folder_for(
    kind: MemoryKind,
    place: &Place,
    user_folder: &std::path::Path,
) -> Result<PathBuf, EngineError> {
    match (kind, &place.memory_dir) {
        (MemoryKind::User, _) => Ok(user_folder.to_owned()),
        (_, Some(folder)) => Ok(folder.clone()),
        (_, None) => Err(EngineError::usage(
            "this is about a project, and there is none here",
            "go to the project's folder or name it with --project; --type user saves it about you",
        )),
    }
}
