//! What can be wrong with a definition, and with reading by it.

use std::path::PathBuf;

/// A definition that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {key}: {problem}", if file.is_empty() { host.as_str() } else { file.as_str() })]
pub struct DefinitionError {
    /// The host whose definition it is.
    pub host: String,
    /// The file that it stands in; empty for one that is built in.
    pub file: String,
    /// The key, with all keys above it: `transcript.events[2].when[0].equal`.
    pub key: String,
    /// What is wrong, and what is allowed there.
    pub problem: String,
}

/// A transcript that cannot be read now.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file.
    #[error("failed to read {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The database.
    #[error("failed to read {}: {source}", path.display())]
    Database {
        /// Which.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// It is not what the definition says.
    #[error("{} is not what its definition says: {problem}", path.display())]
    Form {
        /// Which.
        path: PathBuf,
        /// How it differs.
        problem: String,
    },
    /// Somebody writes it at this moment.
    #[error("{} is being written", path.display())]
    Busy {
        /// Which.
        path: PathBuf,
    },
}

impl ReadError {
    /// An input or output error of a file.
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }

    /// An error of a database.
    pub(crate) fn database(path: &std::path::Path) -> impl Fn(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Database { path: path.clone(), source }
    }
}
