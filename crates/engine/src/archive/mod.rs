//! Everything out, and in again: a list of files with paths of their own, whatever holds them.
//!
//! `user/memory/...`, `user/imported/...`, `projects/<slug>/project.toml`, `projects/<slug>/memory/...` and
//! `projects/<slug>/imported/...`, byte for byte and with their times; beside them `journal.jsonl` where it is asked
//! for. A folder holds them as they are; a JSON file holds them as texts.

mod folder;
mod json;
mod place;
mod restore;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::EngineError;

pub(crate) use folder::{FolderWriter, read as read_folder};
pub(crate) use json::{JsonWriter, read as read_json};
pub(crate) use place::{Places, Target};
pub(crate) use restore::{Became, Restorer};

/// What says that something is an export, in both forms.
pub(crate) const FORMAT: &str = "remora-export";

/// The version that is written; a newer one is not read.
pub(crate) const VERSION: u32 = 1;

/// The file that says so in a folder.
pub(crate) const MANIFEST: &str = "remora-export.json";

/// The journal beside the files, a line of JSON each.
pub(crate) const JOURNAL: &str = "journal.jsonl";

/// So many files are written or read.
pub(crate) const MOST_FILES: usize = 100_000;

/// A larger file is no memory.
pub(crate) const LARGEST: u64 = 1024 * 1024;

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArchivedFile {
    /// Its path in the export, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) modified: SystemTime,
}

/// What an export is written to.
pub(crate) trait Writer {
    /// Writes one file. An error ends the export.
    fn file(&mut self, file: &ArchivedFile) -> Result<Written, EngineError>;
    /// One line of the journal, without its end.
    fn journal(&mut self, line: &str) -> Result<(), EngineError>;
    /// Brings everything to the disk.
    fn finish(self: Box<Self>) -> Result<(), EngineError>;
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Written {
    Done,
    /// This form cannot hold it, and why.
    Not(&'static str),
}

/// Files of a folder that belong into an export, sorted: Markdown at any depth, and the records beside it. What is
/// none of that, and why, comes second.
pub(crate) fn files_of(folder: &Path) -> (Vec<String>, Vec<(String, String)>) {
    let (mut files, mut left_out) = (Vec::new(), Vec::new());
    walk(folder, "", 0, &mut files, &mut left_out);
    files.sort();
    left_out.sort();
    (files, left_out)
}

fn walk(
    folder: &Path,
    prefix: &str,
    depth: usize,
    files: &mut Vec<String>,
    left_out: &mut Vec<(String, String)>,
) {
    const DEEPEST: usize = 10;
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else {
            left_out.push((
                format!("{prefix}{}", entry.file_name().to_string_lossy()),
                "its name is not valid UTF-8".into(),
            ));
            continue;
        };
        let file = format!("{prefix}{name}");
        let Ok(kind) = entry.file_type() else { continue };
        let is_record = name == ".sources.json";
        if kind.is_dir() && !name.starts_with('.') && depth < DEEPEST {
            walk(&entry.path(), &format!("{file}/"), depth + 1, files, left_out);
        } else if kind.is_file()
            && (is_record || name.to_lowercase().ends_with(".md"))
            && files.len() < MOST_FILES
        {
            let is_large = entry.metadata().is_ok_and(|found| found.len() > LARGEST);
            if is_large {
                left_out.push((file, "larger than 1 MiB".into()));
            } else if is_record || !name.starts_with('.') {
                files.push(file);
            }
        } else if kind.is_symlink() && name.to_lowercase().ends_with(".md") {
            left_out.push((file, "a symbolic link".into()));
        }
    }
}

/// What is known of projects first: it says where their memories lie. Else by path.
fn in_order<T>(files: &mut [T], path: impl Fn(&T) -> &str) {
    files.sort_by(|a, b| {
        let key = |file| {
            let path = path(file);
            (!path.ends_with("/project.toml"), path.to_owned())
        };
        key(a).cmp(&key(b))
    });
}

/// Reads one file as it belongs into an export.
pub(crate) fn archived(path: String, on_disk: &Path) -> std::io::Result<ArchivedFile> {
    use std::io::Read as _;
    let opened = remora_memory::ordinary::open(on_disk)?;
    let modified = opened.metadata()?.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    let mut bytes = Vec::new();
    opened.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(ArchivedFile { path, bytes, modified })
}

/// Refuses what is there already: nothing of the person's is written over.
pub(crate) fn refuse_existing(target: &Path, is_folder: bool) -> Result<(), EngineError> {
    let is_empty_folder =
        || is_folder && std::fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    if std::fs::symlink_metadata(target).is_err() || is_empty_folder() {
        return Ok(());
    }
    Err(EngineError::refused(
        format!("{} is there already", target.display()),
        "name another place with --to, or move it away: nothing is written over",
    ))
}

/// A fresh name beside the target, under which it is made before it gets its own.
fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", uuid::Uuid::now_v7().simple()));
    target.with_file_name(name)
}
