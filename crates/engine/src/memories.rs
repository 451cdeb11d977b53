//! The memories that a session or a command can see: the person's own and the project's, with the corpus
//! that recall searches, kept in step with the files.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use remora_memory::folder::{Folder, Scan};
use remora_memory::project::{ProjectId, ProjectRecord, normalised_remote, remote_in_config};
use remora_memory::write::{Links, MemoryDir};
use remora_memory::{Memory, MemoryKind};
use remora_recall::similar::normal_content;
use remora_recall::strength::{self, Decay, Life};
use remora_recall::{Corpus, Document, Kind};
use sha2::{Digest, Sha256};

use crate::clock;
use crate::config::ChosenFolder;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::index_keeper;
use crate::journal::SessionRow;
use crate::root::Root;

/// A prompt takes what was read last; a look at the folder follows it when that is older than this.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Shelves kept in memory: projects a person works in at the same time.
const KEPT_SHELVES: usize = 16;

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// About the person, shared by all projects.
    User,
    /// The person's own, of one project.
    Private,
    /// What a host wrote for itself: in its own folder, or as a snapshot of it.
    Native,
}

impl Scope {
    /// The word in listings and in the ledger.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Private => "private",
            Self::Native => "native",
        }
    }
}

/// One folder of memories.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// Whose memory it holds.
    pub(crate) scope: Scope,
    /// The host that keeps or kept it by itself, if one does.
    pub(crate) origin: Option<String>,
    /// Snapshots of files that lie elsewhere and are never written.
    pub(crate) is_snapshot: bool,
}

/// One memory on a shelf.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) file: String,
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) hook: Option<String>,
    pub(crate) kind: MemoryKind,
    pub(crate) scope: Scope,
    pub(crate) origin: Option<String>,
    pub(crate) is_snapshot: bool,
    pub(crate) by: String,
    pub(crate) body: String,
    pub(crate) links: Vec<String>,
    pub(crate) age_days: i64,
    pub(crate) created: Option<String>,
    pub(crate) updated: Option<String>,
    pub(crate) changed_ms: i64,
    pub(crate) life: Life,
    pub(crate) pinned: bool,
    pub(crate) superseded_by: Option<String>,
    pub(crate) digest: String,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) problem: String,
}

/// What one project (or no project) can see.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) entries: Vec<Entry>,
    /// Made when it is first asked for: a session's start needs none.
    corpus: OnceLock<Corpus>,
    /// The shelf before this one, whose corpus is only brought up to date.
    before: Mutex<Option<Arc<Shelf>>>,
    by_id: HashMap<String, usize>,
    pub(crate) unreadable: Vec<Unreadable>,
    /// How the person's agents call the command.
    pub(crate) command: String,
}

/// How fresh a shelf has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The folders are looked at now.
    Scanned,
    /// What was read last is good enough; the folders are looked at afterwards.
    Kept,
}

/// Everything the engine keeps about memory files between requests.
#[derive(Debug)]
pub(crate) struct Memories {
    root: Root,
    command: String,
    kept: Mutex<HashMap<Vec<Place>, Kept>>,
    folders: Mutex<HashMap<PathBuf, Arc<Mutex<Watched>>>>,
    /// When the folder of all projects last changed, and the roots that were in it then.
    projects: Mutex<KnownProjects>,
}

/// The projects that have a folder in the data root, as they were read when that folder last changed.
#[derive(Debug, Default)]
struct KnownProjects {
    stamp: Option<std::time::SystemTime>,
    /// Roots with the slug of the folder that is theirs.
    roots: Vec<(PathBuf, String)>,
}

/// A folder that remembers what it read.
#[derive(Debug, Default)]
struct Watched {
    folder: Option<Folder>,
    scan: Arc<Scan>,
    /// Whether it was read before: only what changes after that is somebody's doing while we watched.
    is_known: bool,
    /// Files that came or changed, and that went, since the index was last settled.
    fresh: BTreeSet<String>,
    gone: BTreeSet<String>,
}

#[derive(Debug, Clone)]
struct Kept {
    shelf: Arc<Shelf>,
    scans: Vec<Arc<Scan>>,
    day: chrono::NaiveDate,
    looked: Instant,
}

