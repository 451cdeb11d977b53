//! The memories that a session or a command can see: the person's own and the project's, with the corpus
//! that recall searches, kept in step with the files.

mod place;
mod points;
mod shelf;
mod tombstones;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use remora_memory::MemoryKind;
use remora_memory::folder::{Folder, Scan};
use remora_memory::project::{ProjectId, ProjectRecord, normalised_remote, remote_in_config};
use remora_memory::write::{Links, MemoryDir};

use crate::clock;
use crate::error::EngineError;
use crate::index_keeper;
use crate::review::{Review, Waiting};
use crate::root::Root;
use crate::watch::{Changed, Watch};

pub(crate) use place::{Freshness, Place, Scope, View};
#[cfg(test)]
pub(crate) use shelf::entry_for_tests;
pub(crate) use shelf::{Entry, Shelf};
use tombstones::Tombstones;

/// A prompt takes what was read last; a look at the folder follows it when that is older than this.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Shelves kept in memory: projects a person works in at the same time.
const KEPT_SHELVES: usize = 16;

/// Folders of which is known what was in them. What is about the person is looked for in those of all projects.
const KEPT_FOLDERS: usize = 4_096;

/// Everything the engine keeps about memory files between requests.
#[derive(Debug)]
pub(crate) struct Memories {
    tombstones: Tombstones,
    root: Root,
    command: String,
    kept: Mutex<HashMap<View, Kept>>,
    folders: Mutex<HashMap<Watching, Arc<Mutex<Watched>>>>,
    /// The folders of all projects, as they were found last.
    everywhere: Mutex<Option<Arc<[Place]>>>,
    watch: Watch,
    /// What waits for the person's word, and is not recalled until then.
    review: Review,
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

/// A folder that is watched: for all that is in it, or only for what is about the person.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Watching {
    folder: PathBuf,
    about_person: bool,
}

impl Watching {
    fn of(place: &Place) -> Self {
        Self { folder: place.folder.clone(), about_person: place.elsewhere.is_some() }
    }

    fn whole(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), about_person: false }
    }

    fn open(&self) -> Result<Folder, remora_memory::Error> {
        let folder = Folder::open(&self.folder)?;
        Ok(if self.about_person { folder.only(MemoryKind::User) } else { folder })
    }
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
    waiting: Arc<Waiting>,
    day: chrono::NaiveDate,
    looked: Instant,
}

impl Memories {
    pub(crate) fn new(root: Root) -> Self {
        let command = std::env::current_exe()
            .ok()
            .filter(|path| path.file_stem().is_some_and(|stem| stem == "remora"))
            .map_or_else(|| "remora".into(), |path| shell_word(&path));
        Self {
            watch: Watch::default(),
            review: Review::new(&root),
            tombstones: Tombstones::at(root.tombstones()),
            root,
            command,
            kept: Mutex::default(),
            folders: Mutex::default(),
            everywhere: Mutex::default(),
            projects: Mutex::default(),
        }
    }

    /// What waits for the person's word.
    pub(crate) fn review(&self) -> &Review {
        &self.review
    }

    /// The roots of the projects that have a folder here.
    pub(crate) fn known_projects(&self) -> Vec<PathBuf> {
        self.known(|roots| roots.iter().map(|(root, _)| root.clone()).collect())
    }

    /// The roots of the projects with the slugs of their folders.
    pub(crate) fn projects(&self) -> Vec<(PathBuf, String)> {
        self.known(<[_]>::to_vec)
    }

