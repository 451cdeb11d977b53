//! Likeness of meaning by a static table of word vectors: look up, weigh by rarity, add up.
//!
//! The table holds stems of English words and Chinese, Japanese and Korean words, each with 64
//! numbers of eight bits that a multilingual sentence model gave the word on its own; nothing is
//! inferred at run time. `data/make-vectors.py` made it and says from what.

use crate::analysis::{Token, is_cjk, is_stop_word, prefixes, tokens};

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
                        self.add_word(&piece.stem);
                    }
                }
                Token::Cjk { text, .. } => self.add_run(text),
            }
        }
    }

    fn add_word(&mut self, key: &str) {
        if let Some(at) = find(key) {
            self.add_row(at);
        }
    }

    /// The likeliest cut of a CJK run into words of the table: the sum of their log frequencies is
    /// greatest.
    fn add_run(&mut self, run: &str) {
        let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        // Best cost up to each character, with the last word's start and row.
        let mut best: Vec<(f32, usize, Option<usize>)> = vec![(f32::NEG_INFINITY, 0, None); ends.len()];
        best[0].0 = 0.0;
        for start in 0..ends.len() - 1 {
            let before = best[start].0;
            for (length, word) in prefixes(&run[ends[start]..], LONGEST_CJK).into_iter().enumerate() {
                let row = find(word);
                if row.is_none() && length > 0 {
                    continue;
                }
                let cost = before + row.map_or(UNKNOWN, frequency);
                let end = start + length + 1;
                if cost > best[end].0 {
                    best[end] = (cost, start, row);
                }
            }
        }
        let mut end = ends.len() - 1;
        while end > 0 {
            let (_, start, row) = best[end];
            let word = &run[ends[start]..ends[end]];
            if let Some(row) = row
                && crate::analysis::leading_stop_word(word) != word.len()
            {
                self.add_row(row);
            }
            end = start;
        }
        debug_assert!(run.chars().all(is_cjk));
    }

    fn add_row(&mut self, at: usize) {
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

fn count() -> usize {
    TABLE.get(4..8).map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
}

/// Sections in order: offsets of keys (count + 1, four bytes each), log frequencies (one byte each),
/// rows, keys.
fn key(at: usize) -> &'static [u8] {
    let offset = |at: usize| {
        let start = HEAD + at * 4;
        let bytes = &TABLE[start..start + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
    };
    let keys = HEAD + (count() + 1) * 4 + count() + count() * DIMENSIONS;
    &TABLE[keys + offset(at)..keys + offset(at + 1)]
}

fn frequency_byte(at: usize) -> u8 {
    TABLE[HEAD + (count() + 1) * 4 + at]
}

/// Natural logarithm of the word's share of text.
fn frequency(at: usize) -> f32 {
    -f32::from(frequency_byte(at)) / 10.0
}

/// The share of text below which a word says all it can.
const RARE: f32 = 1e-4;

/// Rare words say more: a / (a + frequency).
fn weight(at: usize) -> f32 {
    let a = RARE;
    a / (a + frequency(at).exp())
}

fn row(at: usize) -> &'static [u8] {
    let start = HEAD + (count() + 1) * 4 + count() + at * DIMENSIONS;
    &TABLE[start..start + DIMENSIONS]
}

fn find(word: &str) -> Option<usize> {
    let (mut low, mut high) = (0, count());
    while low < high {
        let middle = usize::midpoint(low, high);
        match key(middle).cmp(word.as_bytes()) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}
