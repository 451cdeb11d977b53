//! `project.toml`: what is remembered about a project beside its memory.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Doing, Error};
use crate::path::MemoryPath;
use crate::write::{Digest, Links, MemoryDir, Replaced};

/// The file name of the record in a project's folder.
const RECORD: &str = "project.toml";

/// The version of the format that is written here.
const VERSION: u32 = 1;

/// The largest record that is read.
const MAX_RECORD: u64 = 256 << 10;

/// The record of one project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProjectRecord {
    /// The version of the format; a newer one is read, but not written over.
    #[serde(default)]
    pub version: u32,
    /// The roots that the project has or had, the present one first.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The normalised remote URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The first commit, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_commit: Option<String>,
    /// Slugs of projects that were joined to this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The day on which the project was first seen, as `2026-11-29`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Keys that this version does not know; they are kept.
    #[serde(flatten)]
    pub other: toml::Table,
}

impl ProjectRecord {
    /// The record of a project that is new today.
    pub fn new(root: &Path, remote: Option<String>, created: chrono::NaiveDate) -> Self {
        Self {
            version: VERSION,
            paths: vec![root.to_string_lossy().into_owned()],
            remote,
            created: Some(created.to_string()),
            ..Self::default()
        }
    }

    /// Puts a root first among the project's paths. Returns whether that changed anything.
    pub fn saw_root(&mut self, root: &Path) -> bool {
        let root = root.to_string_lossy().into_owned();
        if self.paths.first() == Some(&root) {
            return false;
        }
        self.paths.retain(|path| *path != root);
        self.paths.insert(0, root);
        true
    }

    /// Reads the record in a project's folder; nothing if there is none.
    ///
    /// # Errors
    /// Where it cannot be read or is no record.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        use std::io::Read;
        let path = folder.join(RECORD);
        let opened = match crate::ordinary::open(&path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).doing("open", path),
        };
        let mut text = String::new();
        opened.take(MAX_RECORD).read_to_string(&mut text).doing("read", &path)?;
        match toml::from_str(&text) {
            Ok(record) => Ok(Some(record)),
            Err(error) => Err(Error::Record { path, reason: error.message().to_owned() }),
        }
    }

    /// Writes the record into a project's folder, whole or not at all; the folder is made where it is missing.
    ///
    /// # Errors
    /// Where a newer version's record stands there, or the system refuses.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(RECORD);
        let refuse = |reason: &str| Err(Error::Record { path: path.clone(), reason: reason.to_owned() });
        if self.version > VERSION {
            return refuse("it was written by a newer version, which alone may change it");
        }
        let text = match toml::to_string(self) {
            Ok(text) => text,
            Err(error) => return refuse(&error.to_string()),
        };
        let dir = MemoryDir::create(folder, Links::Inside)?;
        let file = MemoryPath::found(RECORD)?;
        if !dir.exists(&file) {
            return dir.create_new(&file, text.as_bytes());
        }
        let (before, digest): (Vec<u8>, Digest) = dir.read(&file)?;
        if before == text.as_bytes() {
            return Ok(());
        }
        match dir.replace_if_unchanged(&file, &digest, text.as_bytes())? {
            Replaced::Written => Ok(()),
            Replaced::Changed => refuse("it changed while it was written"),
        }
    }
}
