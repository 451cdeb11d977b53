//! What is known of the snapshots of a project: where each came from and what was written. One file beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// The record's name in the folder of all snapshots of a project.
const FILE: &str = ".sources.json";

/// The version that this program writes; a newer one is not touched.
const VERSION: u32 = 1;

/// Everything that is known of a project's snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    /// By folder and file, `claude-code/a.md`.
    #[serde(default)]
    pub(super) snapshots: BTreeMap<String, Snapshot>,
    /// What was not taken, by its source: not read again while it stays as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) passed_over: BTreeMap<String, PassedOver>,
    /// Documents that hold several memories, by path: how each was found last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) documents: BTreeMap<PathBuf, String>,
}

/// One snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Snapshot {
    /// The fingerprint of what it says.
    pub(super) content: String,
    /// The digest of the bytes that were written: another one on the disk is the person's edit.
    pub(super) written: String,
    /// Where it lies elsewhere. None: the person's edit of it parted from its source.
    pub(super) sources: Vec<Origin>,
    /// The person deleted it: nothing brings it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) forgotten: bool,
}

/// One place in which what a snapshot says lies, or lay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    pub(super) path: PathBuf,
    /// Which memory of a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) part: Option<String>,
    /// How the file was found last.
    pub(super) stamp: String,
    /// The digest of the text as it was taken.
    pub(super) digest: String,
    /// It is not there any more; the snapshot stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) gone: bool,
}

/// A source that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PassedOver {
    pub(super) stamp: String,
    pub(super) why: String,
}

impl Snapshot {
    /// Where what it says lies, if anywhere.
    pub(super) fn is_gone(&self) -> bool {
        !self.sources.is_empty() && self.sources.iter().all(|origin| origin.gone)
    }
}

impl Record {
    /// The record in a folder; an empty one where there is none. One that is damaged is set aside: what it knew is
    /// found again by comparing.
    pub(super) fn read(imported: &Path) -> Result<Self, EngineError> {
        let path = imported.join(FILE);
        let text = match remora_memory::ordinary::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        match serde_json::from_slice::<Self>(&text) {
            Ok(record) if record.version > VERSION => Err(EngineError::refused(
                format!("{} was written by a newer Remora", path.display()),
                "use the newer one",
            )),
            Ok(record) => Ok(record),
            Err(error) => {
                tracing::warn!(%error, file = %path.display(), "a record of snapshots is damaged and set aside");
                fs_err::rename(&path, path.with_extension("json.damaged"))?;
                Ok(Self::default())
            }
        }
    }

    /// Puts the record in the place of the one that is there.
    pub(super) fn write(&mut self, imported: &Path) -> Result<(), EngineError> {
        self.version = VERSION;
        crate::root::create_private(imported)?;
        let text = serde_json::to_vec_pretty(self).map_err(|e| EngineError::Internal(e.to_string()))?;
        let path = imported.join(FILE);
        let fresh = imported.join(format!("{FILE}.new"));
        fs_err::write(&fresh, text)?;
        fs_err::rename(fresh, path)?;
        Ok(())
    }
}
