//! What the person deleted, so that nothing brings it back: one line of JSON each, `{"folder", "file", "at"}`.

use std::collections::{BTreeSet, HashSet};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::error::EngineError;

/// So many are kept, the newest: whoever deletes more has long stopped to import what they deleted first.
const MOST: usize = 20_000;

/// A longer file is only read from behind.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The file of them. The engine alone writes it.
#[derive(Debug)]
pub(super) struct Tombstones {
    path: PathBuf,
    /// Held while the file is read or written.
    turn: Mutex<()>,
    most: usize,
    largest: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stone {
    folder: PathBuf,
    file: String,
    at: String,
}

impl Tombstones {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, turn: Mutex::default(), most: MOST, largest: LARGEST }
    }

    /// Writes down that files of a folder were deleted.
    pub(super) fn add(&self, folder: &Path, files: &BTreeSet<String>) -> Result<(), EngineError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let at = clock::rfc3339(clock::now_millis());
        let mut lines = String::new();
        for file in files {
            let stone = Stone { folder: folder.to_owned(), file: file.clone(), at: at.clone() };
            lines.push_str(&line(&stone)?);
        }
        let mut open = fs_err::OpenOptions::new().create(true).append(true).open(&self.path)?;
        open.write_all(lines.as_bytes())?;
        if open.metadata()?.len() > self.largest {
            self.read()?;
        }
        Ok(())
    }

    /// The files that were deleted.
    pub(super) fn all(&self) -> HashSet<PathBuf> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let stones = self.read().unwrap_or_else(|error| {
            tracing::warn!(%error, "what was deleted could not be read");
            Vec::new()
        });
        stones.into_iter().map(|stone| stone.folder.join(stone.file)).collect()
    }

    /// The newest of them, each once, oldest first. A file that holds more is written anew.
    fn read(&self) -> Result<Vec<Stone>, EngineError> {
        let mut open = match remora_memory::ordinary::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let skipped = open.metadata()?.len().saturating_sub(self.largest);
        open.seek(SeekFrom::Start(skipped))?;
        let mut text = Vec::new();
        open.take(self.largest).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        let (mut seen, mut stones, mut lines) = (HashSet::new(), Vec::new(), 0);
        for said in text.lines().rev() {
            lines += 1;
            // A line that was cut, by a full disk or above, says nothing.
            let Ok(stone) = serde_json::from_str::<Stone>(said) else { continue };
            if stones.len() < self.most && seen.insert(stone.folder.join(&stone.file)) {
                stones.push(stone);
            }
        }
        stones.reverse();
        if skipped > 0 || stones.len() < lines {
            self.replace(&stones)?;
        }
        Ok(stones)
    }

    fn replace(&self, stones: &[Stone]) -> Result<(), EngineError> {
        let text = stones.iter().map(line).collect::<Result<String, _>>()?;
        let fresh = self.path.with_extension("jsonl.new");
        fs_err::write(&fresh, text)?;
        fs_err::rename(fresh, &self.path)?;
        Ok(())
    }
}

fn line(stone: &Stone) -> Result<String, EngineError> {
    let text = serde_json::to_string(stone).map_err(|error| EngineError::Internal(error.to_string()))?;
    Ok(format!("{text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn few(folder: &Path, most: usize, largest: u64) -> Tombstones {
        Tombstones { most, largest, ..Tombstones::at(folder.join("tombstones.jsonl")) }
    }

    fn lines(stones: &Tombstones) -> usize {
        std::fs::read_to_string(&stones.path).expect("read").lines().count()
    }

    #[test]
    fn each_is_kept_once_and_the_newest_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let stones = few(folder.path(), 3, LARGEST);
        assert!(stones.all().is_empty(), "no file is no error");
        for name in ["a", "b", "a", "c", "d", "b"] {
            stones.add(Path::new("/m"), &BTreeSet::from([format!("{name}.md")])).expect("added");
        }
        std::fs::OpenOptions::new()
            .append(true)
            .open(&stones.path)
            .and_then(|mut file| file.write_all(b"{\"folder\": \"/m\", \"fi"))
            .expect("half a line");
        assert_eq!(lines(&stones), 7);
        let expected: HashSet<PathBuf> = ["c", "d", "b"].map(|name| format!("/m/{name}.md").into()).into();
        assert_eq!(stones.all(), expected);
        assert_eq!(lines(&stones), 3, "the file was written anew");
        stones.add(Path::new("/m"), &BTreeSet::from(["e.md".to_owned()])).expect("added");
        let expected: HashSet<PathBuf> = ["d", "b", "e"].map(|name| format!("/m/{name}.md").into()).into();
        assert_eq!(stones.all(), expected);
    }

    #[test]
    fn a_file_that_nobody_reads_does_not_grow_without_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let stones = few(folder.path(), MOST, 4_096);
        for number in 0..500 {
            stones.add(Path::new("/m"), &BTreeSet::from([format!("{number}.md")])).expect("added");
            assert!(std::fs::metadata(&stones.path).expect("there").len() <= 4_096, "{number}");
        }
        let all = stones.all();
        assert!(all.contains(Path::new("/m/499.md")) && !all.contains(Path::new("/m/0.md")));
    }
}
