//! What `remora uninstall --purge` deletes, as it is said before.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ask::Engine;
use crate::output;
use crate::places::Places;

/// Folders below each other that are looked at; memories lie at most this deep below their own folder.
const DEEPEST: usize = 8;

/// Everything below the data root.
pub(super) struct Purged {
    folder: PathBuf,
    memories: i64,
    journal: Value,
}

impl Purged {
    /// Nothing where there is no data root.
    pub(super) fn of(engine: &Engine, places: &Places) -> Option<Self> {
        if !places.root.exists() {
            return None;
        }
        let memories = ["user", "projects"].iter().map(|name| memory_files(&places.root.join(name), 0)).sum();
        // An engine that cannot be asked is no reason to say nothing.
        let is_kept = places.root.join("journal.db").exists();
        let status = if is_kept { engine.ask("status", Value::Null).ok() } else { None };
        let journal = status.map_or(Value::Null, |status| status["journal"].clone());
        Some(Self { folder: places.root.clone(), memories, journal })
    }

    pub(super) fn value(&self) -> Value {
        json!({"folder": self.folder, "memories": self.memories, "journal": self.journal})
    }

    pub(super) fn said(&self) -> String {
        let memories = output::counted(self.memories, "memory", "memories");
        let journal = if self.journal.is_null() {
            "the journal".to_owned()
        } else {
            let events = output::counted(output::number(&self.journal, "events"), "event", "events");
            let sessions = output::counted(output::number(&self.journal, "sessions"), "session", "sessions");
            format!("the journal with {events} from {sessions}")
        };
        let folder = output::path(&self.folder.to_string_lossy());
        format!("all memory ({memories}) and {journal}: the whole folder {folder}")
    }
}

/// How many files of memory lie in a folder and below it; an index is none.
fn memory_files(folder: &Path, depth: usize) -> i64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let of = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() && depth < DEEPEST => memory_files(&entry.path(), depth + 1),
        Ok(kind) if kind.is_file() => {
            let is_memory = entry.path().extension().is_some_and(|end| end == "md");
            i64::from(is_memory && entry.file_name() != "MEMORY.md")
        }
        _ => 0,
    };
    entries.filter_map(Result::ok).map(of).sum()
}
