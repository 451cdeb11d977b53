//! Where one installation lies.

use std::path::{Path, PathBuf};

use crate::Error;

/// One installation: a data root, with the executables in its `bin`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    root: PathBuf,
}

impl Installation {
    /// The installation at a data root. Nothing is read or created. Refused: a relative path, and one that
    /// is not Unicode, because it could not be written into a host's JSON.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let root = root.into();
        if !root.is_absolute() {
            return Err(Error::RelativePath(root));
        }
        if root.to_str().is_none_or(|text| text.chars().any(char::is_control)) {
            return Err(Error::UnwritablePath(root));
        }
        Ok(Self { root: root.components().collect() })
    }

    /// The data root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the executables.
    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The `remora` command.
    pub fn command(&self) -> PathBuf {
        self.bin().join(format!("remora{}", std::env::consts::EXE_SUFFIX))
    }

    /// The hook executable of a host's event, for example `bin/claude-code/session-start`.
    pub fn executable(&self, host: &str, event: &str) -> PathBuf {
        self.bin().join(host).join(format!("{event}{}", std::env::consts::EXE_SUFFIX))
    }

    /// What was written where.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("install.json")
    }

    /// What the engine learns of the person's machine.
    pub fn root_toml(&self) -> PathBuf {
        self.root.join("root.toml")
    }

    /// Copies of the person's configuration files, as they were before they were edited.
    pub fn config_backups(&self) -> PathBuf {
        self.root.join("backups").join("config")
    }

    /// Whether a path lies among this installation's executables.
    pub fn has(&self, executable: &Path) -> bool {
        executable.starts_with(self.bin())
            && !executable.components().any(|part| part == std::path::Component::ParentDir)
    }
}
