//! Writing several files, all or none.
//!
//! 1. *Check and stage*: every target is resolved and compared with what was planned on, every copy and every
//!    new content is written beside its target under a temporary name. Nothing that a host reads has changed.
//! 2. *Commit*: each target is compared once more and replaced by a rename.
//! 3. A failure in 1 leaves nothing; a failure in 2 puts the replaced files back.

mod target;

use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::Error;
use crate::plan::Applied;
use target::Target;

/// One file to be written, replaced or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The host that it is for; nothing for the installation's own files.
    pub host: Option<&'static str>,
    /// The file. A symbolic link is followed, and stays.
    pub path: PathBuf,
    /// Its bytes when the edit was planned; nothing: there was no such file.
    pub before: Option<Vec<u8>>,
    /// Its bytes afterwards; nothing: it goes.
    pub after: Option<Vec<u8>>,
    /// Where the bytes before are kept, absolute; nothing: no copy is taken.
    pub backup: Option<PathBuf>,
    /// A folder that the resolved file must lie in: a project, whose links must not lead out of it.
    pub inside: Option<PathBuf>,
}

impl FileEdit {
    /// `create`, `edit` or `remove`.
    pub fn verb(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "create",
            (Some(_), Some(_)) => "edit",
            (Some(_), None) => "remove",
        }
    }
}

/// One step of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A target is resolved and compared with the plan.
    Check(&'a Path),
    /// A missing folder is made.
    MakeFolder(&'a Path),
    /// The bytes before are copied.
    Backup(&'a Path),
    /// The new content is written beside the target.
    Stage(&'a Path),
    /// The target is compared again and replaced or removed.
    Commit(&'a Path),
}

type Watch<'w> = &'w mut dyn FnMut(&Step<'_>) -> io::Result<()>;

/// Makes all edits or none. `private` is the data root: it is created for the person alone.
pub(crate) fn run(private: &Path, edits: &[FileEdit], watch: Watch<'_>) -> Result<Applied, Error> {
    let mut done = Progress::default();
    let result =
        stage_all(private, edits, &mut done, watch).and_then(|staged| commit_all(staged, &mut done, watch));
    match result {
        Ok(()) => Ok(done.applied),
        Err(source) => {
            let stuck = done.undo();
            Err(Error::RolledBack { source: Box::new(source), stuck })
        }
    }
}

/// Refuses a path that leads out of a project, by a link in it or above it.
pub(crate) fn stays_inside(path: &Path, project: &Path) -> Result<(), Error> {
    Target::resolve(path, Some(project)).map(|_| ())
}

/// Removes those of the folders that are empty, innermost first, and says which went.
pub(crate) fn remove_if_empty(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut ordered: Vec<_> = folders.to_vec();
    ordered.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    ordered.retain(|folder| std::fs::remove_dir(folder).is_ok());
    ordered
}

#[derive(Default)]
struct Progress {
    applied: Applied,
    replaced: Vec<Replaced>,
}

struct Replaced {
    target: Target,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

struct Staged<'e> {
    edit: &'e FileEdit,
    target: Target,
    content: Option<NamedTempFile>,
}

impl Progress {
    fn make_folders(&mut self, folder: &Path, watch: Watch<'_>) -> Result<(), Error> {
        let missing: Vec<_> =
            folder.ancestors().take_while(|f| std::fs::symlink_metadata(f).is_err()).collect();
        for folder in missing.into_iter().rev() {
            watch(&Step::MakeFolder(folder)).map_err(Error::io("create the folder", folder))?;
            target::make_private_folder(folder).map_err(Error::io("create the folder", folder))?;
            self.applied.made_folders.push(folder.to_owned());
        }
        Ok(())
    }

    /// Puts back what was replaced, last first, and takes away what was made. Gives what could not be put
    /// back.
    fn undo(self) -> Vec<(PathBuf, String)> {
        let mut stuck = Vec::new();
        for Replaced { target, before, after } in self.replaced.into_iter().rev() {
            if let Err(e) = target.put_back(before.as_deref(), after.as_deref()) {
                stuck.push((target.path().to_owned(), e.to_string()));
            }
        }
        if stuck.is_empty() {
            for backup in &self.applied.backups {
                let _ = std::fs::remove_file(backup);
            }
        }
        remove_if_empty(&self.applied.made_folders);
        stuck
    }
}

fn stage_all<'e>(
    private: &Path,
    edits: &'e [FileEdit],
    done: &mut Progress,
    watch: Watch<'_>,
) -> Result<Vec<Staged<'e>>, Error> {
    let mut targets = Vec::new();
    for edit in edits {
        watch(&Step::Check(&edit.path)).map_err(Error::io("check", &edit.path))?;
        let target = Target::resolve(&edit.path, edit.inside.as_deref())?;
        if target.read()? != edit.before {
            return Err(Error::Changed(edit.path.clone()));
        }
        targets.push((edit, target));
    }
    for (edit, _) in &targets {
        let (Some(backup), Some(before)) = (&edit.backup, &edit.before) else { continue };
        if let Some(folder) = backup.parent() {
            done.make_folders(folder, watch)?;
        }
        watch(&Step::Backup(backup)).map_err(Error::io("copy to", backup))?;
        target::write_private(backup, before).map_err(Error::io("copy to", backup))?;
        done.applied.backups.push(backup.clone());
    }
    let mut staged = Vec::new();
    for (edit, target) in targets {
        done.make_folders(target.folder(), watch)?;
        watch(&Step::Stage(&edit.path)).map_err(Error::io("write beside", &edit.path))?;
        let private = edit.path.starts_with(private) || edit.before.is_none();
        let content = edit.after.as_deref().map(|bytes| target.stage(bytes, private)).transpose()?;
        staged.push(Staged { edit, target, content });
    }
    Ok(staged)
}

fn commit_all(staged: Vec<Staged<'_>>, done: &mut Progress, watch: Watch<'_>) -> Result<(), Error> {
    for Staged { edit, target, content } in staged {
        let doing = if content.is_some() { "replace" } else { "remove" };
        watch(&Step::Commit(&edit.path)).map_err(Error::io(doing, &edit.path))?;
        if target.read()? != edit.before {
            return Err(Error::Changed(edit.path.clone()));
        }
        target.commit(content).map_err(Error::io(doing, &edit.path))?;
        done.applied.files.push(edit.path.clone());
        done.replaced.push(Replaced { target, before: edit.before.clone(), after: edit.after.clone() });
    }
    Ok(())
}
