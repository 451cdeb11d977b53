//! What waits for the person's word: memories that an agent wrote while it was reading from outside, and pairs
//! that may not both hold. Nothing of it is recalled until it is accepted.
//!
//! One file a candidate, `<root>/review/<project>/<id>.json`; the text of a memory that is not in its folder yet
//! stands beside it as `<id>.md`, so that a person can read and edit it. What was rejected lies in `rejected/`
//! beneath, so that the same words do not come up again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use remora_recall::similar::normal_content;
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::error::EngineError;
use crate::root::{Root, create_private};

/// The folder of candidates that belong to no project.
const NO_PROJECT: &str = "user";

/// The folder beneath for what the person did not want.
const REJECTED: &str = "rejected";

/// More rejected texts than this are not compared with: the oldest may come up again.
const REMEMBERED_REJECTIONS: usize = 500;

/// One thing that the person is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    /// Eight digits by which it is named.
    pub(crate) id: String,
    /// When it came, RFC 3339.
    pub(crate) at: String,
    /// The slug of its project; none for what is about the person alone.
    pub(crate) project: Option<String>,
    /// The host or the program by which it came.
    pub(crate) host: String,
    /// Why it waits, a clause for people.
    pub(crate) why: String,
    #[serde(flatten)]
    pub(crate) what: What,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum What {
    /// Shall this memory be written?
    New { folder: PathBuf, file: String },
    /// Shall this file, which lies in its folder already, be recalled? `source`: where it lies really, if the
    /// folder is one of snapshots.
    Written {
        folder: PathBuf,
        file: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<PathBuf>,
    },
    /// Does the newer of the two hold in the older's place?
    Overturns { newer: Named, older: Named },
}

/// A memory as a candidate names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) folder: PathBuf,
    pub(crate) file: String,
    pub(crate) name: String,
}

impl Candidate {
    /// A new one with an id of its own.
    pub(crate) fn new(project: Option<&str>, host: &str, why: &str, what: What) -> Self {
        let id = uuid::Uuid::now_v7().simple().to_string()[24..].to_owned();
        Self {
            id,
            at: clock::rfc3339(clock::now_millis()),
            project: project.map(str::to_owned),
            host: host.to_owned(),
            why: why.to_owned(),
            what,
        }
    }

    /// The file that is asked about, where it lies or would lie.
    pub(crate) fn path(&self) -> PathBuf {
        match &self.what {
            What::New { folder, file } | What::Written { folder, file, .. } => folder.join(file),
            What::Overturns { newer, .. } => newer.folder.join(&newer.file),
        }
    }

    /// Whether it is about a file, as the one that waits or as one of a pair.
    fn names(&self, path: &Path) -> bool {
        match &self.what {
            What::Overturns { newer, older } => {
                [newer, older].iter().any(|named| named.folder.join(&named.file) == path)
            }
            What::New { .. } | What::Written { .. } => self.path() == path,
        }
    }

    fn held(&self) -> Option<PathBuf> {
        matches!(self.what, What::Written { .. }).then(|| self.path())
    }
}

/// Everything that waits, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) candidates: Vec<Candidate>,
    held: HashSet<PathBuf>,
}

impl Waiting {
    /// Whether a file in a memory folder must not be recalled yet.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.held.contains(path)
    }

    /// What waits in a project, or beside all projects.
    pub(crate) fn of<'a>(&'a self, project: Option<&'a str>) -> impl Iterator<Item = &'a Candidate> {
        self.candidates
            .iter()
            .filter(move |candidate| candidate.project.is_none() || candidate.project.as_deref() == project)
    }
}

/// The folder of candidates. The engine alone writes it, so that what was read once is known.
#[derive(Debug)]
pub(crate) struct Review {
    folder: PathBuf,
    waiting: Mutex<Option<Arc<Waiting>>>,
}

impl Review {
    pub(crate) fn new(root: &Root) -> Self {
        Self { folder: root.review(), waiting: Mutex::default() }
    }

    /// What waits; the same until something comes or goes. Blocks the first time.
    pub(crate) fn waiting(&self) -> Arc<Waiting> {
        let mut waiting = self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(waiting.get_or_insert_with(|| Arc::new(read(&self.folder))))
    }

    /// Puts a candidate there, with the text of a memory that is not in its folder yet. Nothing where the same is
    /// asked already or was rejected.
    pub(crate) fn put(&self, candidate: &Candidate, text: Option<&str>) -> Result<Put, EngineError> {
        if let Some(same) =
            self.waiting().candidates.iter().find(|other| self.is_same(other, candidate, text))
        {
            return Ok(Put::Waits(Box::new(same.clone())));
        }
        if self.was_rejected(candidate, text) {
            return Ok(Put::Rejected);
        }
        let folder = self.folder_of(candidate);
        create_private(&folder)?;
        if let Some(text) = text {
            fs_err::write(folder.join(format!("{}.md", candidate.id)), text)?;
        }
        write_json(&folder.join(format!("{}.json", candidate.id)), candidate)?;
        self.forget_what_was_read();
        Ok(Put::Waits(Box::new(candidate.clone())))
    }

