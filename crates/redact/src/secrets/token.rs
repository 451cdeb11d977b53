//! Checking a token at its beginning.

use std::ops::Range;

use super::context::{begins_word, is_base64, is_url_base64, is_word, run, run_back};
use super::placeholder;
use super::shapes::{self, Body, Check, Sign};
use super::span::{Found, Sureness::Shaped};
use crate::words::words;

/// What is looked at before deciding. A longer token is followed to its end after that.
const DECISION: usize = 128;

/// Checks what follows the beginning `prefix` of the shape `number` at `at`.
pub(super) fn check(text: &[u8], at: Range<usize>, number: usize, prefix: &[u8], found: &mut Found) {
    // The search for beginnings knows no case.
    if &text[at.clone()] != prefix || found.covers(at.start, Shaped) {
        return;
    }
    let Check { body, least, sign, keeps_prefix } = shapes::CHECKS[number];
    let starts_in_word = is_word(prefix[0]) && !begins_word(&text[..at.start]);
    if starts_in_word && !keeps_prefix {
        return;
    }
    let rest = &text[at.end..];
    let seen = &rest[..body_len(rest, body, DECISION)];
    let least = usize::from(least);
    let fits = match sign {
        Sign::Length => seen.len() >= least,
        Sign::Exact => {
            seen.len() == least
                && !rest.get(seen.len()).is_some_and(|&next| is_word(next))
                && (body == Body::Upper || is_mixed(seen))
        }
        Sign::Digit => seen.len() >= least && seen.iter().any(u8::is_ascii_digit),
        Sign::Mixed => seen.len() >= least && is_mixed(seen),
    };
    if !fits || placeholder::is_filler(seen) {
        return;
    }
    let end = at.end + if seen.len() < DECISION { seen.len() } else { body_len(rest, body, usize::MAX) };
    let start = if keeps_prefix { at.end } else { at.start };
    found.add(start..end, shapes::kind(number), Shaped);
    if prefix == b"AKIA" || prefix == b"ASIA" {
        aws_secret_nearby(text, end, found);
    }
}

/// The length of the body, without the dots and signs that end a sentence or a query.
fn body_len(rest: &[u8], body: Body, most: usize) -> usize {
    let len = run(rest, most, |byte| match body {
        Body::Alnum => byte.is_ascii_alphanumeric(),
        Body::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Body::Hex => byte.is_ascii_hexdigit(),
        Body::Word => is_word(byte),
        Body::Url => is_url_base64(byte),
        Body::Dotted => is_url_base64(byte) || byte == b'.',
        Body::Base64 => is_url_base64(byte) || b"+/=%".contains(&byte),
        Body::Path => is_url_base64(byte) || b"/.@%~+=".contains(&byte),
    });
    if len == most {
        return len;
    }
    len - run_back(&rest[..len], len, |byte| b"./@-".contains(&byte))
}

/// A capital and a small letter, or a digit among letters: no single word.
fn is_mixed(body: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| body.iter().any(is);
    let (upper, lower) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
    let digit = has(u8::is_ascii_digit);
    (upper && lower) || (digit && (upper || lower))
}

/// The secret half of an AWS key pair has no beginning of its own, but stands beside the other half in
/// tables and files.
fn aws_secret_nearby(text: &[u8], from: usize, found: &mut Found) {
    let window = &text[from..text.len().min(from + NEARBY)];
    let mut at = 0;
    while at < window.len() {
        let len = run(&window[at..], usize::MAX, is_base64);
        let run = &window[at..at + len];
        if len == AWS_SECRET && is_mixed(run) && super::plausible::is_random(run) {
            found.add(from + at..from + at + len, "aws secret key", Shaped);
            return;
        }
        at += len + 1;
    }
}

const NEARBY: usize = 120;
const AWS_SECRET: usize = 40;

/// `sk-`, the beginning that several model providers share, with a part that says whose it is.
pub(super) fn check_sk(text: &[u8], at: Range<usize>, found: &mut Found) {
    if &text[at.clone()] != b"sk-" || found.covers(at.start, Shaped) || !begins_word(&text[..at.start]) {
        return;
    }
    // `task-`, `disk-` and the like are words; so is `--sk-`.
    if text[..at.start].ends_with(b"-") {
        return;
    }
    let rest = &text[at.end..];
    let seen = &rest[..run(rest, DECISION, is_url_base64)];
    let kind = if seen.starts_with(b"ant-") {
        "anthropic key"
    } else if seen.starts_with(b"or-") {
        "openrouter key"
    } else {
        "openai key"
    };
    let owners = words!["ant-", "or-", "proj-", "svcacct-", "admin-", "lf-"];
    let owned = owners.find(|owner| seen.starts_with(owner)).is_some();
    let longest = seen.split(|&byte| byte == b'-' || byte == b'_').map(<[u8]>::len).max().unwrap_or(0);
    let digits = seen.iter().filter(|byte| byte.is_ascii_digit()).count();
    let fits = seen.len() >= 20 && digits > 0 && (owned || (longest >= 18 && is_mixed(seen)));
    if !fits || placeholder::is_filler(seen) {
        return;
    }
    let len = run(rest, usize::MAX, is_url_base64);
    found.add(at.start..at.end + len, kind, Shaped);
}

/// A Telegram bot token: the bot's number, a colon, then `AA` and 33 more.
pub(super) fn check_telegram(text: &[u8], at: Range<usize>, found: &mut Found) {
    if &text[at.clone()] != b":AA" {
        return;
    }
    let number = run_back(&text[..at.start], 13, |byte| byte.is_ascii_digit());
    let body = run(&text[at.end..], 64, is_url_base64);
    let start = at.start - number;
    let fresh = begins_word(&text[..start]) || text[..start].ends_with(b"bot");
    if (8..=12).contains(&number) && (32..=36).contains(&body) && fresh {
        found.add(start..at.end + body, "telegram token", Shaped);
    }
}

/// An Azure client secret: three characters, a digit and `Q~`, and 31 to 34 more.
pub(super) fn check_azure(text: &[u8], at: Range<usize>, found: &mut Found) {
    let belongs = |byte: u8| is_url_base64(byte) || byte == b'~' || byte == b'.';
    let before = run_back(&text[..at.start], 4, belongs);
    let after = run(&text[at.end..], 40, belongs);
    if text[at.start + 1] == b'Q' && before == 3 && (31..=34).contains(&after) {
        found.add(at.start - 3..at.end + after, "azure client secret", Shaped);
    }
}

/// A Twilio key: `SK` and 32 hexadecimal digits.
pub(super) fn check_twilio(text: &[u8], at: Range<usize>, found: &mut Found) {
    let rest = &text[at.start..];
    if !rest.starts_with(b"SK") || !begins_word(&text[..at.start]) {
        return;
    }
    let body = &rest[2..2 + run(&rest[2..], 33, |byte| byte.is_ascii_hexdigit())];
    if body.len() == 32 && !rest.get(34).is_some_and(|&next| is_word(next)) && is_mixed(body) {
        found.add(at.start..at.start + 34, "twilio key", Shaped);
    }
}