impl Memories {
    pub(crate) fn new(root: Root) -> Self {
        let command = std::env::current_exe()
            .ok()
            .filter(|path| path.file_stem().is_some_and(|stem| stem == "remora"))
            .map_or_else(|| "remora".into(), |path| shell_word(&path));
        Self { root, command, kept: Mutex::default(), folders: Mutex::default(), projects: Mutex::default() }
    }

    /// The roots of the projects that have a folder here.
    pub(crate) fn known_projects(&self) -> Vec<PathBuf> {
        self.known(|roots| roots.iter().map(|(root, _)| root.clone()).collect())
    }

    /// The slug of the folder that a root's memory lies in, if it has one.
    pub(crate) fn slug_of(&self, root: &Path) -> Option<String> {
        self.known(|roots| roots.iter().find(|(known, _)| known == root).map(|(_, slug)| slug.clone()))
    }

    /// Looks at the known projects, which are read again when one came or went.
    fn known<T: Default>(&self, look: impl FnOnce(&[(PathBuf, String)]) -> T) -> T {
        let folder = self.root.projects();
        let stamp = std::fs::metadata(&folder).and_then(|found| found.modified()).ok();
        let Ok(mut known) = self.projects.lock() else { return T::default() };
        if known.stamp != stamp || stamp.is_none() {
            *known = KnownProjects { stamp, roots: read_projects(&folder) };
        }
        look(&known.roots)
    }

    /// Makes the folders and the record of a project that is worked in for the first time.
    pub(crate) fn open_project(&self, project: &ProjectId) -> Result<(), EngineError> {
        let folder = self.root.project(&project.slug);
        if let Some(mut record) = ProjectRecord::read(&folder)? {
            if record.saw_root(&project.root) {
                record.write(&folder)?;
            }
        } else {
            let remote = remote_of(&project.root);
            ProjectRecord::new(&project.root, remote, clock::today()).write(&folder)?;
        }
        crate::root::create_private(&self.folder_of(&project.slug))?;
        Ok(())
    }

    /// The memory folder of a project.
    pub(crate) fn folder_of(&self, slug: &str) -> PathBuf {
        self.root.project(slug).join("memory")
    }

    /// The folder of the person's own memories.
    pub(crate) fn user_place(&self) -> Place {
        Place { folder: self.root.user_memory(), scope: Scope::User, origin: None, is_snapshot: false }
    }

