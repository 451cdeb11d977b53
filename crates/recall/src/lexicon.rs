//! Terms and their numbers.

use std::collections::HashMap;

use crate::meaning;

/// Gives each text a number, once and for all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interned {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Interned {
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The number of a text, and whether it is new.
    fn number_or_new(&mut self, text: &str) -> (u32, bool) {
        if let Some(number) = self.get(text) {
            return (number, false);
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        (number, true)
    }

    pub(crate) fn number(&mut self, text: &str) -> u32 {
        self.number_or_new(text).0
    }

    pub(crate) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }
}

/// Terms, with how they looked and where their vectors are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lexicon {
    terms: Interned,
    /// How a term looked where it was first seen, if not like its text.
    surfaces: Vec<Option<Box<str>>>,
    /// The row of the term in the table of word vectors.
    rows: Vec<Option<u32>>,
}

impl Lexicon {
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        self.terms.get(text)
    }

    /// How many numbers were given.
    pub(crate) fn len(&self) -> usize {
        self.terms.texts.len()
    }

    /// The number of a term, a new one if need be; `surface` is how it looked in the text.
    pub(crate) fn number(&mut self, text: &str, surface: &str) -> u32 {
        let (number, new) = self.terms.number_or_new(text);
        if new {
            self.surfaces.push((surface != text).then(|| surface.into()));
            self.rows.push(meaning::find(text));
        }
        number
    }

    /// Its row in the table of word vectors.
    pub(crate) fn row(&self, number: u32) -> Option<u32> {
        self.rows[number as usize]
    }

    pub(crate) fn text(&self, number: u32) -> &str {
        self.terms.text(number)
    }

    /// How the term looked where it was first seen.
    pub(crate) fn surface(&self, number: u32) -> &str {
        self.surfaces[number as usize].as_deref().unwrap_or_else(|| self.text(number))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(self.terms.texts.iter().map(AsRef::as_ref))
    }
}
