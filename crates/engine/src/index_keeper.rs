//! Keeping `MEMORY.md` in step with the files, one entry at a time, never over a person's edit.

use remora_memory::index::{INDEX_FILE, Index};
use remora_memory::path::MemoryPath;
use remora_memory::write::{MemoryDir, Replaced};

use crate::error::EngineError;

/// A person who saves the index in between wins; then it is read again, so often.
const TRIES: usize = 20;

/// Changes the index of a folder; nothing is written where the change changes nothing.
pub(crate) fn change(dir: &MemoryDir, edit: impl Fn(&mut Index)) -> Result<(), EngineError> {
    let file = MemoryPath::parse(INDEX_FILE)?;
    for _ in 0..TRIES {
        let (before, digest) = if dir.exists(&file) {
            let (bytes, digest) = dir.read(&file)?;
            (bytes, Some(digest))
        } else {
            (Vec::new(), None)
        };
        let Ok(text) = std::str::from_utf8(&before) else {
            return Err(EngineError::Memory(format!(
                "{INDEX_FILE} in {} is not UTF-8 and is left alone",
                dir.root().display()
            )));
        };
        let mut index = Index::parse_in(text, dir.root());
        edit(&mut index);
        if index.text() == text {
            return Ok(());
        }
        let after = index.text().as_bytes();
        match digest {
            None => match dir.create_new(&file, after) {
                Ok(()) => return Ok(()),
                // Somebody made one in between.
                Err(remora_memory::Error::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            },
            Some(digest) => match dir.replace_if_unchanged(&file, &digest, after)? {
                Replaced::Written => return Ok(()),
                Replaced::Changed => {}
            },
        }
    }
    Err(EngineError::Memory(format!(
        "{INDEX_FILE} in {} is being written by somebody else all the time",
        dir.root().display()
    )))
}

/// The title and the hook that the index has for a file.
pub(crate) fn line_of(dir: &MemoryDir, file: &str) -> Option<(String, String)> {
    let (bytes, _) = dir.read(&MemoryPath::parse(INDEX_FILE).ok()?).ok()?;
    let index = Index::parse_in(std::str::from_utf8(&bytes).ok()?, dir.root());
    let entry = index.entry(file)?;
    Some((entry.title.clone(), entry.hook.clone()))
}