    /// The snapshots of what hosts keep for a project.
    pub(crate) fn snapshot_places(&self, slug: &str) -> Vec<Place> {
        let Ok(hosts) = std::fs::read_dir(self.root.project(slug).join("imported")) else {
            return Vec::new();
        };
        let mut places: Vec<Place> = hosts
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let host = entry.file_name().into_string().ok()?;
                Some(Place {
                    folder: entry.path(),
                    scope: Scope::Native,
                    origin: Some(host),
                    is_snapshot: true,
                })
            })
            .collect();
        places.sort_by(|a, b| a.folder.cmp(&b.folder));
        places
    }

    /// The shelf of some folders, as fresh as asked for. Blocks.
    pub(crate) fn shelf(&self, places: &[Place], freshness: Freshness) -> Arc<Shelf> {
        let kept = self.kept.lock().ok().and_then(|kept| kept.get(places).cloned());
        if freshness == Freshness::Kept
            && let Some(kept) = &kept
            && kept.day == clock::today()
        {
            return Arc::clone(&kept.shelf);
        }
        let scans: Vec<Arc<Scan>> = places.iter().map(|place| self.scan(&place.folder)).collect();
        if let Some(kept) = &kept
            && kept.day == clock::today()
            && kept.scans.len() == scans.len()
            && kept.scans.iter().zip(&scans).all(|(old, new)| Arc::ptr_eq(old, new))
        {
            self.keep(places, Kept { looked: Instant::now(), ..kept.clone() });
            return Arc::clone(&kept.shelf);
        }
        let shelf = self.build(places, &scans);
        if let (Ok(mut before), Some(kept)) = (shelf.before.lock(), kept) {
            *before = Shelf::with_corpus(&kept.shelf);
        }
        let shelf = Arc::new(shelf);
        self.keep(
            places,
            Kept { shelf: Arc::clone(&shelf), scans, day: clock::today(), looked: Instant::now() },
        );
        shelf
    }

    /// Looks again at every folder whose memories are kept. Blocks.
    fn look_again(&self) {
        let kept = self.kept.lock().map(|kept| kept.keys().cloned().collect::<Vec<_>>());
        for places in kept.unwrap_or_default() {
            self.shelf(&places, Freshness::Scanned);
        }
    }

    /// Whether the folders of a kept shelf should be looked at again.
    pub(crate) fn is_old(&self, places: &[Place]) -> bool {
        self.kept
            .lock()
            .is_ok_and(|kept| kept.get(places).is_none_or(|kept| kept.looked.elapsed() > LOOK_AGAIN))
    }

    fn keep(&self, places: &[Place], value: Kept) {
        if let Ok(mut kept) = self.kept.lock() {
            if kept.len() >= KEPT_SHELVES && !kept.contains_key(places) {
                let oldest = kept.iter().min_by_key(|(_, kept)| kept.looked).map(|(key, _)| key.clone());
                if let Some(oldest) = oldest {
                    kept.remove(&oldest);
                }
            }
            kept.insert(places.to_vec(), value);
        }
    }

    /// Looks at a folder; the same scan comes back when nothing in it changed. A folder that is not there
    /// (yet) has no memories.
    fn scan(&self, path: &Path) -> Arc<Scan> {
        let Some(watched) = self.watched(path) else { return Arc::default() };
        // Locked for this folder alone: one on a hung mount holds up no other.
        let Ok(mut watched) = watched.lock() else { return Arc::default() };
        if !path.is_dir() {
            // A scan stays the same one while nothing changes: the shelf is built anew for another.
            let had = &watched.scan;
            if watched.folder.is_some() || !had.memories.is_empty() || !had.unreadable.is_empty() {
                *watched = Watched::default();
            }
            return Arc::clone(&watched.scan);
        }
        if watched.folder.is_none() {
            watched.folder = Folder::open(path)
                .map_err(|error| tracing::warn!(%error, "a memory folder cannot be opened"))
                .ok();
            watched.scan = Arc::default();
        }
        let Some(folder) = &mut watched.folder else { return Arc::default() };
        match folder.rescan() {
            Ok(scan) => {
                if std::mem::replace(&mut watched.is_known, true) {
                    watched.gone.retain(|file| !scan.changed.contains(file));
                    watched.fresh.retain(|file| !scan.removed.contains(file));
                    watched.fresh.extend(scan.changed.iter().cloned());
                    watched.gone.extend(scan.removed.iter().cloned());
                }
                if differ(&watched.scan, &scan) {
                    watched.scan = Arc::new(scan);
                }
            }
            Err(error) => {
                // What was read before is still better than nothing.
                tracing::warn!(%error, "a memory folder cannot be listed");
                watched.folder = None;
            }
        }
        Arc::clone(&watched.scan)
    }

    /// Brings a folder's index in step with what changed in it while it was watched: a new file gets its
    /// line, a file that somebody deleted loses it. What was odd before we came is left alone. Blocks.
    pub(crate) fn settle(&self, path: &Path) -> Result<(), EngineError> {
        let scan = self.scan(path);
        let Some(watched) = self.watched(path) else { return Ok(()) };
        let (fresh, gone) = {
            let Ok(mut watched) = watched.lock() else { return Ok(()) };
            (std::mem::take(&mut watched.fresh), std::mem::take(&mut watched.gone))
        };
        if fresh.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let dir = MemoryDir::open(path, Links::Inside)?;
        index_keeper::change(&dir, |index| {
            for file in &gone {
                index.remove(file);
            }
            for memory in fresh.iter().filter_map(|file| scan.memory(file)) {
                let has_line = index.entries().iter().any(|entry| entry.is_for_memory(memory));
                if !has_line && !memory.is_history() {
                    index.upsert(&memory.file, &memory.name, &memory.description);
                }
            }
        })?;
        self.bury(path, &gone)
    }

    /// A file that a person deleted is a decision: it is written down, so that no import brings it back.
    pub(crate) fn bury(&self, folder: &Path, gone: &BTreeSet<String>) -> Result<(), EngineError> {
        use std::io::Write as _;
        if gone.is_empty() {
            return Ok(());
        }
        let mut lines = String::new();
        for file in gone {
            let line = serde_json::json!({"folder": folder, "file": file, "at": clock::rfc3339(clock::now_millis())});
            lines.push_str(&format!("{line}\n"));
        }
        let mut tombstones =
            fs_err::OpenOptions::new().create(true).append(true).open(self.root.tombstones())?;
        tombstones.write_all(lines.as_bytes())?;
        Ok(())
    }

    fn watched(&self, path: &Path) -> Option<Arc<Mutex<Watched>>> {
        let mut folders = self.folders.lock().ok()?;
        if folders.len() >= 4 * KEPT_SHELVES && !folders.contains_key(path) {
            folders.clear();
        }
        Some(Arc::clone(folders.entry(path.to_owned()).or_default()))
    }

    /// The shelf of what was read.
    pub(crate) fn build(&self, places: &[Place], scans: &[Arc<Scan>]) -> Shelf {
        let now = clock::now_millis();
        let mut entries = Vec::new();
        let mut unreadable = Vec::new();
        let mut said: HashSet<String> = HashSet::new();
        for (place, scan) in places.iter().zip(scans) {
            for memory in &scan.memories {
                // The same words twice are one memory; the person's own copy comes first.
                if !said.insert(normal_content(&memory.body)) && place.is_snapshot {
                    continue;
                }
                let hook = scan
                    .index
                    .as_ref()
                    .and_then(|index| index.entry(&memory.file))
                    .map(|line| line.hook.clone());
                entries.push(entry_of(memory, place, hook, now));
            }
            unreadable.extend(scan.unreadable.iter().map(|file| Unreadable {
                file: place.folder.join(&file.file).to_string_lossy().into_owned(),
                line: file.line,
                problem: file.problem.clone(),
            }));
        }
        let mut by_id = HashMap::new();
        for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.superseded_by.is_none()) {
            let id = if by_id.contains_key(&entry.file) {
                format!("{}/{}", entry.scope.as_str(), entry.file)
            } else {
                entry.file.clone()
            };
            by_id.insert(id, place);
        }
        Shelf {
            entries,
            corpus: OnceLock::new(),
            before: Mutex::default(),
            by_id,
            unreadable,
            command: self.command.clone(),
        }
    }
}

