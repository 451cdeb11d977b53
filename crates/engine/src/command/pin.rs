//! `pin`: a memory that consolidation never touches.

use std::sync::Arc;

use remora_memory::edit::{self, NewValue};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, named};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::file_keeper;
use crate::memories::Entry;

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
    file_keeper::change(&entry.folder(), &entry.file, |text| {
        if pinned {
            edit::set_metadata(&entry.file, text, "pinned", NewValue::Text("true"))
        } else {
            edit::remove(&entry.file, &edit::remove(&entry.file, text, "metadata.pinned")?, "pinned")
        }
    })
    .map(drop)
}
