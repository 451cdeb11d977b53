//! The journal: the log of what happened in sessions, in one SQLite database that the engine alone opens.
//!
//! One thread writes. What arrives together shares a commit, and nobody is answered before the commit.
//! Reading happens on connections of its own and never waits for the writer.

pub(crate) mod complaint;
pub(crate) mod duplicates;
mod entries;
mod events;
mod filter;
pub(crate) mod fixes;
pub(crate) mod indexer;
mod joined;
mod left_off;
mod likeness;
mod observation;
mod origins;
mod passing;
pub(crate) mod purge;
mod reinforcement;
mod schema;
mod search;
mod sessions;
#[cfg(test)]
mod tests;
pub(crate) mod transcripts;
mod turn;
#[cfg(test)]
mod two_origins;
pub(crate) mod work;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::Connection;

pub(crate) use entries::{JournalEntry, around, entry, newest};
pub(crate) use events::{
    Appended, NewEvent, SessionRow, Told, append, counts, id_bytes, last_heard, last_prompt, last_tools,
    page_of_events, projects, projects_of_session, session, sessions_called, told,
};
pub(crate) use filter::{Asked, Filter, Projects};
pub(crate) use joined::join;
pub(crate) use left_off::{LeftOff, left_off};
pub(crate) use observation::{Observation, first_line, what_of};
pub(crate) use passing::{Passing, Watched, last_passed, passed_after};
pub(crate) use search::{SearchOrder, search, unindexed};
pub(crate) use sessions::{SessionSummary, sessions};
pub(crate) use turn::relative;
use writer::Writer;

/// What can go wrong with the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// SQLite said no.
    #[error("the journal's database failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The database was written by a newer Remora.
    #[error(
        "this journal was written by a newer Remora (its schema is {found}, this program knows up to {known})"
    )]
    Newer {
        /// The version in the file.
        found: i32,
        /// The newest version that this program knows.
        known: i32,
    },
    /// The copy before a migration could not be made.
    #[error("failed to keep a copy of the journal before migrating it: {source}")]
    Backup {
        /// Why.
        source: std::io::Error,
    },
    /// The writer has ended.
    #[error("the journal's writer has stopped")]
    Stopped,
}

/// The open journal.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    writer: Writer,
    readers: Mutex<Vec<Connection>>,
}

/// Reading connections kept open between requests.
const IDLE_READERS: usize = 2;

impl Journal {
    /// Opens the journal, creating it where it is missing. A file that is not a database any more is set
    /// aside under a name that says when, and a new one begun: memory files are the truth, not this.
    pub(crate) fn open(path: &Path, backups: &Path) -> Result<Self, JournalError> {
        let connection = match schema::open_writer(path, backups) {
            Err(JournalError::Sqlite(error)) if is_damage(&error) => {
                set_aside(path);
                schema::open_writer(path, backups)?
            }
            opened => opened?,
        };
        Ok(Self { path: path.to_owned(), writer: Writer::start(connection), readers: Mutex::new(Vec::new()) })
    }

    /// Runs `change` in the next commit and answers once it is on disk.
    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, JournalError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.writer.write(change).await
    }

    /// Runs `query` on a reading connection. Blocks: call it on the blocking pool.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let kept = self.readers.lock().ok().and_then(|mut readers| readers.pop());
        let connection = match kept {
            Some(connection) => connection,
            None => schema::open_reader(&self.path)?,
        };
        let answer = query(&connection);
        if let Ok(mut readers) = self.readers.lock()
            && readers.len() < IDLE_READERS
        {
            readers.push(connection);
        }
        Ok(answer?)
    }

    /// Takes the words of deleted entries out of the search, then [`Self::sweep`]s.
    pub(crate) async fn scrub(&self) -> Result<(), JournalError> {
        // A deleted entry is only marked in the search's segments; made into one they are written without it.
        let optimised = self.writer.apart(|connection| {
            connection.execute_batch("INSERT INTO observation_words (observation_words) VALUES ('optimize');")
        });
        optimised.await?;
        self.sweep().await;
        Ok(())
    }

    /// Brings deletions into the file and gives its free pages back, so that deleted words are gone from the
    /// disk. A full disk leaves it for the next time.
    pub(crate) async fn sweep(&self) {
        let swept = self.writer.apart(|connection| {
            empty_log(connection)?;
            connection.execute_batch("VACUUM")?;
            empty_log(connection)
        });
        if let Err(error) = swept.await {
            tracing::warn!(%error, "the journal could not be swept");
        }
    }

    /// Brings what is committed into the database file and ends the writer.
    pub(crate) fn close(&self) {
        if let Ok(mut readers) = self.readers.lock() {
            readers.clear();
        }
        self.writer.stop();
    }

    /// The size of the database with its write-ahead log, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let wal = self.path.with_extension("db-wal");
        [self.path.as_path(), wal.as_path()]
            .iter()
            .filter_map(|file| std::fs::metadata(file).ok())
            .map(|found| found.len())
            .sum()
    }
}

/// Brings the write-ahead log into the file and empties it. Somebody who is reading is waited for.
fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        let is_busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if is_busy == 0 {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    tracing::warn!("the journal's log could not be emptied: somebody is reading");
    Ok(())
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt)
    )
}

fn set_aside(path: &Path) {
    let stamp = chrono::Utc::now().format("%Y%m%dT%H%M%S");
    for suffix in ["", "-wal", "-shm"] {
        let mut from = path.as_os_str().to_owned();
        from.push(suffix);
        let mut to = path.as_os_str().to_owned();
        to.push(format!(".damaged-{stamp}{suffix}"));
        if let Err(error) = std::fs::rename(&from, &to)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::error!(%error, file = ?from, "failed to set a damaged journal aside");
        }
    }
    tracing::error!(file = %path.display(), "the journal was damaged: it is set aside and a new one begins");
}

/// Makes the database private, with what lies beside it, before SQLite opens it: where it is missing, as an empty file.
/// Where that fails, SQLite says why.
fn make_private(path: &Path) {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let _ = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
    for end in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        let _ = std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600));
    }
}
