//! A folder of somebody else's: listed and read within limits. Nothing in it is written, no link is followed, no pipe
//! is waited for.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use remora_memory::index::is_index_file;
use rustix::fs::OFlags;

/// Larger files are documents, not memories, and are left out.
pub(crate) const LARGEST: u64 = 64 * 1024;

/// So many files of one folder are taken.
pub(crate) const MOST_FILES: usize = 500;

/// So many folders deep.
const DEEPEST: usize = 8;

/// So many names are looked at in one folder and all below it; what comes after them is not known.
const MOST_NAMES: usize = 20_000;

/// A file that changed within this time may be half written.
pub(crate) const SETTLED: Duration = Duration::from_millis(400);

/// What a look into a folder found.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The Markdown files, sorted by name.
    pub(super) files: Vec<Listed>,
    /// What is not taken, and why.
    pub(super) left_out: Vec<(String, String)>,
    /// Whether all of it was seen: else nothing can be said of what is missing.
    pub(super) is_whole: bool,
    /// Folders that lie too deep.
    pub(super) too_deep: usize,
    /// Whether there were more names than are looked at.
    pub(super) is_cut: bool,
}

/// One file as it was found.
#[derive(Debug)]
pub(super) struct Listed {
    /// Its path below the folder, with `/`.
    pub(super) file: String,
    pub(super) stamp: Stamp,
    entry: DirEntry,
}

/// What tells that a file changed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) modified: SystemTime,
    size: u64,
    identity: (u64, u64),
}

impl Stamp {
    fn of(meta: &cap_std::fs::Metadata) -> Self {
        let modified = meta.modified().map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std);
        Self { modified, size: meta.len(), identity: (meta.dev(), meta.ino()) }
    }

    /// Of a file that is read by its path.
    pub(super) fn of_file(meta: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Self { modified, size: meta.len(), identity: (meta.dev(), meta.ino()) }
    }

    /// Whether nobody seems to be writing it. A time far to come says nothing.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let apart = now.duration_since(self.modified).unwrap_or_else(|ahead| ahead.duration());
        apart >= SETTLED
    }

    /// As it is written down.
    pub(super) fn said(&self) -> String {
        let since = self.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{}.{:09}:{}:{:x}", since.as_secs(), since.subsec_nanos(), self.size, self.identity.1)
    }
}

/// Folders that are never entered: the data root and memory folders, by what they are rather than how they are called.
#[derive(Debug, Default)]
pub(super) struct Avoid(HashSet<(u64, u64)>);

impl Avoid {
    pub(super) fn these(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(folders.into_iter().filter_map(|folder| identity(&folder)).collect())
    }

    /// Whether a folder is one of them or lies in one of them.
    pub(super) fn has(&self, folder: &Path) -> bool {
        folder.ancestors().filter_map(identity).any(|identity| self.0.contains(&identity))
    }
}

fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).ok().map(|found| (found.dev(), found.ino()))
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotRead {
    /// Somebody is writing it: later.
    BeingWritten,
    /// It cannot be a memory, and why.
    Because(String),
}

/// Lists a folder; nothing where it is not there. `with_index`: also what is called like an index.
pub(super) fn list(
    root: &Path,
    with_index: bool,
    leaves_out: impl Fn(&str) -> bool,
    avoid: &Avoid,
) -> std::io::Result<Option<Listing>> {
    let dir = match Dir::open_ambient_dir(root, ambient_authority()) {
        Ok(dir) => dir,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut walk = Walk {
        listing: Listing { is_whole: true, ..Listing::default() },
        names: 0,
        with_index,
        leaves_out: &leaves_out,
        avoid,
    };
    walk.enter(&dir, "", 0);
    walk.listing.files.sort_by(|a, b| a.file.cmp(&b.file));
    walk.listing.left_out.sort();
    Ok(Some(walk.listing))
}

struct Walk<'a> {
    listing: Listing,
    names: usize,
    with_index: bool,
    leaves_out: &'a dyn Fn(&str) -> bool,
    avoid: &'a Avoid,
}

impl Walk<'_> {
    fn leave(&mut self, file: &str, why: &str) {
        self.listing.left_out.push((file.to_owned(), why.to_owned()));
    }

    fn enter(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let entries = match dir.entries() {
            Ok(entries) => entries,
            Err(error) => {
                self.listing.is_whole = false;
                return self.leave(prefix.trim_end_matches('/'), &error.to_string());
            }
        };
        for entry in entries.flatten() {
            self.names += 1;
            if self.names > MOST_NAMES {
                (self.listing.is_whole, self.listing.is_cut) = (false, true);
                return;
            }
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let shown = format!("{prefix}{}", name.to_string_lossy());
                self.leave(&shown, "its name is not valid UTF-8");
                continue;
            };
            let file = format!("{prefix}{name}");
            if !name.starts_with('.') && !(self.leaves_out)(&file) {
                self.look_at(entry, name, file, depth);
            }
        }
    }

    fn look_at(&mut self, entry: DirEntry, name: &str, file: String, depth: usize) {
        let Ok(kind) = entry.file_type() else { return };
        let is_markdown = name.len() > 3 && name.to_ascii_lowercase().ends_with(".md");
        if kind.is_dir() {
            if depth >= DEEPEST {
                self.listing.too_deep += 1;
                return self.leave(&file, &format!("more than {DEEPEST} folders deep"));
            }
            let Ok(inner) = entry.open_dir() else { return };
            let found = inner.dir_metadata().map(|meta| (meta.dev(), meta.ino()));
            if !found.is_ok_and(|identity| self.avoid.0.contains(&identity)) {
                self.enter(&inner, &format!("{file}/"), depth + 1);
            }
            return;
        }
        if !is_markdown || is_index_file(name) && !self.with_index {
            return;
        }
        if kind.is_symlink() {
            return self.leave(&file, "a symbolic link");
        }
        match entry.metadata() {
            Ok(meta) if !meta.is_file() => self.leave(&file, "not an ordinary file"),
            Ok(meta) if meta.len() > LARGEST => {
                self.leave(&file, &format!("larger than {} KiB", LARGEST / 1024));
            }
            Ok(meta) => self.listing.files.push(Listed { file, stamp: Stamp::of(&meta), entry }),
            // Deleted between listing and looking.
            Err(_) => {}
        }
    }
}

