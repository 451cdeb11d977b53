//! A memory as it was read: one fact, of one of four kinds, with what is known about it.

use std::fmt;
use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};

use crate::problem::Problem;
use crate::value::{Fields, Value};

/// The four types of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// Who the person is: role, expertise, preferences in communication.
    User,
    /// How to work: corrections and confirmed approaches.
    Feedback,
    /// What is going on: goals, decisions, deadlines, incidents.
    Project,
    /// Where to look: dashboards, trackers, channels, documents.
    Reference,
}

impl MemoryKind {
    /// All four, in the order in which they are explained.
    pub const ALL: [Self; 4] = [Self::User, Self::Feedback, Self::Project, Self::Reference];

    /// The word that stands in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }

    /// The kind that a word names; capitals do not matter.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.trim();
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(word))
    }

    /// The kind that a file name begins with, as in `feedback_real_db.md` or `feedback-real-db.md`.
    pub fn from_file_name(file: &str) -> Option<Self> {
        let name = file.rsplit('/').next().unwrap_or(file);
        let (head, _) = name.split_once(['_', '-'])?;
        Self::from_word(head)
    }
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who wrote a memory; it decides how its text may be presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// The person, in their own words or by accepting it in review.
    Person,
    /// The agent in a session.
    Agent,
    /// Background extraction from a conversation.
    Extraction,
    /// An import from a host's own memory.
    Import,
    /// A team mate.
    Team,
}

impl By {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Person, Self::Agent, Self::Extraction, Self::Import, Self::Team];

    /// The word that stands in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Extraction => "extraction",
            Self::Import => "import",
            Self::Team => "team",
        }
    }

    /// The author that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str().eq_ignore_ascii_case(word.trim()))
    }
}

/// What is known about a memory beside its text. A key may stand under `metadata:` or at the top level.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// When it was saved first.
    pub created: Option<DateTime<Utc>>,
    /// When it was last really changed: `updated`, else `modified`.
    pub updated: Option<DateTime<Utc>>,
    /// The host or the way by which it came.
    pub source: Option<String>,
    /// Who wrote it.
    pub by: Option<By>,
    /// Whether the person pinned it: never touched by consolidation.
    pub pinned: bool,
    /// How sure the writer was, such as `cue`.
    pub confidence: Option<String>,
    /// The names of memories that this one overturns.
    pub supersedes: Vec<String>,
    /// The names of memories that overturned this one.
    pub superseded_by: Vec<String>,
    /// The days on which the world confirmed it again.
    pub reinforced: Vec<NaiveDate>,
    /// The project that a user memory is bound to.
    pub project: Option<String>,
    /// The author's name, in team memory.
    pub author: Option<String>,
    /// Everything that stands in the frontmatter, unknown keys included, in its order.
    pub all: Fields,
}

impl Metadata {
    /// The value of any key, looked for under `metadata:` and then at the top level.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.all.metadata(key).map(|field| &field.value)
    }

    /// The text of any key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::text)
    }
}

/// One memory file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The path relative to its folder, with `/`.
    pub file: String,
    /// The name: `name`, else made from the file name.
    pub name: String,
    /// The line that recall judges by: `description`, else the body's first sentence.
    pub description: String,
    /// The type: `type` or `metadata.type`, else from the file name, else `project`.
    pub kind: MemoryKind,
    /// All else that the frontmatter says.
    pub metadata: Metadata,
    /// Text that stands before the frontmatter; empty in an ordinary file.
    pub before: String,
    /// The text of the memory, without leading and trailing blank lines.
    pub body: String,
    /// The line at which the body's text begins, from 1.
    pub body_line: usize,
    /// Whether only the head was read, so that the body may be longer.
    pub is_head: bool,
    /// What the text points to: names of `[[wikilinks]]` and paths of links to `.md` files, each once.
    pub links: Vec<String>,
    /// What is odd about the file, by line.
    pub problems: Vec<Problem>,
    /// The file's modification time, if it was read from a disk.
    pub mtime: Option<SystemTime>,
}

impl Memory {
    /// When the fact was last really changed: `updated` or `modified` in the metadata, else the file's modification
    /// time, else `created`. Where a checkout made every modification time new, the caller knows a better one.
    pub fn changed(&self) -> Option<DateTime<Utc>> {
        self.metadata.updated.or_else(|| self.mtime.map(DateTime::<Utc>::from)).or(self.metadata.created)
    }

    /// When the fact was saved first, as far as the file says.
    pub fn created(&self) -> Option<DateTime<Utc>> {
        self.metadata.created.or_else(|| self.changed())
    }

    /// Whether it was overturned or marked as history: it stays on disk, out of the index and recall.
    pub fn is_history(&self) -> bool {
        let marked = |key| self.metadata.text(key).is_some_and(is_true);
        !self.metadata.superseded_by.is_empty()
            || marked("history")
            || self.metadata.text("status").is_some_and(|status| status.trim() == "history")
    }

    /// The file name without folder and extension, which wikilinks may use instead of the name.
    pub fn stem(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Whether a wikilink, `supersedes` or a link names this memory: by its name, its file or its stem,
    /// with `_`, `-`, spaces and capitals taken as equal.
    pub fn is_called(&self, name: &str) -> bool {
        let wanted = plain_name(name.trim().trim_start_matches("./"));
        [self.name.as_str(), self.file.as_str(), self.stem()].iter().any(|own| plain_name(own) == wanted)
    }
}

/// A name with what people write in different ways made equal.
fn plain_name(name: &str) -> String {
    let name = name.strip_suffix(".md").unwrap_or(name);
    name.chars().map(|c| if matches!(c, '_' | ' ') { '-' } else { c }).collect::<String>().to_lowercase()
}

pub(crate) fn is_true(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
}

/// A date, or a time stamp as hosts write it; a date alone is midnight UTC.
pub(crate) fn moment(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.with_timezone(&Utc));
    }
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    if let Some(at) = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok()) {
        return Some(at.and_utc());
    }
    date(text).and_then(|date| date.and_hms_opt(0, 0, 0)).map(|at| at.and_utc())
}

/// A day in the ways people write it with the year first.
pub(crate) fn date(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let formats = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日", "%Y%m%d"];
    formats.iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok())
}
