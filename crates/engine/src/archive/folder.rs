//! An export as a folder of files.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use remora_memory::path::MemoryPath;

use super::{ArchivedFile, FORMAT, JOURNAL, LARGEST, MANIFEST, MOST_FILES, VERSION, Writer, Written};
use crate::error::EngineError;
use crate::root::create_private;

/// Writes an export into a folder that is not there yet, or empty. Until all is there it has another name.
pub(crate) struct FolderWriter {
    target: PathBuf,
    part: PathBuf,
    journal: Option<std::io::BufWriter<fs_err::File>>,
    is_done: bool,
}

impl FolderWriter {
    pub(crate) fn new(target: &Path) -> Result<Self, EngineError> {
        super::refuse_existing(target, true)?;
        let part = super::beside(target);
        create_private(&part)?;
        let manifest = serde_json::json!({"format": FORMAT, "version": VERSION});
        fs_err::write(part.join(MANIFEST), format!("{manifest}\n"))?;
        Ok(Self { target: target.to_owned(), part, journal: None, is_done: false })
    }
}

impl Writer for FolderWriter {
    fn file(&mut self, file: &ArchivedFile) -> Result<Written, EngineError> {
        let path = MemoryPath::found(&file.path)?.inside(&self.part)?;
        if let Some(parent) = path.parent() {
            create_private(parent)?;
        }
        fs_err::write(&path, &file.bytes)?;
        std::fs::File::options().write(true).open(&path)?.set_modified(file.modified)?;
        Ok(Written::Done)
    }

    fn journal(&mut self, line: &str) -> Result<(), EngineError> {
        let journal = match &mut self.journal {
            Some(journal) => journal,
            None => {
                let file = fs_err::File::create(self.part.join(JOURNAL))?;
                self.journal.insert(std::io::BufWriter::new(file))
            }
        };
        writeln!(journal, "{line}")?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EngineError> {
        if let Some(journal) = &mut self.journal {
            journal.flush()?;
        }
        super::refuse_existing(&self.target, true)?;
        let _ = std::fs::remove_dir(&self.target);
        fs_err::rename(&self.part, &self.target)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for FolderWriter {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = std::fs::remove_dir_all(&self.part);
        }
    }
}

/// The files of an export in a folder, one by one.
pub(crate) fn read(
    folder: &Path,
    mut each: impl FnMut(ArchivedFile) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    check(folder)?;
    let (mut files, _) = super::files_of(folder);
    let projects = std::fs::read_dir(folder.join("projects")).into_iter().flatten().filter_map(Result::ok);
    files.extend(projects.filter_map(|project| {
        let slug = project.file_name().into_string().ok()?;
        project.path().join("project.toml").is_file().then(|| format!("projects/{slug}/project.toml"))
    }));
    super::in_order(&mut files, |path: &String| path.as_str());
    for path in files.into_iter().take(MOST_FILES) {
        let on_disk = folder.join(&path);
        let found = std::fs::symlink_metadata(&on_disk)?;
        if found.is_file() && found.len() <= LARGEST {
            each(super::archived(path, &on_disk)?)?;
        }
    }
    Ok(())
}

/// Whether a folder is an export of a version that can be read.
fn check(folder: &Path) -> Result<(), EngineError> {
    let no_export = || {
        EngineError::usage(
            format!("{} is no export: it has no {MANIFEST}", folder.display()),
            "`remora export` makes one; `remora ingest` takes a folder of Markdown files",
        )
    };
    let text = remora_memory::ordinary::read(&folder.join(MANIFEST)).map_err(|_| no_export())?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).map_err(|_| no_export())?;
    if manifest["format"] != FORMAT {
        return Err(no_export());
    }
    super::json::check_version(manifest["version"].as_u64())
}