fn differ(before: &Scan, now: &Scan) -> bool {
    let same_index = match (&before.index, &now.index) {
        (Some(before), Some(now)) => Arc::ptr_eq(before, now),
        (None, None) => true,
        _ => false,
    };
    !(same_index && now.changed.is_empty() && now.removed.is_empty() && before.unreadable == now.unreadable)
}

impl Shelf {
    /// What recall searches. Blocks while it is made, some tenths of a millisecond for each memory that is new.
    pub(crate) fn corpus(&self) -> &Corpus {
        self.corpus.get_or_init(|| {
            let before = self.before.lock().ok().and_then(|before| before.clone());
            let before = before.as_ref().and_then(|shelf| Some((shelf, shelf.corpus.get()?.clone())));
            let (old, mut corpus) =
                before.map_or_else(|| (None, Corpus::new(&[])), |(shelf, corpus)| (Some(shelf), corpus));
            for id in
                old.iter().flat_map(|shelf| shelf.by_id.keys()).filter(|id| !self.by_id.contains_key(*id))
            {
                corpus.remove(id);
            }
            // In the order of the entries, so that the same files make the same corpus.
            let mut ids: Vec<(&String, &usize)> = self.by_id.iter().collect();
            ids.sort_unstable_by_key(|(_, place)| **place);
            for (id, place) in ids {
                let Some(entry) = self.entries.get(*place) else { continue };
                let known = old.and_then(|shelf| shelf.entry(id)).is_some_and(|old| old.reads_as(entry));
                if !known {
                    corpus.put(&document_of(id, entry));
                }
            }
            if let Ok(mut before) = self.before.lock() {
                *before = None;
            }
            corpus
        })
    }

