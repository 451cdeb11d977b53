//! Replacing and creating a file in one step.
//!
//! To compare and then rename would lose what a person saves between the two. Where the system can exchange two
//! names in one step (Linux, macOS), the new text and the file change places first, and then what came out is
//! compared: if it is not what was read, they change back, and the person's text stands. What remains is a
//! program that opened the old file before the exchange, without emptying it, and writes into it afterwards; the
//! old file is looked at once more before it is removed.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, OpenOptions};

use super::{Digest, MemoryDir};
use crate::error::{Doing, Error};
use crate::ordinary;
use crate::path::MemoryPath;

/// What became of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// The new text stands.
    Written,
    /// The file is not what it was when it was read, or is gone: nothing was written. Read it again.
    Changed,
}

/// The beginning of the names of temporary files: hidden, so that nobody takes one for a memory.
pub(crate) const TEMPORARY: &str = ".remora-";

impl MemoryDir {
    /// Puts `new` in the place of the file's bytes if these still have the digest `expected`. Mode bits are kept;
    /// a link inside the folder keeps pointing to the file that is replaced.
    ///
    /// # Errors
    /// Where the path is refused or the system refuses a step; the file is then as it was.
    pub fn replace_if_unchanged(
        &self,
        file: &MemoryPath,
        expected: &Digest,
        new: &[u8],
    ) -> Result<Replaced, Error> {
        let path = self.resolved(file)?;
        let (dir, name) = self.parent_of(&path)?;
        let full = self.full(file);
        match digest(&dir, &name) {
            Ok(now) if now == *expected => {}
            Ok(_) => return Ok(Replaced::Changed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Replaced::Changed),
            Err(error) => return Err(error).doing("read", &full),
        }
        let mode = dir.metadata(&name).doing("look at", &full)?.permissions();
        let temporary = Temporary::write(&dir, new).doing("write a temporary file for", &full)?;
        dir.set_permissions(&temporary.name, mode).doing("keep the mode of", &full)?;
        let replaced = swap(&temporary, &name, expected, &Digest::of(new)).doing("replace", &full)?;
        drop(temporary);
        sync(&dir);
        Ok(replaced)
    }

    /// Creates a file with these bytes, and the folders above it.
    ///
    /// # Errors
    /// [`Error::Exists`] where something of that name is there, also if it differs only in case or in the
    /// form of its Unicode; otherwise as [`MemoryDir::replace_if_unchanged`].
    pub fn create_new(&self, file: &MemoryPath, bytes: &[u8]) -> Result<(), Error> {
        let full = self.full(file);
        if !file.parent().is_empty() {
            self.create_parents(file)?;
        }
        let path = self.resolved(file)?;
        let (dir, name) = self.parent_of(&path)?;
        if has_twin(&dir, file).doing("list the folder of", &full)? {
            return Err(Error::Exists { path: full });
        }
        let temporary = Temporary::write(&dir, bytes).doing("write a temporary file for", &full)?;
        match rename_new(&dir, Path::new(&temporary.name), &dir, &name) {
            Ok(()) => {
                sync(&dir);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Error::Exists { path: full }),
            Err(error) => Err(error).doing("create", &full),
        }
    }

    /// Makes the folders above a file one by one, none through a link that is not allowed.
    fn create_parents(&self, file: &MemoryPath) -> Result<(), Error> {
        let parent = MemoryPath::found(file.parent())?;
        let path = self.resolved(&parent)?;
        self.dir.create_dir_all(&path).doing("make the folder", self.full(&parent))
    }

