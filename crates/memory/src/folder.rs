//! A memory folder as a whole: which files are memories, read again only where they changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use cap_std::fs::{Dir, DirEntry};

use crate::error::Error;
use crate::index::{INDEX_FILE, Index, is_index_file};
use crate::memory::{Memory, MemoryKind};
use crate::ordinary;
use crate::path::MAX_DEPTH;
use crate::problem::Unreadable;
use crate::reader::{not_read, read_open};
use crate::write::{Links, MemoryDir, identity};

/// The most files of one folder that are read.
pub const MAX_FILES: usize = 20_000;

/// How deep sub-folders are read.
const DEPTH: usize = MAX_DEPTH - 1;

/// So many threads read at most, and each of them so many files at least.
const MOST_READERS: usize = 4;
const WORTH_A_READER: usize = 32;

/// What tells that a file changed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    identity: (u64, u64),
    is_file: bool,
}

impl Stamp {
    fn of(meta: &std::fs::Metadata) -> Self {
        Self {
            modified: meta.modified().ok(),
            size: meta.len(),
            identity: identity(meta),
            is_file: meta.is_file(),
        }
    }
}

/// What reading a file gave; nothing where it is a memory that is not wanted.
type Outcome = Result<Option<Arc<Memory>>, Unreadable>;

/// A memory folder that remembers what it read.
#[derive(Debug)]
pub struct Folder {
    dir: MemoryDir,
    leave_out: Vec<String>,
    only: Option<MemoryKind>,
    known: BTreeMap<String, (Stamp, Outcome)>,
    index: Option<(Stamp, Arc<Index>)>,
}

/// What a scan found.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The memories, sorted by file.
    pub memories: Vec<Arc<Memory>>,
    /// The files that could not be read, sorted by file.
    pub unreadable: Vec<Unreadable>,
    /// The index, if there is one that can be read.
    pub index: Option<Arc<Index>>,
    /// Files that are new or changed since the last scan of this [`Folder`].
    pub changed: Vec<String>,
    /// Files that are gone since the last scan.
    pub removed: Vec<String>,
    /// Whether there are more files than [`MAX_FILES`]; the rest was not read.
    pub too_many: bool,
}

impl Scan {
    /// The memory in a file.
    pub fn memory(&self, file: &str) -> Option<&Arc<Memory>> {
        self.memories
            .binary_search_by(|memory| memory.file.as_str().cmp(file))
            .ok()
            .map(|at| &self.memories[at])
    }
}

impl Folder {
    /// Opens the folder at `root`. Nothing is read yet.
    ///
    /// # Errors
    /// Where it does not exist or is no folder.
    pub fn open(root: &Path) -> Result<Self, Error> {
        Ok(Self::of(MemoryDir::open(root, Links::Inside)?))
    }

    /// A folder that is already held by handle. The daily logs in `logs/` are no memories and are left out.
    pub fn of(dir: MemoryDir) -> Self {
        Self { dir, leave_out: vec!["logs".to_owned()], only: None, known: BTreeMap::new(), index: None }
    }

    /// Leaves a further sub-folder out, such as `team`, which has its own rules.
    #[must_use]
    pub fn leaving_out(mut self, sub_folder: &str) -> Self {
        self.leave_out.push(sub_folder.to_owned());
        self
    }

    /// Keeps the memories of one type alone; the others take no room.
    #[must_use]
    pub fn only(mut self, kind: MemoryKind) -> Self {
        self.only = Some(kind);
        self
    }

    /// The folder by handle, for writing.
    pub fn dir(&self) -> &MemoryDir {
        &self.dir
    }

    /// Reads the folder at `root` once.
    ///
    /// # Errors
    /// As [`Folder::open`] and [`Folder::rescan`].
    pub fn scan(root: &Path) -> Result<Scan, Error> {
        Self::open(root)?.rescan()
    }