    /// Whether the corpus is there already.
    pub(crate) fn is_indexed(&self) -> bool {
        self.corpus.get().is_some()
    }

    /// How many memories recall can choose from.
    pub(crate) fn recallable(&self) -> usize {
        self.by_id.len()
    }

    /// This shelf, or the last one before it, that has a corpus.
    fn with_corpus(shelf: &Arc<Self>) -> Option<Arc<Self>> {
        if shelf.is_indexed() {
            return Some(Arc::clone(shelf));
        }
        shelf.before.lock().ok()?.clone()
    }

    /// The entry that a hit of the corpus stands for.
    pub(crate) fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.get(*self.by_id.get(id)?)
    }

    /// What recall can choose from, by the corpus's id.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.by_id.iter().filter_map(|(id, place)| Some((id.as_str(), self.entries.get(*place)?)))
    }

    /// The entries, last changed first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by(|a, b| b.changed_ms.cmp(&a.changed_ms).then_with(|| a.file.cmp(&b.file)));
        entries.into_iter()
    }

    /// Of these entries (newest first), the ones that stay when only so many lines are there.
    pub(crate) fn strongest<'a>(entries: &[&'a Entry], slots: usize) -> Vec<&'a Entry> {
        let lives: Vec<Life> = entries.iter().map(|entry| entry.life.clone()).collect();
        strength::select(&lives, slots, clock::day_number(clock::today()), Decay::default())
            .into_iter()
            .filter_map(|place| entries.get(place).copied())
            .collect()
    }
}

impl Engine {
    /// The memories that a session can see.
    pub(crate) async fn shelf(
        self: &Arc<Self>,
        session: Option<&SessionRow>,
        freshness: Freshness,
    ) -> Result<Arc<Shelf>, EngineError> {
        let places = session.map(|row| (row.slug.clone(), PathBuf::from(&row.path)));
        let engine = Arc::clone(self);
        let places = blocking(move || {
            Ok(engine.places(places.as_ref().map(|(slug, root)| (slug.as_str(), root.as_path())), None))
        })
        .await?;
        self.shelf_at(places, freshness).await
    }

    /// The folders that a project sees: the person's own, the project's, and snapshots of what hosts keep.
    /// A folder that a command's person named stands in the place of the project's. Blocks.
    pub(crate) fn places(&self, project: Option<(&str, &Path)>, named: Option<&Path>) -> Vec<Place> {
        let mut places = vec![self.memories().user_place()];
        let own = |folder, origin: Option<String>| Place {
            folder,
            scope: if origin.is_some() { Scope::Native } else { Scope::Private },
            origin,
            is_snapshot: false,
        };
        if let Some(folder) = named {
            places.push(own(folder.to_owned(), None));
            return places;
        }
        let Some((slug, root)) = project else { return places };
        let origin = match self.config().memory_dir_of(root) {
            Some(ChosenFolder::Native(host)) => Some(host),
            _ => None,
        };
        places.push(own(self.memory_dir(slug, root), origin));
        places.extend(self.memories().snapshot_places(slug));
        places
    }

    /// Takes in what this engine itself has written: a prompt is answered from what was read last.
    pub(crate) async fn look_again(self: &Arc<Self>) -> Result<(), EngineError> {
        let engine = Arc::clone(self);
        blocking(move || {
            engine.memories().look_again();
            Ok(())
        })
        .await
    }

    /// The memories of some folders.
    pub(crate) async fn shelf_at(
        self: &Arc<Self>,
        places: Vec<Place>,
        freshness: Freshness,
    ) -> Result<Arc<Shelf>, EngineError> {
        let (engine, wanted) = (Arc::clone(self), places.clone());
        let shelf = blocking(move || Ok(engine.memories().shelf(&wanted, freshness))).await?;
        if !shelf.is_indexed() {
            let shelf = Arc::clone(&shelf);
            tokio::task::spawn_blocking(move || {
                shelf.corpus();
            });
        }
        if freshness == Freshness::Kept && self.memories().is_old(&places) {
            let engine = Arc::clone(self);
            tokio::task::spawn_blocking(move || engine.memories().shelf(&places, Freshness::Scanned));
        }
        Ok(shelf)
    }
}

