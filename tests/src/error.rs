//! What can go wrong in the harness itself, as opposed to in what it tests.

use std::path::{Path, PathBuf};
use std::{io, time::Duration};

/// The harness' result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of the harness. A test that gets one has learned nothing about Remora.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read, written or made.
    #[error("{doing} {path}: {source}")]
    File {
        /// What was being done, as in "writing".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file holds no JSON of the expected shape.
    #[error("reading JSON from {origin}: {source}")]
    Json {
        /// The file, or the program that printed it.
        origin: String,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// A program could not be started or waited for.
    #[error("running {program}: {source}")]
    Run {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program ended otherwise than it had to.
    #[error("{program} {problem}")]
    Program {
        /// The program.
        program: String,
        /// How it ended, with what it printed.
        problem: String,
    },
    /// The journal's database could not be read.
    #[error("reading the journal {path}: {source}")]
    Journal {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Something did not come about in time.
    #[error("waited {waited:?} for {what}")]
    Waited {
        /// What was waited for.
        what: String,
        /// How long.
        waited: Duration,
    },
    /// The fake model server could not be started.
    #[error("starting the fake model server: {0}")]
    FakeModel(#[source] io::Error),
    /// A fault was set up but does not bite, so that a test with it would prove nothing.
    #[error("the fault does not bite: {0}")]
    Toothless(String),
}

impl Error {
    /// For `map_err` on a file operation: `doing` is a participle, as in "writing".
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }

    /// For `map_err` on starting or waiting for a program.
    pub fn run(program: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let program = program.into();
        move |source| Self::Run { program, source }
    }

    /// For `map_err` on parsing JSON.
    pub fn json(origin: impl Into<String>) -> impl FnOnce(serde_json::Error) -> Self {
        let origin = origin.into();
        move |source| Self::Json { origin, source }
    }
}
