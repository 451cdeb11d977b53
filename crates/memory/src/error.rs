//! What can go wrong with memory files on disk.

use std::io;
use std::path::{Path, PathBuf};

use crate::path::Refused;

/// An operation on a memory folder or a project that could not be done. Nothing partial was done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused a step.
    #[error("could not {doing} {}", path.display())]
    Io {
        /// The step, as in "could not ...".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The path does not belong into the folder.
    #[error(transparent)]
    Path(#[from] Refused),
    /// A symbolic link where none is followed.
    #[error("refused {}: it is a symbolic link", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// The file exists already.
    #[error("could not create {}: it exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// An edit would not be certain to change only what it should.
    #[error("could not edit {file}: {reason}")]
    Edit {
        /// The file, relative to its folder.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A record of a project that cannot be read.
    #[error("could not read the project record {}: {reason}", path.display())]
    Record {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Adds what was being done, and to which path, to a system error.
pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str, path: impl AsRef<Path>) -> Result<T, Error>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: &'static str, path: impl AsRef<Path>) -> Result<T, Error> {
        self.map_err(|source| Error::Io { doing, path: path.as_ref().to_owned(), source })
    }
}
