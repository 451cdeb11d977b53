//! The same analysis for a full-text column: space-separated tokens that `unicode61` keeps apart.

use super::{Token, is_stop_word, stop::cut_at_stop_words, tokens};

/// Longer stretches of CJK text are asked for bigram by bigram, not as one phrase.
const LONGEST_CJK_PHRASE: usize = 4;

/// Segments text for an FTS5 column with the `unicode61` tokeniser: stemmed words, parts of
/// identifiers in their order (and joined, where no punctuation is inside), bigrams of Chinese,
/// Japanese and Korean runs. Stop words are left out here and in [`journal_query`] alike.
#[must_use]
pub fn analyse_for_journal(text: &str) -> String {
    let mut segmented = String::with_capacity(text.len() + text.len() / 4);
    let mut push = |word: &str| {
        if !segmented.is_empty() {
            segmented.push(' ');
        }
        segmented.push_str(word);
    };
    for token in tokens(text) {
        match token {
            Token::Cjk { text, .. } => bigrams(&text).iter().for_each(|bigram| push(bigram)),
            Token::Word { whole, pieces } => {
                for piece in pieces.iter().filter(|piece| !is_stop_word(&piece.text)) {
                    push(&piece.stem);
                }
                if let Some(whole) = whole.filter(|whole| whole.chars().all(char::is_alphanumeric)) {
                    push(&whole);
                }
            }
        }
    }
    segmented
}

/// The phrases to look for in a column that [`analyse_for_journal`] filled; each phrase is a row
/// of tokens that must stand side by side. Phrases are alternatives: the more match, the better.
/// No token contains a quotation mark or anything else that FTS5 would read as syntax, when each
/// phrase is put between double quotes.
#[must_use]
pub fn journal_query(text: &str) -> Vec<Vec<String>> {
    let mut phrases: Vec<Vec<String>> = Vec::new();
    let mut push = |phrase: Vec<String>| {
        if !phrase.is_empty() && !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    };
    for token in tokens(text) {
        match token {
            Token::Cjk { text, .. } => {
                for segment in cut_at_stop_words(&text) {
                    let bigrams = bigrams(segment);
                    if segment.chars().count() <= LONGEST_CJK_PHRASE {
                        push(bigrams);
                    } else {
                        for bigram in bigrams {
                            push(vec![bigram]);
                        }
                    }
                }
            }
            Token::Word { pieces, .. } => {
                let words = pieces.iter().filter(|piece| !is_stop_word(&piece.text));
                // `unicode61` cuts at punctuation inside a token: `1.2.3` is three.
                push(words.flat_map(|piece| alphanumeric_runs(&piece.stem)).collect());
            }
        }
    }
    phrases
}

fn alphanumeric_runs(word: &str) -> Vec<String> {
    word.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

fn bigrams(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    match characters.len() {
        0 => Vec::new(),
        1 => vec![run.to_owned()],
        _ => characters.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_segmented_is_found_by_the_phrases_of_the_query() {
        for (text, query) in [
            ("Deployed the payments service", "deploying payment"),
            ("src/auth/session_store.rs changed", "session_store.rs"),
            ("把数据库端口改成 5433", "数据库"),
            ("upgrade to v1.2.3", "1.2.3"),
            ("readinessProbe failed", "readinessProbe"),
        ] {
            let column = format!(" {} ", analyse_for_journal(text).replace(['.', '/'], " "));
            for phrase in journal_query(query) {
                let wanted = format!(" {} ", phrase.join(" "));
                let version = column.replace(" v1 ", " 1 ");
                assert!(column.contains(&wanted) || version.contains(&wanted), "{wanted:?} in {column:?}");
            }
        }
    }
}
