//! `forget`: to the trash, and back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir, Trashed};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Place, named};
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::index_keeper;
use crate::memories::Entry;

/// What `forget` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    undo: bool,
    /// Only what is called exactly so: nobody is there who would notice a wrong guess.
    #[serde(default)]
    exact: bool,
}

/// Written beside a memory in the trash, so that it finds its way back.
#[derive(Debug, Serialize, Deserialize)]
struct Origin {
    name: String,
    file: String,
    folder: PathBuf,
    /// Where it lies in the trash.
    at: PathBuf,
    title: String,
    hook: String,
    when: String,
}

const ORIGIN: &str = "origin.json";

/// `{"forgotten": {...}}` or `{"restored": {...}}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let trash = engine.root().trash();
    if args.undo {
        return blocking(move || restore(&trash, args.name.as_deref())).await;
    }
    let Some(name) = args.name else {
        return Err(EngineError::usage("forget what?", "name a memory: `remora list` shows the names"));
    };
    let shelf = engine.shelf_of(&place).await?;
    let entry = if args.exact { super::get::exactly(&shelf, &name)? } else { named(&shelf, &name)? };
    let entry = entry.clone();
    blocking(move || discard(&trash, &entry)).await
}

/// Moves a memory into a folder of its own in the trash and takes its line out of the index.
fn discard(trash: &Path, entry: &Entry) -> Result<Value, EngineError> {
    let folder = folder_of(entry);
    let dir = MemoryDir::open(&folder, Links::Inside)?;
    let slot = trash.join(format!("{}-{}", clock::now_millis(), &entry.digest[..8]));
    crate::root::create_private(&slot)?;
    let line = index_keeper::line_of(&dir, &entry.file);
    let trashed = dir.move_to_trash(&MemoryPath::found(&entry.file)?, &slot)?;
    let (title, hook) = line.unwrap_or_else(|| (entry.name.clone(), entry.description.clone()));
    let origin = Origin {
        name: entry.name.clone(),
        file: entry.file.clone(),
        at: trashed.at,
        folder,
        title,
        hook,
        when: clock::rfc3339(clock::now_millis()),
    };
    let text = serde_json::to_vec_pretty(&origin).map_err(|e| EngineError::Internal(e.to_string()))?;
    fs_err::write(slot.join(ORIGIN), text)?;
    index_keeper::change(&dir, |index| {
        index.remove(&entry.file);
    })?;
    Ok(json!({"forgotten": super::list::entry_json(entry)}))
}

/// The folder that a memory lies in.
fn folder_of(entry: &Entry) -> PathBuf {
    let depth = entry.file.split('/').count();
    entry.path.ancestors().nth(depth).map_or_else(PathBuf::new, Path::to_owned)
}

/// Brings back the memory that was forgotten last, or the last one of a name.
fn restore(trash: &Path, name: Option<&str>) -> Result<Value, EngineError> {
    let mut slots: Vec<PathBuf> = std::fs::read_dir(trash)
        .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
        .unwrap_or_default();
    slots.sort();
    let found = slots.iter().rev().find_map(|slot| {
        let origin: Origin = serde_json::from_slice(&std::fs::read(slot.join(ORIGIN)).ok()?).ok()?;
        let wanted = name.is_none_or(|name| {
            super::plain(name) == super::plain(&origin.name)
                || super::plain(name) == super::plain(&origin.file)
        });
        wanted.then(|| (slot.clone(), origin))
    });
    let Some((slot, origin)) = found else {
        let what =
            name.map_or_else(|| "nothing that can be brought back".to_owned(), |name| format!("no {name:?}"));
        return Err(EngineError::not_found(
            format!("the trash has {what}"),
            "`remora list` shows what is there",
        ));
    };
    let dir = MemoryDir::create(&origin.folder, Links::Inside)?;
    dir.restore(&Trashed { file: MemoryPath::found(&origin.file)?, at: origin.at })?;
    index_keeper::change(&dir, |index| {
        index.upsert(&origin.file, &origin.title, &origin.hook);
    })?;
    let _ = std::fs::remove_dir_all(&slot);
    Ok(json!({"restored": {
        "name": origin.name,
        "file": origin.file,
        "path": origin.folder.join(&origin.file),
    }}))
}
