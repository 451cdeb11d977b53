//! The installation's record, `<root>/install.json`: what was written where, and what was there before.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::edit::json::MemberPath;
use crate::{Error, Installation};

/// The newest format that this version reads, and the one that it writes.
const FORMAT: u32 = 1;

/// What an installation wrote.
///
/// It is written before the files that it speaks of, so that a crash in between leaves nothing unknown: the
/// digests tell which files were reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format of this record.
    pub format: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// One record for each configuration file.
    pub files: Vec<FileRecord>,
}

/// One configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The host's id.
    pub host: String,
    /// The file, as the host names it; it may be a symbolic link.
    pub path: PathBuf,
    /// What was there before the first installation.
    pub before: Before,
    /// The digest of what was written last, `sha256:` and 64 hex digits.
    pub after: String,
    /// The entries written.
    pub entries: Vec<EntryRecord>,
    /// Objects and lists that were there before, and empty, as paths of member names: they stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hollow: Vec<MemberPath>,
    /// Folders that did not exist before, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
}

/// What was there before the first installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Before {
    /// There was no such file.
    Missing,
    /// The file's bytes lie in a backup.
    Kept {
        /// Their digest.
        digest: String,
        /// The copy, relative to the data root.
        backup: PathBuf,
    },
    /// Somebody changed the file between two installations: its bytes without our entries were never seen.
    Unknown,
}

/// One entry that we wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecord {
    /// What the entry is.
    pub kind: EntryKind,
    /// The host's name of the event; for an MCP server its name.
    pub event: String,
    /// The matcher of its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// `command`, as written.
    pub command: String,
    /// `args`, as written; absent where the host takes a shell line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// The executable that it starts.
    pub executable: PathBuf,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// A hook.
    Hook,
    /// The registration of the MCP server.
    McpServer,
    /// The person's trust in a hook, which the host wrote itself: `command` is the name that it has there.
    Trust,
}

impl FileRecord {
    /// The hook entries.
    pub fn hooks(&self) -> impl Iterator<Item = &EntryRecord> {
        self.of_kind(EntryKind::Hook)
    }

    /// The entries of a kind.
    pub(crate) fn of_kind(&self, kind: EntryKind) -> impl Iterator<Item = &EntryRecord> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }
}

impl EntryRecord {
    /// Whether a handler object, or a server object, starts what this entry says.
    pub(crate) fn is_written_in(&self, handler: &Value) -> bool {
        let args = self.args.as_ref().map(|args| Value::from(args.clone()));
        handler.get("command").and_then(Value::as_str) == Some(&self.command)
            && handler.get("args") == args.as_ref()
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self { format: FORMAT, program: env!("CARGO_PKG_VERSION").to_owned(), files: Vec::new() }
    }
}

impl Manifest {
    /// Reads an installation's record. No record is an empty one.
    pub fn read(installation: &Installation) -> Result<Self, Error> {
        let path = installation.manifest();
        match std::fs::read(&path) {
            Ok(bytes) => Self::parse(&path, &bytes),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(Error::io("read", &path)(e)),
        }
    }

    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct FormatOnly {
            format: u32,
        }
        let bad = |source| Error::BadManifest { path: path.to_owned(), source };
        let FormatOnly { format } = serde_json::from_slice(bytes).map_err(bad)?;
        if format > FORMAT {
            return Err(Error::NewerManifest { path: path.to_owned(), format, known: FORMAT });
        }
        serde_json::from_slice(bytes).map_err(bad)
    }

    /// The record as a file's bytes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| Error::BadManifest { path: PathBuf::from("install.json"), source })?;
        Ok((text + "\n").into_bytes())
    }

    /// The record of a file.
    pub fn file(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|record| record.path == path)
    }

    /// The entries that were written into a file.
    pub(crate) fn entries(&self, path: &Path) -> &[EntryRecord] {
        self.file(path).map_or(&[], |record| &record.entries)
    }

    /// The records of a host.
    pub fn of_host(&self, host: &str) -> impl Iterator<Item = &FileRecord> {
        self.files.iter().filter(move |record| record.host == host)
    }

    /// Puts a record in the place of the one about the same file, or last.
    pub(crate) fn put(&mut self, record: FileRecord) {
        match self.files.iter_mut().find(|old| old.path == record.path) {
            Some(old) => *old = record,
            None => self.files.push(record),
        }
    }
}

/// The digest of a file's bytes, as records spell it.
pub(crate) fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
