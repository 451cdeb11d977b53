//! What lies elsewhere and is taken as snapshots: what hosts keep by themselves, folders that the person named, and
//! what a repository brings along. No source is ever written, no model is asked, and what a snapshot says is evidence.
//!
//! Snapshots lie in `imported/<name>/` of their project, or of the person where they belong to none. The name says
//! where they came from: a host's id, `folder-<name>-<hash>` for a folder that the person named, or
//! `repository-<...>` for text that a repository brought.

mod document;
mod folder;
mod keeper;
mod place;
mod record;
mod roots;
mod snapshots;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use remora_memory::new_memory::{self, NewMemory};
use remora_memory::path::MemoryPath;
use remora_memory::write::Digest;
use remora_memory::{By, MemoryKind};
use remora_recall::similar::normal_content;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::error::EngineError;
use document::Part;
use folder::{Avoid, Listed, NotRead, Stamp};
use snapshots::{Became, Item, Snapshots};

pub(crate) use keeper::{Sources, Turn};
pub(crate) use place::{Kind, Rules, Source, Whose, author, is_repository};
pub(crate) use roots::{WatchRoot, watch_roots};

/// A document may be longer than a memory.
const LARGEST_DOCUMENT: u64 = 1024 * 1024;

/// So many memories of one document are taken.
const MOST_PARTS: usize = 500;

/// How something is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Way {
    /// Nothing is written; it is said what would be.
    pub(crate) dry_run: bool,
    /// What was passed over before is looked at again.
    pub(crate) again: bool,
}

/// A text that was found in a file of another tool's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    /// By what it is known again there.
    pub(crate) id: String,
    pub(crate) text: String,
    /// When it was written, milliseconds since 1970.
    pub(crate) at_ms: i64,
}

/// What was taken from one source. Files are named as they lie there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) source: Source,
    pub(crate) new: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) same: Vec<String>,
    /// Not there any more; the snapshots stay.
    pub(crate) gone: Vec<String>,
    /// The person changed the snapshot, so that what the source says now lies beside it: file and snapshot.
    pub(crate) beside: Vec<(String, String)>,
    /// What was not taken, and why.
    pub(crate) left_out: Vec<(String, String)>,
    /// Files that somebody is writing: they are taken when they have settled.
    pub(crate) unsettled: Vec<String>,
    /// The source itself is not there.
    pub(crate) is_missing: bool,
    /// Limits that were reached: what lies beyond them is not taken.
    pub(crate) limits: Vec<String>,
}

impl Taken {
    fn nothing(source: &Source) -> Self {
        let none = Vec::new;
        Self {
            source: source.clone(),
            new: none(),
            changed: none(),
            same: none(),
            gone: none(),
            beside: Vec::new(),
            left_out: Vec::new(),
            unsettled: none(),
            is_missing: false,
            limits: none(),
        }
    }

    /// Whether a snapshot came or changed.
    pub(crate) fn is_news(&self) -> bool {
        !(self.new.is_empty() && self.changed.is_empty() && self.beside.is_empty())
    }

