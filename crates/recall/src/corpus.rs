//! The inverted index over memories, kept current one memory at a time.

use std::collections::HashMap;
use std::sync::Arc;

use crate::analysis::{Term, analyse, tokens};
use crate::document::Document;
use crate::outcome::Field;
use crate::synonyms::{Grade, Linear, Synonyms, linear};

pub(crate) const FIELDS: usize = Field::ALL.len();

/// How often something stands in each field, cut at 255.
pub(crate) type Counts = [u8; FIELDS];

/// Memories, analysed and indexed. Adding, replacing and removing one costs time in proportion to
/// its own length and to the postings of its words.
#[derive(Debug, Clone)]
pub struct Corpus {
    pub(crate) synonyms: Arc<Synonyms>,
    pub(crate) terms: HashMap<String, u32>,
    /// By term number.
    pub(crate) postings: Vec<Vec<Posting>>,
    /// By synonym group.
    pub(crate) concepts: Vec<Vec<ConceptPosting>>,
    /// How each term looked where it was first seen.
    pub(crate) surfaces: Vec<Box<str>>,
    /// By slot; a removed memory leaves an empty one.
    pub(crate) entries: Vec<Option<Entry>>,
    by_id: HashMap<String, u32>,
    free: Vec<u32>,
    /// Sum of the lengths of each field, in terms.
    pub(crate) lengths: [u64; FIELDS],
}

/// A term in one memory.
#[derive(Debug, Clone)]
pub(crate) struct Posting {
    pub(crate) slot: u32,
    pub(crate) counts: Counts,
}

/// A synonym group in one memory.
#[derive(Debug, Clone)]
pub(crate) struct ConceptPosting {
    pub(crate) slot: u32,
    pub(crate) exact: Counts,
    pub(crate) related: Counts,
    /// The word that was met first, the best grade first.
    pub(crate) surface: Box<str>,
}

/// What is kept of one memory beside its postings.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) day: i32,
    pub(crate) lengths: [u32; FIELDS],
    /// Its terms, each once, with counts.
    pub(crate) terms: Vec<u32>,
    pub(crate) concepts: Vec<u32>,
}

impl Default for Corpus {
    fn default() -> Self {
        Self::with_synonyms(Arc::new(Synonyms::built_in()))
    }
}

impl Corpus {
    /// An empty corpus with the given synonyms; several corpora may share one table.
    #[must_use]
    pub fn with_synonyms(synonyms: Arc<Synonyms>) -> Self {
        Self {
            concepts: vec![Vec::new(); synonyms.groups()],
            synonyms,
            terms: HashMap::new(),
            postings: Vec::new(),
            surfaces: Vec::new(),
            entries: Vec::new(),
            by_id: HashMap::new(),
            free: Vec::new(),
            lengths: [0; FIELDS],
        }
    }

    /// A corpus of these documents with the built-in synonyms.
    #[must_use]
    pub fn new(documents: &[Document]) -> Self {
        let mut corpus = Self::default();
        documents.iter().cloned().for_each(|document| corpus.put(document));
        corpus
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Whether a document with this id is in it.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    pub(crate) fn slot(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn entry(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    /// Adds a document, or replaces the one with its id.
    pub fn put(&mut self, document: Document) {
        self.remove(&document.id);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
        });
        let mut counted = Counted::default();
        for (field, text) in texts(&document) {
            counted.add(field, &text, &self.synonyms);
        }
        let terms = self.put_terms(slot, counted.terms);
        let concepts = self.put_concepts(slot, counted.concepts);
        for (sum, length) in self.lengths.iter_mut().zip(counted.lengths) {
            *sum += u64::from(length);
        }
        self.by_id.insert(document.id.clone(), slot);
        self.entries[slot as usize] =
            Some(Entry { id: document.id, day: document.day, lengths: counted.lengths, terms, concepts });
    }

    fn put_terms(&mut self, slot: u32, counted: HashMap<String, (Counts, String)>) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(counted.len());
        for (term, (counts, surface)) in counted {
            let number = *self.terms.entry(term).or_insert_with(|| {
                self.postings.push(Vec::new());
                self.surfaces.push(surface.into());
                u32::try_from(self.postings.len() - 1).unwrap_or(u32::MAX)
            });
            let postings = &mut self.postings[number as usize];
            let at = postings.partition_point(|posting| posting.slot < slot);
            postings.insert(at, Posting { slot, counts });
            numbers.push(number);
        }
        numbers.sort_unstable();
        numbers
    }