    /// Removes temporary files that a killed process left behind. Only for whoever alone writes here.
    ///
    /// # Errors
    /// Where the folder cannot be listed.
    pub fn remove_leftovers(&self) -> Result<usize, Error> {
        let mut removed = 0;
        for entry in self.dir.entries().doing("list", &self.root)?.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(TEMPORARY) && name.ends_with(".tmp") && entry.remove_file().is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// A file beside the one that is written; it goes when this value goes.
struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    /// Set where a person's text may be in it that could not be put back.
    keep: Cell<bool>,
}

impl<'a> Temporary<'a> {
    /// Writes and synchronises a new file that only its owner can read.
    fn write(dir: &'a Dir, bytes: &[u8]) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        loop {
            let name =
                format!("{TEMPORARY}{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let mut file = match dir.open_with(&name, &options) {
                Ok(file) => file,
                // Left behind by a killed process that had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            let temporary = Self { dir, name, keep: Cell::new(false) };
            file.write_all(bytes)?;
            file.sync_all()?;
            return Ok(temporary);
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // Gone already where it was renamed.
        if !self.keep.get() {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

fn digest(dir: &Dir, name: &Path) -> io::Result<Digest> {
    let mut bytes = Vec::new();
    ordinary::open_in(dir, name)?.take(crate::reader::MAX_FILE + 1).read_to_end(&mut bytes)?;
    Ok(Digest::of(&bytes))
}

/// Exchanges the temporary file with `name` and keeps the exchange only if what came out is `expected`.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn swap(temporary: &Temporary<'_>, name: &Path, expected: &Digest, new: &Digest) -> io::Result<Replaced> {
    let dir = temporary.dir;
    let ours = Path::new(&temporary.name);
    match exchange(dir, ours, name) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Replaced::Changed),
        Err(error) if is_unsupported(&error) => return compare_and_rename(temporary, name, expected),
        Err(error) => return Err(error),
    }
    // Twice: a program that still had the old file open may have written to it in between.
    let came_out = digest(dir, ours).and_then(|first| Ok((first, digest(dir, ours)?)));
    if came_out.as_ref().is_ok_and(|(first, second)| first == expected && second == expected) {
        return Ok(Replaced::Written);
    }
    put_back(temporary, name, *new)?;
    came_out.map(|_| Replaced::Changed)
}

/// A person saved in between, and their text is in the temporary file: it goes back. If something else than what was
/// put there comes out in its stead, the person saved once more meanwhile, and that is the later text; so it goes on
/// until what comes out is what was put in.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn put_back(temporary: &Temporary<'_>, name: &Path, mut in_place: Digest) -> io::Result<()> {
    const TRIES: usize = 10_000;
    temporary.keep.set(true);
    for _ in 0..TRIES {
        let ours = Path::new(&temporary.name);
        let held = digest(temporary.dir, ours)?;
        match exchange(temporary.dir, ours, name) {
            Ok(()) => {}
            // Deleted meanwhile, by the person, and after they had saved.
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
        if digest(temporary.dir, ours)? == in_place {
            break;
        }
        in_place = held;
    }
    temporary.keep.set(false);
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(dir: &Dir, one: &Path, other: &Path) -> io::Result<()> {
    rustix::fs::renameat_with(dir, one, dir, other, rustix::fs::RenameFlags::EXCHANGE)
        .map_err(io::Error::from)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn swap(temporary: &Temporary<'_>, name: &Path, expected: &Digest, _: &Digest) -> io::Result<Replaced> {
    compare_and_rename(temporary, name, expected)
}

/// Where names cannot be exchanged: compared as late as possible.
fn compare_and_rename(temporary: &Temporary<'_>, name: &Path, expected: &Digest) -> io::Result<Replaced> {
    match digest(temporary.dir, name) {
        Ok(now) if now == *expected => {}
        Ok(_) => return Ok(Replaced::Changed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Replaced::Changed),
        Err(error) => return Err(error),
    }
    temporary.dir.rename(&temporary.name, temporary.dir, name)?;
    Ok(Replaced::Written)
}

/// Renames to a name that must not exist.
pub(super) fn rename_new(from_dir: &Dir, from: &Path, to_dir: &Dir, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(from_dir, from, to_dir, to, flags).map_err(io::Error::from) {
            Err(error) if is_unsupported(&error) => {}
            done => return done,
        }
    }
    if to_dir.symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    from_dir.rename(from, to_dir, to)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let unsupported = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP];
    error.raw_os_error().is_some_and(|code| unsupported.iter().any(|errno| errno.raw_os_error() == code))
}

/// Whether the folder has a file that is the same name on a system that ignores case or composes Unicode.
fn has_twin(dir: &Dir, file: &MemoryPath) -> io::Result<bool> {
    let wanted = MemoryPath::found(file.file_name()).map(|name| name.fold()).unwrap_or_default();
    for entry in dir.entries()? {
        let name = entry?.file_name();
        let same =
            name.to_str().and_then(|name| MemoryPath::found(name).ok()).is_some_and(|n| n.fold() == wanted);
        if same {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes a rename last over a power cut. Some file systems cannot synchronise a folder; then it lasts as
/// long as theirs.
pub(super) fn sync(dir: &Dir) {
    #[cfg(unix)]
    if let Ok(opened) = dir.open(".") {
        let _ = opened.sync_all();
    }
    #[cfg(not(unix))]
    let _ = dir;
}
