//! What one document says: its terms and concepts by field, and passage by passage.

use std::collections::HashMap;

use crate::analysis::{TermKind, Token, for_each_term, tokens};
use crate::corpus::{ConceptPosting, Counts, FIELDS};
use crate::document::{Document, Kind};
use crate::head::Head;
use crate::lexicon::{Interned, Lexicon};
use crate::meaning::Meaning;
use crate::outcome::Field;
use crate::synonyms::{Grade, Linear, Mention, Synonyms, linear};

/// A line longer than this is cut into passages at the ends of its sentences.
const LONGEST_PASSAGE: usize = 400;

/// What the body counts in the meaning of a document, against the name.
const BODY_MEANING: f32 = 1.0;
/// What the description counts: it is the line to judge by.
const DESCRIPTION_MEANING: f32 = 2.0;

/// Something that a passage says: a term, or an exact word of a synonym group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(u32);

impl Key {
    const CONCEPT: u32 = 1 << 31;

    pub(crate) fn term(number: u32) -> Self {
        Self(number & !Self::CONCEPT)
    }

    pub(crate) fn concept(group: u32) -> Self {
        Self(group | Self::CONCEPT)
    }

    /// The term number, or the group.
    pub(crate) fn resolve(self) -> Result<u32, u32> {
        if self.0 & Self::CONCEPT == 0 { Ok(self.0) } else { Err(self.0 & !Self::CONCEPT) }
    }
}

/// The keys of a passage, sorted, each once.
pub(crate) type Passage = Box<[Key]>;

#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) terms: HashMap<u32, Counts>,
    pub(crate) concepts: HashMap<u32, ConceptPosting>,
    pub(crate) lengths: [u32; FIELDS],
    pub(crate) passages: Vec<Passage>,
    pub(crate) meaning: Meaning,
    pub(crate) head: Head,
}

pub(crate) fn read(
    document: &Document,
    lexicon: &mut Lexicon,
    mentions: &mut Interned,
    synonyms: &Synonyms,
) -> Reading {
    let mut reader =
        Reader { reading: Reading::default(), lexicon, mentions, synonyms, meanings: Default::default() };
    let topic = topic_of_id(&document.id);
    reader.add_passage(Field::Name, &format!("{}\n{topic}", document.name));
    reader.add_passage(Field::Description, &document.description);
    reader.add(Field::Hook, &tokens(&document.hook));
    reader.add(Field::Links, &tokens(&document.links.join("\n")));
    for passage in passages(&document.body) {
        reader.add_passage(Field::Body, passage);
    }
    reader.finish(document, topic)
}

/// A file name without extension and without the type in front.
fn topic_of_id(id: &str) -> &str {
    let stem = id.rsplit('/').next().unwrap_or(id).trim_end_matches(".md");
    let typed = ["user", "feedback", "project", "reference"]
        .iter()
        .find_map(|kind| stem.strip_prefix(kind)?.strip_prefix(['_', '-']));
    typed.unwrap_or(stem)
}

/// The lines of a body, long ones in pieces.
fn passages(body: &str) -> Vec<&str> {
    let mut passages = Vec::new();
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        let mut rest = line;
        while rest.len() > LONGEST_PASSAGE {
            let Some(end) = sentence_end(rest, LONGEST_PASSAGE / 2) else { break };
            let (passage, after) = rest.split_at(end);
            passages.push(passage);
            rest = after;
        }
        passages.push(rest);
    }
    passages
}

/// The end of the first sentence that ends at or after `from`.
fn sentence_end(text: &str, from: usize) -> Option<usize> {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let before_blank = characters.peek().is_some_and(|(_, next)| next.is_whitespace());
        let ends =
            matches!(character, '。' | '!' | '?') || matches!(character, '.' | '!' | '?') && before_blank;
        if ends && at >= from && end < text.len() {
            return Some(end);
        }
    }
    None
}

/// A document being read.
struct Reader<'a> {
    reading: Reading,
    lexicon: &'a mut Lexicon,
    mentions: &'a mut Interned,
    synonyms: &'a Synonyms,
    /// By field, not of length 1.
    meanings: [Meaning; FIELDS],
}

impl Reader<'_> {
    fn add_passage(&mut self, field: Field, text: &str) {
        let mut keys = self.add(field, &tokens(text));
        keys.sort_unstable();
        keys.dedup();
        if !keys.is_empty() {
            self.reading.passages.push(keys.into());
        }
    }

    /// Counts terms and concepts, and returns their keys.
    fn add(&mut self, field: Field, tokens: &[Token]) -> Vec<Key> {
        let index = field as usize;
        let mut keys = Vec::new();
        for_each_term(tokens, &mut |term| {
            self.reading.lengths[index] += 1;
            let number = self.lexicon.number(term.text, term.surface);
            let counts = self.reading.terms.entry(number).or_default();
            // Name and file name usually say the same twice.
            let most = if field == Field::Name { 1 } else { u8::MAX };
            counts[index] = counts[index].saturating_add(1).min(most);
            keys.push(Key::term(number));
            if matches!(term.kind, TermKind::Word | TermKind::Number)
                && let Some(row) = self.lexicon.row(number)
            {
                self.meanings[index].add_row(row);
            }
        });
        for token in tokens {
            if let Token::Cjk { text, .. } = token {
                self.meanings[index].add_run(text);
            }
        }
        let linear = linear(tokens);
        for mention in self.synonyms.mentions(&linear) {
            let surface = self.mentions.number(&surface(&linear, &mention));
            for member in mention.all_members() {
                self.add_concept(index, member.group, member.grade, surface);
                if member.grade == Grade::Exact {
                    keys.push(Key::concept(member.group));
                }
            }
        }
        keys
    }

    fn add_concept(&mut self, field: usize, group: u32, grade: Grade, surface: u32) {
        let unseen = ConceptPosting { slot: 0, exact: [0; FIELDS], related: [0; FIELDS], surface };
        let posting = self.reading.concepts.entry(group).or_insert(unseen);
        let exact = grade == Grade::Exact;
        if exact && posting.exact == [0; FIELDS] {
            posting.surface = surface;
        }
        let counts = if exact { &mut posting.exact } else { &mut posting.related };
        counts[field] = counts[field].saturating_add(1);
    }

    fn finish(mut self, document: &Document, topic: &str) -> Reading {
        self.reading.head = Head::of(document, topic, self.lexicon, self.synonyms);
        // The mean of a long text about many things says nothing; only memories are one fact each.
        if document.kind != Kind::Other {
            let [name, description, body] = [Field::Name, Field::Description, Field::Body]
                .map(|field| self.meanings[field as usize].normal());
            self.reading.meaning =
                name.plus(&description, DESCRIPTION_MEANING).plus(&body, BODY_MEANING).normal();
        }
        self.reading
    }
}

fn surface(linear: &[Linear<'_>], mention: &Mention<'_>) -> String {
    let items = &linear[mention.item..mention.item + mention.items];
    let words: Vec<&str> = items
        .iter()
        .map(|item| match item {
            Linear::Word { surface, .. } => surface,
            Linear::Cjk { text, .. } => &text[mention.from..mention.to],
        })
        .collect();
    words.join(" ")
}
