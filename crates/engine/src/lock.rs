//! Who is the engine: whoever holds the lock.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;

use remora_event::wire::Build;

use crate::root::Root;

/// The held lock. Dropping it lets another process become the engine.
#[derive(Debug)]
pub(crate) struct EngineLock {
    _file: File,
}

impl EngineLock {
    /// Takes the lock, or says that another process has it.
    ///
    /// The file's text (process id, build, address) is for people; only the operating system's lock decides.
    pub(crate) fn take(root: &Root, build: &Build, address: &str) -> io::Result<Option<Self>> {
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(root.engine_lock())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
            Err(std::fs::TryLockError::Error(e)) => return Err(e),
        }
        file.set_len(0)?;
        file.rewind()?;
        // A full disk must not keep the engine from running: the text is for people only.
        let _ = writeln!(
            file,
            "pid {}\nbuild {} {} {}\naddress {address}",
            std::process::id(),
            build.version,
            build.built_at,
            build.id
        );
        Ok(Some(Self { _file: file }))
    }
}
