//! What stands around a place in a text.

/// Part of a word: letters, digits, underscore.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Characters of base64 in its URL form.
pub(super) fn is_url_base64(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

/// Characters of base64 in its usual form.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/'
}

/// The number of leading bytes that `belongs` accepts, at most `most`.
pub(super) fn run(bytes: &[u8], most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let bytes = &bytes[..bytes.len().min(most)];
    bytes.iter().position(|&byte| !belongs(byte)).unwrap_or(bytes.len())
}

/// The number of trailing bytes that `belongs` accepts, at most `most`.
pub(super) fn run_back(bytes: &[u8], most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let bytes = &bytes[bytes.len().saturating_sub(most)..];
    bytes.iter().rev().position(|&byte| !belongs(byte)).unwrap_or(bytes.len())
}

/// Whether a word can begin after `before`: at the start, after what is no word, and after what an escape
/// (`\n`, `%3D`, a colour) made look like one.
pub(super) fn begins_word(before: &[u8]) -> bool {
    let Some((&last, rest)) = before.split_last() else { return true };
    if !is_word(last) {
        return true;
    }
    match rest {
        [.., b'\\'] => b"nrtbf".contains(&last),
        [.., b'%', high] => high.is_ascii_hexdigit() && last.is_ascii_hexdigit(),
        _ if last == b'm' => {
            let parameters = run_back(rest, 16, |byte| byte.is_ascii_digit() || byte == b';');
            rest[..rest.len() - parameters].ends_with(b"\x1b[")
        }
        _ => false,
    }
}

/// The part of the line before the end of `before`, as far back as `most` bytes; nothing if the line began
/// earlier.
pub(super) fn line_before(before: &[u8], most: usize) -> Option<&[u8]> {
    let len = run_back(before, most, |byte| byte != b'\n');
    let line = &before[before.len() - len..];
    (len < most || len == before.len()).then_some(line)
}
