//! A project's working tree, looked at without ever leaving it: every path is opened relative to the root's handle,
//! and a link that leads out is as good as nothing.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// Folders that hold no sources of the project's own.
const SKIPPED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "node_modules",
    "target",
    ".venv",
    "venv",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".cache",
    ".idea",
    ".terraform",
    ".direnv",
];

/// A file is read up to this length, in bytes; sources are shorter.
const LONGEST_FILE: u64 = 512 * 1024;

/// How far a look through the whole tree goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Files and folders that are listed.
    pub(crate) entries: usize,
    /// Bytes that are read.
    pub(crate) bytes: u64,
    /// How long it takes.
    pub(crate) time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { entries: 100_000, bytes: 64 * 1024 * 1024, time: Duration::from_secs(5) }
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    File,
    Folder,
    Nothing,
    /// It cannot be looked at: it leads out of the tree, or may not be read.
    Closed,
}

/// A working tree.
#[derive(Debug)]
pub(crate) struct Tree {
    root: Dir,
}

/// What a look through the whole tree says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// For each file name that was asked for, the paths of the files that bear it, at most a few.
    pub(crate) files: Vec<(String, String)>,
    /// The words that stand in some file, with the first file that has them.
    pub(crate) words: Vec<(String, String)>,
    /// Whether all of the tree was looked at.
    pub(crate) is_whole: bool,
}

impl Tree {
    /// The tree below a project's root.
    pub(crate) fn open(root: &Path) -> std::io::Result<Self> {
        Dir::open_ambient_dir(root, ambient_authority()).map(|root| Self { root })
    }

    pub(crate) fn find(&self, path: &str) -> Found {
        match self.root.metadata(path) {
            Ok(found) if found.is_dir() => Found::Folder,
            Ok(_) => Found::File,
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Found::Nothing
            }
            Err(_) => Found::Closed,
        }
    }

    /// The text of an ordinary file, its beginning where it is long; nothing of anything else.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let file = open_plain(&self.root, Path::new(path))?;
        let mut bytes = Vec::new();
        file.take(LONGEST_FILE).read_to_end(&mut bytes).ok()?;
        (!bytes.iter().take(1024).any(|byte| *byte == 0))
            .then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Looks through the tree for files of these names and for these words. Links are not followed.
    pub(crate) fn look(&self, names: &HashSet<String>, words: &HashSet<String>, bounds: Bounds) -> Look {
        let until = Instant::now() + bounds.time;
        let (mut entries, mut bytes) = (0, 0_u64);
        let mut open: HashSet<&str> = words.iter().map(String::as_str).collect();
        let mut look = Look { is_whole: true, ..Look::default() };
        let Ok(root) = self.root.try_clone() else { return Look::default() };
        let mut folders = vec![(root, String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let Ok(listed) = folder.entries() else { continue };
            for entry in listed.filter_map(Result::ok) {
                entries += 1;
                if entries > bounds.entries || Instant::now() > until {
                    return Look { is_whole: false, ..look };
                }
                let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                    continue;
                };
                let path = format!("{prefix}{name}");
                if kind.is_dir() {
                    if !SKIPPED.contains(&name.as_str())
                        && let Ok(inner) = entry.open_dir()
                    {
                        folders.push((inner, format!("{path}/")));
                    }
                    continue;
                }
                if !kind.is_file() {
                    continue;
                }
                if names.contains(&name) {
                    look.files.push((name.clone(), path.clone()));
                }
                let is_short = entry.metadata().is_ok_and(|found| found.len() <= LONGEST_FILE);
                if open.is_empty() || !is_short {
                    continue;
                }
                let Some(text) = self.read(&path) else { continue };
                bytes += text.len() as u64;
                if bytes > bounds.bytes {
                    look.is_whole = false;
                    open.clear();
                }
                for word in words.iter().filter(|word| open.contains(word.as_str())) {
                    if has_word(&text, word) {
                        look.words.push((word.clone(), path.clone()));
                    }
                }
                look.words.iter().for_each(|(word, _)| {
                    open.remove(word.as_str());
                });
                if names.is_empty() && open.is_empty() {
                    return look;
                }
            }
        }
        look
    }
}

/// An ordinary file; a pipe or a device could hold whoever opens it.
fn open_plain(dir: &Dir, path: &Path) -> Option<cap_std::fs::File> {
    dir.metadata(path).ok().filter(cap_std::fs::Metadata::is_file)?;
    dir.open(path).ok()
}

/// Whether a word stands in a text as a whole.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}
