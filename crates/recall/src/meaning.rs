//! Likeness of meaning by a static table of word vectors: look up, weigh by rarity, add up.
//!
//! The table holds stems of English words and Chinese, Japanese and Korean words, each with 64
//! numbers of eight bits that a multilingual sentence model gave the word on its own; nothing is
//! inferred at run time. `data/make-vectors.py` made it and says from what.

use std::ops::Range;

use crate::analysis::{Token, is_stop_word, leading_stop_word, tokens};

#[cfg(feature = "meaning")]
static TABLE: &[u8] = include_bytes!("../data/vectors.bin");
#[cfg(not(feature = "meaning"))]
static TABLE: &[u8] = &[];

/// Numbers in a vector.
pub(crate) const DIMENSIONS: usize = 64;
/// No CJK word in the table is longer, in characters.
const LONGEST_CJK: usize = 8;
/// Bytes before the offsets: a mark and the number of words.
const HEAD: usize = 8;

/// The direction of a text's meaning, of length 1, or all zero when no word is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Meaning(pub(crate) [f32; DIMENSIONS]);

impl Default for Meaning {
    fn default() -> Self {
        Self([0.0; DIMENSIONS])
    }
}

impl Meaning {
    /// The meaning of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut sum = Self::default();
        sum.add(&tokens(text));
        sum.normal()
    }

    /// Adds what the words say; the sum is not of length 1.
    pub(crate) fn add(&mut self, tokens: &[Token]) {
        for token in tokens {
            match token {
                Token::Word { pieces, .. } => {
                    for piece in pieces.iter().filter(|piece| !is_stop_word(&piece.text)) {
                        if let Some(row) = find(&piece.stem) {
                            self.add_row(row);
                        }
                    }
                }
                Token::Cjk { text, .. } => self.add_run(text),
            }
        }
    }

    /// The likeliest cut of a CJK run into words of the table: the sum of their log frequencies is
    /// greatest.
    pub(crate) fn add_run(&mut self, run: &str) {
        let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        // Best sum up to each character, with the last word's start and row.
        let mut best: Vec<(f32, usize, Option<u32>)> = vec![(f32::NEG_INFINITY, 0, None); ends.len()];
        best[0].0 = 0.0;
        for start in 0..ends.len() - 1 {
            let before = best[start].0;
            let mut range = 0..count();
            for end in start + 1..ends.len().min(start + LONGEST_CJK + 1) {
                let word = &run[ends[start]..ends[end]];
                range = narrow(range, word.as_bytes());
                let row = (!range.is_empty() && key(range.start) == word.as_bytes()).then_some(range.start);
                if row.is_some() || end == start + 1 {
                    let sum = before + row.map_or(UNKNOWN, frequency);
                    if sum > best[end].0 {
                        best[end] = (sum, start, row);
                    }
                }
                if range.is_empty() {
                    break;
                }
            }
        }
        let mut end = ends.len() - 1;
        while end > 0 {
            let (_, start, row) = best[end];
            let word = &run[ends[start]..ends[end]];
            if let Some(row) = row
                && leading_stop_word(word) != word.len()
            {
                self.add_row(row);
            }
            end = start;
        }
    }

    /// Adds one word of the table.
    pub(crate) fn add_row(&mut self, at: u32) {
        let weight = weight(at);
        for (sum, number) in self.0.iter_mut().zip(row(at)) {
            *sum += weight * f32::from(i8::from_ne_bytes([*number]));
        }
    }

    /// The same direction with length 1.
    pub(crate) fn normal(mut self) -> Self {
        let length = self.dot(&self).sqrt();
        if length > 1e-6 {
            self.0.iter_mut().for_each(|number| *number /= length);
        }
        self
    }

    pub(crate) fn dot(&self, other: &Self) -> f32 {
        self.0.iter().zip(other.0).map(|(a, b)| a * b).sum()
    }

    /// This plus `factor` times the other.
    pub(crate) fn plus(mut self, other: &Self, factor: f32) -> Self {
        for (sum, number) in self.0.iter_mut().zip(other.0) {
            *sum += factor * number;
        }
        self
    }
}

/// The log frequency of what is not in the table.
const UNKNOWN: f32 = -25.0;

/// The four bytes at an offset as a number; 0 where there is no table.
fn number(at: usize) -> u32 {
    TABLE.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn count() -> u32 {
    number(4)
}

/// Where the sections begin: offsets of keys (count + 1, four bytes each), log frequencies (a byte
/// each), rows, keys.
fn section(section: usize) -> usize {
    let count = count() as usize;
    let sizes = [(count + 1) * 4, count, count * DIMENSIONS];
    HEAD + sizes[..section].iter().sum::<usize>()
}

fn key(at: u32) -> &'static [u8] {
    let offset = |at: u32| section(3) + number(HEAD + at as usize * 4) as usize;
    &TABLE[offset(at)..offset(at + 1)]
}

/// Natural logarithm of the word's share of text.
fn frequency(at: u32) -> f32 {
    -f32::from(TABLE[section(1) + at as usize]) / 10.0
}

/// The share of text below which a word says all it can.
const RARE: f32 = 1e-4;

/// Rare words say more: a / (a + frequency).
fn weight(at: u32) -> f32 {
    RARE / (RARE + frequency(at).exp())
}

fn row(at: u32) -> &'static [u8] {
    let start = section(2) + at as usize * DIMENSIONS;
    &TABLE[start..start + DIMENSIONS]
}

/// The row of a word.
pub(crate) fn find(word: &str) -> Option<u32> {
    let at = narrow(0..count(), word.as_bytes()).next()?;
    (key(at) == word.as_bytes()).then_some(at)
}

/// The rows in a range whose keys start with a prefix.
fn narrow(range: Range<u32>, prefix: &[u8]) -> Range<u32> {
    let start = partition(range.clone(), |at| key(at) < prefix);
    let end = partition(start..range.end, |at| key(at).starts_with(prefix));
    start..end
}

/// The first in the range for which the predicate fails.
fn partition(range: Range<u32>, holds: impl Fn(u32) -> bool) -> u32 {
    let Range { start: mut low, end: mut high } = range;
    while low < high {
        let middle = u32::midpoint(low, high);
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(all(test, feature = "meaning"))]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_whole() {
        assert_eq!(&TABLE[..4], b"RMV1");
        assert!(count() > 40_000, "{}", count());
        let keys = section(3) + number(HEAD + count() as usize * 4) as usize;
        assert_eq!(keys, TABLE.len(), "the keys end where the table ends");
        assert!((1..count()).all(|at| key(at - 1) < key(at)));
    }

    #[test]
    fn what_means_the_same_is_near() {
        for (one, other, unrelated) in [
            ("delete the directory", "remove a folder", "the colour of the button"),
            ("数据库", "database", "weather"),
            ("部署到生产环境", "deploy to production", "bake a cake"),
            ("テストが失敗する", "the tests fail", "invoice address"),
        ] {
            let (one_meaning, near, far) = (Meaning::of(one), Meaning::of(other), Meaning::of(unrelated));
            let (likely, unlikely) = (one_meaning.dot(&near), one_meaning.dot(&far));
            assert!(likely > unlikely + 0.1, "{one} / {other}: {likely}, {unrelated}: {unlikely}");
        }
        assert_eq!(Meaning::of("?!"), Meaning::default());
    }
}
