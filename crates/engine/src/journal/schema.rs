//! The journal's tables, its settings with their reasons, and the way forward from older versions.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::JournalError;

/// "Rmra": says in the file's header whose database this is.
const APPLICATION_ID: i32 = 0x526d_7261;

/// The schema that this program writes. A database with a higher number is never opened for writing.
pub(crate) const SCHEMA_VERSION: i32 = 4;

/// Only a person with a database tool can hold a lock this long; the engine is the one writer.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// Each step takes the schema from its index to the next number. A step that has shipped is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
];

/// Opens the database for the one writer, creating or migrating it.
pub(crate) fn open_writer(path: &Path, backups: &Path) -> Result<Connection, JournalError> {
    // SQLite gives its -wal and -shm the mode of the database, which so has to be private before they are made.
    super::make_private(path);
    let connection = Connection::open(path)?;
    settle(&connection)?;
    let found: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > SCHEMA_VERSION {
        return Err(JournalError::Newer { found, known: SCHEMA_VERSION });
    }
    if found < SCHEMA_VERSION {
        migrate(&connection, found, path, backups)?;
    }
    Ok(connection)
}

/// Opens a further connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, JournalError> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    settle_reader(&connection)?;
    Ok(connection)
}

/// Every setting in one place.
fn settle(connection: &Connection) -> Result<(), JournalError> {
    // Readers never wait for the writer, and a killed process loses nothing that was committed.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A power cut may lose the last seconds, never the database; FULL would cost an fsync per commit.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Deleted text is overwritten, so that what a person purges is gone.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // Checkpoints are made beside the reply path, not in a commit that somebody waits for.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    settle_reader(connection)?;
    // 2 MiB of pages for the one that writes: enough for the hot indexes; given back when it is idle.
    connection.pragma_update(None, "cache_size", -2048)?;
    Ok(())
}

fn settle_reader(connection: &Connection) -> Result<(), JournalError> {
    // An event takes some twenty statements; none of them is to be parsed again for the next one.
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise statements whose plan might differ for other values are parsed and planned again each time they run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(BUSY)?;
    // A damaged or hostile schema must not run functions.
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    // A damaged page is reported instead of read.
    connection.pragma_update(None, "cell_size_check", "ON")?;
    // A damaged file then gives an error instead of a bus error that ends the process.
    connection.pragma_update(None, "mmap_size", 0)?;
    // Half a MiB of pages a connection that reads: what it reads again is in the system's cache as well.
    connection.pragma_update(None, "cache_size", -512)?;
    Ok(())
}

fn migrate(connection: &Connection, found: i32, path: &Path, backups: &Path) -> Result<(), JournalError> {
    if found > 0 {
        keep_copy(connection, found, path, backups)?;
    }
    let from = usize::try_from(found).unwrap_or(0);
    for (step, sql) in MIGRATIONS.iter().enumerate().skip(from) {
        let version = step + 1;
        connection
            .execute_batch(&format!("BEGIN IMMEDIATE;\n{sql}\nPRAGMA user_version = {version};\nCOMMIT;"))?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(())
}

/// A whole copy of the database, named after the version it has, before it is migrated.
fn keep_copy(connection: &Connection, version: i32, path: &Path, backups: &Path) -> Result<(), JournalError> {
    crate::root::create_private(backups).map_err(|source| JournalError::Backup { source })?;
    let copy = backups.join(format!("journal-schema-{version}.db"));
    let _ = std::fs::remove_file(&copy);
    connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    tracing::info!(from = %path.display(), copy = %copy.display(), "kept a copy of the journal before migrating it");
    Ok(())
}
