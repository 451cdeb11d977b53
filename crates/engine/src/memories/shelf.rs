//! What was read, ready to be chosen from.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use remora_memory::folder::Scan;
use remora_memory::{Memory, MemoryKind};
use remora_recall::similar::normal_content;
use remora_recall::strength::{self, Decay, Life};
use remora_recall::{Corpus, Document, Kind};
use sha2::{Digest, Sha256};

use super::place::{Place, Scope, View};
use super::points::{self, Points};
use crate::clock;
use crate::review::Waiting;
use crate::sources;

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
    /// The slug of the other project in whose folder it lies.
    pub(crate) elsewhere: Option<String>,
    pub(crate) by: String,
    /// The file as it was read, with the body.
    pub(crate) memory: Arc<Memory>,
    pub(crate) links: Vec<String>,
    pub(crate) age_days: i64,
    pub(crate) created: Option<String>,
    pub(crate) updated: Option<String>,
    pub(crate) changed_ms: i64,
    pub(crate) life: Life,
    pub(crate) pinned: bool,
    pub(crate) superseded_by: Option<String>,
    pub(crate) digest: String,
    /// How it stands in the index that a session's start is given; made when it is first asked for.
    pub(crate) line: OnceLock<String>,
}

impl Entry {
    /// The id by which it is asked for.
    pub(crate) fn id(&self) -> String {
        match &self.elsewhere {
            None => format!("memory:{}/{}", self.scope.as_str(), self.file),
            Some(slug) => format!("memory:{}@{slug}/{}", self.scope.as_str(), self.file),
        }
    }

    /// The folder that its file is relative to.
    pub(crate) fn folder(&self) -> PathBuf {
        let depth = self.file.split('/').count();
        self.path.ancestors().nth(depth).map_or_else(PathBuf::new, Path::to_owned)
    }

    /// The file as the ledger names it.
    pub(crate) fn file_in_ledger(&self) -> String {
        match &self.elsewhere {
            None => self.file.clone(),
            Some(slug) => format!("{slug}/{}", self.file),
        }
    }

    /// What recall reads of it.
    pub(crate) fn document(&self) -> Document {
        document_of(&self.file, self)
    }

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

    /// Whether it is about the person rather than about a project.
    pub(crate) fn is_about_person(&self) -> bool {
        // What a repository says of a person is its own affair.
        self.scope == Scope::User || self.kind == MemoryKind::User && self.scope != Scope::Team
    }
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
    /// Which memories name what. Made when it is first asked for.
    points: OnceLock<Points>,
    /// What is known of it from before.
    points_before: Points,
    by_id: HashMap<String, usize>,
    pub(crate) unreadable: Vec<Unreadable>,
    /// How many candidates wait for the person's word here.
    pub(crate) waiting: usize,
    /// How the person's agents call the command.
    pub(crate) command: String,
}

impl Shelf {
    /// The shelf of what was read in a view's folders, in their order. `command`: how the person's agents call
    /// the command. What waits for the person's word is not on it.
    pub(crate) fn of(view: &View, scans: &[Arc<Scan>], waiting: &Waiting, command: &str) -> Self {
        let now = clock::now_millis();
        let mut entries = Vec::new();
        let mut unreadable = Vec::new();
        let mut said: HashSet<String> = HashSet::new();
        for (place, scan) in view.places.iter().zip(scans) {
            for memory in scan.memories.iter().filter(|memory| view.shows(memory, place)) {
                if waiting.holds(&place.folder.join(&memory.file)) {
                    continue;
                }
                // The same words twice are one memory; the person's own copy comes first.
                let is_copy = place.is_snapshot || place.elsewhere.is_some();
                if !said.insert(normal_content(&memory.body)) && is_copy {
                    continue;
                }
                let hook = scan
                    .index
                    .as_ref()
                    .and_then(|index| index.entry(&memory.file))
                    .map(|line| line.hook.clone());
                entries.push(entry_of(memory, place, hook, now));
            }
            if place.elsewhere.is_some() {
                continue;
            }
            unreadable.extend(scan.unreadable.iter().map(|file| Unreadable {
                file: place.folder.join(&file.file).to_string_lossy().into_owned(),
                line: file.line,
                problem: file.problem.clone(),
            }));
        }
        let mut by_id = HashMap::new();
        for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.superseded_by.is_none()) {
            let id = if by_id.contains_key(&entry.file) { entry.id() } else { entry.file.clone() };
            by_id.insert(id, place);
        }
        Self {
            entries,
            corpus: OnceLock::new(),
            before: Mutex::default(),
            points: OnceLock::new(),
            points_before: Points::default(),
            by_id,
            unreadable,
            waiting: waiting.of(view.project.as_ref().map(|(slug, _)| slug.as_str())).count(),
            command: command.to_owned(),
        }
    }

    /// The same, which takes over what an earlier shelf has indexed.
    #[must_use]
    pub(crate) fn after(self, earlier: Option<&Arc<Self>>) -> Self {
        let before = earlier.and_then(Self::with_corpus);
        let points_before =
            earlier.map(|earlier| earlier.points.get().unwrap_or(&earlier.points_before).known());
        Self { before: Mutex::new(before), points_before: points_before.unwrap_or_default(), ..self }
    }

    /// Which memories name which files and commands. Blocks while it is made, some hundredths of a millisecond for
    /// each memory that is new.
    pub(crate) fn points(&self) -> &Points {
        self.points.get_or_init(|| {
            let memories = self.ids().map(|(id, entry)| points::Memory {
                id,
                digest: &entry.digest,
                texts: [&entry.description, &entry.memory.body],
            });
            Points::of(memories, &self.points_before)
        })
    }

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
            if old.is_none() {
                corpus.shrink();
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

fn entry_of(memory: &Arc<Memory>, place: &Place, hook: Option<String>, now: i64) -> Entry {
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
        scope: if place.elsewhere.is_some() { Scope::User } else { place.scope },
        origin: place.origin.clone(),
        is_snapshot: place.is_snapshot,
        elsewhere: place.elsewhere.clone(),
        by: author_of(memory, place),
        memory: Arc::clone(memory),
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
        line: OnceLock::new(),
    }
}

/// Who wrote a memory. Of a snapshot that is whoever kept it: what it says of itself proves nothing.
fn author_of(memory: &Memory, place: &Place) -> String {
    if let Some(name) = place.origin.as_deref().filter(|_| place.is_snapshot) {
        return sources::author(name);
    }
    let said = memory.metadata.by.map(|by| by.as_str().to_owned());
    said.or_else(|| place.origin.clone())
        .or_else(|| memory.metadata.source.clone())
        .unwrap_or_else(|| "unknown".into())
}

fn document_of(id: &str, entry: &Entry) -> Document {
    Document {
        id: id.to_owned(),
        name: entry.name.clone(),
        description: entry.description.clone(),
        body: entry.memory.body.clone(),
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

/// A memory of a project, changed today.
#[cfg(test)]
pub(crate) fn entry_for_tests(file: &str, description: &str, body: &str) -> Entry {
    let text = format!("---\nname: {file}\ndescription: {description:?}\ntype: reference\n---\n{body}\n");
    let memory = remora_memory::reader::read_text(file, &text).expect("a memory");
    let place = Place {
        folder: "/memory".into(),
        scope: Scope::Private,
        origin: None,
        is_snapshot: false,
        elsewhere: None,
    };
    entry_of(&Arc::new(memory), &place, None, clock::now_millis())
}