    /// `{"origin", "kind", "folder", "missing", "new", "changed", "same", "gone", "beside", "left_out", "reasons",
    /// "limits"}`: lists of files; `beside` and `reasons` by file; `limits` says which were reached.
    pub(crate) fn json(&self) -> Value {
        let map = |pairs: &[(String, String)]| -> Value {
            pairs
                .iter()
                .map(|(file, text)| (file.clone(), json!(text)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let left_out: Vec<&String> =
            self.left_out.iter().map(|(file, _)| file).chain(&self.unsettled).collect();
        let mut reasons = map(&self.left_out);
        for file in &self.unsettled {
            reasons[file] = json!("it is being written");
        }
        json!({
            "origin": self.source.name, "kind": self.source.kind.as_str(), "folder": self.source.path,
            "missing": self.is_missing, "new": self.new, "changed": self.changed, "same": self.same,
            "gone": self.gone, "beside": map(&self.beside), "left_out": left_out, "reasons": reasons,
            "limits": self.limits,
        })
    }

    /// Why nothing of the whole source was taken, if so.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.left_out.iter().find(|(file, _)| file.is_empty()).map(|(_, why)| why.as_str())
    }

    fn note(&mut self, file: String, became: Became) {
        match became {
            Became::New => self.new.push(file),
            Became::Changed => self.changed.push(file),
            Became::Same => self.same.push(file),
            Became::Beside(other) => self.beside.push((file, other)),
            Became::LeftOut(why) => self.left_out.push((file, why)),
        }
    }
}

impl Engine {
    /// Takes snapshots of what lies in some sources. Blocks.
    pub(crate) fn take(
        &self,
        whose: &Whose,
        sources: &[Source],
        way: Way,
    ) -> Result<Vec<Taken>, EngineError> {
        let imported = whose.imported(self.root());
        if sources.iter().all(|source| !source.path.exists()) && !imported.exists() {
            return Ok(sources
                .iter()
                .map(|source| Taken { is_missing: true, ..Taken::nothing(source) })
                .collect());
        }
        let mut all = Vec::new();
        self.with_snapshots(whose, way, |snapshots, avoid| {
            for source in sources {
                // One that fails hides no other.
                let taken = match &source.rules {
                    Rules::Folder { .. } => self.take_folder(source, snapshots, avoid, way),
                    Rules::Document(_) => self.take_document(source, whose, snapshots, way),
                };
                all.push(taken.unwrap_or_else(|error| {
                    tracing::warn!(%error, source = %source.path.display(), "a source of memories cannot be taken");
                    let mut taken = Taken::nothing(source);
                    taken.left_out.push((String::new(), error.to_string()));
                    taken
                }));
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Does something with the snapshots of a project and writes down what became of them.
    fn with_snapshots(
        &self,
        whose: &Whose,
        way: Way,
        take: impl FnOnce(&mut Snapshots<'_>, &Avoid) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let own = self.own_folders(whose);
        let avoid = Avoid::these(own.iter().cloned().chain([self.root().path().to_owned()]));
        let read_own = || self.said_in(&own);
        let tombstones: OnceCell<HashSet<PathBuf>> = OnceCell::new();
        let buried = |file: &Path| tombstones.get_or_init(|| self.memories().buried()).contains(file);
        let waiting = self.memories().review().waiting();
        let imported = whose.imported(self.root());
        let mut snapshots = Snapshots::open(imported, &read_own, &buried, &waiting, way.dry_run)?;
        take(&mut snapshots, &avoid)?;
        snapshots.close()?;
        Ok(())
    }

    fn take_folder(
        &self,
        source: &Source,
        snapshots: &mut Snapshots<'_>,
        avoid: &Avoid,
        way: Way,
    ) -> Result<Taken, EngineError> {
        let mut taken = Taken::nothing(source);
        if let Some(why) = source.refused(avoid) {
            taken.left_out.push((String::new(), why));
            return Ok(taken);
        }
        let Some(listing) =
            folder::list(&source.path, source.is_one_file(), |file| source.leaves_out(file), avoid)?
        else {
            taken.is_missing = true;
            if !source.is_one_file() {
                taken.gone = names(&source.path, &snapshots.mark_gone(&source.path, &HashSet::new()));
            }
            return Ok(taken);
        };
        let mut files: Vec<&Listed> =
            listing.files.iter().filter(|listed| source.has(&listed.file)).collect();
        taken.limits = listing.limits(files.len());
        taken.left_out.clone_from(&listing.left_out);
        let seen: HashSet<(PathBuf, Option<String>)> =
            files.iter().map(|listed| (source.path.join(&listed.file), None)).collect();
        // What was taken before comes first: a folder that grows beyond the limit loses nothing.
        files.sort_by_key(|listed| !snapshots.has(&source.path.join(&listed.file)));
        for listed in files.iter().skip(folder::MOST_FILES) {
            taken.left_out.push((
                listed.file.clone(),
                format!("only {} files of a folder are taken", folder::MOST_FILES),
            ));
        }
        for listed in files.into_iter().take(folder::MOST_FILES) {
            let path = source.path.join(&listed.file);
            let stamp = listed.stamp.said();
            if let Some(became) = snapshots.known(&path, &stamp, way.again) {
                taken.note(listed.file.clone(), became);
                continue;
            }
            match listed.read() {
                Err(NotRead::BeingWritten) => taken.unsettled.push(listed.file.clone()),
                Err(NotRead::Because(why)) => {
                    snapshots.pass_over(&path, None, &stamp, &why);
                    taken.left_out.push((listed.file.clone(), why));
                }
                Ok(text) => {
                    let became = match source.snapshot_name(&listed.file) {
                        Err(why) => Became::LeftOut(why),
                        Ok(file) => {
                            let text = self.redaction().text(&text);
                            let modified = listed.stamp.modified;
                            let item = Item { path, part: None, stamp, text, file, modified };
                            snapshots.take(&source.name, &item)?
                        }
                    };
                    taken.note(listed.file.clone(), became);
                }
            }
        }
        if listing.is_whole && !source.is_one_file() {
            taken.gone = names(&source.path, &snapshots.mark_gone(&source.path, &seen));
        }
        Ok(taken)
    }

    fn take_document(
        &self,
        source: &Source,
        whose: &Whose,
        snapshots: &mut Snapshots<'_>,
        way: Way,
    ) -> Result<Taken, EngineError> {
        let mut taken = Taken::nothing(source);
        let Rules::Document(document) = &source.rules else { return Ok(taken) };
        let known = snapshots.document(&source.path).filter(|_| !way.again);
        let Some((text, stamp)) = read_document(&source.path, known)? else {
            taken.is_missing = !source.path.is_file();
            if taken.is_missing {
                let gone = snapshots.mark_gone(&source.path, &HashSet::new());
                taken.gone = gone.iter().map(|(path, _)| file_name(path)).collect();
            }
            return Ok(taken);
        };
        let said = stamp.said();
        if !stamp.is_settled(SystemTime::now()) {
            taken.unsettled.push(file_name(&source.path));
            return Ok(taken);
        }
        let parts = document::parts(document, &text).into_iter().filter(|part| whose.owns(&part.folders));
        let parts: Vec<(Part, SystemTime)> = parts.map(|part| (part, stamp.modified)).collect();
        self.take_parts(&mut taken, &parts, &said, snapshots)?;
        snapshots.saw_document(&source.path, &said);
        Ok(taken)
    }

    /// Takes texts that lie in a file of another tool's, which has been read already. Blocks.
    pub(crate) fn take_given(
        &self,
        whose: &Whose,
        name: &str,
        path: &Path,
        given: &[Given],
        way: Way,
    ) -> Result<Taken, EngineError> {
        let rules = Rules::Folder { leave_out: Vec::new(), only: None };
        let kind = Kind::Native;
        let source = Source { path: path.to_owned(), name: name.to_owned(), kind, rules, within: None };
        let part = |given: &Given| {
            let age = Duration::from_millis(u64::try_from(given.at_ms).unwrap_or(0));
            let part = Part {
                id: given.id.clone(),
                title: None,
                about: None,
                text: given.text.clone(),
                folders: Vec::new(),
            };
            (part, SystemTime::UNIX_EPOCH + age)
        };
        let parts: Vec<(Part, SystemTime)> = given.iter().map(part).collect();
        let mut taken = Taken::nothing(&source);
        self.with_snapshots(whose, way, |snapshots, _| {
            if parts.is_empty() && !whose.imported(self.root()).exists() {
                return Ok(());
            }
            self.take_parts(&mut taken, &parts, "", snapshots)
        })?;
        Ok(taken)
    }

    /// Takes the memories that lie in one file. `stamp`: how the file was found.
    fn take_parts(
        &self,
        taken: &mut Taken,
        parts: &[(Part, SystemTime)],
        stamp: &str,
        snapshots: &mut Snapshots<'_>,
    ) -> Result<(), EngineError> {
        let source = taken.source.clone();
        let (mut seen, mut names) = (HashSet::new(), HashSet::new());
        for (part, modified) in parts.iter().take(MOST_PARTS) {
            let body = self.redaction().text(&part.text);
            let id: String = snapshots::fingerprint_of(&part.id);
            let shown = part.title.clone().unwrap_or_else(|| new_memory::description_from(&body));
            if body.len() as u64 > folder::LARGEST {
                taken.left_out.push((shown, format!("larger than {} KiB", folder::LARGEST / 1024)));
                continue;
            }
            seen.insert((source.path.clone(), Some(id.clone())));
            let (file, text) = memory_of(&source, part, &body, *modified, &mut names);
            let (path, stamp, modified) = (source.path.clone(), stamp.to_owned(), *modified);
            let item = Item { path, part: Some(id), stamp, text, file, modified };
            taken.note(shown, snapshots.take(&source.name, &item)?);
        }
        let gone = snapshots.mark_gone(&source.path, &seen);
        taken.gone = gone.into_iter().map(|(path, _)| file_name(&path)).collect();
        Ok(())
    }

    /// The sources as people are told of them, one by one: those that are there, and those that left snapshots.
    /// `{"origin", "kind", "folder", "exists", "snapshots", "gone", "problem"}`. Blocks for a moment.
    pub(crate) fn described(&self, whose: &Whose, sources: &[Source]) -> Vec<Value> {
        let own = self.own_folders(whose);
        let avoid = Avoid::these(own.iter().cloned().chain([self.root().path().to_owned()]));
        let record = record::Record::read(&whose.imported(self.root())).unwrap_or_default();
        let mut described = Vec::new();
        for source in sources {
            let of_source = |snapshot: &&record::Snapshot| {
                !snapshot.forgotten
                    && snapshot.sources.iter().any(|origin| origin.path.starts_with(&source.path))
            };
            let snapshots: Vec<&record::Snapshot> = record.snapshots.values().filter(of_source).collect();
            let exists = source.path.exists();
            if !exists && snapshots.is_empty() && source.kind != Kind::Chosen {
                continue;
            }
            let problem = match source.refused(&avoid) {
                None if !exists && source.kind == Kind::Chosen => Some("it is not there".to_owned()),
                other => other,
            };
            described.push(json!({
                "origin": source.name, "kind": source.kind.as_str(), "folder": source.path, "exists": exists,
                "snapshots": snapshots.len(), "gone": snapshots.iter().filter(|one| one.is_gone()).count(),
                "problem": problem,
            }));
        }
        described
    }

    /// The folders of memories that are the person's own where snapshots are recalled.
    fn own_folders(&self, whose: &Whose) -> Vec<PathBuf> {
        let of_project = match whose {
            Whose::Project { slug, root } => Some(self.memory_dir(slug, root)),
            Whose::Person => None,
        };
        of_project.into_iter().chain([self.root().user_memory()]).collect()
    }

    /// The fingerprints of what the memories in some folders say.
    fn said_in(&self, folders: &[PathBuf]) -> HashSet<String> {
        let scans = folders.iter().map(|folder| self.memories().scanned(folder));
        let said = |scan: std::sync::Arc<remora_memory::Scan>| {
            let of = |memory: &std::sync::Arc<remora_memory::Memory>| {
                let body = normal_content(&memory.body);
                snapshots::fingerprint_of(&if body.is_empty() {
                    normal_content(&memory.description)
                } else {
                    body
                })
            };
            scan.memories.iter().map(of).collect::<Vec<_>>()
        };
        scans.flat_map(said).collect()
    }
}

/// Where a snapshot was taken from. `folder`: the one that it lies in.
pub(crate) fn origin_of(folder: &Path, file: &str) -> Option<PathBuf> {
    let record = record::Record::read(folder.parent()?).ok()?;
    let snapshot = record.snapshots.get(&format!("{}/{file}", file_name(folder)))?;
    let there = snapshot.sources.iter().find(|origin| !origin.gone);
    there.or_else(|| snapshot.sources.first()).map(|origin| origin.path.clone())
}

/// The text of a document that changed since it was looked at last.
fn read_document(path: &Path, known: Option<&str>) -> Result<Option<(String, Stamp)>, EngineError> {
    use std::io::Read as _;
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if !is_file {
        return Ok(None);
    }
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let mut options = std::fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, i32::try_from(flags.bits()).unwrap_or(0));
    let opened = options.read(true).open(path)?;
    let stamp = Stamp::of_file(&opened.metadata()?);
    if known == Some(&*stamp.said()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    opened.take(LARGEST_DOCUMENT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_DOCUMENT {
        return Err(EngineError::Memory(format!("{} is larger than 1 MiB", path.display())));
    }
    match folder::text_of(bytes) {
        Ok(text) => Ok(Some((text, stamp))),
        Err(NotRead::Because(why)) => Err(EngineError::Memory(format!("{}: {why}", path.display()))),
        Err(NotRead::BeingWritten) => Ok(None),
    }
}

/// A part of a document as a memory file of its own, which says where it came from.
fn memory_of(
    source: &Source,
    part: &Part,
    body: &str,
    modified: SystemTime,
    taken: &mut HashSet<String>,
) -> (String, String) {
    let kind = match part.title {
        Some(_) => MemoryKind::Project,
        None => new_memory::kind_from_text(body),
    };
    let date = chrono::DateTime::<chrono::Local>::from(modified).date_naive();
    let mut new = NewMemory::from_text(kind, body, By::Import, &source.name, date);
    if let Some(title) = &part.title {
        new.name = new_memory::name_from(title);
        new.description = match &part.about {
            Some(about) => format!("{title}: {about}"),
            None => title.clone(),
        };
    }
    new.metadata.push(("origin".to_owned(), source.path.to_string_lossy().into_owned()));
    let new = new.with_free_name(|file| taken.contains(file));
    let file = new.file_name();
    taken.insert(file.clone());
    (file, new.text())
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Sources as they are called below a folder.
fn names(below: &Path, sources: &[(PathBuf, Option<String>)]) -> Vec<String> {
    let name = |path: &Path| path.strip_prefix(below).unwrap_or(path).to_string_lossy().into_owned();
    sources.iter().map(|(path, _)| name(path)).collect()
}

/// Eight digits that stand for a path.
fn short_hash(path: &Path) -> String {
    Digest::of(path.as_os_str().as_encoded_bytes()).hex()[..8].to_owned()
}

/// Whether a name can be used on any platform as it is.
fn is_plain(file: &str) -> Result<(), String> {
    MemoryPath::parse(file).map(drop).map_err(|refused| refused.reason.to_owned())
}
