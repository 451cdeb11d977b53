//! `review`: what waits for the person's word, and their word.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_memory::edit::{self, NewValue};
use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir};
use remora_memory::{Memory, reader};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, plain};
use crate::changes::Change;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::redaction::Redaction;
use crate::review::{Candidate, Named, What};
use crate::{clock, file_keeper, index_keeper, touched, trash};

/// What the list takes.
#[derive(Debug, Deserialize)]
pub(super) struct ListArguments {
    /// Of all projects, not only of this one.
    #[serde(default)]
    everywhere: bool,
}

/// What an answer takes: names or ids.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    names: Vec<String>,
}

/// `{"project", "waiting": [{"id", "kind", "name", "type", "description", "text", "why", "at", "age_days", "host",
/// "project", "path", "edit", "older"}], "elsewhere"}`.
pub(super) async fn list(
    engine: &Arc<Engine>,
    place: Place,
    args: ListArguments,
) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || {
        let waiting = engine.memories().review().waiting();
        let here: Vec<&Candidate> = if args.everywhere {
            waiting.candidates.iter().collect()
        } else {
            waiting.of(place.slug()).collect()
        };
        let elsewhere = waiting.candidates.len() - here.len();
        let shown: Vec<Value> = here.into_iter().map(|candidate| shown(&engine, candidate)).collect();
        Ok(json!({"project": place.project_json(), "waiting": shown, "elsewhere": elsewhere}))
    })
    .await
}

/// `{"accepted": [{"id", "name", "path"}]}`: each is what the person says from now on.
pub(super) async fn accept(engine: &Arc<Engine>, place: Place, args: Answer) -> Result<Value, EngineError> {
    let candidates = meant(engine, &place, args).await?;
    let mut accepted = Vec::new();
    for candidate in candidates {
        let (keeper, taken) = (Arc::clone(engine), candidate.clone());
        let change = blocking(move || accept_one(&keeper, &taken)).await?;
        let name = change_name(&change);
        accepted.push(json!({"id": candidate.id, "name": name.0, "path": name.1}));
        if let Accepted::Saved(change) = change {
            engine.note_change(&place, change).await?;
        }
    }
    Ok(json!({"accepted": accepted}))
}

/// `{"rejected": [{"id", "name"}]}`: the same words do not come up again.
pub(super) async fn reject(engine: &Arc<Engine>, place: Place, args: Answer) -> Result<Value, EngineError> {
    let candidates = meant(engine, &place, args).await?;
    let mut rejected = Vec::new();
    for candidate in candidates {
        let (keeper, taken) = (Arc::clone(engine), candidate.clone());
        let (name, change) = blocking(move || reject_one(&keeper, &taken)).await?;
        rejected.push(json!({"id": candidate.id, "name": name}));
        if let Some(change) = change {
            engine.note_change(&place, change).await?;
        }
    }
    Ok(json!({"rejected": rejected}))
}

/// What became of an accepted candidate.
enum Accepted {
    /// A new file, which `undo` takes back.
    Saved(Change),
    /// A file that lay there already.
    Recalled { name: String, path: PathBuf },
}

fn change_name(accepted: &Accepted) -> (String, PathBuf) {
    match accepted {
        Accepted::Saved(Change::Saved { folder, file, name }) => (name.clone(), folder.join(file)),
        Accepted::Saved(Change::Forgot { slot, name }) => (name.clone(), slot.clone()),
        Accepted::Recalled { name, path } => (name.clone(), path.clone()),
    }
}

