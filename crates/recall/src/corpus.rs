//! The inverted index over memories, kept current one memory at a time.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::document::Document;
use crate::head::Head;
use crate::lexicon::{Interned, Lexicon};
use crate::meaning::Meaning;
use crate::outcome::Field;
use crate::reading::{Passage, read};
use crate::synonyms::Synonyms;

pub(crate) const FIELDS: usize = Field::ALL.len();

/// How often something stands in each field, cut at 255.
pub(crate) type Counts = [u8; FIELDS];

/// Memories, analysed and indexed. Adding, replacing and removing one costs time in proportion to
/// its own length and to the postings of its words.
#[derive(Debug, Clone)]
pub struct Corpus {
    pub(crate) synonyms: Arc<Synonyms>,
    pub(crate) lexicon: Lexicon,
    /// By term number.
    pub(crate) terms: Vec<Postings<Posting>>,
    /// By synonym group.
    pub(crate) concepts: Vec<Postings<ConceptPosting>>,
    /// Words of synonym groups as memories have them.
    pub(crate) mentions: Interned,
    /// By slot; a removed memory leaves an empty one.
    pub(crate) entries: Vec<Option<Entry>>,
    by_id: HashMap<String, u32>,
    free: Vec<u32>,
    /// Sum of the lengths of each field, in terms.
    pub(crate) lengths: [u64; FIELDS],
    /// How many passages there are.
    pub(crate) passages: usize,
    /// Sum of all meanings.
    pub(crate) meaning: Meaning,
}

/// Where something stands.
#[derive(Debug, Clone)]
pub(crate) struct Postings<P> {
    /// By rising slot.
    pub(crate) list: Vec<P>,
    /// How many passages have it.
    pub(crate) passages: u32,
}

impl<P> Default for Postings<P> {
    fn default() -> Self {
        Self { list: Vec::new(), passages: 0 }
    }
}

/// A term in one memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) slot: u32,
    pub(crate) counts: Counts,
}

/// A synonym group in one memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConceptPosting {
    pub(crate) slot: u32,
    pub(crate) exact: Counts,
    pub(crate) related: Counts,
    /// The number of the words that were met first, the best grade first.
    pub(crate) surface: u32,
}

/// Something at one slot.
pub(crate) trait AtSlot {
    fn slot(&self) -> u32;
}

impl AtSlot for Posting {
    fn slot(&self) -> u32 {
        self.slot
    }
}

impl AtSlot for ConceptPosting {
    fn slot(&self) -> u32 {
        self.slot
    }
}

impl<P: AtSlot> Postings<P> {
    pub(crate) fn at(&self, slot: u32) -> Option<&P> {
        self.list.binary_search_by_key(&slot, AtSlot::slot).ok().map(|at| &self.list[at])
    }

    fn insert(&mut self, posting: P) {
        // Most memories are added behind all others.
        if self.list.last().is_none_or(|last| last.slot() < posting.slot()) {
            self.list.push(posting);
            return;
        }
        let at = self.list.partition_point(|other| other.slot() < posting.slot());
        self.list.insert(at, posting);
    }

    fn remove(&mut self, slot: u32) {
        if let Ok(at) = self.list.binary_search_by_key(&slot, AtSlot::slot) {
            self.list.remove(at);
        }
    }
}

/// What is kept of one memory beside its postings.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) day: i32,
    pub(crate) lengths: [u32; FIELDS],
    /// Its terms, sorted, each once.
    pub(crate) terms: Vec<u32>,
    concepts: Vec<u32>,
    pub(crate) passages: Vec<Passage>,
    pub(crate) meaning: Meaning,
    pub(crate) head: Head,
}

impl Default for Corpus {
    /// An empty corpus with the built-in synonyms.
    fn default() -> Self {
        static BUILT_IN: OnceLock<Arc<Synonyms>> = OnceLock::new();
        Self::with_synonyms(Arc::clone(BUILT_IN.get_or_init(|| Arc::new(Synonyms::built_in()))))
    }
}

