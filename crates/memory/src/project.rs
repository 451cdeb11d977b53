//! Which project a directory belongs to, found without running any program.
//!
//! A project is the canonical root of a repository: all its worktrees and sub-folders share one memory. What
//! stands inside a repository is not trusted: a `.git` file leads to another repository only if that repository
//! points back to it and both belong to the same person.

mod record;
mod remote;
mod root;

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub use record::ProjectRecord;
pub use remote::{normalised_remote, remote_in_config};
pub use root::{ProjectRoot, Repository, Surroundings};

use crate::write::hex;

/// The longest slug without its hash, in characters.
const MAX_SLUG: usize = 200;

/// A project: its canonical root and the name of its folder in the data root.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectId {
    /// The canonical root.
    pub root: PathBuf,
    /// The path with every character but ASCII letters and digits turned into `-`, cut at 200, then `-` and
    /// eight hexadecimal digits of the path's SHA-256.
    pub slug: String,
}

impl ProjectId {
    /// The project at a root that is already canonical.
    pub fn of_root(root: &Path) -> Self {
        Self { root: root.to_owned(), slug: slug(root) }
    }

    /// The project that `directory` belongs to.
    pub fn of(directory: &Path, around: &Surroundings) -> Self {
        Self::of_root(&ProjectRoot::find(directory, around).root)
    }
}

/// The slug of a path.
pub fn slug(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let text = path.to_string_lossy();
    let plain = text.chars().take(MAX_SLUG).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let digest = Sha256::digest(bytes);
    format!("{}-{}", plain.collect::<String>(), hex(&digest[..4]))
}

/// Whether two paths are the same folder now: both exist, with equal device and inode. An inode alone proves
/// nothing over time, because a new folder gets an old one's.
pub fn same_place(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (std::fs::metadata(one), std::fs::metadata(other)) else { return false };
    #[cfg(unix)]
    {
        crate::write::identity(&one) == crate::write::identity(&other)
    }
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        false
    }
}
