//! `spool/`: events that the engine could not take, one file each, until it does.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use remora_event::{Event, EventKind};

use crate::log;
use crate::root::{DataRoot, age, create_private_folder, private_file, write_private};

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
    let millis = u64::try_from(log::since_1970().as_millis()).unwrap_or(u64::MAX);
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
    let _ = if is_full { write_private(&full, "") } else { fs::remove_file(&full) };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind, id: &str) -> Event {
        Event::new(kind, id.into(), "test", "s".into(), "/".into(), "now".into())
    }

    /// A spool that is as full as `bytes` say, without taking that much of the disk.
    fn filled(bytes: u64, tally: u64) -> (tempfile::TempDir, DataRoot) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = DataRoot::at(folder.path());
        fs::create_dir_all(root.spool()).expect("a folder");
        for (name, size) in [("1-a.json", bytes), (TALLY, tally.div_ceil(1024))] {
            let file = fs::File::create(root.spool().join(name)).expect("a file");
            file.set_len(size).expect("a sparse file");
        }
        (folder, root)
    }

    fn names(root: &DataRoot) -> Vec<String> {
        let entries = fs::read_dir(root.spool()).expect("the spool");
        let mut names: Vec<_> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn an_event_is_one_whole_file_without_what_the_call_can_take() {
        let (_folder, root) = filled(0, 0);
        let mut kept = event(EventKind::Stop, "id");
        kept.deadline_ms = Some(1);
        keep(&root, kept.clone()).expect("room");
        let name = names(&root).pop().expect("a file");
        assert!(name.ends_with("-id.json") && name.len() > "-id.json".len() + 12, "{name}");
        let text = fs::read(root.spool().join(name)).expect("the file");
        assert_eq!(serde_json::from_slice::<Event>(&text).expect("an event"), kept.without_call());
        assert!(names(&root).iter().all(|name| !name.contains(".tmp")));
    }

    #[test]
    fn a_full_spool_takes_prompts_and_no_tool_events() {
        let (_folder, root) = filled(MAX_SPOOL, MAX_SPOOL);
        for kind in [EventKind::PostToolUse, EventKind::ToolFailure, EventKind::PreToolUse] {
            assert!(matches!(keep(&root, event(kind, "t")), Err(SpoolError::Full)), "{kind:?}");
        }
        for kind in [EventKind::UserPrompt, EventKind::Stop, EventKind::SessionStart] {
            keep(&root, event(kind, kind.as_str())).expect("always room");
        }
        assert!(matches!(keep(&root, event(EventKind::PostToolUse, "t")), Err(SpoolError::Full)));
    }

    #[test]
    fn a_tally_that_the_engine_outran_is_counted_again() {
        let (_folder, root) = filled(1024, MAX_SPOOL);
        keep(&root, event(EventKind::PostToolUse, "t")).expect("room");
        let tally = fs::metadata(root.spool().join(TALLY)).expect("a tally").len();
        assert!((1..=3).contains(&tally), "{tally}");
    }

    #[test]
    fn a_tally_grows_with_every_event() {
        let (_folder, root) = filled(0, 0);
        let mut large = event(EventKind::PostToolUse, "t");
        large.prompt = Some("x".repeat(10_000));
        keep(&root, large).expect("room");
        assert_eq!(fs::metadata(root.spool().join(TALLY)).expect("a tally").len(), 10);
    }
}
