//! `import HOST`: snapshots of what a host keeps for this project, never written back, never a model involved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_memory::Folder;
use remora_memory::path::MemoryPath;
use remora_memory::write::{Digest, Links, MemoryDir};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Place;
use crate::config::ChosenFolder;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::SessionRow;
use crate::memories::Entry;
use crate::native;

/// Larger files are documents, not memories, and are left out.
const LARGEST: usize = 64 * 1024;

/// What lies beside the snapshots: where each came from.
const SOURCES: &str = ".sources.json";

/// What `import` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    host: String,
    #[serde(default)]
    dry_run: bool,
}

/// One snapshot's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    path: PathBuf,
    digest: String,
    /// The host does not have it any more; the snapshot stays.
    #[serde(default)]
    gone: bool,
}

/// `{"host", "folder", "new", "changed", "same", "gone", "left_out", "dry_run"}`: lists of files.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || import(&engine, &place, &args)).await
}

fn import(engine: &Engine, place: &Place, args: &Arguments) -> Result<Value, EngineError> {
    let Some((slug, root)) = &place.project else {
        return Err(EngineError::usage(
            "there is no project here",
            "go to its folder, or name it with --project",
        ));
    };
    if engine.config().memory_dir_of(root) == Some(ChosenFolder::Native(args.host.clone())) {
        return Err(EngineError::refused(
            format!("the folder of {} is this project's memory already", args.host),
            "there is nothing to import: both read and write the same files",
        ));
    }
    let folder = engine.native_folder(&args.host, root).ok_or_else(|| {
        EngineError::not_found(
            format!("{} keeps no memory folder that is known", args.host),
            "`remora hosts` lists the hosts",
        )
    })?;
    let target = engine.root().project(slug).join("imported").join(&args.host);
    let mut snapshots = Snapshots::open(&target)?;
    let mut lists: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for kind in ["new", "changed", "same", "gone", "left_out"] {
        lists.insert(kind, Vec::new());
    }
    let buried = buried(engine, &target);
    let scan = if folder.is_dir() { Folder::scan(&folder)? } else { remora_memory::Scan::default() };
    for memory in &scan.memories {
        let text = std::fs::read(folder.join(&memory.file))?;
        let kind = if text.len() > LARGEST || buried.contains(&memory.file) {
            "left_out"
        } else {
            snapshots.kind_of(&memory.file, &text)
        };
        if matches!(kind, "new" | "changed") && !args.dry_run {
            snapshots.take(&folder, &memory.file, &text)?;
        }
        lists.entry(kind).or_default().push(memory.file.clone());
    }
    let present: Vec<&str> = scan.memories.iter().map(|memory| memory.file.as_str()).collect();
    lists.insert("gone", snapshots.mark_gone(&present));
    if !args.dry_run {
        snapshots.write()?;
    }
    let mut value = json!({"host": args.host, "folder": folder, "dry_run": args.dry_run});
    for (kind, files) in lists {
        value[kind] = json!(files);
    }
    Ok(value)
}

/// Files of this folder of snapshots that the person deleted: no import brings them back.
fn buried(engine: &Engine, target: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(engine.root().tombstones()).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|stone| stone["folder"].as_str().map(Path::new) == Some(target))
        .filter_map(|stone| stone["file"].as_str().map(str::to_owned))
        .collect()
}

/// Where a snapshot was taken from; nothing for a memory that is no snapshot.
pub(super) fn source_of(entry: &Entry) -> Option<PathBuf> {
    if !entry.is_snapshot {
        return None;
    }
    let text = std::fs::read(entry.folder().join(SOURCES)).ok()?;
    let sources: BTreeMap<String, Source> = serde_json::from_slice(&text).ok()?;
    sources.get(&entry.file).map(|source| source.path.clone())
}

/// A folder of snapshots with their sources.
struct Snapshots {
    dir: MemoryDir,
    sources: BTreeMap<String, Source>,
}

impl Snapshots {
    fn open(target: &Path) -> Result<Self, EngineError> {
        let dir = MemoryDir::create(target, Links::Refuse)?;
        let sources =
            std::fs::read(target.join(SOURCES)).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Self { dir, sources: sources.unwrap_or_default() })
    }

    fn kind_of(&self, file: &str, text: &[u8]) -> &'static str {
        match self.sources.get(file) {
            None => "new",
            Some(source) if source.digest == Digest::of(text).hex() => "same",
            Some(_) => "changed",
        }
    }

    fn take(&mut self, folder: &Path, file: &str, text: &[u8]) -> Result<(), EngineError> {
        let path = MemoryPath::found(file)?;
        if self.dir.exists(&path) {
            let (_, digest) = self.dir.read(&path)?;
            self.dir.replace_if_unchanged(&path, &digest, text)?;
        } else {
            self.dir.create_new(&path, text)?;
        }
        // A snapshot is as old as what it was taken from.
        let age = std::fs::metadata(folder.join(file)).and_then(|found| found.modified());
        let written = std::fs::File::options().write(true).open(self.dir.root().join(file));
        if let (Ok(age), Ok(written)) = (age, written) {
            written.set_modified(age)?;
        }
        let source = Source { path: folder.join(file), digest: Digest::of(text).hex(), gone: false };
        self.sources.insert(file.to_owned(), source);
        Ok(())
    }

    /// Marks what its host does not have any more; answers which.
    fn mark_gone(&mut self, present: &[&str]) -> Vec<String> {
        let mut gone = Vec::new();
        for (file, source) in &mut self.sources {
            source.gone = !present.contains(&file.as_str());
            if source.gone {
                gone.push(file.clone());
            }
        }
        gone
    }

    fn write(&self) -> Result<(), EngineError> {
        let text =
            serde_json::to_vec_pretty(&self.sources).map_err(|e| EngineError::Internal(e.to_string()))?;
        let path = self.dir.root().join(SOURCES);
        let fresh = path.with_extension("json.new");
        fs_err::write(&fresh, text)?;
        fs_err::rename(fresh, path)?;
        Ok(())
    }
}

impl Engine {
    /// Takes snapshots of what every host keeps for a project, where there is such a folder. Blocks.
    pub(crate) fn import_native(&self, slug: &str, root: &Path) {
        for host in self.hosts() {
            if !self.native_folder(&host, root).is_some_and(|folder| folder.is_dir()) {
                continue;
            }
            let place = Place {
                project: Some((slug.to_owned(), root.to_owned())),
                memory_dir: None,
                is_named: false,
            };
            match import(self, &place, &Arguments { host: host.clone(), dry_run: false }) {
                // The folder that is the memory itself is never imported.
                Ok(_) | Err(EngineError::Said(_)) => {}
                Err(error) => tracing::warn!(%error, %host, "native memory could not be imported"),
            }
        }
    }

    /// The folders in which any host keeps memory that this project's sessions may look into.
    pub(crate) fn native_folders(&self, session: Option<&SessionRow>) -> Vec<PathBuf> {
        let Some(home) = self.home() else { return Vec::new() };
        let root = session.map(|row| Path::new(&row.path));
        self.profiles().flat_map(|profile| native::folders_of(profile, root, home)).collect()
    }

    /// The folder that a host keeps for a project, whether or not it exists.
    pub(crate) fn native_folder(&self, host: &str, root: &Path) -> Option<PathBuf> {
        native::folder_of(&self.profile(host), root, self.home()?)
    }
}
