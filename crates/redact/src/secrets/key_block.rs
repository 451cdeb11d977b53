//! Private keys in their armour: PEM, OpenSSH, PGP, `PuTTY`.

use std::ops::Range;

use super::context::{is_base64, run, run_back};
use super::span::{Found, Sureness::Block};

const KIND: &str = "private key";

/// A stretch of key material is at least this long; no word is.
const KEY_RUN: usize = 24;

/// More tokens than this before the first line of the key are no headers of it.
const MOST_HEADERS: usize = 24;

/// The private keys of a text, put together from their beginnings and ends as these come by.
#[derive(Debug, Default)]
pub(super) struct KeyBlocks {
    /// A beginning that waits for its end: where the line of dashes starts and where it ends.
    open: Option<Range<usize>>,
    /// Everything before is settled.
    settled: usize,
}

impl KeyBlocks {
    /// Looks at the words `PRIVATE KEY`.
    pub(super) fn check(&mut self, text: &[u8], at: Range<usize>, found: &mut Found) {
        let Some(line) = dashed_line(text, at) else { return };
        match line {
            Line::Begin(line) => {
                self.close_open(text, line.start, found);
                self.open = Some(line);
            }
            Line::End(line) => {
                if let Some(begin) = self.open.take() {
                    if is_mostly_key(&text[begin.end..line.start]) {
                        found.add(begin.start..line.end, KIND, Block);
                        self.settled = line.end;
                        return;
                    }
                    self.unclosed(text, begin, line.start, found);
                }
                self.only_end(text, line, found);
            }
        }
    }

    /// Settles what is open at the end of the text.
    pub(super) fn finish(&mut self, text: &[u8], found: &mut Found) {
        self.close_open(text, text.len(), found);
    }

    fn close_open(&mut self, text: &[u8], until: usize, found: &mut Found) {
        if let Some(begin) = self.open.take() {
            self.unclosed(text, begin, until, found);
        }
    }

    /// A beginning without an end: the key goes on as long as the text looks like one.
    fn unclosed(&mut self, text: &[u8], begin: Range<usize>, until: usize, found: &mut Found) {
        let body = &text[begin.end..until];
        let mut end = 0;
        let mut headers = 0;
        for token in tokens(body) {
            let is_key = is_key(&body[token.clone()]);
            if is_key || (end > 0 && is_rest_of_key(&body[token.clone()])) {
                end = token.end;
            } else if end > 0 || headers == MOST_HEADERS {
                break;
            } else {
                headers += 1;
            }
        }
        if end > 0 {
            self.settled = begin.end + end;
            found.add(begin.start..self.settled, KIND, Block);
        }
    }

    /// An end without a beginning: the text was cut inside the key.
    fn only_end(&mut self, text: &[u8], line: Range<usize>, found: &mut Found) {
        let body = &text[self.settled..line.start];
        let mut start = body.len();
        let mut seen = false;
        for token in tokens_back(body) {
            let is_key = is_key(&body[token.clone()]);
            if !is_key && (seen || !is_rest_of_key(&body[token.clone()])) {
                break;
            }
            seen |= is_key;
            start = token.start;
        }
        if seen {
            found.add(self.settled + start..line.end, KIND, Block);
        }
        self.settled = line.end;
    }
}

enum Line {
    Begin(Range<usize>),
    End(Range<usize>),
}

/// The line of dashes around the words at `at`, with its dashes.
fn dashed_line(text: &[u8], at: Range<usize>) -> Option<Line> {
    if &text[at.clone()] != b"PRIVATE KEY" {
        return None;
    }
    let kind = run_back(&text[..at.start], 40, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    let words = &text[at.start - kind..at.start];
    let before = &text[..at.start - kind];
    let dashes = run_back(before, 5, |byte| byte == b'-');
    if dashes < 4 {
        return None;
    }
    let start = before.len() - dashes;
    let after = &text[at.end..];
    let block = if after.starts_with(b" BLOCK") { 6 } else { 0 };
    let end = at.end + block + run(&after[block..], 5, |byte| byte == b'-');
    let words = words.trim_ascii_start();
    if words.starts_with(b"BEGIN") {
        Some(Line::Begin(start..end))
    } else if words.starts_with(b"END") {
        Some(Line::End(start..end))
    } else {
        None
    }
}

/// The `Private-Lines: N` of `PuTTY`, followed by the key.
pub(super) fn check_putty(text: &[u8], at: Range<usize>, found: &mut Found) {
    let rest = &text[at.end..];
    let count = run(rest, 8, |byte| byte == b' ' || byte.is_ascii_digit());
    let body = &rest[count..];
    let mut end = 0;
    for token in tokens(body) {
        if !(is_key(&body[token.clone()]) || (end > 0 && is_rest_of_key(&body[token.clone()]))) {
            break;
        }
        end = token.end;
    }
    if end > 0 {
        found.add(at.end + count..at.end + count + end, KIND, Block);
    }
}

/// Whether the text between two lines of dashes is key material, and not code that mentions both.
fn is_mostly_key(body: &[u8]) -> bool {
    let (mut key, mut other) = (0, 0);
    for token in tokens(body) {
        let len = token.len();
        if is_key(&body[token]) { key += len } else { other += len }
    }
    // Headers and comments of a short key may be as long as the key.
    key >= KEY_RUN && 2 * key >= other
}

/// Whether a token is a line of a key, perhaps with quotes or a line number around it.
fn is_key(token: &[u8]) -> bool {
    let longest = token.split(|&byte| !is_base64(byte) && byte != b'=').map(<[u8]>::len).max().unwrap_or(0);
    longest >= KEY_RUN && 10 * longest >= 7 * token.len()
}

/// The last line of a key is shorter, and in some armours a checksum follows. It is told from a word by what
/// words do not have: digits, signs, capitals inside.
fn is_rest_of_key(token: &[u8]) -> bool {
    token.iter().all(|&byte| is_base64(byte) || b"=\"',;|".contains(&byte))
        && (token.iter().any(|&byte| byte.is_ascii_digit() || b"=+/".contains(&byte))
            || token.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()))
}

/// The stretches between white space, written as itself or as an escape.
fn tokens(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += spaces(&text[at..]);
        let len = (at..text.len()).position(|end| spaces(&text[end..]) > 0).unwrap_or(text.len() - at);
        let token = at..at + len;
        at = token.end;
        (!token.is_empty()).then_some(token)
    })
}

fn spaces(text: &[u8]) -> usize {
    let mut len = 0;
    loop {
        len += match &text[len..] {
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b'\\', b'\\', b'n' | b'r', ..] => 3,
            _ => return len,
        };
    }
}

/// The same from the end on.
fn tokens_back(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut end = text.len();
    std::iter::from_fn(move || {
        end -= spaces_back(&text[..end]);
        let len = (0..end).rev().position(|at| spaces_back(&text[..=at]) > 0).unwrap_or(end);
        let token = end - len..end;
        end = token.start;
        (!token.is_empty()).then_some(token)
    })
}

fn spaces_back(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        rest = match rest {
            [before @ .., byte] if byte.is_ascii_whitespace() => before,
            [before @ .., b'\\', b'n' | b'r' | b't'] => before,
            _ => return text.len() - rest.len(),
        };
    }
}
