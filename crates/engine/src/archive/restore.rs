//! The files of an export brought in again. What is there stays as it is; what the person deleted stays deleted.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use remora_memory::ProjectRecord;
use remora_memory::index::{Index, is_index_file};
use remora_memory::path::MemoryPath;
use remora_memory::reader;
use remora_memory::write::{Links, MemoryDir};

use super::{ArchivedFile, Places, Target};
use crate::error::EngineError;
use crate::index_keeper;

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Became {
    New,
    Same,
    /// Another text is there, which stays.
    Kept,
    LeftOut(String),
}

/// Brings files in, one by one.
pub(crate) struct Restorer<'a> {
    places: Places<'a>,
    buried: HashSet<PathBuf>,
    dry_run: bool,
    /// Indexes of the export whose folders have one of their own: only lines of what is new are added.
    indexes: BTreeMap<PathBuf, String>,
    added: BTreeMap<PathBuf, Vec<String>>,
}

impl<'a> Restorer<'a> {
    pub(crate) fn new(places: Places<'a>, buried: HashSet<PathBuf>, dry_run: bool) -> Self {
        Self { places, buried, dry_run, indexes: BTreeMap::new(), added: BTreeMap::new() }
    }

    pub(crate) fn take(&mut self, archived: &ArchivedFile) -> Result<Became, EngineError> {
        match self.places.target(&archived.path) {
            Err(why) => Ok(Became::LeftOut(why)),
            Ok(Target::Record { folder, .. }) => self.record(&folder, archived),
            Ok(Target::Memory { folder, file }) => {
                let is_index = !file.contains('/') && is_index_file(&file);
                let became = self.put(&folder, &file, archived)?;
                match (&became, is_index) {
                    (Became::Kept, true) => {
                        self.indexes.insert(folder, String::from_utf8_lossy(&archived.bytes).into_owned());
                    }
                    (Became::New, false) => self.added.entry(folder).or_default().push(file),
                    _ => {}
                }
                Ok(became)
            }
            Ok(Target::Snapshot { folder, file }) => self.put(&folder, &file, archived),
        }
    }

    /// A record is only needed where there is none: this machine knows best where its projects lie.
    fn record(&self, folder: &Path, archived: &ArchivedFile) -> Result<Became, EngineError> {
        if let Some(there) = ProjectRecord::read(folder)? {
            let said = std::str::from_utf8(&archived.bytes).ok().and_then(|text| toml::from_str(text).ok());
            return Ok(if said == Some(there) { Became::Same } else { Became::Kept });
        }
        let text = std::str::from_utf8(&archived.bytes).ok();
        let Some(record) = text.and_then(|text| toml::from_str::<ProjectRecord>(text).ok()) else {
            return Ok(Became::LeftOut("it is no record of a project".to_owned()));
        };
        if !self.dry_run {
            record.write(folder)?;
            set_age(&folder.join("project.toml"), archived.modified)?;
        }
        Ok(Became::New)
    }

    fn put(&self, folder: &Path, file: &str, archived: &ArchivedFile) -> Result<Became, EngineError> {
        let path = MemoryPath::found(file)?;
        if folder.is_dir() {
            let dir = MemoryDir::open(folder, Links::Inside)?;
            if dir.exists(&path) {
                let (bytes, _) = dir.read(&path)?;
                return Ok(if bytes == archived.bytes { Became::Same } else { Became::Kept });
            }
        }
        if self.buried.contains(&folder.join(file)) {
            return Ok(Became::LeftOut("deleted by you".to_owned()));
        }
        if self.dry_run {
            return Ok(Became::New);
        }
        let dir = MemoryDir::create(folder, Links::Inside)?;
        match dir.create_new(&path, &archived.bytes) {
            Ok(()) => {}
            // The same name on a system that ignores case.
            Err(remora_memory::Error::Exists { .. }) => return Ok(Became::Kept),
            Err(error) => return Err(error.into()),
        }
        set_age(&folder.join(file), archived.modified)?;
        Ok(Became::New)
    }

    /// Gives what is new its lines in indexes that were there before.
    pub(crate) fn finish(self) -> Result<(), EngineError> {
        if self.dry_run {
            return Ok(());
        }
        for (folder, files) in &self.added {
            let Some(archived) = self.indexes.get(folder) else { continue };
            let archived = Index::parse(archived);
            let dir = MemoryDir::open(folder, Links::Inside)?;
            index_keeper::change(&dir, |index| {
                for file in files {
                    let Ok(memory) = reader::read_file(file, &folder.join(file)) else { continue };
                    let is_there = index.entries().iter().any(|entry| entry.is_for_memory(&memory));
                    if let Some(line) = archived.entry(file).filter(|_| !is_there) {
                        index.upsert(file, &line.title, &line.hook);
                    }
                }
            })?;
        }
        Ok(())
    }
}

fn set_age(path: &Path, modified: SystemTime) -> std::io::Result<()> {
    std::fs::File::options().write(true).open(path)?.set_modified(modified)
}
