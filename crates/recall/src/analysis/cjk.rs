//! Chinese, Japanese and Korean text without a dictionary.

use super::{Term, TermKind};

/// Whether a character belongs to a script that does not separate words reliably: Han, kana,
/// Hangul.
#[must_use]
pub fn is_cjk(character: char) -> bool {
    matches!(u32::from(character),
        0x3005..=0x3007          // iteration mark, closing mark, zero
        | 0x3040..=0x30ff        // hiragana, katakana
        | 0x31f0..=0x31ff        // katakana extensions
        | 0x3400..=0x4dbf        // Han extension A
        | 0x4e00..=0x9fff        // Han
        | 0xac00..=0xd7af        // Hangul
        | 0xf900..=0xfaff        // Han compatibility
        | 0x20000..=0x323af      // Han extensions B and later
    )
}

/// Characters and bigrams of one run.
pub(super) fn push_terms(run: &str, position: u32, terms: &mut Vec<Term>) {
    let mut before: Option<char> = None;
    for (character, position) in run.chars().zip(position..) {
        if let Some(before) = before {
            let text: String = [before, character].iter().collect();
            terms.push(Term { surface: text.clone(), text, kind: TermKind::Bigram, position: position - 1 });
        }
        let text = character.to_string();
        terms.push(Term { surface: text.clone(), text, kind: TermKind::Character, position });
        before = Some(character);
    }
}
