//! Keeping `MEMORY.md` in step with the files, one entry at a time, never over a person's edit.

use std::path::Path;

use remora_memory::index::Index;
use remora_memory::write::{self, Replaced};

use crate::error::EngineError;

/// The index's file.
pub(crate) const INDEX: &str = "MEMORY.md";

/// A person who saves the index in between wins; then it is read again, so often.
const TRIES: usize = 20;

/// Changes the index of a folder; nothing is written where the change changes nothing.
pub(crate) fn change(folder: &Path, edit: impl Fn(&mut Index)) -> Result<(), EngineError> {
    for _ in 0..TRIES {
        let before = match std::fs::read(folder.join(INDEX)) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(EngineError::Memory(format!("reading {}: {error}", folder.join(INDEX).display()))),
        };
        let Ok(text) = std::str::from_utf8(before.as_deref().unwrap_or_default()) else {
            return Err(EngineError::Memory(format!("{} is not UTF-8 and is left alone", folder.join(INDEX).display())));
        };
        let mut index = Index::parse_in(text, folder);
        edit(&mut index);
        if index.text() == text {
            return Ok(());
        }
        let after = index.text().as_bytes();
        let written = match &before {
            None => write::create_new(folder, INDEX, after).map(|_| Replaced::Written),
            Some(before) => write::replace_if_unchanged(folder, INDEX, before, after),
        };
        match written {
            Ok(Replaced::Written) => return Ok(()),
            Ok(Replaced::Changed) => {}
            Err(error) => return Err(EngineError::Memory(error.to_string())),
        }
    }
    Err(EngineError::Memory(format!("{} is being written by somebody else all the time", folder.join(INDEX).display())))
}

/// The title and the hook that the index has for a file.
pub(crate) fn line_of(folder: &Path, file: &str) -> Option<(String, String)> {
    let text = std::fs::read_to_string(folder.join(INDEX)).ok()?;
    let index = Index::parse_in(&text, folder);
    let entry = index.entry(file)?;
    Some((entry.title.clone(), entry.hook.clone()))
}
