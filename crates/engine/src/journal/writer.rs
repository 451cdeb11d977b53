//! The one thread that writes to the journal.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::JournalError;
use crate::heap;

/// At most so many changes share a commit: a burst is answered in steps rather than at its end.
const BATCH: usize = 256;

/// How long the writer is idle before it brings the write-ahead log into the database.
const QUIET: Duration = Duration::from_millis(500);

/// How often the write-ahead log is brought in while the writer is never idle.
const BUSY_CHECKPOINT: Duration = Duration::from_secs(5);

/// A log of more frames (4 KiB each) is begun anew: as long as somebody reads at every moment it would only grow.
const LARGE_LOG: i64 = 16_384;

/// So long the writer waits for those who read a large log; events wait with it.
const READERS_LEAVE: Duration = Duration::from_millis(100);

type Answer = Box<dyn FnOnce(bool) + Send>;
type Change = Box<dyn FnOnce(&Connection) -> Answer + Send>;

type Apart = Box<dyn FnOnce(&Connection) + Send>;

enum Order {
    Apply(Change),
    /// Work that cannot be part of a transaction.
    Apart(Apart),
    Stop,
}

/// Handle of the writing thread.
#[derive(Debug)]
pub(crate) struct Writer {
    orders: Sender<Order>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread, which owns the connection.
    pub(crate) fn start(connection: Connection) -> Self {
        let (orders, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || work(&connection, &inbox))
            .map_err(|error| tracing::error!(%error, "failed to start the journal's writer"))
            .ok();
        Self { orders, thread: Mutex::new(thread) }
    }

    /// Runs `change` in the next commit, and answers after that commit.
    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, JournalError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let change: Change = Box::new(move |connection| {
            let result = guarded(connection, change);
            Box::new(move |committed| {
                let answer = match result {
                    Ok(value) if committed => Ok(value),
                    Ok(_) => Err(JournalError::Sqlite(rusqlite::Error::SqliteFailure(
                        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
                        Some("the commit failed".into()),
                    ))),
                    Err(error) => Err(error.into()),
                };
                let _ = sender.send(answer);
            })
        });
        self.orders.send(Order::Apply(change)).map_err(|_| JournalError::Stopped)?;
        receiver.await.map_err(|_| JournalError::Stopped)?
    }

    /// Runs work outside any transaction, after what is waiting.
    pub(crate) async fn apart<F>(&self, work: F) -> Result<(), JournalError>
    where
        F: FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let work: Apart = Box::new(move |connection| {
            let _ = sender.send(work(connection));
        });
        self.orders.send(Order::Apart(work)).map_err(|_| JournalError::Stopped)?;
        Ok(receiver.await.map_err(|_| JournalError::Stopped)??)
    }

    /// Finishes what is waiting, checkpoints, and ends the thread.
    pub(crate) fn stop(&self) {
        let _ = self.orders.send(Order::Stop);
        let thread = self.thread.lock().ok().and_then(|mut kept| kept.take());
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// One change inside a savepoint of its own, so that a failing one takes no other with it.
fn guarded<T, F>(connection: &Connection, change: F) -> rusqlite::Result<T>
where
    F: FnOnce(&Connection) -> rusqlite::Result<T>,
{
    let run = |sql: &str| connection.prepare_cached(sql)?.execute([]);
    run("SAVEPOINT change")?;
    let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| change(connection)));
    let result = attempt.unwrap_or_else(|_| Err(rusqlite::Error::InvalidQuery));
    if result.is_err() {
        run("ROLLBACK TO change")?;
    }
    run("RELEASE change")?;
    result
}

fn work(connection: &Connection, inbox: &Receiver<Order>) {
    let mut unsettled = false;
    let mut last_checkpoint = Instant::now();
    loop {
        let first = match inbox.recv_timeout(if unsettled { QUIET } else { Duration::from_secs(3600) }) {
            Ok(Order::Apply(change)) => change,
            Ok(Order::Apart(work)) => {
                work(connection);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {
                if std::mem::take(&mut unsettled) {
                    checkpoint(connection, "TRUNCATE");
                    let _ = connection.execute_batch("PRAGMA shrink_memory");
                    heap::give_back();
                    last_checkpoint = Instant::now();
                }
                continue;
            }
            Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => break,
        };
        let next = commit_together(connection, first, inbox);
        unsettled = true;
        if last_checkpoint.elapsed() > BUSY_CHECKPOINT {
            if checkpoint(connection, "PASSIVE") > LARGE_LOG {
                begin_log_anew(connection);
            }
            last_checkpoint = Instant::now();
        }
        match next {
            Some(Order::Stop) => break,
            Some(Order::Apart(work)) => work(connection),
            Some(Order::Apply(_)) | None => {}
        }
    }
    checkpoint(connection, "TRUNCATE");
}

/// Applies the first change and whatever changes wait behind it in one commit. Another order that ended the
/// batch comes back.
fn commit_together(connection: &Connection, first: Change, inbox: &Receiver<Order>) -> Option<Order> {
    let began = connection.execute_batch("BEGIN IMMEDIATE");
    let mut answers = vec![first(connection)];
    let mut next = None;
    while answers.len() < BATCH {
        match inbox.try_recv() {
            Ok(Order::Apply(change)) => answers.push(change(connection)),
            Ok(other) => {
                next = Some(other);
                break;
            }
            Err(_) => break,
        }
    }
    let committed = began.and_then(|()| connection.execute_batch("COMMIT"));
    if let Err(error) = &committed {
        tracing::error!(%error, "a commit of the journal failed");
        let _ = connection.execute_batch("ROLLBACK");
    }
    for answer in answers {
        answer(committed.is_ok());
    }
    next
}

/// Brings the write-ahead log into the database; gives its length in frames.
fn checkpoint(connection: &Connection, mode: &str) -> i64 {
    let done = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1));
    done.unwrap_or_else(|error| {
        tracing::warn!(%error, "a checkpoint of the journal failed");
        0
    })
}

fn begin_log_anew(connection: &Connection) {
    let waits = |time| connection.busy_timeout(time);
    if waits(READERS_LEAVE).is_ok() {
        checkpoint(connection, "RESTART");
        let _ = waits(super::schema::BUSY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_log_is_begun_anew_once_nobody_reads_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.db");
        let connection = super::super::schema::open_writer(&path, folder.path()).expect("a journal");
        let write = |rows: std::ops::Range<u32>| {
            connection.execute_batch("BEGIN").expect("begun");
            for row in rows {
                let name = format!("row {row} {}", "x".repeat(2_000));
                let insert = "INSERT INTO progress (name, value) VALUES (?1, 1)";
                connection.execute(insert, [name]).expect("written");
            }
            connection.execute_batch("COMMIT").expect("committed");
        };
        write(0..400);
        let reader = super::super::schema::open_reader(&path).expect("a reader");
        let reading = reader.unchecked_transaction().expect("begun");
        let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        assert_eq!(reading.query_row("SELECT count(*) FROM progress", [], count), Ok(400));
        let large = checkpoint(&connection, "PASSIVE");
        assert!(large > 100, "{large}");
        // Somebody reads: everything stays as it is, and nobody waits for long.
        begin_log_anew(&connection);
        write(400..401);
        let longer = checkpoint(&connection, "PASSIVE");
        assert!(longer > large, "{longer} {large}");
        reading.commit().expect("left");
        begin_log_anew(&connection);
        write(401..402);
        assert!(checkpoint(&connection, "PASSIVE") < large / 4);
    }
}
