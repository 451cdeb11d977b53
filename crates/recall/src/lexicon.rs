//! Terms and their numbers.

use std::collections::HashMap;

use crate::meaning;

/// Gives each term a number, once and for all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lexicon {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    surfaces: Vec<Box<str>>,
    /// The row of the term in the table of word vectors.
    rows: Vec<Option<u32>>,
}

impl Lexicon {
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The number of a term, a new one if need be; `surface` is how it looked in the text.
    pub(crate) fn number(&mut self, text: &str, surface: &str) -> u32 {
        if let Some(number) = self.get(text) {
            return number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        self.surfaces.push(surface.into());
        self.rows.push(meaning::find(text));
        number
    }

    /// Its row in the table of word vectors.
    pub(crate) fn row(&self, number: u32) -> Option<u32> {
        self.rows[number as usize]
    }

    pub(crate) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// How the term looked where it was first seen.
    pub(crate) fn surface(&self, number: u32) -> &str {
        &self.surfaces[number as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(self.texts.iter().map(AsRef::as_ref))
    }
}
