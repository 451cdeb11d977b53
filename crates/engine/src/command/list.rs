//! `list` and `show`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, named};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::injection::Wrapper;
use crate::memories::Entry;

/// `{"project", "memory_dir", "memories": [...], "unreadable": [...]}`, last changed first.
pub(super) async fn run(engine: &Arc<Engine>, place: &Place) -> Result<Value, EngineError> {
    let shelf = engine.shelf_of(place).await?;
    let memories: Vec<Value> = shelf.newest_first().map(entry_json).collect();
    let unreadable: Vec<Value> = shelf
        .unreadable
        .iter()
        .map(|file| json!({"file": file.file, "line": file.line, "problem": file.problem}))
        .collect();
    Ok(json!({
        "project": place.project_json(),
        "memory_dir": place.memory_dir,
        "memories": memories,
        "unreadable": unreadable,
    }))
}

/// A memory as listings show it.
pub(super) fn entry_json(entry: &Entry) -> Value {
    json!({
        "id": super::get::id_of(entry),
        "file": entry.file,
        "name": entry.name,
        "type": entry.kind.as_str(),
        "scope": entry.scope.as_str(),
        "description": entry.description,
        "created": entry.created,
        "updated": entry.updated,
        "age_days": entry.age_days,
        "by": entry.by,
        "pinned": entry.pinned,
        "superseded_by": entry.superseded_by,
        "path": entry.path,
        "wrapper": Wrapper::of(entry).as_str(),
    })
}

/// What `show` takes.
#[derive(Debug, Deserialize)]
pub(super) struct ShowArguments {
    name: String,
}

/// One memory with its whole text as it stands in the file.
pub(super) async fn show(
    engine: &Arc<Engine>,
    place: &Place,
    args: ShowArguments,
) -> Result<Value, EngineError> {
    let shelf = engine.shelf_of(place).await?;
    let entry = named(&shelf, &args.name)?;
    let path = entry.path.clone();
    let source = super::import::source_of(entry);
    let text = blocking(move || Ok(remora_memory::ordinary::read(&path)?)).await?;
    let mut value = entry_json(entry);
    value["source"] = json!(source);
    value["body"] = json!(entry.memory.body);
    value["text"] = json!(String::from_utf8_lossy(&text));
    Ok(value)
}
