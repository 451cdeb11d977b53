//! Credentials of HTTP headers: `Bearer ...`, `Basic ...` and cookies.

use std::ops::Range;

use super::context::{begins_word, is_base64, is_url_base64, run};
use super::span::{Found, Sureness::Placed};
use super::{placeholder, plausible};

/// Looks at what follows `bearer`.
pub(super) fn check_bearer(text: &[u8], at: Range<usize>, found: &mut Found) {
    if let Some(value) = value_after(text, at, |byte| is_url_base64(byte) || b".~+/=:".contains(&byte), found)
        && plausible::is_random(&text[value.clone()])
    {
        found.add(value, "bearer token", Placed);
    }
}

/// Looks at what follows `basic`: base64 of a user, a colon and a password.
pub(super) fn check_basic(text: &[u8], at: Range<usize>, found: &mut Found) {
    if let Some(value) = value_after(text, at, |byte| is_base64(byte) || byte == b'=', found)
        && is_login(&text[value.clone()])
    {
        found.add(value, "basic auth", Placed);
    }
}

/// Looks at `Cookie: name=value; name=value`: the values that look drawn by lot keep a session open.
pub(super) fn check_cookie(text: &[u8], at: Range<usize>, found: &mut Found) {
    let colon = at.end + usize::from(text[at.end..].starts_with(b"\""));
    if !text[colon..].starts_with(b":") {
        return;
    }
    let mut from = colon + 1 + run(&text[colon + 1..], 3, |byte| b" \"'".contains(&byte));
    for _ in 0..MOST_COOKIES {
        let name = run(&text[from..], 64, |byte| is_url_base64(byte) || byte == b'.');
        let start = from + name + 1;
        if name == 0 || text.get(from + name) != Some(&b'=') {
            return;
        }
        let len = run(&text[start..], DECISION, |byte| is_url_base64(byte) || b".~+/=%:".contains(&byte));
        let value = &text[start..start + len];
        if plausible::is_random(value) && !placeholder::is_placeholder(value) {
            found.add(start..start + len, "cookie", Placed);
        }
        let rest = &text[start + len..];
        if !rest.starts_with(b";") {
            return;
        }
        from = start + len + 1 + run(&rest[1..], 2, |byte| byte == b' ');
    }
}

/// Of one header.
const MOST_COOKIES: usize = 40;

fn value_after(
    text: &[u8],
    at: Range<usize>,
    belongs: fn(u8) -> bool,
    found: &Found,
) -> Option<Range<usize>> {
    if found.covers(at.start, Placed) || !begins_word(&text[..at.start]) {
        return None;
    }
    let rest = &text[at.end..];
    let space = if rest.starts_with(b"%20") { 3 } else { run(rest, 4, |byte| byte == b' ') };
    let rest = &rest[space..];
    let mut len = run(rest, DECISION, belongs);
    if space == 0 || len < 8 || placeholder::is_placeholder(&rest[..len]) {
        return None;
    }
    if len == DECISION {
        len = run(rest, usize::MAX, belongs);
    }
    let start = at.end + space;
    Some(start..start + len)
}

/// Longer values are followed to their end, but first looked at as far as this.
const DECISION: usize = 512;

fn is_login(encoded: &[u8]) -> bool {
    let mut decoded = Vec::new();
    for chunk in encoded[..encoded.len().min(DECISION)].chunks(4) {
        let mut bits = 0_u32;
        let mut count = 0;
        for &byte in chunk.iter().take_while(|&&byte| byte != b'=') {
            bits = bits << 6 | sextet(byte);
            count += 1;
        }
        if count >= 2 {
            decoded.extend_from_slice(&(bits << (6 * (4 - count))).to_be_bytes()[1..count]);
        }
    }
    decoded.iter().all(|byte| (0x20..0x7f).contains(byte)) && decoded.contains(&b':')
}

fn sextet(byte: u8) -> u32 {
    u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    })
}
