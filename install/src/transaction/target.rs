//! One file that a transaction writes: links followed, permissions and owner kept.

use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::Error;

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// A file, behind whatever symbolic links lead to it.
#[derive(Debug)]
pub(super) struct Target {
    path: PathBuf,
    existing: Option<Metadata>,
}

impl Target {
    /// Follows the links of a path. Refused: what is there and is no regular file, and, where `inside` is
    /// given, what lies outside of that folder.
    pub(super) fn resolve(path: &Path, inside: Option<&Path>) -> Result<Self, Error> {
        let mut real = path.to_owned();
        let mut links = 0;
        let existing = loop {
            match std::fs::symlink_metadata(&real) {
                Ok(found) if found.is_symlink() && links < MAX_LINKS => {
                    let next = std::fs::read_link(&real).map_err(Error::io("read the link", &real))?;
                    real = real.parent().unwrap_or(Path::new("/")).join(next);
                    links += 1;
                }
                Ok(found) if found.is_file() => break Some(found),
                Ok(_) => return Err(Error::NotAFile(path.to_owned())),
                Err(e) if e.kind() == io::ErrorKind::NotFound => break None,
                Err(e) => return Err(Error::io("look at", &real)(e)),
            }
        };
        if let Some(project) = inside {
            stays_inside(path, &real, project)?;
        }
        Ok(Self { path: real, existing })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// The file's bytes now; nothing: there is no such file.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", &self.path)(e)),
        }
    }

    /// Writes the new content beside the file, with the file's permissions and owner. A file that did not
    /// exist is for the person alone, as `private` files are.
    pub(super) fn stage(&self, bytes: &[u8], private: bool) -> Result<NamedTempFile, Error> {
        let stage = || -> io::Result<NamedTempFile> {
            let mut file = tempfile::Builder::new().prefix(".remora-").tempfile_in(self.folder())?;
            file.write_all(bytes)?;
            if let Some(existing) = self.existing.as_ref().filter(|_| !private) {
                file.as_file().set_permissions(existing.permissions())?;
            }
            file.as_file().sync_all()?;
            Ok(file)
        };
        let file = stage().map_err(Error::io("write beside", &self.path))?;
        if let Some(existing) = &self.existing {
            keep_owner(file.as_file(), existing).map_err(|_| Error::OtherOwner(self.path.clone()))?;
        }
        Ok(file)
    }

    /// Replaces the file by the staged content, or removes it.
    pub(super) fn commit(&self, content: Option<NamedTempFile>) -> io::Result<()> {
        match content {
            Some(file) => {
                file.persist(&self.path).map_err(|e| e.error)?;
            }
            None => std::fs::remove_file(&self.path)?,
        }
        sync_folder(self.folder());
        Ok(())
    }

    /// Undoes a commit. What somebody else wrote in the meantime stays.
    pub(super) fn put_back(&self, before: Option<&[u8]>, after: Option<&[u8]>) -> Result<(), Error> {
        if self.read()?.as_deref() != after {
            return Err(Error::Changed(self.path.clone()));
        }
        let content = before.map(|bytes| self.stage(bytes, false)).transpose()?;
        self.commit(content).map_err(Error::io("put back", &self.path))
    }
}

fn stays_inside(path: &Path, real: &Path, project: &Path) -> Result<(), Error> {
    let project = std::fs::canonicalize(project).map_err(Error::io("look at", project))?;
    let there = real.ancestors().find_map(|folder| std::fs::canonicalize(folder).ok());
    match there {
        Some(there) if there.starts_with(&project) => Ok(()),
        other => Err(Error::LeavesProject {
            path: path.to_owned(),
            target: other.unwrap_or_else(|| real.to_owned()),
        }),
    }
}

#[cfg(unix)]
fn keep_owner(file: &File, existing: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    let uid = (new.uid() != existing.uid()).then(|| existing.uid());
    let gid = (new.gid() != existing.gid()).then(|| existing.gid());
    if uid.is_none() && gid.is_none() {
        return Ok(());
    }
    fchown(file, uid, gid)?;
    // A change of owner takes the set-id bits off.
    file.set_permissions(existing.permissions())
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes one folder for the person alone.
pub(super) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a new file for the person alone.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a rename last through a power cut, where the system can.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
