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
    terms_of(&tokens(text))
}

pub(crate) fn terms_of(tokens: &[Token]) -> Vec<Term> {
    let mut terms = Vec::new();
    for token in tokens {
        push_terms(token, &mut terms);
    }
    terms
}

fn push_terms(token: &Token, terms: &mut Vec<Term>) {
    match token {
        Token::Cjk { text, position } => cjk::push_terms(text, *position, terms),
        Token::Word { whole, pieces } => {
            let single = pieces.len() == 1;
            if let (Some(whole), Some(first)) = (whole, pieces.first()) {
                terms.push(Term {
                    text: whole.clone(),
                    surface: whole.clone(),
                    kind: TermKind::Whole,
                    position: first.position,
                });
            }
            for piece in pieces {
                if is_stop_word(&piece.text) || (!single && piece.text.len() == 1) {
                    continue;
                }
                terms.push(Term {
                    text: piece.stem.clone(),
                    surface: piece.text.clone(),
                    kind: if piece.text.starts_with(|c: char| c.is_ascii_digit()) {
                        TermKind::Number
                    } else {
                        TermKind::Word
                    },
                    position: piece.position,
                });
            }
        }
    }
}
