//! Terminal escape sequences.

/// What follows the control character `control` and the escape sequence that it begins, if it begins one.
pub(super) fn after_sequence(control: char, after: &str) -> &str {
    match control {
        '\u{1b}' => after_escape(after),
        '\u{9b}' => after_csi(after),
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => after_string(after),
        _ => after,
    }
}

fn after_escape(after: &str) -> &str {
    match after.as_bytes().first() {
        Some(b'[') => after_csi(&after[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => after_string(&after[1..]),
        _ => {
            let rest = skip(after, 0x20..=0x2f);
            skip_one(rest, 0x30..=0x7e)
        }
    }
}

/// Parameters, intermediates and one final byte.
fn after_csi(after: &str) -> &str {
    let rest = skip(skip(after, 0x30..=0x3f), 0x20..=0x2f);
    skip_one(rest, 0x40..=0x7e)
}

/// A string up to its terminator. One that is not ended on its line was cut or is a trap that would swallow
/// the rest of the text: then only its introducer goes, and what it holds becomes visible.
fn after_string(after: &str) -> &str {
    let Some((at, char)) = after.char_indices().find(|&(_, char)| char.is_control() && char != '\t') else {
        return after;
    };
    let rest = &after[at + char.len_utf8()..];
    match char {
        '\u{7}' | '\u{9c}' => rest,
        '\u{1b}' => rest.strip_prefix('\\').unwrap_or(after),
        _ => after,
    }
}

fn skip(text: &str, range: std::ops::RangeInclusive<u8>) -> &str {
    let end = text.bytes().position(|byte| !range.contains(&byte)).unwrap_or(text.len());
    &text[end..]
}

fn skip_one(text: &str, range: std::ops::RangeInclusive<u8>) -> &str {
    match text.bytes().next() {
        Some(byte) if range.contains(&byte) => &text[1..],
        _ => text,
    }
}
