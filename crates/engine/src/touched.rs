//! Which memory files Remora changed itself, so that its own hand is not taken for somebody else's.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use remora_memory::{Digest, ordinary};

/// Files that are kept in mind; past that all are forgotten, and a change of ours counts as somebody's.
const MOST: usize = 4_096;

static OWN: LazyLock<Mutex<HashMap<PathBuf, Own>>> = LazyLock::new(Mutex::default);

/// The last change of ours.
#[derive(Debug, Clone, Copy)]
struct Own {
    after: Digest,
    /// When somebody else had changed the file last; never, where it is ours or the person's word.
    others: Option<i64>,
}

/// The file is as Remora wrote it, for the person: nobody else's hand is in it.
pub(crate) fn made(path: &Path, bytes: &[u8]) {
    note(path, Own { after: Digest::of(bytes), others: None });
}

/// Remora changed a file that had these bytes before. `others`: what [`changed_at`] said before the change.
pub(crate) fn changed(path: &Path, after: &[u8], others: Option<i64>) {
    note(path, Own { after: Digest::of(after), others });
}

/// When somebody other than Remora changed a file last, in milliseconds; nothing where nobody did, or where there
/// is no ordinary file.
pub(crate) fn changed_at(path: &Path) -> Option<i64> {
    let meta = std::fs::metadata(path).ok()?;
    // The time of modification can be set by whoever writes the file, this one cannot.
    let at = meta.ctime() * 1000 + meta.ctime_nsec() / 1_000_000;
    let own = OWN.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
    match own {
        Some(own) if ordinary::read(path).is_ok_and(|bytes| Digest::of(&bytes) == own.after) => own.others,
        _ => meta.is_file().then_some(at),
    }
}

fn note(path: &Path, own: Own) {
    let mut known = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MOST && !known.contains_key(path) {
        known.clear();
    }
    known.insert(path.to_owned(), own);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_ours_hides_no_change_of_somebody_else() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("a.md");
        let write = |text: &str| std::fs::write(&path, text).expect("written");
        write("ours");
        made(&path, b"ours");
        assert_eq!(changed_at(&path), None, "made by us");
        write("theirs");
        let theirs = changed_at(&path);
        assert!(theirs.is_some());
        write("theirs, pinned");
        changed(&path, b"theirs, pinned", theirs);
        assert_eq!(changed_at(&path), theirs, "a pin of ours does not make it ours");
        assert_eq!(changed_at(temp.path()), None);
    }
}
