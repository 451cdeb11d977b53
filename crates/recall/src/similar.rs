//! Which memories say the same, or nearly.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use crate::analysis::{commonness, is_cjk};
use crate::corpus::{Corpus, Counts, FIELDS};
use crate::document::Document;
use crate::outcome::Field;

/// A term in at most this share of the memories, or in at most two, is rare.
const RARE_SHARE: f32 = 0.1;
/// What a term counts by where it stands.
///
/// Names differ where content agrees, so they count little; links and hooks repeat other text.
const FIELD_WEIGHTS: [f32; FIELDS] = [0.5, 2.0, 0.0, 0.0, 1.0];

/// A memory that resembles another.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The document's id.
    pub id: String,
    /// Rare-term-weighted likeness, 0 to 1.
    pub similarity: f32,
    /// Whether every rare term in the description or body of either stands in the other: safe to
    /// merge without asking.
    pub every_rare_term_agrees: bool,
}

/// Text reduced to what it says: compatibility forms unified, lower case, words and numbers only,
/// one blank between them. Two texts with the same normal content are the same observation.
#[must_use]
pub fn normal_content(text: &str) -> String {
    // Much of what is compared is output of programs, and that is mostly ASCII.
    if text.is_ascii() {
        normal_of(text.chars().map(|character| character.to_ascii_lowercase()), text.len())
    } else {
        normal_of(text.nfkc().flat_map(char::to_lowercase), text.len())
    }
}

fn normal_of(characters: impl Iterator<Item = char>, about: usize) -> String {
    let mut normal = String::with_capacity(about);
    let mut gap = false;
    for character in characters {
        // Signs that change what a word or number means stay.
        let means =
            character.is_alphanumeric() || matches!(character, '+' | '#' | '%' | '$' | '_' | '/' | '.' | '-');
        if !means {
            gap = true;
            continue;
        }
        if gap && !normal.is_empty() && !(is_cjk(character) && normal.ends_with(is_cjk)) {
            normal.push(' ');
        }
        gap = false;
        normal.push(character);
    }
    let words =
        normal.split(' ').map(|word| word.trim_matches(['.', '-', '/'])).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

impl Corpus {
    /// The memories nearest to a document, nearest first; the document itself (by id) is left out.
    /// It need not be in the corpus.
    #[must_use]
    pub fn nearest(&self, document: &Document, most: usize) -> Vec<Neighbour> {
        let mut probe = Self::with_synonyms(std::sync::Arc::new(crate::Synonyms::none()));
        probe.put(document);
        // The document's terms, by this corpus' numbers; unknown ones only add to its own weight.
        let mut own: Vec<(Option<u32>, f32)> = Vec::new();
        let mut said = Said::default();
        for (number, text) in probe.lexicon.iter() {
            // A word may be known without standing in the text as it is: an ending that was taken off, a part of a name.
            let Some(posting) = probe.terms.get(number as usize).and_then(|term| term.list.first()) else {
                continue;
            };
            let known = self.term(text).map(|(number, _)| number);
            let counts = posting.counts;
            own.push((known, self.term_weight(text, known) * emphasis(counts)));
            said.note(text, known, counts);
        }
        let own_weight: f32 = own.iter().map(|(_, weight)| weight).sum();

        let mut shared = vec![0.0_f32; self.entries.len()];
        for (number, weight) in &own {
            let Some(number) = number else { continue };
            for posting in &self.terms[*number as usize].list {
                shared[posting.slot as usize] += weight;
            }
        }
        let itself = self.slot(&document.id);
        let mut near: Vec<(u32, f32)> =
            (0..).zip(shared).filter(|(slot, weight)| *weight > 0.0 && Some(*slot) != itself).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        near.truncate(most.saturating_mul(4).max(20));

        let mut neighbours: Vec<Neighbour> = near
            .into_iter()
            .filter_map(|(slot, shared)| self.neighbour(slot, shared, own_weight, &said))
            .collect();
        neighbours.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| a.id.cmp(&b.id)));
        neighbours.truncate(most);
        neighbours
    }

    fn neighbour(&self, slot: u32, shared: f32, own_weight: f32, said: &Said) -> Option<Neighbour> {
        let entry = self.entry(slot)?;
        let theirs: f32 = entry
            .terms
            .iter()
            .map(|&term| {
                self.term_weight(self.lexicon.text(term), Some(term)) * emphasis(self.counts(term, slot))
            })
            .sum();
        let similarity = (shared / (own_weight * theirs).sqrt().max(f32::EPSILON)).min(1.0);
        let their_rare = |term: &&u32| self.is_rare(**term) && is_content(self.counts(**term, slot));
        let agrees = !said.unknown
            && entry.terms.iter().filter(their_rare).all(|term| said.terms.contains(term))
            && said
                .terms
                .iter()
                .filter(|&&term| self.is_rare(term))
                .all(|&term| is_content(self.counts(term, slot)));
        Some(Neighbour { id: entry.id.clone(), similarity, every_rare_term_agrees: agrees })
    }

    fn counts(&self, term: u32, slot: u32) -> Counts {
        self.terms[term as usize].at(slot).map_or([0; FIELDS], |posting| posting.counts)
    }

    /// What a shared term says: much if few memories have it and it is no everyday word.
    fn term_weight(&self, text: &str, number: Option<u32>) -> f32 {
        #[allow(clippy::cast_precision_loss)]
        let all = self.len().max(1) as f32;
        #[allow(clippy::cast_precision_loss)]
        let with = number.map_or(0.0, |number| self.terms[number as usize].list.len() as f32);
        let character = if text.chars().count() == 1 { 0.2 } else { 1.0 };
        (1.0 + all / (with + 0.5)).ln() * commonness(text) * character
    }

    fn is_rare(&self, term: u32) -> bool {
        let with = self.terms[term as usize].list.len();
        #[allow(clippy::cast_precision_loss)]
        let share = with as f32 / self.len().max(1) as f32;
        (with <= 2 || share <= RARE_SHARE) && commonness(self.lexicon.text(term)) > 0.5
    }
}

