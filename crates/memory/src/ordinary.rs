//! Opening files for reading. A named pipe holds whoever opens it until somebody writes into it, and a device may
//! never end: only ordinary files are opened.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::fs::Dir;

/// What is said of an entry that is not opened.
pub const NOT_ORDINARY: &str = "not an ordinary file";

/// Opens an ordinary file, or the one that a link leads to.
///
/// # Errors
/// Where it is a pipe, a socket, a device or a folder, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    check(std::fs::metadata(path)?.is_file())?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, without_waiting());
    let opened = options.open(path)?;
    // It may have been exchanged in between; to open it did not wait.
    check(opened.metadata()?.is_file())?;
    Ok(opened)
}

/// The bytes of an ordinary file.
///
/// # Errors
/// As [`open`], and where it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of an ordinary file.
///
/// # Errors
/// As [`read`], and where it is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// The same as [`open`], below a folder that is held by handle.
pub(crate) fn open_in(dir: &Dir, path: &Path) -> io::Result<cap_std::fs::File> {
    check(dir.metadata(path)?.is_file())?;
    let opened = dir.open_with(path, &for_reading())?;
    check(opened.metadata()?.is_file())?;
    Ok(opened)
}

/// For opening what was an ordinary file a moment ago.
pub(crate) fn for_reading() -> cap_std::fs::OpenOptions {
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, without_waiting());
    options
}

fn check(is_file: bool) -> io::Result<()> {
    if is_file { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_ORDINARY)) }
}

#[cfg(unix)]
fn without_waiting() -> i32 {
    i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::path::MemoryPath;
    use crate::project::ProjectRecord;
    use crate::reader;
    use crate::write::{Digest, Links, MemoryDir};

    /// Long beyond what a busy machine needs; reached only where a pipe holds whoever opens it.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn pipe(path: &Path) {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
    }

    #[test]
    fn a_pipe_holds_nobody_and_is_said_to_be_no_ordinary_file() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = temp.path().to_owned();
        pipe(&folder.join("pipe.md"));
        pipe(&folder.join("project.toml"));
        std::os::unix::fs::symlink("pipe.md", folder.join("link.md")).expect("a link");
        let (said, says) = mpsc::channel();
        std::thread::spawn(move || {
            let dir = MemoryDir::open(&folder, Links::Inside).expect("opened");
            let file = MemoryPath::found("pipe.md").expect("a path");
            let told = |error: &dyn std::error::Error| {
                error.source().map_or_else(|| error.to_string(), ToString::to_string)
            };
            let tries = [
                open(&folder.join("link.md")).expect_err("a link to it").to_string(),
                read(&folder.join("pipe.md")).expect_err("bytes").to_string(),
                reader::read_file("pipe.md", &folder.join("pipe.md")).expect_err("a memory").problem,
                reader::read_head("pipe.md", &folder.join("pipe.md")).expect_err("a head").problem,
                told(&dir.read(&file).expect_err("read in place")),
                told(&dir.replace_if_unchanged(&file, &Digest::of(b""), b"x").expect_err("replaced")),
                told(&ProjectRecord::read(&folder).expect_err("a record")),
            ];
            said.send(tries).expect("told");
        });
        let tries = says.recv_timeout(PATIENCE).expect("none of them waits for a writer");
        assert_eq!(tries, [NOT_ORDINARY; 7]);
    }
}
