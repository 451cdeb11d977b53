//! `MEMORY.md`: one line per memory, pointers only, in every variant that people and hosts write.

mod edit;
mod line;

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

pub use edit::Change;

/// The file name of the index.
pub const INDEX_FILE: &str = "MEMORY.md";
/// The most lines of an index that a session is given.
pub const MAX_LINES: usize = 200;
/// The most bytes of an index that a session is given.
pub const MAX_BYTES: usize = 25_000;
/// A line longer than this many characters is shown cut before any entry is left out.
pub const MAX_LINE_CHARS: usize = 200;

/// Whether a file name is an index or an overflow of one (`MEMORY.md`, `MEMORY-more.md`), not a memory.
pub fn is_index_file(name: &str) -> bool {
    let markdown = Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    name.eq_ignore_ascii_case(INDEX_FILE) || (markdown && name.starts_with("MEMORY"))
}

/// One pointer of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The line in the index, from 1.
    pub line: usize,
    /// The file that it names, relative to the folder, with `/`; `[[name]]` names `name.md`.
    pub file: String,
    /// The text of the link, or the file's stem where there is none.
    pub title: String,
    /// What is said about the memory; empty if nothing is.
    pub hook: String,
    /// Whether the entry is struck out (`~~`).
    pub struck: bool,
    /// Whether it is a `[[wikilink]]`, whose name may be a memory's name instead of its file.
    pub wiki: bool,
    /// How many entries stand in this line; more than one share the hook.
    pub in_line: usize,
    place: Place,
}

/// Where the parts of an entry stand, as byte ranges of the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    link: Range<usize>,
    label: Option<Range<usize>>,
    hook: Option<Range<usize>>,
    form: Form,
}

/// What kind of line an entry stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Item,
    Row,
    Plain,
}

impl Entry {
    /// Whether this entry points to `file`. A wikilink does so by the file's stem, with `_`, `-`, spaces and
    /// capitals taken as equal.
    pub fn is_for(&self, file: &str) -> bool {
        if self.wiki {
            let wanted = loose(file);
            let own = loose(&self.file);
            return own == wanted || (!own.contains('/') && wanted.rsplit('/').next() == Some(own.as_str()));
        }
        self.file == file || (!file.is_ascii() && nfc(&self.file) == nfc(file))
    }

    /// Whether this entry points to a memory, by its file or, as a wikilink, by its name.
    pub fn is_for_memory(&self, memory: &crate::Memory) -> bool {
        self.is_for(&memory.file) || (self.wiki && loose(&self.file) == loose(&memory.name))
    }
}

fn nfc(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfc().collect()
}

fn loose(name: &str) -> String {
    let name = name.strip_suffix(".md").unwrap_or(name);
    nfc(name).chars().map(|c| if matches!(c, '_' | ' ') { '-' } else { c }).collect::<String>().to_lowercase()
}

/// An index: its text as it stands, and the entries found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    text: String,
    folder: Option<String>,
    entries: Vec<Entry>,
    mentions: Vec<String>,
}

impl Index {
    /// Reads an index. Never fails: a text without pointers is an index without entries.
    pub fn parse(text: &str) -> Self {
        Self::with_folder(text.to_owned(), None)
    }

    /// Reads the index of `folder`, so that absolute paths into it are known for what they are.
    pub fn parse_in(text: &str, folder: &Path) -> Self {
        let folder = folder.to_string_lossy().trim_end_matches('/').to_owned();
        Self::with_folder(text.to_owned(), Some(folder))
    }

    fn with_folder(text: String, folder: Option<String>) -> Self {
        let mut index = Self { text, folder, entries: Vec::new(), mentions: Vec::new() };
        index.find_entries();
        index
    }

    fn find_entries(&mut self) {
        self.entries.clear();
        self.mentions.clear();
        let (mut fenced, mut commented) = (false, false);
        let mut start = 0;
        for (nth, whole) in self.text.split_inclusive('\n').enumerate() {
            let line = whole.trim_end_matches(['\n', '\r']);
            let trimmed = line.trim_start_matches('\u{feff}').trim_start();
            let fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
            fenced ^= fence;
            let opens_comment = trimmed.starts_with("<!--");
            commented |= opens_comment;
            if !fenced && !fence && !commented {
                let found = line::read(line, start, nth + 1, self.folder.as_deref());
                self.entries.extend(found.entries);
                self.mentions.extend(found.mentions);
            }
            if commented && line.contains("-->") {
                commented = false;
            }
            start += whole.len();
        }
    }

    /// The text, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The entries in the order of their lines.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Files that are linked from prose or from another entry's hook, but have no entry there.
    pub fn mentions(&self) -> &[String] {
        &self.mentions
    }

    /// The first entry for `file` that is not struck out.
    pub fn entry(&self, file: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| !entry.struck && entry.is_for(file))
    }

    /// Entries that point to a file which an earlier entry already points to.
    pub fn duplicates(&self) -> Vec<&Entry> {
        let mut seen = HashSet::new();
        self.entries.iter().filter(|entry| !entry.struck && !seen.insert(nfc(&entry.file))).collect()
    }
}