impl Listing {
    /// Which limits were reached, as people are told of it. `found`: so many files there are to take.
    pub(super) fn limits(&self, found: usize) -> Vec<String> {
        let too_many = (found > MOST_FILES).then(|| {
            format!(
                "of {found} Markdown files {} were left out: {MOST_FILES} of one folder are taken",
                found - MOST_FILES
            )
        });
        let too_deep = (self.too_deep > 0).then(|| {
            format!("folders more than {DEEPEST} deep were not looked into: {} of them", self.too_deep)
        });
        let is_cut = self
            .is_cut
            .then(|| format!("there are more than {MOST_NAMES} names: the rest was not looked at"));
        [too_many, too_deep, is_cut].into_iter().flatten().collect()
    }
}

impl Listed {
    /// The text of the file, which is still the one that was found.
    pub(super) fn read(&self) -> Result<String, NotRead> {
        if !self.stamp.is_settled(SystemTime::now()) {
            return Err(NotRead::BeingWritten);
        }
        let because = |error: std::io::Error| NotRead::Because(error.to_string());
        let mut options = OpenOptions::new();
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
        let opened = self.entry.open_with(&options).map_err(because)?;
        let is_same = |file: &cap_std::fs::File| {
            file.metadata().is_ok_and(|meta| meta.is_file() && Stamp::of(&meta) == self.stamp)
        };
        if !is_same(&opened) {
            return Err(NotRead::BeingWritten);
        }
        let mut bytes = Vec::new();
        (&opened).take(LARGEST + 1).read_to_end(&mut bytes).map_err(because)?;
        if !is_same(&opened) {
            return Err(NotRead::BeingWritten);
        }
        text_of(bytes)
    }
}

/// Bytes as the text that they are.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, NotRead> {
    let because = |why: &str| NotRead::Because(why.to_owned());
    let text = String::from_utf8(bytes).map_err(|_| because("not valid UTF-8"))?;
    if text.contains('\0') {
        return Err(because("a NUL byte: not a text file"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_settles_after_its_last_change() {
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let stamp = Stamp { modified, size: 1, identity: (1, 1) };
        for (after, settled) in [(0, false), (399, false), (400, true), (5_000, true)] {
            assert_eq!(stamp.is_settled(modified + Duration::from_millis(after)), settled, "{after} ms");
        }
        // A clock that jumped back does not keep a file out for ever.
        assert!(stamp.is_settled(modified - Duration::from_secs(60)));
    }

    fn listed(folder: &Path) -> Listing {
        list(folder, false, |_| false, &Avoid::default()).expect("listed").expect("it is there")
    }

    #[test]
    fn a_file_that_is_exchanged_after_it_was_found_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            std::fs::File::options()
                .write(true)
                .open(&path)
                .expect("opened")
                .set_modified(long_ago)
                .expect("set");
        };
        write("a.md", "mine");
        write("secret", "top secret");
        let found = listed(folder.path());
        assert_eq!(found.files[0].read(), Ok("mine".to_owned()));
        std::fs::remove_file(folder.path().join("a.md")).expect("removed");
        std::os::unix::fs::symlink("secret", folder.path().join("a.md")).expect("linked");
        assert!(found.files[0].read().is_err(), "a link was followed");
        std::fs::remove_file(folder.path().join("a.md")).expect("removed");
        write("a.md", "something else");
        assert_eq!(found.files[0].read(), Err(NotRead::BeingWritten));
    }

    #[test]
    fn our_own_folders_are_not_entered_whatever_they_are_called() {
        let folder = tempfile::tempdir().expect("a folder");
        for inner in ["notes", "data/memory"] {
            std::fs::create_dir_all(folder.path().join(inner)).expect("made");
            std::fs::write(folder.path().join(inner).join("a.md"), "x").expect("written");
        }
        let avoid = Avoid::these([folder.path().join("data")]);
        let found = list(folder.path(), false, |_| false, &avoid).expect("listed").expect("it is there");
        let files: Vec<&str> = found.files.iter().map(|listed| listed.file.as_str()).collect();
        assert_eq!(files, ["notes/a.md"]);
        assert!(avoid.has(&folder.path().join("data/memory")) && !avoid.has(&folder.path().join("notes")));
    }
}
