//! Taking a memory away so that it can be brought back.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::atomic::{rename_new, sync};
use super::{MemoryDir, create_private};
use crate::error::{Doing, Error};
use crate::path::MemoryPath;

/// A file in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trashed {
    /// The path that it had, relative to its folder.
    pub file: MemoryPath,
    /// Where it lies now.
    pub at: PathBuf,
}

impl MemoryDir {
    /// Moves a file into the folder `trash`, under a name that is free there. What is moved is whatever
    /// stands in the file now, so nothing is lost.
    ///
    /// # Errors
    /// Where the file does not exist or cannot be moved.
    pub fn move_to_trash(&self, file: &MemoryPath, trash: &Path) -> Result<Trashed, Error> {
        let full = self.full(file);
        // The link itself is thrown away, not what it points to.
        file.inside(&self.root)?;
        let (dir, name) = self.parent_of(Path::new(file.as_str()))?;
        create_private(trash)?;
        let to = Dir::open_ambient_dir(trash, ambient_authority()).doing("open the trash", trash)?;
        let wanted = file.file_name();
        let (stem, extension) = wanted.rsplit_once('.').unwrap_or((wanted, "md"));
        for nth in 1_u32.. {
            let free = if nth == 1 { wanted.to_owned() } else { format!("{stem}-{nth}.{extension}") };
            match move_new(&dir, &name, &to, Path::new(&free)) {
                Ok(()) => {
                    sync(&to);
                    sync(&dir);
                    return Ok(Trashed { file: file.clone(), at: trash.join(free) });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).doing("move to the trash", full),
            }
        }
        Err(Error::Exists { path: trash.join(wanted) })
    }

    /// Brings a file back to where it was.
    ///
    /// # Errors
    /// [`Error::Exists`] where another file has its name by now.
    pub fn restore(&self, trashed: &Trashed) -> Result<(), Error> {
        let full = self.full(&trashed.file);
        trashed.file.inside(&self.root)?;
        let from = trashed.at.parent().unwrap_or(Path::new("."));
        let name = trashed.at.file_name().map(PathBuf::from).unwrap_or_default();
        let trash = Dir::open_ambient_dir(from, ambient_authority()).doing("open the trash", from)?;
        if !trashed.file.parent().is_empty() {
            self.dir.create_dir_all(trashed.file.parent()).doing("make the folder of", &full)?;
        }
        let path = self.resolved(&trashed.file)?;
        let (dir, to) = self.parent_of(&path)?;
        match move_new(&trash, &name, &dir, &to) {
            Ok(()) => {
                sync(&dir);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Error::Exists { path: full }),
            Err(error) => Err(error).doing("restore", full),
        }
    }
}

/// Moves a file to a new name, also onto another file system.
fn move_new(from_dir: &Dir, from: &Path, to_dir: &Dir, to: &Path) -> io::Result<()> {
    match rename_new(from_dir, from, to_dir, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        done => return done,
    }
    if to_dir.symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    from_dir.copy(from, to_dir, to)?;
    to_dir.open(to)?.sync_all()?;
    from_dir.remove_file(from)
}