    /// Takes a candidate away: the person has said something about it.
    pub(crate) fn take(&self, candidate: &Candidate, rejected: bool) -> Result<(), EngineError> {
        let folder = self.folder_of(candidate);
        let keep = folder.join(REJECTED);
        if rejected {
            create_private(&keep)?;
        }
        for name in [format!("{}.json", candidate.id), format!("{}.md", candidate.id)] {
            let file = folder.join(&name);
            match file.is_file() {
                true if rejected => fs_err::rename(&file, keep.join(&name))?,
                true => fs_err::remove_file(&file)?,
                false => {}
            }
        }
        self.forget_what_was_read();
        Ok(())
    }

    /// Removes for good whatever was asked about a file, also what was rejected; gives how much that was.
    pub(crate) fn erase(&self, path: &Path) -> Result<usize, EngineError> {
        let projects = std::fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let folders = projects.flat_map(|project| [project.path(), project.path().join(REJECTED)]);
        let mut gone = 0;
        for file in folders.flat_map(|folder| files_in(&folder, "json").collect::<Vec<_>>()) {
            if candidate_in(&file).is_some_and(|candidate| candidate.names(path)) {
                let text = file.with_extension("md");
                if text.is_file() {
                    fs_err::remove_file(text)?;
                }
                fs_err::remove_file(&file)?;
                gone += 1;
            }
        }
        self.forget_what_was_read();
        Ok(gone)
    }

    /// Where the text of a memory lies that is not in its folder yet.
    pub(crate) fn text_file(&self, candidate: &Candidate) -> PathBuf {
        self.folder_of(candidate).join(format!("{}.md", candidate.id))
    }

    fn folder_of(&self, candidate: &Candidate) -> PathBuf {
        self.folder.join(candidate.project.as_deref().unwrap_or(NO_PROJECT))
    }

    fn forget_what_was_read(&self) {
        *self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    fn is_same(&self, one: &Candidate, other: &Candidate, text: Option<&str>) -> bool {
        match (&one.what, &other.what) {
            (What::New { .. }, What::New { .. }) => {
                let theirs =
                    remora_memory::ordinary::read_to_string(&self.text_file(one)).unwrap_or_default();
                text.is_some_and(|text| body_of(text) == body_of(&theirs))
            }
            (one, other) => one == other,
        }
    }

    fn was_rejected(&self, candidate: &Candidate, text: Option<&str>) -> bool {
        let rejected = self.folder_of(candidate).join(REJECTED);
        match (&candidate.what, text) {
            (What::New { .. }, Some(text)) => {
                let wanted = body_of(text);
                files_in(&rejected, "md")
                    .take(REMEMBERED_REJECTIONS)
                    .filter_map(|file| remora_memory::ordinary::read_to_string(&file).ok())
                    .any(|text| body_of(&text) == wanted)
            }
            (What::Overturns { .. }, _) => files_in(&rejected, "json")
                .take(REMEMBERED_REJECTIONS)
                .filter_map(|file| candidate_in(&file))
                .any(|other| other.what == candidate.what),
            _ => false,
        }
    }
}

/// What became of a candidate that was to be put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Put {
    /// It waits, perhaps since earlier.
    Waits(Box<Candidate>),
    /// The person did not want it.
    Rejected,
}

fn read(folder: &Path) -> Waiting {
    let projects = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut candidates: Vec<Candidate> = projects
        .flat_map(|project| files_in(&project.path(), "json").collect::<Vec<_>>())
        .filter_map(|file| candidate_in(&file))
        .collect();
    candidates.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
    let held = candidates.iter().filter_map(Candidate::held).collect();
    Waiting { candidates, held }
}

/// A candidate; a file that is none is left alone and said in the log.
fn candidate_in(file: &Path) -> Option<Candidate> {
    let text = remora_memory::ordinary::read(file).ok()?;
    serde_json::from_slice(&text)
        .inspect_err(|error| tracing::warn!(%error, file = %file.display(), "this is no candidate"))
        .ok()
}

/// Newest first, so that a bound on their number forgets the oldest.
fn files_in(folder: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort_by_key(|file| {
        std::cmp::Reverse(std::fs::metadata(file).and_then(|found| found.modified()).ok())
    });
    files.into_iter()
}

