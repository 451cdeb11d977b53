//! Secrets of three parts with dots between: JSON Web Tokens and Discord tokens.

use std::ops::Range;

use super::context::{begins_word, is_url_base64, run, run_back};
use super::span::{Found, Sureness::Shaped};

/// A JSON Web Token begins with the encoding of `{"`, twice.
pub(super) fn check_jwt(text: &[u8], at: Range<usize>, found: &mut Found) {
    if &text[at.clone()] != b"eyJ" || found.covers(at.start, Shaped) {
        return;
    }
    if !begins_word(&text[..at.start]) || text[..at.start].ends_with(b"-") {
        return;
    }
    let head_end = at.start + run(&text[at.start..], usize::MAX, is_url_base64);
    if head_end - at.start < 16 || !text[head_end..].starts_with(b".eyJ") {
        return;
    }
    let claims = head_end + 1;
    let claims_end = claims + run(&text[claims..], usize::MAX, is_url_base64);
    if claims_end - claims < 12 {
        return;
    }
    let mut end = claims_end;
    if text[end..].starts_with(b".") {
        // Without a signature it is still what it claims to be.
        end += 1 + run(&text[end + 1..], usize::MAX, is_url_base64);
        found.add(at.start..end, "jwt", Shaped);
    } else if text[end..].starts_with(b"%2E") || claims_end - claims >= 40 {
        // Cut off before its signature.
        found.add(at.start..end, "jwt", Shaped);
    }
}

/// Discord tokens: the account's number in base64, six characters of a time, 27 or more of a signature.
///
/// They have no beginning to search for, so that every dot is looked at which has another one after six
/// characters.
pub(super) fn scan_discord(text: &[u8], found: &mut Found) {
    for dot in memchr::memchr_iter(b'.', text) {
        if text.get(dot + 7) == Some(&b'.') {
            check_discord(text, dot, found);
        }
    }
}

fn check_discord(text: &[u8], dot: usize, found: &mut Found) {
    let before = run_back(&text[..dot], 32, is_url_base64);
    // The letter of an escape is none of it.
    let escape = usize::from(before > 0 && text[..dot - before].ends_with(b"\\"));
    let before = before - escape;
    let start = dot - before;
    let time = run(&text[dot + 1..], 6, is_url_base64);
    let signature = run(&text[dot + 8..], 64, is_url_base64);
    let number = &text[start..dot];
    if (23..=28).contains(&before)
        && time == 6
        && (27..=45).contains(&signature)
        && matches!(number[0], b'M' | b'N' | b'O')
        && encodes_digits(number)
    {
        found.add(start..dot + 8 + signature, "discord token", Shaped);
    }
}

/// Whether base64 encodes nothing but digits: of each four characters the first two then are of few kinds.
fn encodes_digits(encoded: &[u8]) -> bool {
    encoded
        .chunks(4)
        .filter(|chunk| chunk.len() == 4)
        .all(|chunk| matches!(chunk[0], b'M' | b'N' | b'O') && b"DTjzCSiyBRhx".contains(&chunk[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_of_digits_is_known() {
        assert!(encodes_digits(b"MTk4NjIyNDgzNDcxOTI1MjQ4"));
        assert!(encodes_digits(b"OTAxMjM0NTY3ODkwMTIzNDU2"));
        assert!(!encodes_digits(b"MyServiceClassNameIsLong"));
    }
}
