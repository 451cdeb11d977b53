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
    let span = &rest[..run(rest, LONGEST, |byte| !byte.is_ascii_whitespace() && !b"\"'`<>|".contains(&byte))];
    let Some(user_end) = userinfo(span) else { return };
    let userinfo = &span[..user_end];
    if span[user_end + 1..].starts_with(b"sha256:") {
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
fn userinfo(span: &[u8]) -> Option<usize> {
    let path = span.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(span.len());
    if let Some(at) = memchr::memrchr(b'@', &span[..path]) {
        return Some(at);
    }
    // A password may hold a slash that nobody escaped; a port is a number, a host has a dot.
    let colon = memchr::memchr(b':', &span[..path])?;
    let number = span[colon + 1..path].iter().all(u8::is_ascii_digit);
    if number || span[..colon].contains(&b'.') || span[..colon].contains(&b'[') {
        return None;
    }
    let at = path + memchr::memchr(b'@', &span[path..])?;
    span.get(at + 1).is_some_and(u8::is_ascii_alphanumeric).then_some(at)
}