/// What a memory's text says, without its frontmatter.
fn body_of(text: &str) -> String {
    let body = remora_memory::reader::read_text("memory.md", text).map(|memory| memory.body);
    normal_content(&body.unwrap_or_else(|_| text.to_owned()))
}

fn write_json(file: &Path, candidate: &Candidate) -> Result<(), EngineError> {
    let text = serde_json::to_vec_pretty(candidate).map_err(|e| EngineError::Internal(e.to_string()))?;
    let fresh = file.with_extension("new");
    fs_err::write(&fresh, text)?;
    fs_err::rename(fresh, file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review() -> (tempfile::TempDir, Review) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::new(folder.path().to_owned()).expect("an absolute path");
        let review = Review::new(&root);
        (folder, review)
    }

    fn new(file: &str) -> Candidate {
        let what = What::New { folder: "/m".into(), file: file.into() };
        Candidate::new(Some("slug"), "some-host", "it used the web", what)
    }

    fn text(body: &str) -> String {
        format!("---\nname: x\ndescription: y\ntype: feedback\n---\n{body}\n")
    }

    #[test]
    fn what_waits_outlives_the_engine_and_is_asked_once() {
        let (folder, review) = review();
        let first = new("a.md");
        assert_eq!(
            review.put(&first, Some(&text("Use pnpm."))).expect("put"),
            Put::Waits(Box::new(first.clone()))
        );
        let again = review.put(&new("b.md"), Some(&text("use  PNPM"))).expect("put");
        assert_eq!(again, Put::Waits(Box::new(first.clone())), "the same words");
        let reopened = Review::new(&Root::new(folder.path().to_owned()).expect("a root"));
        assert_eq!(reopened.waiting().candidates, [first]);
    }

    #[test]
    fn what_was_rejected_does_not_come_up_again_and_what_was_accepted_may() {
        let (_folder, review) = review();
        let (unwanted, wanted) = (new("a.md"), new("b.md"));
        review.put(&unwanted, Some(&text("Use npm."))).expect("put");
        review.put(&wanted, Some(&text("Use pnpm."))).expect("put");
        review.take(&unwanted, true).expect("taken");
        review.take(&wanted, false).expect("taken");
        assert!(review.waiting().candidates.is_empty());
        assert_eq!(review.put(&new("c.md"), Some(&text("Use npm."))).expect("put"), Put::Rejected);
        assert!(matches!(review.put(&new("d.md"), Some(&text("Use pnpm."))).expect("put"), Put::Waits(_)));
    }

    #[test]
    fn what_is_erased_is_in_no_question_any_more() {
        let (folder, review) = review();
        let named = |file: &str| Named { folder: "/m".into(), file: file.into(), name: file.into() };
        let pair = |newer: &str, older: &str| {
            let what = What::Overturns { newer: named(newer), older: named(older) };
            Candidate::new(Some("slug"), "some-host", "they differ", what)
        };
        let rejected = pair("b.md", "gone.md");
        for candidate in [&pair("gone.md", "a.md"), &rejected, &pair("a.md", "b.md")] {
            review.put(candidate, None).expect("put");
        }
        review.put(&new("gone.md"), Some(&text("Use yarn."))).expect("put");
        review.take(&rejected, true).expect("taken");
        assert_eq!(review.erase(Path::new("/m/gone.md")).expect("erased"), 3);
        assert_eq!(review.waiting().candidates.len(), 1);
        let left = files_in(&folder.path().join("review/slug/rejected"), "json").count();
        assert_eq!((left, files_in(&folder.path().join("review/slug"), "md").count()), (0, 0));
    }

    #[test]
    fn a_written_file_is_held_until_the_person_has_spoken() {
        let (_folder, review) = review();
        let what = What::Written { folder: "/m".into(), file: "sub/a.md".into(), source: None };
        let candidate = Candidate::new(None, "some-host", "why", what);
        assert!(!review.waiting().holds(Path::new("/m/sub/a.md")));
        review.put(&candidate, None).expect("put");
        assert!(review.waiting().holds(Path::new("/m/sub/a.md")));
        review.take(&candidate, false).expect("taken");
        assert!(!review.waiting().holds(Path::new("/m/sub/a.md")));
    }

    #[test]
    fn a_file_that_is_no_candidate_hides_no_other() {
        let (folder, review) = review();
        review.put(&new("a.md"), Some(&text("Use pnpm."))).expect("put");
        std::fs::write(folder.path().join("review/slug/broken.json"), "{").expect("written");
        let reopened = Review::new(&Root::new(folder.path().to_owned()).expect("a root"));
        assert_eq!(reopened.waiting().candidates.len(), 1);
    }
}
