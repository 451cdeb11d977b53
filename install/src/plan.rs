//! A plan: every edit worked out, nothing written yet.

use std::fmt::Write as _;
use std::path::PathBuf;

use similar::TextDiff;

use crate::transaction::{self, FileEdit, Step};
use crate::{Error, Installation, Manifest};

/// Something left to the person, or worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The host that it is about.
    pub host: String,
    /// One sentence, without a period.
    pub text: String,
}

/// What an installation or a removal would do.
#[derive(Debug)]
#[must_use = "a plan does nothing until it is applied"]
pub struct Plan {
    pub(crate) installation: Installation,
    pub(crate) edits: Vec<FileEdit>,
    pub(crate) manifest: Manifest,
    pub(crate) notes: Vec<Note>,
    pub(crate) missing: Vec<(String, Vec<PathBuf>)>,
    pub(crate) emptied_folders: Vec<PathBuf>,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files that were written or removed, in that order.
    pub files: Vec<PathBuf>,
    /// Copies of what was there before.
    pub backups: Vec<PathBuf>,
    /// Folders that were made.
    pub made_folders: Vec<PathBuf>,
    /// Folders that were empty and ours, and went.
    pub removed_folders: Vec<PathBuf>,
}

impl Plan {
    /// The edits, in the order in which they will be made. The installation's own files are among them.
    pub fn edits(&self) -> &[FileEdit] {
        &self.edits
    }

    /// Whether everything is already as it should be.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// What the hosts still want from the person.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The installation's record, as it will be.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Executables that the plan's entries start and that are not there, by host. [`Plan::apply`] refuses
    /// then; a dry run may show the plan all the same.
    pub fn missing_executables(&self) -> &[(String, Vec<PathBuf>)] {
        &self.missing
    }

    /// Every edit of a person's file as a unified diff, and the installation's own files by name.
    pub fn diff(&self) -> String {
        let mut text = String::new();
        for edit in &self.edits {
            if edit.path.starts_with(self.installation.root()) {
                let _ = writeln!(text, "{} {}", edit.verb(), edit.path.display());
                continue;
            }
            let [before, after] = [&edit.before, &edit.after]
                .map(|side| side.as_deref().map(String::from_utf8_lossy).unwrap_or_default());
            let name = edit.path.display().to_string();
            let [old, new] = [&edit.before, &edit.after]
                .map(|side| if side.is_some() { name.as_str() } else { "/dev/null" });
            let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
            text.push_str(&diff.unified_diff().context_radius(3).header(old, new).to_string());
        }
        text
    }

    /// Hook executables that are not in the installation, by host: with any of them missing nothing is applied.
    pub fn missing(&self) -> &[(String, Vec<PathBuf>)] {
        &self.missing
    }

    /// Makes all edits, or none: what fails half-way is rolled back.
    pub fn apply(self) -> Result<Applied, Error> {
        self.apply_watched(&mut |_| Ok(()))
    }

    /// The same, with a look at each step before it is taken. A step that `watch` fails counts as failed:
    /// that is how tests show what a full disk does.
    pub fn apply_watched(
        self,
        watch: &mut dyn FnMut(&Step<'_>) -> std::io::Result<()>,
    ) -> Result<Applied, Error> {
        if let Some((host, missing)) = self.missing.into_iter().next() {
            return Err(Error::MissingExecutables { host, missing });
        }
        let mut applied = transaction::run(self.installation.root(), &self.edits, watch)?;
        applied.removed_folders = transaction::remove_if_empty(&self.emptied_folders);
        Ok(applied)
    }
}
