//! Snapshots of a project, and how something from elsewhere becomes one of them, is one already, or does not.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use remora_memory::path::MemoryPath;
use remora_memory::reader;
use remora_memory::write::{Digest, Links, MemoryDir, Replaced};
use remora_recall::similar::normal_content;

use super::record::{Origin, PassedOver, Record, Snapshot};
use crate::error::EngineError;
use crate::review::Waiting;

/// So many snapshots are kept of one project. Sources come and go; their snapshots stay.
const MOST: usize = 5_000;

/// Something from elsewhere, made safe, that may become a snapshot.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The file that it lies in, or the document with the part of it.
    pub(super) path: PathBuf,
    pub(super) part: Option<String>,
    pub(super) stamp: String,
    /// The text of the file.
    pub(super) text: String,
    /// How its snapshot should be called.
    pub(super) file: String,
    pub(super) modified: SystemTime,
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Became {
    New,
    Changed,
    Same,
    /// The person changed the snapshot, which stays theirs; what the source says now lies in another file.
    Beside(String),
    LeftOut(String),
}

impl Became {
    fn left_out(why: &str) -> Self {
        Self::LeftOut(why.to_owned())
    }
}

/// Why what the person deleted is not taken again.
pub(super) const DELETED: &str = "deleted by you";

/// All snapshots of a project, or of none.
pub(super) struct Snapshots<'a> {
    imported: PathBuf,
    record: Record,
    by_source: HashMap<(PathBuf, Option<String>), String>,
    by_content: HashMap<String, String>,
    /// What the person's own memories say; made when it is first asked for.
    own: Option<HashSet<String>>,
    read_own: &'a dyn Fn() -> HashSet<String>,
    /// Whether the person deleted a file.
    buried: &'a dyn Fn(&Path) -> bool,
    waiting: &'a Waiting,
    dry_run: bool,
    /// What would have been written, were it not a dry run.
    made: HashSet<String>,
    changed: bool,
}

impl<'a> Snapshots<'a> {
    pub(super) fn open(
        imported: PathBuf,
        read_own: &'a dyn Fn() -> HashSet<String>,
        buried: &'a dyn Fn(&Path) -> bool,
        waiting: &'a Waiting,
        dry_run: bool,
    ) -> Result<Self, EngineError> {
        let record = Record::read(&imported)?;
        let mut by_source = HashMap::new();
        let mut by_content = HashMap::new();
        for (key, snapshot) in &record.snapshots {
            by_content.entry(snapshot.content.clone()).or_insert_with(|| key.clone());
            for origin in &snapshot.sources {
                by_source.insert((origin.path.clone(), origin.part.clone()), key.clone());
            }
        }
        Ok(Self {
            imported,
            record,
            by_source,
            by_content,
            own: None,
            read_own,
            buried,
            waiting,
            dry_run,
            made: HashSet::new(),
            changed: false,
        })
    }

    /// Writes down what is known now, where something changed.
    pub(super) fn close(mut self) -> Result<bool, EngineError> {
        if self.changed && !self.dry_run {
            self.record.write(&self.imported)?;
        }
        Ok(self.changed)
    }

    /// Whether a file is as it was when it was last looked at, and what became of it then.
    pub(super) fn known(&self, path: &Path, stamp: &str, again: bool) -> Option<Became> {
        if let Some(key) = self.by_source.get(&(path.to_owned(), None)) {
            let snapshot = self.record.snapshots.get(key)?;
            let origin = snapshot.sources.iter().find(|origin| origin.path == path)?;
            // Deleted since, or brought back.
            let is_as_it_was = snapshot.forgotten != self.imported.join(key).exists();
            let is_same = origin.stamp == stamp && !origin.gone && is_as_it_was;
            let became = if snapshot.forgotten { Became::left_out(DELETED) } else { Became::Same };
            return is_same.then_some(became);
        }
        let passed = self.record.passed_over.get(&*path.to_string_lossy()).filter(|_| !again)?;
        (passed.stamp == stamp).then(|| Became::LeftOut(passed.why.clone()))
    }

