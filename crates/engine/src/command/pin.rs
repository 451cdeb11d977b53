//! `pin`: a memory that consolidation never touches.

use std::sync::Arc;

use remora_memory::edit::{self, NewValue};
use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir, Replaced};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, forget, named};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::memories::Entry;

/// A person who saves the file in between wins; then it is read again, so often.
const TRIES: usize = 10;

/// What `pin` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    name: String,
    /// Take the pin out.
    #[serde(default)]
    off: bool,
}

/// `{"pinned": bool, "name", "path"}`. Every other byte of the file stays as it is.
pub(super) async fn run(engine: &Arc<Engine>, place: &Place, args: Arguments) -> Result<Value, EngineError> {
    let shelf = engine.shelf_of(place).await?;
    let entry = named(&shelf, &args.name)?.clone();
    if entry.is_snapshot {
        return Err(EngineError::refused(
            format!("{} is a snapshot of another program's memory and is not written", entry.name),
            "pin it where it comes from, or save it here with `remora remember`",
        ));
    }
    blocking(move || {
        set(&entry, !args.off)?;
        Ok(json!({"pinned": !args.off, "name": entry.name, "path": entry.path}))
    })
    .await
}

fn set(entry: &Entry, pinned: bool) -> Result<(), EngineError> {
    let dir = MemoryDir::open(&forget::folder_of(entry), Links::Inside)?;
    let file = MemoryPath::found(&entry.file)?;
    for _ in 0..TRIES {
        let (bytes, digest) = dir.read(&file)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            EngineError::Memory(format!("{} is not UTF-8 and is left alone", entry.path.display()))
        })?;
        let edited = if pinned {
            edit::set_metadata(&entry.file, text, "pinned", NewValue::Text("true"))?
        } else {
            edit::remove(&entry.file, &edit::remove(&entry.file, text, "metadata.pinned")?, "pinned")?
        };
        if edited == text || dir.replace_if_unchanged(&file, &digest, edited.as_bytes())? == Replaced::Written
        {
            return Ok(());
        }
    }
    Err(EngineError::Memory(format!(
        "{} is being written by somebody else all the time",
        entry.path.display()
    )))
}
