//! Whether a newer memory says that an older one no longer holds.
//!
//! Without a model only clear cases are found: the newer text says so in words, or the same key of
//! the same subject has a new value. Everything else is for a person to judge.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{Token, is_stop_word, tokens};
use crate::document::Document;

/// Below this likeness two memories are not about the same subject.
const SAME_SUBJECT: f32 = 0.2;
/// Words of change weigh only against memories about clearly the same subject.
const SAME_SUBJECT_FOR_WORDS: f32 = 0.3;
/// How far before a value its key may stand, in words.
const KEY_REACH: u32 = 3;

/// Ways of saying that something has changed, lower case.
const WORDS_OF_CHANGE: &[&str] = &[
    "no longer",
    "not any more",
    "not anymore",
    "instead of",
    "replaces",
    "replaced by",
    "replaced with",
    "supersedes",
    "superseded",
    "obsolete",
    "used to be",
    "has moved to",
    "have moved to",
    "moved from",
    "switched from",
    "switched to",
    "migrated from",
    "changed from",
    "changed to",
    "is now",
    "are now",
    "as of now",
    "previously",
    "formerly",
    "不再",
    "改为",
    "改成",
    "改用",
    "换成",
    "取代",
    "代替",
    "已废弃",
    "已弃用",
    "已经不用",
    "原来是",
    "以前是",
    "現在は",
    "に変更",
    "ではなく",
    "に移行",
    "廃止",
    "置き換え",
    "더 이상",
    "대신",
    "변경되",
    "바뀌었",
    "교체",
];

/// Why a newer memory is taken to overturn an older one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cue {
    /// The newer one says that something has changed, and the older one is about the same subject.
    SaysSo {
        /// The words.
        words: String,
    },
    /// The same key has another value.
    NewValue {
        /// The key, as a stem.
        key: String,
        /// What the older says.
        old: String,
        /// What the newer says.
        new: String,
    },
}

/// The cue for `newer` overturning `older`, given their likeness as [`crate::Corpus::nearest`]
/// tells it. `None` means that no clear case was found, not that the two agree.
#[must_use]
pub fn overturned(newer: &Document, older: &Document, similarity: f32) -> Option<Cue> {
    if similarity < SAME_SUBJECT {
        return None;
    }
    new_value(newer, older)
        .or_else(|| (similarity >= SAME_SUBJECT_FOR_WORDS).then(|| words_of_change(newer)).flatten())
}

fn words_of_change(newer: &Document) -> Option<Cue> {
    let text = format!("{}\n{}", newer.description, newer.body).to_lowercase();
    let words = WORDS_OF_CHANGE.iter().find(|words| says(&text, words))?;
    Some(Cue::SaysSo { words: (*words).to_owned() })
}

/// Whether the words stand in the text, whole where they are Latin.
fn says(text: &str, words: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(words).any(|(at, _)| {
        let latin = words.is_ascii();
        !latin || !inside(text[..at].chars().next_back()) && !inside(text[at + words.len()..].chars().next())
    })
}

/// A key that both have, with values of which none is shared.
fn new_value(newer: &Document, older: &Document) -> Option<Cue> {
    if have_other_subjects(newer, older) {
        return None;
    }
    let (new, old) = (values(newer), values(older));
    let mut changed = new.iter().filter_map(|(key, new)| {
        let old = old.get(key)?;
        // A key with many values is a list, not a setting.
        (new.len() <= 2 && old.len() <= 2 && new.is_disjoint(old)).then(|| Cue::NewValue {
            key: key.clone(),
            old: old.iter().next().cloned().unwrap_or_default(),
            new: new.iter().next().cloned().unwrap_or_default(),
        })
    });
    changed.next()
}

/// Whether each begins with a telling word of which the other has nothing: the billing service and the orders service
/// may well listen on ports of their own.
fn have_other_subjects(newer: &Document, older: &Document) -> bool {
    let (newer, older) = (telling_words(newer), telling_words(older));
    let is_missing =
        |first: Option<&String>, in_words: &[String]| first.is_some_and(|word| !in_words.contains(word));
    is_missing(newer.first(), &older) && is_missing(older.first(), &newer)
}

