//! Changing one memory file, never over a person's edit.

use std::path::Path;

use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir, Replaced};

use crate::error::EngineError;
use crate::touched;

/// A person who saves the file in between wins; then it is read again, so often.
const TRIES: usize = 10;

/// Changes the text of a memory file; nothing is written where the change changes nothing. Answers whether
/// something was.
pub(crate) fn change(
    folder: &Path,
    file: &str,
    edit: impl Fn(&str) -> Result<String, remora_memory::Error>,
) -> Result<bool, EngineError> {
    let dir = MemoryDir::open(folder, Links::Inside)?;
    let path = MemoryPath::found(file)?;
    let full = folder.join(file);
    for _ in 0..TRIES {
        let others = touched::changed_at(&full);
        let (bytes, digest) = dir.read(&path)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            EngineError::Memory(format!("{} is not UTF-8 and is left alone", folder.join(file).display()))
        })?;
        let edited = edit(text)?;
        if edited == text {
            return Ok(false);
        }
        if dir.replace_if_unchanged(&path, &digest, edited.as_bytes())? == Replaced::Written {
            touched::changed(&full, edited.as_bytes(), others);
            return Ok(true);
        }
    }
    Err(EngineError::Memory(format!(
        "{} is being written by somebody else all the time",
        folder.join(file).display()
    )))
}