    fn put_concepts(&mut self, slot: u32, counted: HashMap<u32, ConceptPosting>) -> Vec<u32> {
        let mut groups = Vec::with_capacity(counted.len());
        for (group, posting) in counted {
            let postings = &mut self.concepts[group as usize];
            let at = postings.partition_point(|posting| posting.slot < slot);
            postings.insert(at, ConceptPosting { slot, ..posting });
            groups.push(group);
        }
        groups
    }

    /// Removes a document; whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(slot) = self.by_id.remove(id) else { return false };
        let Some(entry) = self.entries[slot as usize].take() else { return false };
        for term in entry.terms {
            let postings = &mut self.postings[term as usize];
            if let Ok(at) = postings.binary_search_by_key(&slot, |posting| posting.slot) {
                postings.remove(at);
            }
        }
        for group in entry.concepts {
            let postings = &mut self.concepts[group as usize];
            if let Ok(at) = postings.binary_search_by_key(&slot, |posting| posting.slot) {
                postings.remove(at);
            }
        }
        for (sum, length) in self.lengths.iter_mut().zip(entry.lengths) {
            *sum -= u64::from(length);
        }
        self.free.push(slot);
        true
    }
}

/// The fields of a document as text.
fn texts(document: &Document) -> [(Field, String); FIELDS] {
    let topic = topic_of_id(&document.id);
    [
        (Field::Name, format!("{}\n{topic}", document.name)),
        (Field::Description, document.description.clone()),
        (Field::Hook, document.hook.clone()),
        (Field::Links, document.links.join("\n")),
        (Field::Body, document.body.clone()),
    ]
}

/// A file name without extension and without the type in front.
fn topic_of_id(id: &str) -> &str {
    let stem = id.rsplit('/').next().unwrap_or(id).trim_end_matches(".md");
    let typed = ["user", "feedback", "project", "reference"]
        .iter()
        .find_map(|kind| stem.strip_prefix(kind)?.strip_prefix(['_', '-']));
    typed.unwrap_or(stem)
}

#[derive(Default)]
struct Counted {
    terms: HashMap<String, (Counts, String)>,
    concepts: HashMap<u32, ConceptPosting>,
    lengths: [u32; FIELDS],
}

impl Counted {
    fn add(&mut self, field: Field, text: &str, synonyms: &Synonyms) {
        let index = field as usize;
        for Term { text, surface, .. } in analyse(text) {
            self.lengths[index] += 1;
            let (counts, _) = self.terms.entry(text).or_insert_with(|| ([0; FIELDS], surface));
            // Name and file name usually say the same twice.
            let most = if field == Field::Name { 1 } else { u8::MAX };
            counts[index] = counts[index].saturating_add(1).min(most);
        }
        let linear = linear(&tokens(text));
        for mention in synonyms.mentions(&linear) {
            let surface = mention_surface(
                &linear[mention.item..mention.item + mention.items],
                mention.from,
                mention.to,
            );
            for member in mention.members {
                let posting = self.concepts.entry(member.group).or_insert_with(|| ConceptPosting {
                    slot: 0,
                    exact: [0; FIELDS],
                    related: [0; FIELDS],
                    surface: surface.as_str().into(),
                });
                let first_exact = member.grade == Grade::Exact && posting.exact == [0; FIELDS];
                if first_exact {
                    posting.surface = surface.as_str().into();
                }
                let counts =
                    if member.grade == Grade::Exact { &mut posting.exact } else { &mut posting.related };
                counts[index] = counts[index].saturating_add(1);
            }
        }
    }
}

fn mention_surface(items: &[Linear], from: usize, to: usize) -> String {
    let words: Vec<&str> = items
        .iter()
        .map(|item| match item {
            Linear::Word { surface, .. } => surface.as_str(),
            Linear::Cjk { text, .. } => &text[from..to],
        })
        .collect();
    words.join(" ")
}
