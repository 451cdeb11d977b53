//! `forget`: into the trash, or for good. What brings back is in `undo`.

use std::sync::Arc;

use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, named};
use crate::changes::{self, Change};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::memories::Entry;
use crate::trash;
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
        return super::undo::restore(engine, place, args.name).await;
    }
    let Some(name) = args.name else {
        return Err(EngineError::usage("forget what?", "name a memory: `remora list` shows the names"));
    };
    let shelf = engine.shelf_of(&place).await?;
    let entry = if args.exact { super::get::exactly(&shelf, &name)? } else { named(&shelf, &name)? };
    let entry = entry.clone();
    if args.for_good { erase(engine, entry).await } else { discard(engine, &place, entry).await }
}

async fn discard(engine: &Arc<Engine>, place: &Place, entry: Entry) -> Result<Value, EngineError> {
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
    engine.note_change(place, Change::Forgot { slot, name }).await?;
    Ok(value)
}

/// Deletes a memory for good: its file, its line, what the trash has of it, and the ledger's rows.
async fn erase(engine: &Arc<Engine>, entry: Entry) -> Result<Value, EngineError> {
    let mut value = json!({"erased": super::list::entry_json(&entry)});
    let (trash, keeper) = (engine.root().trash(), Arc::clone(engine));
    let (name, file) = (entry.name.clone(), entry.file_in_ledger());
    let (copies, questions, in_repository) = blocking(move || {
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
        let questions = keeper.memories().review().erase(&folder.join(&entry.file))?;
        let in_repository = folder.ancestors().any(|above| above.join(".git").exists());
        Ok((copies, questions, in_repository))
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
    value["removed"] = json!({"trash": copies, "review": questions, "ledger": rows});
    if in_repository {
        value["note"] = json!(
            "the folder lies in a repository: its history keeps what was committed, and Remora does not touch it"
        );
    }
    Ok(value)
}
