//! From text to terms: the same analysis for memories, queries and the journal.
//!
//! Text is normalised (NFKC, lower case); words are stemmed; identifiers are split and also kept
//! whole; Chinese, Japanese and Korean text becomes single characters and bigrams, no dictionary.

mod cjk;
mod common;
mod identifier;
mod journal;
mod stop;
mod token;
mod word;

pub use cjk::is_cjk;
pub use journal::{analyse_for_journal, journal_query};
pub use token::{Piece, Token, tokens};
pub use word::stem;

pub(crate) use common::commonness;
pub(crate) use stop::{cut_at_stop_words, is_stop_word, leading_stop_word, prefixes};

/// How a term came out of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermKind {
    /// A word, stemmed if it is English.
    Word,
    /// A number, or a version.
    Number,
    /// An identifier kept whole: a path, a flag, a name in camel or snake case, an error code.
    Whole,
    /// One Chinese, Japanese or Korean character.
    Character,
    /// Two such characters in a row.
    Bigram,
}

/// One term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What is compared.
    pub text: String,
    /// What stood in the text, lower case.
    pub surface: String,
    /// How it came out of the text.
    pub kind: TermKind,
    /// The ordinal of the word (or character) in the text; a whole identifier has the position of
    /// its first part.
    pub position: u32,
}

/// The terms of a text in their order, stop words left out (they still count as positions).
#[must_use]
pub fn analyse(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for_each_term(&tokens(text), &mut |term| {
        terms.push(Term {
            text: term.text.to_owned(),
            surface: term.surface.to_owned(),
            kind: term.kind,
            position: term.position,
        });
    });
    terms
}

/// A [`Term`] that borrows from its token.
#[derive(Clone, Copy)]
pub(crate) struct TermRef<'a> {
    pub(crate) text: &'a str,
    pub(crate) surface: &'a str,
    pub(crate) kind: TermKind,
    pub(crate) position: u32,
}

/// Calls back with the terms of tokens in their order; as [`analyse`], without copies.
pub(crate) fn for_each_term<'a>(tokens: &'a [Token], each: &mut impl FnMut(TermRef<'a>)) {
    for token in tokens {
        match token {
            Token::Cjk { text, position } => cjk::for_each_term(text, *position, each),
            Token::Word { whole, pieces } => {
                if let (Some(whole), Some(first)) = (whole, pieces.first()) {
                    let kind = TermKind::Whole;
                    each(TermRef { text: whole, surface: whole, kind, position: first.position });
                }
                for piece in pieces {
                    if is_stop_word(&piece.text) || (pieces.len() > 1 && piece.text.len() == 1) {
                        continue;
                    }
                    let number = piece.text.starts_with(|c: char| c.is_ascii_digit());
                    each(TermRef {
                        text: &piece.stem,
                        surface: &piece.text,
                        kind: if number { TermKind::Number } else { TermKind::Word },
                        position: piece.position,
                    });
                }
            }
        }
    }
}
