//! The trash: forgotten memories, each in a folder of its own with what it takes to bring it back.

use std::path::{Path, PathBuf};

use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir, Trashed};
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::error::EngineError;
use crate::index_keeper;

/// Written beside a memory in the trash.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The memory's name.
    pub(crate) name: String,
    /// Its file, relative to its folder.
    pub(crate) file: String,
    /// The folder that it lay in.
    pub(crate) folder: PathBuf,
    /// Where it lies in the trash.
    at: PathBuf,
    /// Its line in the index.
    title: String,
    hook: String,
    when: String,
}

const ORIGIN: &str = "origin.json";

/// Moves a memory into the trash and takes its line out of the index. Answers its slot.
pub(crate) fn discard(
    trash: &Path,
    folder: &Path,
    file: &str,
    name: &str,
    description: &str,
) -> Result<PathBuf, EngineError> {
    let dir = MemoryDir::open(folder, Links::Inside)?;
    let slot = free_slot(trash)?;
    let line = index_keeper::line_of(&dir, file);
    let trashed = dir.move_to_trash(&MemoryPath::found(file)?, &slot)?;
    let (title, hook) = line.unwrap_or_else(|| (name.to_owned(), description.to_owned()));
    let origin = Origin {
        name: name.to_owned(),
        file: file.to_owned(),
        folder: folder.to_owned(),
        at: trashed.at,
        title,
        hook,
        when: clock::rfc3339(clock::now_millis()),
    };
    let text = serde_json::to_vec_pretty(&origin).map_err(|e| EngineError::Internal(e.to_string()))?;
    fs_err::write(slot.join(ORIGIN), text)?;
    index_keeper::change(&dir, |index| {
        index.remove(file);
    })?;
    Ok(slot)
}

/// Names sort by time, so that the newest is found without reading any.
fn free_slot(trash: &Path) -> Result<PathBuf, EngineError> {
    let slot = trash.join(uuid::Uuid::now_v7().to_string());
    crate::root::create_private(&slot)?;
    Ok(slot)
}

/// What lies in the trash, newest first.
pub(crate) fn slots(trash: &Path) -> Vec<(PathBuf, Origin)> {
    let mut slots: Vec<PathBuf> = std::fs::read_dir(trash)
        .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
        .unwrap_or_default();
    slots.sort();
    slots
        .into_iter()
        .rev()
        .filter_map(|slot| {
            let origin = origin(&slot)?;
            Some((slot, origin))
        })
        .collect()
}

/// What lies in one slot; nothing where it was brought back.
pub(crate) fn origin(slot: &Path) -> Option<Origin> {
    serde_json::from_slice(&remora_memory::ordinary::read(&slot.join(ORIGIN)).ok()?).ok()
}

/// Brings a memory back to where it was, with its line in the index.
pub(crate) fn restore(slot: &Path, origin: &Origin) -> Result<(), EngineError> {
    let dir = MemoryDir::create(&origin.folder, Links::Inside)?;
    dir.restore(&Trashed { file: MemoryPath::found(&origin.file)?, at: origin.at.clone() })?;
    index_keeper::change(&dir, |index| {
        index.upsert(&origin.file, &origin.title, &origin.hook);
    })?;
    let _ = std::fs::remove_dir_all(slot);
    Ok(())
}