fn entry_of(memory: &Memory, place: &Place, hook: Option<String>, now: i64) -> Entry {
    let changed_ms = memory.changed().map_or(now, |at| at.timestamp_millis());
    let created_ms = memory.created().map_or(changed_ms, |at| at.timestamp_millis());
    let day = |at: Option<chrono::DateTime<chrono::Utc>>| at.map(|at| at.format("%Y-%m-%d").to_string());
    Entry {
        file: memory.file.clone(),
        path: place.folder.join(&memory.file),
        name: memory.name.clone(),
        description: memory.description.clone(),
        hook,
        kind: memory.kind,
        scope: place.scope,
        origin: place.origin.clone(),
        is_snapshot: place.is_snapshot,
        by: memory.metadata.by.map_or_else(
            || {
                place
                    .origin
                    .clone()
                    .or_else(|| memory.metadata.source.clone())
                    .unwrap_or_else(|| "unknown".into())
            },
            |by| by.as_str().to_owned(),
        ),
        body: memory.body.clone(),
        links: memory.links.clone(),
        age_days: clock::days_since(changed_ms, now),
        created: day(memory.created()),
        updated: day(memory.changed()),
        changed_ms,
        life: Life {
            created: i32::try_from(created_ms / 86_400_000).unwrap_or(0),
            confirmed: memory.metadata.reinforced.iter().map(|date| clock::day_number(*date)).collect(),
        },
        pinned: memory.metadata.pinned,
        superseded_by: memory
            .metadata
            .superseded_by
            .first()
            .cloned()
            .or_else(|| memory.is_history().then(|| "history".to_owned())),
        digest: digest(memory),
    }
}

impl Entry {
    /// Whether recall finds the same in both.
    fn reads_as(&self, other: &Self) -> bool {
        let day = |entry: &Self| entry.changed_ms / 86_400_000;
        self.file == other.file
            && self.digest == other.digest
            && self.kind == other.kind
            && self.hook == other.hook
            && self.links == other.links
            && day(self) == day(other)
    }
}

fn document_of(id: &str, entry: &Entry) -> Document {
    Document {
        id: id.to_owned(),
        name: entry.name.clone(),
        description: entry.description.clone(),
        body: entry.body.clone(),
        links: entry.links.clone(),
        hook: entry.hook.clone().unwrap_or_default(),
        kind: match entry.kind {
            MemoryKind::User => Kind::User,
            MemoryKind::Feedback => Kind::Feedback,
            MemoryKind::Project => Kind::Project,
            MemoryKind::Reference => Kind::Reference,
        },
        day: i32::try_from(entry.changed_ms / 86_400_000).unwrap_or(0),
    }
}

fn read_projects(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut roots = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let (Ok(slug), Ok(Some(record))) =
            (entry.file_name().into_string(), ProjectRecord::read(&entry.path()))
        else {
            continue;
        };
        roots.extend(record.paths.into_iter().map(|path| (PathBuf::from(path), slug.clone())));
    }
    roots
}

/// The remote of a repository whose `.git` is a folder, as it is written in its configuration.
fn remote_of(root: &Path) -> Option<String> {
    use std::io::Read as _;
    const LONGEST: u64 = 64 * 1024;
    let mut config = String::new();
    std::fs::File::open(root.join(".git").join("config"))
        .ok()?
        .take(LONGEST)
        .read_to_string(&mut config)
        .ok()?;
    normalised_remote(&remote_in_config(&config)?)
}

fn digest(memory: &Memory) -> String {
    use std::fmt::Write as _;
    let mut hasher = Sha256::new();
    for part in [memory.name.as_str(), memory.description.as_str(), memory.body.as_str()] {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize()[..8].iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A path as one word of a shell.
fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@".contains(c));
    if plain { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