    /// Reads the folder; files with the same modification time, size and inode as before are not read again.
    /// One file that cannot be read never hides the others.
    ///
    /// # Errors
    /// Only where the folder itself cannot be listed.
    pub fn rescan(&mut self) -> Result<Scan, Error> {
        let mut scan = Scan::default();
        let mut found = Found::default();
        self.list(self.dir.dir(), "", 0, &mut found)?;
        scan.too_many = found.too_many;

        let mut before = std::mem::take(&mut self.known);
        let mut unread = Vec::new();
        for (file, entry) in found.files {
            let known = before.remove(&file);
            match stamp_of(self.dir.dir(), &file, &entry) {
                Ok(stamp) => match known {
                    Some((same, outcome)) if same == stamp => {
                        self.known.insert(file, (stamp, outcome));
                    }
                    _ => unread.push(Unread { file, entry, stamp }),
                },
                // Deleted between listing and looking.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_link(&entry) => {
                    scan.removed.extend(known.map(|_| file));
                }
                Err(error) => {
                    let problem = if is_link(&entry) {
                        "a symbolic link that leads out of the folder, or nowhere".to_owned()
                    } else {
                        error.to_string()
                    };
                    let stamp = Stamp { modified: None, size: 0, identity: (0, 0), is_file: false };
                    let outcome = Err(Unreadable { file: file.clone(), line: 1, problem });
                    if known.is_none_or(|(_, known)| known != outcome) {
                        scan.changed.push(file.clone());
                    }
                    self.known.insert(file, (stamp, outcome));
                }
            }
        }
        for (file, outcome) in unread.iter().zip(read_all(&unread)) {
            scan.changed.push(file.file.clone());
            let outcome = self.wanted(outcome);
            self.known.insert(file.file.clone(), (file.stamp, outcome));
        }
        scan.changed.sort();
        for (_, outcome) in self.known.values() {
            match outcome {
                Ok(memory) => scan.memories.extend(memory.clone()),
                Err(unreadable) => scan.unreadable.push(unreadable.clone()),
            }
        }
        scan.removed.extend(before.into_keys());
        scan.removed.sort();
        scan.unreadable.extend(found.unreadable);
        scan.index = self.read_index(&mut scan.unreadable);
        Ok(scan)
    }

    fn wanted(&self, read: Result<Memory, Unreadable>) -> Outcome {
        let is_wanted = |memory: &Memory| self.only.is_none_or(|kind| memory.kind == kind);
        read.map(|memory| is_wanted(&memory).then(|| Arc::new(memory)))
    }

    /// Collects the files below one folder. Links to folders are not entered: what they hold is read where it is.
    fn list(&self, dir: &Dir, prefix: &str, depth: usize, found: &mut Found) -> Result<(), Error> {
        let entries = match dir.entries() {
            Ok(entries) => entries,
            Err(source) if depth == 0 => {
                return Err(Error::Io { doing: "list", path: self.dir.root().to_owned(), source });
            }
            Err(error) => {
                found.unreadable.push(not_read(prefix.trim_end_matches('/'), &error));
                return Ok(());
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let file = format!("{prefix}{}", name.to_string_lossy());
                let problem = "its name is not valid UTF-8".to_owned();
                found.unreadable.push(Unreadable { file, line: 1, problem });
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let file = format!("{prefix}{name}");
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(cap_std::fs::FileType::is_dir) {
                if self.leave_out.contains(&file) {
                    continue;
                }
                if depth + 1 >= DEPTH {
                    let problem = "deeper than folders are read".to_owned();
                    found.unreadable.push(Unreadable { file, line: 1, problem });
                } else if let Ok(inner) = entry.open_dir() {
                    self.list(&inner, &format!("{file}/"), depth + 1, found)?;
                }
                continue;
            }
            let markdown = name.len() > 3 && name.to_ascii_lowercase().ends_with(".md");
            if !markdown || is_index_file(name) {
                continue;
            }
            if found.files.len() >= MAX_FILES {
                found.too_many = true;
                return Ok(());
            }
            found.files.insert(file, entry);
        }
        Ok(())
    }

    fn read_index(&mut self, unreadable: &mut Vec<Unreadable>) -> Option<Arc<Index>> {
        let opened = match ordinary::open_in(self.dir.dir(), Path::new(INDEX_FILE)) {
            Ok(opened) => opened.into_std(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.index = None;
                return None;
            }
            Err(error) => {
                unreadable.push(not_read(INDEX_FILE, &error));
                return None;
            }
        };
        let stamp = opened.metadata().map(|meta| Stamp::of(&meta)).ok();
        if let Some((known, index)) = &self.index
            && stamp.as_ref() == Some(known)
        {
            return Some(Arc::clone(index));
        }
        match read_text_of(opened) {
            Ok(text) => {
                let index = Arc::new(Index::parse_in(&text, self.dir.root()));
                self.index = stamp.map(|stamp| (stamp, Arc::clone(&index)));
                Some(index)
            }
            Err(problem) => {
                unreadable.push(Unreadable { file: INDEX_FILE.to_owned(), line: 1, problem });
                None
            }
        }
    }
}

/// The files below a folder while they are listed.
#[derive(Default)]
struct Found {
    files: BTreeMap<String, DirEntry>,
    unreadable: Vec<Unreadable>,
    too_many: bool,
}

fn is_link(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_symlink())
}

/// The stamp of the file itself, a link inside the folder followed. A pipe or a device is never opened.
fn stamp_of(dir: &Dir, file: &str, entry: &DirEntry) -> std::io::Result<Stamp> {
    let meta = if is_link(entry) { dir.metadata(file)? } else { entry.metadata()? };
    #[cfg(unix)]
    let identity = {
        use cap_std::fs::MetadataExt;
        (meta.dev(), meta.ino())
    };
    #[cfg(not(unix))]
    let identity = (0, 0);
    let modified = meta.modified().ok().map(cap_std::time::SystemTime::into_std);
    Ok(Stamp { modified, size: meta.len(), identity, is_file: meta.is_file() })
}

/// A file that is new or changed.
struct Unread {
    file: String,
    entry: DirEntry,
    stamp: Stamp,
}

impl Unread {
    fn read(&self) -> Result<Memory, Unreadable> {
        let file = self.file.as_str();
        if !self.stamp.is_file {
            let problem = ordinary::NOT_ORDINARY.to_owned();
            return Err(Unreadable { file: file.to_owned(), line: 1, problem });
        }
        let opened = self
            .entry
            .open_with(&ordinary::for_reading())
            .map_err(|error| not_read(file, &error))?
            .into_std();
        read_open(file, opened)
    }
}

/// Reads files in their order; many at once where there are many, since parsing takes longer than the disk.
fn read_all(files: &[Unread]) -> Vec<Result<Memory, Unreadable>> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let readers = processors.min(MOST_READERS).min(files.len() / WORTH_A_READER);
    if readers < 2 {
        return files.iter().map(Unread::read).collect();
    }
    thread::scope(|scope| {
        let shares = files.chunks(files.len().div_ceil(readers));
        let reading: Vec<_> =
            shares.map(|share| scope.spawn(|| share.iter().map(Unread::read).collect::<Vec<_>>())).collect();
        reading
            .into_iter()
            .flat_map(|reader| reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// An index is text of at most 1 MiB; broken characters are shown as such, so that its entries are not lost.
fn read_text_of(opened: std::fs::File) -> Result<String, String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    opened.take(crate::reader::MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > crate::reader::MAX_FILE {
        return Err("larger than 1 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "not valid UTF-8".to_owned())
}