impl Corpus {
    /// An empty corpus with the given synonyms; several corpora may share one table.
    #[must_use]
    pub fn with_synonyms(synonyms: Arc<Synonyms>) -> Self {
        Self {
            concepts: vec![Postings::default(); synonyms.groups()],
            synonyms,
            lexicon: Lexicon::default(),
            mentions: Interned::default(),
            terms: Vec::new(),
            entries: Vec::new(),
            by_id: HashMap::new(),
            free: Vec::new(),
            lengths: [0; FIELDS],
            passages: 0,
            meaning: Meaning::default(),
        }
    }

    /// A corpus of these documents with the built-in synonyms.
    #[must_use]
    pub fn new(documents: &[Document]) -> Self {
        let mut corpus = Self::default();
        for document in documents {
            corpus.put(document);
        }
        corpus.shrink();
        corpus
    }

    /// Gives back the room that was kept for growing: most words are in one memory only. For after many
    /// documents were put.
    pub fn shrink(&mut self) {
        self.terms.iter_mut().for_each(|postings| postings.list.shrink_to_fit());
        self.concepts.iter_mut().for_each(|postings| postings.list.shrink_to_fit());
        self.terms.shrink_to_fit();
        self.entries.shrink_to_fit();
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
    pub fn put(&mut self, document: &Document) {
        self.remove(&document.id);
        let reading = read(document, &mut self.lexicon, &mut self.mentions, &self.synonyms);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
        });
        let mut entry = Entry {
            id: document.id.clone(),
            day: document.day,
            lengths: reading.lengths,
            terms: Vec::with_capacity(reading.terms.len()),
            concepts: Vec::with_capacity(reading.concepts.len()),
            passages: reading.passages,
            meaning: reading.meaning,
            head: reading.head,
        };
        if self.terms.len() < self.lexicon.len() {
            self.terms.resize(self.lexicon.len(), Postings::default());
        }
        for (term, counts) in reading.terms {
            self.terms[term as usize].insert(Posting { slot, counts });
            entry.terms.push(term);
        }
        entry.terms.sort_unstable();
        for (group, posting) in reading.concepts {
            self.concepts[group as usize].insert(ConceptPosting { slot, ..posting });
            entry.concepts.push(group);
        }
        self.account(&entry, true);
        self.by_id.insert(document.id.clone(), slot);
        self.entries[slot as usize] = Some(entry);
    }

    /// Removes a document; whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(slot) = self.by_id.remove(id) else { return false };
        let Some(entry) = self.entries[slot as usize].take() else { return false };
        for &term in &entry.terms {
            self.terms[term as usize].remove(slot);
        }
        for &group in &entry.concepts {
            self.concepts[group as usize].remove(slot);
        }
        self.account(&entry, false);
        self.free.push(slot);
        true
    }

    /// Adds an entry to the sums, or takes it out of them.
    fn account(&mut self, entry: &Entry, add: bool) {
        for (sum, length) in self.lengths.iter_mut().zip(entry.lengths) {
            *sum = if add { *sum + u64::from(length) } else { *sum - u64::from(length) };
        }
        self.meaning = self.meaning.plus(&entry.meaning, if add { 1.0 } else { -1.0 });
        let passages = entry.passages.len();
        self.passages = if add { self.passages + passages } else { self.passages - passages };
        for key in entry.passages.iter().flatten() {
            let count = match key.resolve() {
                Ok(term) => &mut self.terms[term as usize].passages,
                Err(group) => &mut self.concepts[group as usize].passages,
            };
            *count = if add { *count + 1 } else { *count - 1 };
        }
    }

    /// The postings of a term by its text, if any memory has it.
    pub(crate) fn term(&self, text: &str) -> Option<(u32, &Postings<Posting>)> {
        let number = self.lexicon.get(text)?;
        let postings = self.terms.get(number as usize)?;
        (!postings.list.is_empty()).then_some((number, postings))
    }
}