    /// The folders of all projects: as they were found last, or found now.
    pub(crate) fn everywhere(&self, freshness: Freshness, find: impl FnOnce() -> Vec<Place>) -> Arc<[Place]> {
        let last = || self.everywhere.lock().ok().and_then(|kept| kept.clone());
        if freshness == Freshness::Kept
            && let Some(last) = last()
        {
            return last;
        }
        let found: Arc<[Place]> = find().into();
        if let Ok(mut kept) = self.everywhere.lock() {
            *kept = Some(Arc::clone(&found));
        }
        found
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

    /// The shelf of some folders, as fresh as asked for. Blocks.
    pub(crate) fn shelf(&self, view: &View, freshness: Freshness) -> Arc<Shelf> {
        let waiting = self.review.waiting();
        let kept = self.kept.lock().ok().and_then(|kept| kept.get(view).cloned());
        let before = kept.as_ref().map(|kept| Arc::clone(&kept.shelf));
        let kept = kept.filter(|kept| kept.day == clock::today() && Arc::ptr_eq(&kept.waiting, &waiting));
        if freshness == Freshness::Kept
            && let Some(kept) = &kept
        {
            return Arc::clone(&kept.shelf);
        }
        let scans: Vec<Arc<Scan>> = view.places.iter().map(|place| self.scan(&Watching::of(place))).collect();
        if let Some(kept) = &kept
            && kept.scans.len() == scans.len()
            && kept.scans.iter().zip(&scans).all(|(old, new)| Arc::ptr_eq(old, new))
        {
            self.keep(view, Kept { looked: Instant::now(), ..kept.clone() });
            return Arc::clone(&kept.shelf);
        }
        let shelf = Shelf::of(view, &scans, &waiting, &self.command).after(before.as_ref());
        let shelf = Arc::new(shelf);
        self.keep(
            view,
            Kept { shelf: Arc::clone(&shelf), scans, waiting, day: clock::today(), looked: Instant::now() },
        );
        shelf
    }

    /// Watches the folders of a view in which somebody works. Blocks for a moment.
    pub(crate) fn watch(&self, view: &View, freshness: Freshness) {
        let own = view.places.iter().filter(|place| place.elsewhere.is_none());
        self.watch.on(own.map(|place| place.folder.clone()), freshness == Freshness::Scanned);
    }

    /// Waits until something changed in a folder that is watched.
    pub(crate) async fn changed(&self) -> Changed {
        self.watch.changed().await
    }

    /// Reads again what changed, where it is kept. Blocks.
    pub(crate) fn take_in(&self, changed: &Changed) {
        let touched = |view: &View| view.places.iter().any(|place| changed.touches(&place.folder));
        let kept: Vec<(View, Kept)> = self
            .kept
            .lock()
            .map(|kept| {
                kept.iter()
                    .filter(|(view, _)| touched(view))
                    .map(|(view, kept)| (view.clone(), kept.clone()))
                    .collect()
            })
            .unwrap_or_default();
        for (view, kept) in kept {
            let scans: Vec<Arc<Scan>> = view
                .places
                .iter()
                .zip(&kept.scans)
                .map(|(place, scan)| {
                    if changed.touches(&place.folder) {
                        self.scan(&Watching::of(place))
                    } else {
                        Arc::clone(scan)
                    }
                })
                .collect();
            let is_same = kept.scans.iter().zip(&scans).all(|(old, new)| Arc::ptr_eq(old, new));
            if !is_same {
                let shelf = Shelf::of(&view, &scans, &kept.waiting, &self.command).after(Some(&kept.shelf));
                let shelf = Arc::new(shelf);
                self.keep(&view, Kept { shelf: Arc::clone(&shelf), scans, ..kept });
                // Nobody waits for it yet: the next prompt finds it made.
                shelf.corpus();
            }
        }
    }

    /// Looks again at every folder whose memories are kept. Blocks.
    pub(crate) fn look_again(&self) {
        let kept = self.kept.lock().map(|kept| kept.keys().cloned().collect::<Vec<_>>());
        for view in kept.unwrap_or_default() {
            self.shelf(&view, Freshness::Scanned);
        }
    }

    /// Whether the folders of a kept shelf should be looked at again.
    pub(crate) fn is_old(&self, view: &View) -> bool {
        self.kept
            .lock()
            .is_ok_and(|kept| kept.get(view).is_none_or(|kept| kept.looked.elapsed() > LOOK_AGAIN))
    }

    fn keep(&self, view: &View, value: Kept) {
        if let Ok(mut kept) = self.kept.lock() {
            if kept.len() >= KEPT_SHELVES && !kept.contains_key(view) {
                let oldest = kept.iter().min_by_key(|(_, kept)| kept.looked).map(|(key, _)| key.clone());
                if let Some(oldest) = oldest {
                    kept.remove(&oldest);
                }
            }
            kept.insert(view.clone(), value);
        }
    }

    /// Looks at a folder; the same scan comes back when nothing in it changed. A folder that is not there
    /// (yet) has no memories.
    fn scan(&self, watching: &Watching) -> Arc<Scan> {
        let Some(watched) = self.watched(watching) else { return Arc::default() };
        // Locked for this folder alone: one on a hung mount holds up no other.
        let Ok(mut watched) = watched.lock() else { return Arc::default() };
        if !watching.folder.is_dir() {
            // A scan stays the same one while nothing changes: the shelf is built anew for another.
            let had = &watched.scan;
            if watched.folder.is_some() || !had.memories.is_empty() || !had.unreadable.is_empty() {
                *watched = Watched::default();
            }
            return Arc::clone(&watched.scan);
        }
        if watched.folder.is_none() {
            watched.folder = watching
                .open()
                .map_err(|error| tracing::warn!(%error, "a memory folder cannot be opened"))
                .ok();
            watched.scan = Arc::default();
        }
        let Some(folder) = &mut watched.folder else { return Arc::default() };
        match folder.rescan() {
            Ok(scan) => {
                if std::mem::replace(&mut watched.is_known, true) && !watching.about_person {
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

    /// What is in a folder now. Blocks.
    pub(crate) fn scanned(&self, folder: &Path) -> Arc<Scan> {
        self.scan(&Watching::whole(folder))
    }

    /// Brings a folder's index in step with what changed in it while it was watched: a new file gets its
    /// line, a file that somebody deleted loses it. What was odd before we came is left alone. Blocks.
    /// `written`: files that a model wrote in the turn that ends, also while nobody watched.
    pub(crate) fn settle(&self, path: &Path, written: BTreeSet<String>) -> Result<(), EngineError> {
        let watching = Watching::whole(path);
        let scan = self.scan(&watching);
        let Some(watched) = self.watched(&watching) else { return Ok(()) };
        let (mut fresh, gone) = {
            let Ok(mut watched) = watched.lock() else { return Ok(()) };
            (std::mem::take(&mut watched.fresh), std::mem::take(&mut watched.gone))
        };
        fresh.extend(written.into_iter().filter(|file| !gone.contains(file)));
        if fresh.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let dir = MemoryDir::open(path, Links::Inside)?;
        index_keeper::change(&dir, |index| {
            for file in &gone {
                index.remove(file);
            }
            let waiting = self.review.waiting();
            let fresh = fresh.iter().filter(|file| !waiting.holds(&path.join(file)));
            for memory in fresh.filter_map(|file| scan.memory(file)) {
                let has_line = index.entries().iter().any(|entry| entry.is_for_memory(memory));
                if !has_line && !memory.is_history() {
                    index.upsert(&memory.file, &memory.name, &memory.description);
                }
            }
        })?;
        self.bury(path, &gone)
    }

    /// The files of a folder that came or changed while it was watched, since its index was settled last. Blocks.
    pub(crate) fn fresh(&self, path: &Path) -> BTreeSet<String> {
        let watching = Watching::whole(path);
        self.scan(&watching);
        let watched = self.watched(&watching);
        watched
            .and_then(|watched| watched.lock().ok().map(|watched| watched.fresh.clone()))
            .unwrap_or_default()
    }

    /// A file that a person deleted is a decision: it is written down, so that no import brings it back.
    pub(crate) fn bury(&self, folder: &Path, gone: &BTreeSet<String>) -> Result<(), EngineError> {
        if gone.is_empty() { Ok(()) } else { self.tombstones.add(folder, gone) }
    }

    /// Files that the person deleted.
    pub(crate) fn buried(&self) -> HashSet<PathBuf> {
        self.tombstones.all()
    }

    fn watched(&self, watching: &Watching) -> Option<Arc<Mutex<Watched>>> {
        let mut folders = self.folders.lock().ok()?;
        if folders.len() >= KEPT_FOLDERS && !folders.contains_key(watching) {
            folders.clear();
        }
        Some(Arc::clone(folders.entry(watching.clone()).or_default()))
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
    remora_memory::ordinary::open(&root.join(".git").join("config"))
        .ok()?
        .take(LONGEST)
        .read_to_string(&mut config)
        .ok()?;
    normalised_remote(&remote_in_config(&config)?)
}

/// A path as one word of a shell.
fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@".contains(c));
    if plain { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long beyond what a busy machine needs; reached only where nothing is heard.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A prompt takes what is kept and never looks: what a person writes must be in it by itself.
    #[tokio::test]
    async fn what_a_person_writes_by_hand_is_kept_without_anybody_looking() {
        let temp = tempfile::tempdir().expect("a folder");
        let memories = Memories::new(Root::new(temp.path().to_owned()).expect("an absolute path"));
        let folder = temp.path().join("memory");
        std::fs::create_dir(&folder).expect("made");
        let place = Place {
            folder: folder.clone(),
            scope: Scope::Private,
            origin: None,
            is_snapshot: false,
            elsewhere: None,
        };
        let view = View { project: None, places: vec![place] };
        memories.shelf(&view, Freshness::Scanned);
        memories.watch(&view, Freshness::Scanned);

        let file = folder.join("a.md");
        let text = |body: &str| format!("---\nname: a\ndescription: d\ntype: feedback\n---\n{body}\n");
        for (body, expected) in
            [("Use pnpm.", vec!["Use pnpm."]), ("Use yarn now.", vec!["Use yarn now."]), ("", vec![])]
        {
            if body.is_empty() {
                std::fs::remove_file(&file).expect("removed");
            } else {
                std::fs::write(&file, text(body)).expect("written");
            }
            let kept = async {
                loop {
                    memories.take_in(&memories.changed().await);
                    let shelf = memories.shelf(&view, Freshness::Kept);
                    let bodies: Vec<&str> =
                        shelf.entries.iter().map(|entry| entry.memory.body.trim()).collect();
                    if bodies == expected {
                        break;
                    }
                }
            };
            tokio::time::timeout(PATIENCE, kept).await.expect("it is kept");
        }
    }
}