/// The telling words as stems, in their order; none where the text begins in a script without spaces.
fn telling_words(document: &Document) -> Vec<String> {
    let mut words = Vec::new();
    for text in [&document.description, &document.body] {
        for token in tokens(text) {
            match token {
                Token::Cjk { .. } if words.is_empty() => return words,
                Token::Cjk { .. } => {}
                Token::Word { pieces, .. } => {
                    let telling = pieces.into_iter().filter(|piece| {
                        !is_value(&piece.text) && !is_stop_word(&piece.text) && piece.text.len() > 1
                    });
                    words.extend(telling.map(|piece| piece.stem));
                }
            }
        }
    }
    words
}

/// Numbers and versions by the telling words close before them: `Postgres listens on 5433` gives
/// postgr → 5433 and listen → 5433.
fn values(document: &Document) -> BTreeMap<String, BTreeSet<String>> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in [&document.description, &document.body] {
        let mut keys: Vec<(String, u32)> = Vec::new();
        for token in tokens(text) {
            match token {
                Token::Cjk { text, position } => {
                    let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
                    let name = last_characters(text.trim_end_matches(CJK_COPULA));
                    keys.clear();
                    if !name.is_empty() {
                        keys.push((name, position.saturating_add(length)));
                    }
                }
                Token::Word { pieces, .. } => {
                    for piece in pieces {
                        if is_value(&piece.text) {
                            for (key, at) in &keys {
                                if piece.position.saturating_sub(*at) <= KEY_REACH {
                                    values.entry(key.clone()).or_default().insert(piece.text.clone());
                                }
                            }
                        } else if !is_stop_word(&piece.text) && piece.text.len() > 1 {
                            keys.push((piece.stem, piece.position));
                        }
                    }
                }
            }
        }
    }
    values
}

/// Words between a Chinese or Japanese key and its value.
const CJK_COPULA: [char; 7] = ['是', '为', '在', '改', '成', '用', 'は'];

/// The last two characters: mostly the head noun.
fn last_characters(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    characters[characters.len().saturating_sub(2)..].iter().collect()
}

/// A number of some length or a version.
fn is_value(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(description: &str) -> Document {
        Document { description: description.into(), ..Document::default() }
    }

    #[test]
    fn only_clear_cases_overturn() {
        let value = |key: &str, old: &str, new: &str| {
            Some(Cue::NewValue { key: key.into(), old: old.into(), new: new.into() })
        };
        let words = |words: &str| Some(Cue::SaysSo { words: words.into() });
        for (newer, older, similarity, expected) in [
            ("Postgres publishes on 55432", "Postgres is on 5433", 0.5, value("postgr", "5433", "55432")),
            ("Postgres on 55432", "Postgres is on 5433", 0.5, value("postgr", "5433", "55432")),
            ("Postgres on 55432", "Postgres is on 5433", 0.1, None),
            ("We no longer deploy on Fridays", "Deploy on Fridays", 0.6, words("no longer")),
            ("端口改成 5433", "端口是 5432", 0.6, value("端口", "5432", "5433")),
            ("不再用 MyBatis", "查询用 MyBatis", 0.6, words("不再")),
            ("Redis on 6380, Postgres on 5433", "Postgres on 5433", 0.6, None),
            ("Deploy on Mondays", "Deploy on Mondays after ten", 0.6, None),
            (
                "The orders service listens on port 9002",
                "The billing service listens on port 9001",
                0.7,
                None,
            ),
            (
                "The Postgres port is 5433",
                "For tests the Postgres port is 5432",
                0.5,
                value("port", "5432", "5433"),
            ),
            ("The knowledge base is nowhere", "The knowledge base", 0.6, None),
        ] {
            let found = overturned(&memory(newer), &memory(older), similarity);
            assert_eq!(found, expected, "{newer} / {older}");
        }
    }
}
