//! Chinese, Japanese and Korean text without a dictionary.

use super::{TermKind, TermRef};

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

/// Calls back with the characters and bigrams of one run.
pub(super) fn for_each_term<'a>(run: &'a str, position: u32, each: &mut impl FnMut(TermRef<'a>)) {
    let mut before: Option<usize> = None;
    for ((at, character), position) in run.char_indices().zip(position..) {
        let end = at + character.len_utf8();
        if let Some(before) = before {
            let text = &run[before..end];
            each(TermRef { text, surface: text, kind: TermKind::Bigram, position: position - 1 });
        }
        let text = &run[at..end];
        each(TermRef { text, surface: text, kind: TermKind::Character, position });
        before = Some(at);
    }
}
