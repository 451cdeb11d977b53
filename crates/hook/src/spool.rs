//! `spool/`: events that the engine could not take, one file each, until it does.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use remora_event::{Event, EventKind};

use crate::root::{DataRoot, age, create_private_folder, private_file};

/// At most this much lies in the spool; beyond it tool events are dropped.
const MAX_SPOOL: u64 = 256 * 1024 * 1024;

/// The file whose length in bytes is the size of the spool in KiB. Appending to it needs no lock and no
/// look at a hundred thousand files.
const TALLY: &str = ".size";

/// Stands there since the last look at the folder found it full.
const FULL: &str = ".full";

/// An overfull tally is checked against the folder at most this often.
const RECOUNT: Duration = Duration::from_mins(1);

/// Why an event is not in the spool.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpoolError {
    #[error("the spool is full: a tool event was dropped")]
    Full,
    #[error("the event is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("writing {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// Keeps an event. No fsync: a crash of the machine may lose it, a crash of a program cannot.
pub(crate) fn keep(root: &DataRoot, event: Event) -> Result<(), SpoolError> {
    let folder = root.spool();
    let id = event.id.clone();
    let may_be_dropped =
        matches!(event.event, EventKind::PreToolUse | EventKind::PostToolUse | EventKind::ToolFailure);
    let json = serde_json::to_vec(&event.without_call())?;
    create_private_folder(&folder).map_err(|source| SpoolError::Io { path: folder.clone(), source })?;
    if may_be_dropped && is_full(&folder, json.len() as u64) {
        return Err(SpoolError::Full);
    }
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let path = folder.join(format!("{millis}-{id}.json"));
    // The id ends in 62 random bits, and no other process has it.
    let unfinished = folder.join(format!(".{id}.tmp"));
    write(&unfinished, &path, &json).map_err(|source| {
        let _ = fs::remove_file(&unfinished);
        SpoolError::Io { path, source }
    })?;
    let _ = tally(&folder, json.len());
    Ok(())
}

fn write(unfinished: &Path, path: &Path, json: &[u8]) -> io::Result<()> {
    private_file().write(true).create_new(true).open(unfinished)?.write_all(json)?;
    fs::rename(unfinished, path)
}

/// Adds to the tally.
fn tally(folder: &Path, bytes: usize) -> io::Result<()> {
    let marks = vec![b'.'; bytes.div_ceil(1024)];
    private_file().append(true).create(true).open(folder.join(TALLY))?.write_all(&marks)
}

/// Whether `more` bytes would not fit. The engine empties the spool without touching the tally, so an
/// overfull tally is a reason to look, not an answer.
fn is_full(folder: &Path, more: u64) -> bool {
    let path = folder.join(TALLY);
    let tally = fs::metadata(&path).map_or(0, |tally| tally.len() * 1024);
    if tally + more <= MAX_SPOOL {
        return false;
    }
    let full = folder.join(FULL);
    if age(&full).is_some_and(|age| age < RECOUNT) {
        return true;
    }
    let bytes = bytes_in(folder);
    let counted = private_file().write(true).create(true).truncate(true).open(&path);
    let _ = counted.and_then(|file| file.set_len(bytes.div_ceil(1024)));
    let is_full = bytes + more > MAX_SPOOL;
    let _ = if is_full { fs::write(&full, "") } else { fs::remove_file(&full) };
    is_full
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|name| name == "json"))
        .filter_map(|entry| entry.metadata().ok())
        .filter(fs::Metadata::is_file)
        .map(|file| file.len())
        .sum()
}
