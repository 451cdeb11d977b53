//! A new memory: its name, its description, its file and its text.

mod exclusion;
mod kind;
mod vague;

use chrono::NaiveDate;
use unicode_normalization::UnicodeNormalization;

use crate::memory::{By, MemoryKind};
use crate::sentence::first_sentence;
use crate::yaml_text::scalar;

pub use exclusion::{Exclusion, excluded};
pub use kind::kind_from_text;
pub use vague::too_vague;

/// The longest description that is made, in characters; a person's or a model's own may be longer.
const DESCRIPTION: usize = 150;

/// How many words a name has.
const NAME_WORDS: usize = 5;

/// The longest name that is made, in characters.
const NAME_CHARS: usize = 60;

/// The longest topic in a file name, in bytes: with type, number and extension it stays below the 255 of common file
/// systems.
const TOPIC_BYTES: usize = 200;

/// How many bytes of a topic are free for a number behind it.
const NUMBER_BYTES: usize = 12;

/// Everything that a new memory's file is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// The type.
    pub kind: MemoryKind,
    /// The name, in kebab case.
    pub name: String,
    /// The one sentence that recall judges by.
    pub description: String,
    /// The text.
    pub body: String,
    /// Who wrote it.
    pub by: By,
    /// The host or the way by which it came.
    pub source: String,
    /// The day.
    pub date: NaiveDate,
    /// Further keys under `metadata:`, in order.
    pub metadata: Vec<(String, String)>,
}

impl NewMemory {
    /// A memory from a text alone: description and name are made from it.
    pub fn from_text(kind: MemoryKind, body: &str, by: By, source: &str, date: NaiveDate) -> Self {
        Self {
            kind,
            name: name_from(body),
            description: description_from(body),
            body: body.trim().to_owned(),
            by,
            source: source.to_owned(),
            date,
            metadata: Vec::new(),
        }
    }

    /// The file name that belongs to the name: `<type>_<topic>.md`.
    pub fn file_name(&self) -> String {
        file_name(self.kind, &self.name)
    }

    /// Gives the memory a name whose file is free: `-2`, `-3` and so on is added where `taken` says that a
    /// file exists.
    #[must_use]
    pub fn with_free_name(mut self, taken: impl Fn(&str) -> bool) -> Self {
        let base = kebab(&self.name, NAME_CHARS, TOPIC_BYTES - NUMBER_BYTES);
        let mut nth = 1_u32;
        while taken(&self.file_name()) {
            nth += 1;
            self.name = format!("{base}-{nth}");
        }
        self
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = format!(
            "---\nname: {}\ndescription: {}\ntype: {}\nmetadata:\n  created: {}\n  source: {}\n  by: {}\n",
            scalar(&one_line(&self.name)),
            scalar(&one_line(&self.description)),
            self.kind,
            self.date,
            scalar(&one_line(&self.source)),
            self.by.as_str(),
        );
        for (key, value) in &self.metadata {
            text.extend(["  ", &scalar(&one_line(key)), ": ", &scalar(&one_line(value)), "\n"]);
        }
        text.push_str("---\n");
        text.push_str(self.body.replace("\r\n", "\n").trim());
        text.push('\n');
        text
    }
}

/// The file name for a name: `<type>_<topic>.md`, valid on every platform.
pub fn file_name(kind: MemoryKind, name: &str) -> String {
    let topic = kebab(name, usize::MAX, TOPIC_BYTES).replace('-', "_");
    let own = format!("{kind}_");
    let topic = topic.strip_prefix(&own).unwrap_or(&topic);
    format!("{kind}_{}.md", if topic.is_empty() { "memory" } else { topic })
}

/// The first sentence, at most 150 characters.
pub fn description_from(text: &str) -> String {
    first_sentence(text, DESCRIPTION)
}

/// Words that say nothing about the topic of a sentence.
const STOP_WORDS: [&str; 63] = [
    "a", "an", "the", "am", "is", "are", "was", "were", "be", "been", "to", "of", "in", "on", "at", "for",
    "from", "and", "or", "but", "that", "this", "these", "those", "it", "its", "as", "with", "by", "we",
    "you", "i", "my", "our", "your", "me", "us", "they", "their", "please", "remember", "should", "will",
    "would", "can", "could", "have", "has", "had", "do", "does", "did", "so", "if", "then", "than", "there",
    "here", "just", "also", "when", "which", "now",
];

pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// A name from the first sentence: its first five words that say something, or about twelve characters of
/// a script without spaces; letters of every script are kept.
pub fn name_from(text: &str) -> String {
    // In twelfths of a word, so that a character of Chinese is worth five of them.
    let mut room = NAME_WORDS * 12;
    let mut parts: Vec<String> = Vec::new();
    for part in words(&first_sentence(text, 400)) {
        if room == 0 {
            break;
        }
        if part.chars().any(is_ideographic) {
            let fits: String = part.chars().take(room.div_ceil(5)).collect();
            room = room.saturating_sub(fits.chars().count() * 5);
            parts.push(fits);
        } else if !is_stop_word(&part) {
            room = room.saturating_sub(12);
            parts.push(part);
        }
    }
    let name = kebab(&parts.join("-"), NAME_CHARS, TOPIC_BYTES);
    if name.is_empty() { "memory".to_owned() } else { name }
}

/// Scripts that are written without spaces between words.
pub(crate) fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// The words of a text in small letters: runs of letters and digits, split where a script changes to one
/// without spaces. An apostrophe belongs to its word and goes.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.nfc().filter(|c| !matches!(c, '\'' | '\u{2019}')) {
        let changes = word.chars().last().is_some_and(|last| is_ideographic(last) != is_ideographic(c));
        if !c.is_alphanumeric() || changes {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Letters and digits of any script in small letters, all else one `-`; cut at so many characters and bytes.
fn kebab(text: &str, chars: usize, bytes: usize) -> String {
    let mut out = String::new();
    for c in text.nfc() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase().nfc());
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let cut: String = out.trim_matches('-').chars().take(chars).collect();
    cut[..cut.floor_char_boundary(bytes)].trim_matches('-').to_owned()
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