/// What a document says in its description and body.
#[derive(Default)]
struct Said {
    /// Terms that the corpus knows.
    terms: BTreeSet<u32>,
    /// Whether there is a telling word that no memory has.
    unknown: bool,
}

impl Said {
    fn note(&mut self, text: &str, number: Option<u32>, counts: Counts) {
        if !is_content(counts) {
            return;
        }
        match number {
            Some(number) => {
                self.terms.insert(number);
            }
            None => self.unknown |= commonness(text) > 0.5,
        }
    }
}

fn is_content(counts: Counts) -> bool {
    counts[Field::Description as usize] > 0 || counts[Field::Body as usize] > 0
}

fn emphasis(counts: Counts) -> f32 {
    let by_field = Field::ALL.iter().map(|&field| field as usize);
    by_field.map(|at| if counts[at] > 0 { FIELD_WEIGHTS[at] } else { 0.0 }).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_has_one_normal_form() {
        for (one, other) in [
            ("Use  uv, never pip!", "use uv never pip"),
            ("**Use** `uv`.", "use uv"),
            ("端口是 5433。", "端口是5433"),
            ("full width ABC", "full width abc"),
        ] {
            assert_eq!(normal_content(one).replace(' ', ""), normal_content(other).replace(' ', ""), "{one}");
        }
        assert_ne!(normal_content("C++"), normal_content("C"));
        assert_ne!(normal_content("1.20"), normal_content("120"));
    }

    #[test]
    fn the_nearest_share_the_rare_words() {
        let memory = |id: &str, text: &str| Document {
            id: id.into(),
            description: text.into(),
            ..Document::default()
        };
        let corpus = Corpus::new(&[
            memory("ports", "Local Postgres listens on 5433"),
            memory("deploy", "Production deploys only on Monday"),
            memory("style", "Commit messages in English"),
        ]);
        let near = corpus.nearest(&memory("new", "Postgres on this laptop listens on 5433"), 2);
        assert_eq!(near[0].id, "ports");
        assert!(!near[0].every_rare_term_agrees, "laptop is new");
        let same = corpus.nearest(&memory("new", "Local Postgres: listens on 5433!"), 2);
        assert!(same[0].every_rare_term_agrees && same[0].similarity > 0.9, "{same:?}");
    }
}