    /// Whether a file has a snapshot.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.by_source.contains_key(&(path.to_owned(), None))
    }

    /// How a document was found last.
    pub(super) fn document(&self, path: &Path) -> Option<&str> {
        self.record.documents.get(path).map(String::as_str)
    }

    pub(super) fn saw_document(&mut self, path: &Path, stamp: &str) {
        if self.document(path) != Some(stamp) {
            self.record.documents.insert(path.to_owned(), stamp.to_owned());
            self.changed = true;
        }
    }

    /// Notes that a source is not taken while it stays as it is.
    pub(super) fn pass_over(&mut self, path: &Path, part: Option<&str>, stamp: &str, why: &str) {
        let passed = PassedOver { stamp: stamp.to_owned(), why: why.to_owned() };
        let known = self.record.passed_over.insert(source_key(path, part), passed.clone());
        self.changed |= known.as_ref() != Some(&passed);
    }

    /// Takes one item into the folder `name` of snapshots.
    pub(super) fn take(&mut self, name: &str, item: &Item) -> Result<Became, EngineError> {
        let became = self.place(name, item)?;
        match &became {
            Became::LeftOut(why) => self.pass_over(&item.path, item.part.as_deref(), &item.stamp, why),
            _ => {
                let key = source_key(&item.path, item.part.as_deref());
                self.changed |= self.record.passed_over.remove(&key).is_some();
            }
        }
        Ok(became)
    }

    fn place(&mut self, name: &str, item: &Item) -> Result<Became, EngineError> {
        let content = match fingerprint(&item.file, &item.text) {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(Became::left_out("it says nothing")),
            Err(problem) => return Ok(Became::LeftOut(problem)),
        };
        let source = (item.path.clone(), item.part.clone());
        match self.by_source.get(&source).cloned() {
            Some(key) => self.again(&key, name, item, content),
            None => self.first(name, item, content),
        }
    }

    /// A source that was not there before, or that has no snapshot any more.
    fn first(&mut self, name: &str, item: &Item, content: String) -> Result<Became, EngineError> {
        if let Some(key) = self.by_content.get(&content).cloned()
            && self.record.snapshots.contains_key(&key)
        {
            self.notice_deletion(&key);
            self.add_source(&key, item);
            let is_forgotten = self.record.snapshots.get(&key).is_some_and(|snapshot| snapshot.forgotten);
            return Ok(if is_forgotten { Became::left_out(DELETED) } else { Became::Same });
        }
        if self.is_own(&content) {
            return Ok(Became::left_out("a memory of yours says the same"));
        }
        if self.record.snapshots.len() >= MOST {
            return Ok(Became::LeftOut(format!("there are {MOST} snapshots of this project already")));
        }
        let folder = self.imported.join(name);
        let wished = folder.join(&item.file);
        if (self.buried)(&wished) && !wished.exists() {
            return Ok(Became::left_out(DELETED));
        }
        let Some(file) = self.free_name(name, item, &content) else {
            return Ok(Became::left_out("its name cannot be used"));
        };
        // What waits for the person's word is held under the name that it was to have.
        let waits = |file: &str| self.waiting.holds(&folder.join(file));
        if file != item.file && waits(&item.file) {
            return Ok(Became::left_out("waits for your word"));
        }
        self.write_new(name, &file, item, content)?;
        Ok(Became::New)
    }

    /// A source of which there is a snapshot.
    fn again(&mut self, key: &str, name: &str, item: &Item, content: String) -> Result<Became, EngineError> {
        self.notice_deletion(key);
        let Some(snapshot) = self.record.snapshots.get(key) else { return self.first(name, item, content) };
        let is_forgotten = snapshot.forgotten;
        let digest = Digest::of(item.text.as_bytes()).hex();
        let is_same = snapshot.sources.iter().any(|origin| origin.is(item) && origin.digest == digest);
        if is_same || is_forgotten {
            self.add_source(key, item);
            return Ok(if is_forgotten { Became::left_out(DELETED) } else { Became::Same });
        }
        let is_shared = snapshot.sources.iter().any(|origin| !origin.gone && !origin.is(item));
        let says_other = snapshot.content != content;
        let elsewhere = self.by_content.get(&content).filter(|other| *other != key).cloned();
        if says_other && (elsewhere.is_some() || self.is_own(&content)) {
            // What it says now is known: what it said before nobody says any more.
            self.part(key, item, !is_shared)?;
            return self.first(name, item, content).map(|became| match became {
                Became::Same => Became::Changed,
                other => other,
            });
        }
        if says_other && is_shared {
            self.part(key, item, false)?;
            self.first(name, item, content)?;
            return Ok(Became::Changed);
        }
        if self.is_edited(key) {
            self.part(key, item, false)?;
            return Ok(match self.first(name, item, content)? {
                Became::New => {
                    Became::Beside(self.by_source.get(&item.source()).cloned().unwrap_or_default())
                }
                other => other,
            });
        }
        self.rewrite(key, item, content)?;
        Ok(Became::Changed)
    }

    /// Notes which of the sources below a folder, or of a document, are not there any more; answers them.
    /// `seen`: those that were found, with their parts.
    pub(super) fn mark_gone(
        &mut self,
        below: &Path,
        seen: &HashSet<(PathBuf, Option<String>)>,
    ) -> Vec<(PathBuf, Option<String>)> {
        let mut gone = Vec::new();
        for snapshot in self.record.snapshots.values_mut().filter(|snapshot| !snapshot.forgotten) {
            for origin in snapshot.sources.iter_mut().filter(|origin| origin.path.starts_with(below)) {
                let source = (origin.path.clone(), origin.part.clone());
                let is_file =
                    |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
                let is_gone = !seen.contains(&source) && (origin.part.is_some() || !is_file(&origin.path));
                self.changed |= origin.gone != is_gone;
                origin.gone = is_gone;
                if is_gone {
                    gone.push(source);
                }
            }
        }
        gone
    }

    /// A file that is not there although it was written was deleted by the person, unless it came back.
    fn notice_deletion(&mut self, key: &str) {
        let is_there = self.made.contains(key) || self.imported.join(key).exists();
        if let Some(snapshot) = self.record.snapshots.get_mut(key)
            && snapshot.forgotten == is_there
        {
            snapshot.forgotten = !is_there;
            self.changed = true;
        }
    }

    fn is_own(&mut self, content: &str) -> bool {
        let read = self.read_own;
        self.own.get_or_insert_with(read).contains(content)
    }

    fn is_edited(&self, key: &str) -> bool {
        let Some(snapshot) = self.record.snapshots.get(key) else { return false };
        remora_memory::ordinary::read(&self.imported.join(key))
            .is_ok_and(|bytes| Digest::of(&bytes).hex() != snapshot.written)
    }

    /// A source of a snapshot, as it was found now. Others of it that are gone are not worth keeping beside one that
    /// is there.
    fn add_source(&mut self, key: &str, item: &Item) {
        let Some(snapshot) = self.record.snapshots.get_mut(key) else { return };
        let before = snapshot.sources.clone();
        let digest = Digest::of(item.text.as_bytes()).hex();
        match snapshot.sources.iter_mut().find(|origin| origin.is(item)) {
            Some(origin) => *origin = Origin::of(item, digest),
            None => {
                let gone: Vec<Origin> = snapshot.sources.extract_if(.., |origin| origin.gone).collect();
                for origin in gone {
                    self.by_source.remove(&(origin.path, origin.part));
                }
                snapshot.sources.push(Origin::of(item, digest));
            }
        }
        self.changed |= snapshot.sources != before;
        self.by_source.insert(item.source(), key.to_owned());
    }

    /// Takes a source off a snapshot. `delete`: nobody says it any more, so it goes, unless the person changed it.
    fn part(&mut self, key: &str, item: &Item, delete: bool) -> Result<(), EngineError> {
        self.changed = true;
        self.by_source.remove(&item.source());
        let is_edited = self.is_edited(key);
        let Some(snapshot) = self.record.snapshots.get_mut(key) else { return Ok(()) };
        snapshot.sources.retain(|origin| !origin.is(item));
        if !delete || is_edited {
            return Ok(());
        }
        if let Some(snapshot) = self.record.snapshots.remove(key) {
            if self.by_content.get(&snapshot.content).is_some_and(|other| other == key) {
                self.by_content.remove(&snapshot.content);
            }
            if !self.dry_run {
                fs_err::remove_file(self.imported.join(key))?;
            }
        }
        Ok(())
    }

    /// A name in a folder of snapshots that no other file has on any system.
    fn free_name(&self, name: &str, item: &Item, content: &str) -> Option<String> {
        let folder = self.imported.join(name);
        let stem = item.file.rsplit_once('.').map_or(item.file.as_str(), |(stem, _)| stem);
        let twins: HashSet<String> = self
            .record
            .snapshots
            .keys()
            .filter_map(|key| key.strip_prefix(name)?.strip_prefix('/'))
            .filter_map(|file| MemoryPath::found(file).ok())
            .map(|file| file.fold())
            .collect();
        let is_ours = |file: &str| {
            let lies_there = remora_memory::ordinary::read_to_string(&folder.join(file)).ok();
            lies_there.is_some_and(|text| fingerprint(file, &text) == Ok(Some(content.to_owned())))
        };
        (1..=MOST)
            .map(|nth| if nth == 1 { item.file.clone() } else { format!("{stem}-{nth}.md") })
            .filter_map(|file| MemoryPath::parse(&file).ok().map(|path| (path.fold(), file)))
            .find(|(fold, file)| !twins.contains(fold) && (!folder.join(file).exists() || is_ours(file)))
            .map(|(_, file)| file)
    }

    fn write_new(&mut self, name: &str, file: &str, item: &Item, content: String) -> Result<(), EngineError> {
        let key = format!("{name}/{file}");
        if !self.dry_run {
            let dir = MemoryDir::create(&self.imported.join(name), Links::Refuse)?;
            match dir.create_new(&MemoryPath::parse(file)?, item.text.as_bytes()) {
                Ok(()) => set_age(&self.imported.join(&key), item.modified)?,
                // Written before, and not written down: the engine was killed in between.
                Err(remora_memory::Error::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.made.insert(key.clone());
        let written = Digest::of(item.text.as_bytes()).hex();
        self.by_content.insert(content.clone(), key.clone());
        let snapshot = Snapshot { content, written, sources: Vec::new(), forgotten: false };
        self.record.snapshots.insert(key.clone(), snapshot);
        self.add_source(&key, item);
        Ok(())
    }

    /// What a source says now in the place of what it said before.
    fn rewrite(&mut self, key: &str, item: &Item, content: String) -> Result<(), EngineError> {
        let Some((name, file)) = key.split_once('/') else { return Ok(()) };
        if !self.dry_run {
            let dir = MemoryDir::open(&self.imported.join(name), Links::Refuse)?;
            let path = MemoryPath::found(file)?;
            let (_, digest) = dir.read(&path)?;
            if dir.replace_if_unchanged(&path, &digest, item.text.as_bytes())? == Replaced::Changed {
                return Err(EngineError::Memory(format!("{key} is being written by somebody else")));
            }
            set_age(&self.imported.join(key), item.modified)?;
        }
        if let Some(snapshot) = self.record.snapshots.get_mut(key) {
            let before = std::mem::replace(&mut snapshot.content, content.clone());
            snapshot.written = Digest::of(item.text.as_bytes()).hex();
            if self.by_content.get(&before).is_some_and(|other| other == key) {
                self.by_content.remove(&before);
            }
        }
        self.by_content.insert(content, key.to_owned());
        self.changed = true;
        self.add_source(key, item);
        Ok(())
    }
}

impl Item {
    pub(super) fn source(&self) -> (PathBuf, Option<String>) {
        (self.path.clone(), self.part.clone())
    }
}

impl Origin {
    fn of(item: &Item, digest: String) -> Self {
        Self {
            path: item.path.clone(),
            part: item.part.clone(),
            stamp: item.stamp.clone(),
            digest,
            gone: false,
        }
    }

    fn is(&self, item: &Item) -> bool {
        self.path == item.path && self.part == item.part
    }
}

fn source_key(path: &Path, part: Option<&str>) -> String {
    match part {
        None => path.to_string_lossy().into_owned(),
        Some(part) => format!("{}#{part}", path.to_string_lossy()),
    }
}

/// A snapshot is as old as what it was taken from.
fn set_age(path: &Path, modified: SystemTime) -> std::io::Result<()> {
    std::fs::File::options().write(true).open(path)?.set_modified(modified)
}

/// What tells that two texts say the same: nothing where one says nothing, an error where it is no memory.
pub(super) fn fingerprint(file: &str, text: &str) -> Result<Option<String>, String> {
    let memory = reader::read_text(file, text).map_err(|unreadable| unreadable.problem)?;
    let body = normal_content(&memory.body);
    let said = if body.is_empty() { normal_content(&memory.description) } else { body };
    Ok((!said.is_empty()).then(|| fingerprint_of(&said)))
}

/// The fingerprint of a normal content.
pub(super) fn fingerprint_of(said: &str) -> String {
    Digest::of(said.as_bytes()).hex()[..32].to_owned()
}
