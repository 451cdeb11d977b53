//! Cutting normalised text into words, identifiers and runs of CJK characters.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::cjk::is_cjk;
use super::identifier;
use super::word::stem;

/// A part of a word token: for a plain word the word itself, for an identifier one of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Lower case.
    pub text: String,
    /// Its stem, see [`super::stem`].
    pub stem: String,
    /// Ordinal in the text.
    pub position: u32,
}

/// What the text is cut into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A word or an identifier.
    Word {
        /// The identifier whole, if it has more than one part.
        whole: Option<String>,
        /// Its parts.
        pieces: Vec<Piece>,
    },
    /// A run of Chinese, Japanese or Korean characters.
    Cjk {
        /// The run.
        text: String,
        /// Ordinal of its first character; each character counts.
        position: u32,
    },
}

/// Cuts text into tokens.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let normal: Cow<'_, str> = match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfkc().collect(),
    };
    let mut found = Vec::new();
    let mut position = 0;
    let mut rest = normal.as_ref();
    while let Some(first) = rest.chars().next() {
        let length = if is_cjk(first) {
            let length = rest.find(|c: char| !is_cjk(c)).unwrap_or(rest.len());
            let run = &rest[..length];
            found.push(Token::Cjk { text: run.to_owned(), position });
            position += u32::try_from(run.chars().count()).unwrap_or(u32::MAX);
            length
        } else if first.is_alphanumeric() {
            let length = chunk_length(rest);
            push_word(&rest[..length], &mut position, &mut found);
            length
        } else {
            // Anything else separates: a gap of one, so that no phrase reaches across a full stop.
            if matches!(first, '.' | '!' | '?' | ',' | ';' | '\n' | '。' | '、') {
                position += 1;
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// The length in bytes of the word or identifier at the start of `text`.
fn chunk_length(text: &str) -> usize {
    let belongs = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let inside = belongs(character)
            || (identifier::joins(character) && next.is_some_and(belongs))
            // `std::io`, `C:\\x`: two joiners in a row.
            || (matches!(character, ':' | '/' | '\\') && next == Some(character)
                && text[at + 2..].starts_with(belongs))
            // A possessive or contracted word is one word.
            || (matches!(character, '\'' | '\u{2019}') && next.is_some_and(char::is_alphabetic));
        // `C++`, `C#`, `F#`: a sign that belongs to a one-letter name.
        let sign = end == 1 && matches!(character, '+' | '#');
        if !inside && !sign {
            break;
        }
        end = at + character.len_utf8();
    }
    if end == 2 && text.as_bytes().get(1) == Some(&b'+') && text[2..].starts_with('+') { 3 } else { end }
}

fn push_word(chunk: &str, position: &mut u32, found: &mut Vec<Token>) {
    let chunk = without_apostrophe(chunk);
    let name_with_sign = chunk.len() <= 3 && chunk.ends_with(['+', '#']);
    let parts = if name_with_sign { vec![chunk.as_ref()] } else { identifier::parts(&chunk) };
    let whole = (parts.len() > 1).then(|| identifier::whole(&chunk));
    let pieces: Vec<Piece> = parts
        .into_iter()
        .zip(*position..)
        .map(|(part, position)| {
            let text = part.to_lowercase();
            Piece { stem: stem(&text), text, position }
        })
        .collect();
    *position += u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    if !pieces.is_empty() {
        found.push(Token::Word { whole, pieces });
    }
}

/// `don't` → `dont`, `user's` → `user`.
fn without_apostrophe(chunk: &str) -> Cow<'_, str> {
    let Some(at) = chunk.find(['\'', '\u{2019}']) else { return chunk.into() };
    let (before, after) = chunk.split_at(at);
    let after = &after[after.chars().next().map_or(0, char::len_utf8)..];
    match after {
        "s" | "S" => before.into(),
        _ => format!("{before}{after}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        tokens(text)
            .iter()
            .map(|token| match token {
                Token::Cjk { text, .. } => format!("[{text}]"),
                Token::Word { whole, pieces } => {
                    let parts: Vec<&str> = pieces.iter().map(|p| p.text.as_str()).collect();
                    match whole {
                        Some(whole) => format!("{whole}({})", parts.join(" ")),
                        None => parts.join(" "),
                    }
                }
            })
            .collect::<Vec<_>>()
            .join(" | ")
    }

    #[test]
    fn text_is_cut_into_words_identifiers_and_runs() {
        for (text, expected) in [
            ("Never mock the database.", "never | mock | the | database"),
            ("use docker-compose up", "use | dockercompose(docker compose) | up"),
            ("把端口改成8080", "[把端口改成] | 8080"),
            (
                "std::io::Error at src/main.rs:10",
                "std::io::error(std io error) | at | src/main.rs:10(src main rs 10)",
            ),
            ("git commit --no-verify", "git | commit | noverify(no verify)"),
            ("don't; user's", "dont | user"),
            ("C++ and C# code", "c++ | and | c# | code"),
            ("ABC full width", "abc | full | width"),
            ("wait... what?", "wait | what"),
            ("v1.2.3 of x", "v1.2.3 | of | x"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
