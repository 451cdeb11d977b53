//! The data root: the one folder that everything of Remora lies in.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder that memory, journal, socket and spool lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataRoot(PathBuf);

impl DataRoot {
    /// The root at `path`; a relative path is taken from the current directory.
    pub fn at(path: &Path) -> Self {
        Self(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// The platform's folder, for a program that was told none. It follows variables of the environment,
    /// which is why installed hooks are always told their root.
    pub fn of_platform() -> Option<Self> {
        // What `ProjectDirs` would say, without the tables of all capital letters that it brings.
        let folder = directories::BaseDirs::new()?.data_dir().join("remora");
        Some(Self(if cfg!(windows) { folder.join("data") } else { folder }))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the engine's socket, its locks and the hooks' stamps lie.
    pub fn run(&self) -> PathBuf {
        self.0.join("run")
    }

    /// Where events wait that the engine could not take.
    pub fn spool(&self) -> PathBuf {
        self.0.join("spool")
    }

    /// Where logs lie.
    pub fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }
}

/// Creates a folder, and those above it, that only its owner can enter. An existing one is left as it is.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options for a file that only its owner can read.
pub(crate) fn private_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a small file that only its owner can read.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    private_file().write(true).create(true).truncate(true).open(path)?.write_all(text.as_bytes())
}

/// How long ago a file was written; nothing when it is not there or was written in the future.
pub(crate) fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platforms_folder_is_the_one_that_the_command_takes() {
        let folders = directories::ProjectDirs::from("", "", "remora");
        assert_eq!(DataRoot::of_platform().map(|root| root.0), folders.map(|it| it.data_dir().to_owned()));
    }
}