fn accept_one(engine: &Engine, candidate: &Candidate) -> Result<Accepted, EngineError> {
    let review = engine.memories().review();
    let accepted = match &candidate.what {
        What::New { folder, file } => {
            let text = remora_memory::ordinary::read_to_string(&review.text_file(candidate))?;
            Accepted::Saved(write_new(folder, file, &text, &engine.redaction())?)
        }
        What::Written { folder, file, source } => {
            let memory = readable(file, source.as_ref().unwrap_or(&folder.join(file)))?;
            // A snapshot is its host's, and stays what an import brought.
            if source.is_none() {
                let redaction = engine.redaction();
                file_keeper::change(folder, file, |text| {
                    edit::set_metadata(file, &redaction.text(text), "by", NewValue::Text("person"))
                })?;
                let path = folder.join(file);
                touched::made(&path, &remora_memory::ordinary::read(&path)?);
                add_line(folder, &memory)?;
            }
            Accepted::Recalled { name: memory.name, path: folder.join(file) }
        }
        What::Overturns { newer, older } => {
            overturn(newer, older)?;
            Accepted::Recalled { name: newer.name.clone(), path: newer.folder.join(&newer.file) }
        }
    };
    review.take(candidate, false)?;
    Ok(accepted)
}

/// Writes a memory that waited, as the person's.
fn write_new(folder: &Path, file: &str, text: &str, redaction: &Redaction) -> Result<Change, EngineError> {
    let text = edit::set_metadata(file, &redaction.text(text), "by", NewValue::Text("person"))?;
    let dir = MemoryDir::create(folder, Links::Inside)?;
    let file = free_name(&dir, file)?;
    let memory = reader::read_text(&file, &text).map_err(|e| EngineError::Memory(e.to_string()))?;
    dir.create_new(&MemoryPath::parse(&file)?, text.as_bytes())?;
    touched::made(&folder.join(&file), text.as_bytes());
    add_line(folder, &memory)?;
    Ok(Change::Saved { folder: folder.to_owned(), file, name: memory.name })
}

fn free_name(dir: &MemoryDir, file: &str) -> Result<String, EngineError> {
    let stem = file.strip_suffix(".md").unwrap_or(file);
    let mut name = file.to_owned();
    let mut nth = 1_u32;
    while dir.exists(&MemoryPath::parse(&name)?) {
        nth += 1;
        name = format!("{stem}_{nth}.md");
    }
    Ok(name)
}

fn add_line(folder: &Path, memory: &Memory) -> Result<(), EngineError> {
    let dir = MemoryDir::open(folder, Links::Inside)?;
    index_keeper::change(&dir, |index| {
        if !index.entries().iter().any(|entry| entry.is_for_memory(memory)) {
            index.upsert(&memory.file, &memory.name, &memory.description);
        }
    })
}

/// The older memory stays on disk as history; its line goes.
fn overturn(newer: &Named, older: &Named) -> Result<(), EngineError> {
    for (one, other, key) in [(newer, older, "supersedes"), (older, newer, "superseded_by")] {
        let metadata = readable(&one.file, &one.folder.join(&one.file))?.metadata;
        let mut names = if key == "supersedes" { metadata.supersedes } else { metadata.superseded_by };
        if !names.contains(&other.name) {
            names.push(other.name.clone());
        }
        file_keeper::change(&one.folder, &one.file, |text| {
            edit::set_metadata(&one.file, text, key, NewValue::List(&names))
        })?;
    }
    let dir = MemoryDir::open(&older.folder, Links::Inside)?;
    index_keeper::change(&dir, |index| {
        index.remove(&older.file);
    })
}

fn reject_one(engine: &Engine, candidate: &Candidate) -> Result<(String, Option<Change>), EngineError> {
    let review = engine.memories().review();
    let name = name_of(engine, candidate);
    let change = match &candidate.what {
        What::Written { folder, file, source } => {
            let trashed = folder.join(file).is_file();
            let slot = trashed.then(|| trash::discard(&engine.root().trash(), folder, file, &name, ""));
            if source.is_some() {
                // No import brings it back.
                engine.memories().bury(folder, &[file.clone()].into())?;
            }
            slot.transpose()?.map(|slot| Change::Forgot { slot, name: name.clone() })
        }
        What::New { .. } | What::Overturns { .. } => None,
    };
    review.take(candidate, true)?;
    Ok((name, change))
}

