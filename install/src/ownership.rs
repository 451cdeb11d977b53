//! Which entries of a shared file are ours.

use std::path::PathBuf;

use serde_json::Value;

use crate::Installation;
use crate::command;
use crate::manifest::EntryRecord;

/// Tells our entries from others: an entry is ours if it starts an executable of our installation, or if it
/// is the very entry that the manifest says we wrote (an installation that was moved still knows those).
#[derive(Debug)]
pub(crate) struct Ownership<'a> {
    installation: &'a Installation,
    recorded: &'a [EntryRecord],
}

impl<'a> Ownership<'a> {
    pub(crate) fn new(installation: &'a Installation, recorded: &'a [EntryRecord]) -> Self {
        Self { installation, recorded }
    }

    pub(crate) fn is_ours(&self, handler: &Value) -> bool {
        self.executable(handler).is_some() || self.recorded.iter().any(|entry| entry.is_written_in(handler))
    }

    /// The executable of our installation that a handler starts.
    pub(crate) fn executable(&self, handler: &Value) -> Option<PathBuf> {
        command::executable(handler).filter(|path| self.installation.has(path))
    }
}
