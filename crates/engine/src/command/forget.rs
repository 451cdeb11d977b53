//! `forget`, its undo, and `undo` of whatever came last.

use std::sync::Arc;

use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, named, plain};
use crate::changes::{self, Change};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::memories::Entry;
use crate::trash::{self, Origin};
use crate::{index_keeper, ledger};

/// What `forget` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    undo: bool,
    /// Leave nothing: no trash, no ledger.
    #[serde(default)]
    for_good: bool,
    /// Only what is called exactly so: nobody is there who would notice a wrong guess.
    #[serde(default)]
    exact: bool,
}

/// `{"forgotten": {...}}` or `{"restored": {...}}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    if args.undo {
        return restore_named(engine, args.name.as_deref()).await;
    }
    let Some(name) = args.name else {
        return Err(EngineError::usage("forget what?", "name a memory: `remora list` shows the names"));
    };
    let shelf = engine.shelf_of(&place).await?;
    let entry = if args.exact { super::get::exactly(&shelf, &name)? } else { named(&shelf, &name)? };
    let entry = entry.clone();
    if args.for_good { erase(engine, entry).await } else { discard(engine, entry).await }
}

async fn discard(engine: &Arc<Engine>, entry: Entry) -> Result<Value, EngineError> {
    let trash = engine.root().trash();
    let value = json!({"forgotten": super::list::entry_json(&entry)});
    let (name, folder) = (entry.name.clone(), entry.folder());
    let keeper = Arc::clone(engine);
    let slot = blocking(move || {
        let slot = trash::discard(&trash, &folder, &entry.file, &entry.name, &entry.description)?;
        if entry.is_snapshot {
            // Its source is the host's; the next import must not bring it back.
            keeper.memories().bury(&folder, &[entry.file].into())?;
        }
        Ok(slot)
    })
    .await?;
    let change = Change::Forgot { slot, name };
    engine.journal().write(move |connection| changes::record(connection, &change)).await?;
    Ok(value)
}

/// Deletes a memory for good: its file, its line, what the trash has of it, and the ledger's rows.
async fn erase(engine: &Arc<Engine>, entry: Entry) -> Result<Value, EngineError> {
    let mut value = json!({"erased": super::list::entry_json(&entry)});
    let trash = engine.root().trash();
    let (name, file) = (entry.name.clone(), entry.file_in_ledger());
    let (copies, in_repository) = blocking(move || {
        let folder = entry.folder();
        let dir = MemoryDir::open(&folder, Links::Inside)?;
        MemoryPath::found(&entry.file)?;
        fs_err::remove_file(folder.join(&entry.file))?;
        index_keeper::change(&dir, |index| {
            index.remove(&entry.file);
        })?;
        let mut copies = 0;
        for (slot, _) in trash::slots(&trash).iter().filter(|(_, origin)| origin.name == entry.name) {
            fs_err::remove_dir_all(slot)?;
            copies += 1;
        }
        let in_repository = folder.ancestors().any(|above| above.join(".git").exists());
        Ok((copies, in_repository))
    })
    .await?;
    let rows = engine
        .journal()
        .write(move |connection| {
            changes::erase(connection, &name)?;
            ledger::erase(connection, &file, &name)
        })
        .await?;
    engine.journal().sweep().await;
    value["removed"] = json!({"trash": copies, "ledger": rows});
    if in_repository {
        value["note"] = json!(
            "the folder lies in a repository: its history keeps what was committed, and Remora does not touch it"
        );
    }
    Ok(value)
}

/// Brings back the memory that was forgotten last, or the last one of a name.
async fn restore_named(engine: &Arc<Engine>, name: Option<&str>) -> Result<Value, EngineError> {
    let trash = engine.root().trash();
    let wanted = name.map(plain);
    let missing =
        name.map_or_else(|| "nothing that can be brought back".to_owned(), |name| format!("no {name:?}"));
    let (slot, value) = blocking(move || {
        let is_wanted = |origin: &Origin| {
            wanted
                .as_ref()
                .is_none_or(|wanted| plain(&origin.name) == *wanted || plain(&origin.file) == *wanted)
        };
        let found = trash::slots(&trash).into_iter().find(|(_, origin)| is_wanted(origin));
        let Some((slot, origin)) = found else {
            return Err(EngineError::not_found(
                format!("the trash has {missing}"),
                "`remora list` shows what is there",
            ));
        };
        trash::restore(&slot, &origin)?;
        let value = json!({"restored": {
            "name": origin.name, "file": origin.file, "path": origin.folder.join(&origin.file),
        }});
        Ok((slot, value))
    })
    .await?;
    engine.journal().write(move |connection| changes::mark_restored(connection, &slot)).await?;
    Ok(value)
}

/// `undo`: takes the last save or forget back. `{"undone": "saved" | "forgot", "name", "path"}`.
pub(super) async fn undo(engine: &Arc<Engine>) -> Result<Value, EngineError> {
    let reader = Arc::clone(engine);
    let newest = blocking(move || Ok(reader.journal().read(changes::newest)?)).await?;
    let Some((id, change)) = newest else {
        return Err(EngineError::not_found(
            "there is nothing to take back",
            "`remora list` shows what is there",
        ));
    };
    let trash = engine.root().trash();
    let value = blocking(move || match change {
        Change::Saved { folder, file, name } => {
            trash::discard(&trash, &folder, &file, &name, "")?;
            Ok(json!({"undone": "saved", "name": name, "path": folder.join(&file)}))
        }
        Change::Forgot { slot, name } => {
            let found = trash::slots(&trash).into_iter().find(|(place, _)| *place == slot);
            let Some((slot, origin)) = found else {
                return Err(EngineError::not_found(
                    format!("{name:?} is not in the trash any more"),
                    "it may have been brought back already: `remora list`",
                ));
            };
            trash::restore(&slot, &origin)?;
            Ok(json!({"undone": "forgot", "name": name, "path": origin.folder.join(&origin.file)}))
        }
    })
    .await?;
    engine.journal().write(move |connection| changes::mark_undone(connection, id)).await?;
    Ok(value)
}
