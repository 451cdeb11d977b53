//! Writing memory files: whole or not at all, never over what a person just saved, never outside the folder.

mod atomic;
mod trash;

use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use sha2::{Digest as _, Sha256};

use crate::error::{Doing, Error};
use crate::ordinary;
use crate::path::MemoryPath;
use crate::reader::MAX_FILE;

pub use atomic::Replaced;
pub use trash::Trashed;

/// The SHA-256 of a file's bytes: what an edit was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// As 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// What becomes of symbolic links below a memory folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// A link to a file inside the folder is followed; one that leads out is refused. For a person's own folder.
    Inside,
    /// Every link is refused. For what comes from others.
    Refuse,
}

/// A memory folder held by handle: every path is resolved below it, also when a part of the path is
/// exchanged for a symbolic link between a check and its use.
#[derive(Debug)]
pub struct MemoryDir {
    dir: Dir,
    root: PathBuf,
    links: Links,
}

impl MemoryDir {
    /// Opens the folder at `root`; `root` itself may be a symbolic link.
    ///
    /// # Errors
    /// Where it does not exist or is no folder.
    pub fn open(root: &Path, links: Links) -> Result<Self, Error> {
        let dir = Dir::open_ambient_dir(root, ambient_authority()).doing("open the folder", root)?;
        Ok(Self { dir, root: root.to_owned(), links })
    }

    /// Opens the folder, made for its owner alone where it does not exist.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn create(root: &Path, links: Links) -> Result<Self, Error> {
        create_private(root)?;
        Self::open(root, links)
    }

    /// The path it was opened with.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The bytes of a file and their digest.
    ///
    /// # Errors
    /// Where it does not exist, is larger than 1 MiB, or is a link that may not be followed.
    pub fn read(&self, file: &MemoryPath) -> Result<(Vec<u8>, Digest), Error> {
        let path = self.resolved(file)?;
        let opened = ordinary::open_in(&self.dir, &path).doing("open", self.full(file))?;
        let mut bytes = Vec::new();
        opened.take(MAX_FILE + 1).read_to_end(&mut bytes).doing("read", self.full(file))?;
        if bytes.len() as u64 > MAX_FILE {
            let reason = "larger than 1 MiB".to_owned();
            return Err(Error::Edit { file: file.to_string(), reason });
        }
        let digest = Digest::of(&bytes);
        Ok((bytes, digest))
    }

    /// Whether something of that name exists, a link included.
    pub fn exists(&self, file: &MemoryPath) -> bool {
        self.dir.symlink_metadata(file.as_str()).is_ok()
    }

    fn full(&self, file: &MemoryPath) -> PathBuf {
        self.root.join(file.as_str())
    }

    /// The path below the handle that `file` really is: links refused, or resolved inside the folder.
    fn resolved(&self, file: &MemoryPath) -> Result<PathBuf, Error> {
        // The string check; what follows would hold without it.
        file.inside(&self.root)?;
        let mut upto = PathBuf::new();
        let mut linked = false;
        for name in file.as_str().split('/') {
            upto.push(name);
            match self.dir.symlink_metadata(&upto) {
                Ok(meta) if meta.is_symlink() => {
                    if self.links == Links::Refuse {
                        return Err(Error::Symlink { path: self.root.join(&upto) });
                    }
                    linked = true;
                }
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !linked => break,
                Err(error) => return Err(error).doing("look at", self.root.join(&upto)),
            }
        }
        if linked {
            return self.dir.canonicalize(file.as_str()).doing("follow the link", self.full(file));
        }
        Ok(PathBuf::from(file.as_str()))
    }

    /// The folder that holds `path`, by handle, and the name in it.
    fn parent_of(&self, path: &Path) -> Result<(Dir, PathBuf), Error> {
        let full = || self.root.join(path);
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let dir = match parent {
            Some(parent) => self.dir.open_dir(parent).doing("open the folder of", full())?,
            None => self.dir.try_clone().doing("open the folder of", full())?,
        };
        Ok((dir, name))
    }
}

/// Makes a folder and its parents, readable by their owner alone; an existing one is left as it is.
pub(crate) fn create_private(path: &Path) -> Result<(), Error> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path).doing("make the folder", path)
}

/// The identity of a file on its file system, where there is one.
#[cfg(unix)]
pub(crate) fn identity(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}
