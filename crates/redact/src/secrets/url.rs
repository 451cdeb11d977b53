//! Passwords in URLs and connection strings: `scheme://user:password@host`.

use std::ops::Range;

use super::context::{is_url_base64, run, run_back};
use super::span::{Found, Sureness::Placed};
use super::{placeholder, plausible};

/// User and password together are not longer.
const LONGEST: usize = 512;

/// Looks at what follows `://`.
pub(super) fn check(text: &[u8], at: Range<usize>, found: &mut Found) {
    let scheme =
        run_back(&text[..at.start], 24, |byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if scheme < 2 {
        return;
    }
    let rest = &text[at.end..];
    // Most addresses have no user.
    if memchr::memchr(b'@', &rest[..rest.len().min(LONGEST)]).is_none() {
        return;
    }
    let Some(user_end) = userinfo(rest) else { return };
    let scheme =
        run_back(&text[..at.start], 24, |byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if scheme < 2 {
        return;
    }
    let userinfo = &rest[..user_end];
    if rest[user_end + 1..].starts_with(b"sha256:") {
        // An image with its digest.
        return;
    }
    let Some(colon) = memchr::memchr(b':', userinfo) else {
        if plausible::is_random(userinfo) && userinfo.iter().all(|&byte| is_url_base64(byte)) {
            found.add(at.end..at.end + user_end, "token", Placed);
        }
        return;
    };
    let password = &userinfo[colon + 1..];
    let masked = placeholder::is_placeholder(password) || password.iter().any(|byte| b"{}\\".contains(byte));
    if password.len() >= 3 && !masked {
        found.add(at.end + colon + 1..at.end + user_end, "password", Placed);
    }
}

/// Where the `@` after user and password is.
fn userinfo(rest: &[u8]) -> Option<usize> {
    let path = run(rest, LONGEST, |byte| !ends_address(byte) && !b"/?#".contains(&byte));
    if let Some(at) = memchr::memrchr(b'@', &rest[..path]) {
        return Some(at);
    }
    // A password may hold a slash that nobody escaped; a port is a number, a host has a dot.
    let colon = memchr::memchr(b':', &rest[..path])?;
    let number = rest[colon + 1..path].iter().all(u8::is_ascii_digit);
    if number || rest[..colon].contains(&b'.') || rest[..colon].contains(&b'[') {
        return None;
    }
    let span = &rest[path..];
    let at = path + memchr::memchr(b'@', &span[..run(span, LONGEST_TAIL, |byte| !ends_address(byte))])?;
    rest.get(at + 1).is_some_and(u8::is_ascii_alphanumeric).then_some(at)
}

fn ends_address(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|')
}

/// What may follow a slash in a password.
const LONGEST_TAIL: usize = 64;