/// The candidates that are meant: by id, by name, or `all`.
async fn meant(engine: &Arc<Engine>, place: &Place, args: Answer) -> Result<Vec<Candidate>, EngineError> {
    let (engine, place) = (Arc::clone(engine), place.clone());
    blocking(move || {
        let waiting = engine.memories().review().waiting();
        let mut meant: Vec<Candidate> = Vec::new();
        for name in &args.names {
            let wanted = plain(name);
            let by_id = waiting.candidates.iter().find(|candidate| candidate.id == name.trim());
            let found: Vec<&Candidate> = match by_id {
                Some(candidate) => vec![candidate],
                None if wanted == "all" => waiting.of(place.slug()).collect(),
                None => waiting
                    .of(place.slug())
                    .filter(|candidate| plain(&name_of(&engine, candidate)) == wanted)
                    .collect(),
            };
            match found.as_slice() {
                [] => {
                    return Err(EngineError::not_found(
                        format!("nothing called {name:?} waits here"),
                        "`remora review` shows what does",
                    ));
                }
                [_, _, ..] if wanted != "all" => {
                    let ids: Vec<&str> = found.iter().map(|candidate| candidate.id.as_str()).collect();
                    return Err(EngineError::usage(
                        format!("{name:?} could be {}", ids.join(" or ")),
                        "name one of these ids",
                    ));
                }
                _ => meant.extend(found.into_iter().cloned()),
            }
        }
        meant.dedup_by(|a, b| a.id == b.id);
        Ok(meant)
    })
    .await
}

/// The file in which a candidate's text stands.
fn text_path(engine: &Engine, candidate: &Candidate) -> PathBuf {
    match &candidate.what {
        What::New { .. } => engine.memories().review().text_file(candidate),
        What::Written { source: Some(source), .. } => source.clone(),
        What::Written { .. } | What::Overturns { .. } => candidate.path(),
    }
}

fn name_of(engine: &Engine, candidate: &Candidate) -> String {
    if let What::Overturns { newer, .. } = &candidate.what {
        return newer.name.clone();
    }
    let path = text_path(engine, candidate);
    let file =
        candidate.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    reader::read_file(&file, &path).map_or(file, |memory| memory.name)
}

fn readable(file: &str, path: &Path) -> Result<Memory, EngineError> {
    reader::read_file(file, path)
        .map_err(|unreadable| EngineError::refused(unreadable.to_string(), "`remora review edit` opens it"))
}

/// A candidate as lists show it.
pub(crate) fn shown(engine: &Engine, candidate: &Candidate) -> Value {
    let path = text_path(engine, candidate);
    let file =
        candidate.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let memory = reader::read_file(&file, &path).ok();
    let age = clock::millis_of(&candidate.at).map_or(0, |at| clock::days_since(at, clock::now_millis()));
    let mut value = json!({
        "id": candidate.id,
        "name": name_of(engine, candidate),
        "type": memory.as_ref().map(|memory| memory.kind.as_str()),
        "description": memory.as_ref().map(|memory| memory.description.clone()),
        "text": memory.as_ref().map(|memory| memory.body.trim().to_owned()),
        "why": candidate.why,
        "at": candidate.at,
        "age_days": age,
        "host": candidate.host,
        "project": candidate.project,
        "path": candidate.path(),
        "edit": path,
    });
    value["kind"] = json!(match &candidate.what {
        What::New { .. } => "new",
        What::Written { .. } => "written",
        What::Overturns { .. } => "overturns",
    });
    if let What::Overturns { older, .. } = &candidate.what {
        let text = reader::read_file(&older.file, &older.folder.join(&older.file)).ok();
        value["older"] = json!({
            "name": older.name,
            "path": older.folder.join(&older.file),
            "text": text.map(|memory| memory.body.trim().to_owned()),
        });
    }
    value
}
