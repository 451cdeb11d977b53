//! Reading the value that follows a joint.

use std::ops::Range;

use super::context::run;
use crate::find::find;
use crate::words::{Words, words};

/// A value as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// Without quotes. At most [`SEEN`] bytes are read before a decision.
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
    /// Nothing but white space or a comment follows on its line.
    pub(super) ends_line: bool,
    /// The quote that would end it.
    quote: &'static [u8],
}

/// What is read of a value before it is judged.
pub(super) const SEEN: usize = 192;

/// Opening and closing quotes. The escaped ones are those of text inside text.
#[rustfmt::skip]
const QUOTES: Words = words![
    "\\\"", "\\\"",
    "\"\"\"", "\"\"\"",
    "\"", "\"",
    "'", "'",
    "`", "`",
    "“", "”",
    "‘", "’",
    "「", "」",
    "『", "』",
    "《", "》",
    "【", "】",
    "（", "）",
];

/// The quote that opens `text` and the one that would close it.
fn quotes_of(text: &[u8]) -> Option<(&'static [u8], &'static [u8])> {
    let mut quotes = QUOTES.iter();
    while let (Some(open), Some(close)) = (quotes.next(), quotes.next()) {
        if text.starts_with(open) {
            return Some((open, close));
        }
    }
    None
}

/// Constructors around a literal, whose value is the literal's.
const WRAPPERS: Words =
    words!["from(", "new(", "Some(", "String(", "str(", "SecretStr(", "Secret(", "bytes("];

impl Value {
    /// The value in quotes at `at`, if there is one, perhaps after a prefix (`b"..."`) or inside a
    /// constructor (`String::from("...")`).
    pub(super) fn quoted(text: &[u8], at: usize) -> Option<Self> {
        let at = at + run(&text[at..], 48, |byte| byte == b' ' || byte == b'\t');
        let prefix = run(&text[at..], 3, |byte| b"rbfuRBFUL@$#&".contains(&byte));
        Self::in_quotes(text, at + prefix).or_else(|| {
            let path = run(&text[at..], 40, |byte| byte.is_ascii_alphanumeric() || b"_:.".contains(&byte));
            let open = at + path + 1;
            let call = text.get(at..open)?;
            WRAPPERS.find(|wrapper| call.ends_with(wrapper)).and_then(|_| Self::in_quotes(text, open))
        })
    }

    fn in_quotes(text: &[u8], at: usize) -> Option<Self> {
        let rest = &text[at..];
        if !rest.first().is_some_and(|byte| b"\\\"'`\xe2\xe3\xef".contains(byte)) {
            return None;
        }
        let (open, close) = quotes_of(rest)?;
        let start = at + open.len();
        let inside = &text[start..text.len().min(start + SEEN)];
        let mut len = 0;
        while len < inside.len() && inside[len] != b'\n' && !inside[len..].starts_with(close) {
            // An escaped character is not the end.
            len += if inside[len] == b'\\' && open != b"\\\"" { 2 } else { 1 };
        }
        let len = len.min(inside.len());
        let ended = inside[len..].starts_with(close) || len == SEEN;
        ended.then_some(Self { range: start..start + len, quoted: true, ends_line: false, quote: close })
    }

    /// The value without quotes at `at`. `greedy` takes all but white space and quotes, as shells do.
    pub(super) fn bare(text: &[u8], at: usize, greedy: bool) -> Self {
        let at = at + run(&text[at..], 48, |byte| byte == b' ' || byte == b'\t');
        let rest = &text[at..];
        let ends = |byte: u8| {
            byte.is_ascii_whitespace() || b"\"'`".contains(&byte) || (!greedy && b",;)]}<>&|".contains(&byte))
        };
        let mut len = run(rest, SEEN, |byte| !ends(byte));
        // The escapes of a text inside a text end a value too.
        if let Some(escape) =
            rest[..len].windows(2).position(|two| matches!(two, [b'\\', b'n' | b'r' | b't' | b'"']))
        {
            len = escape;
        } else if rest[..len].ends_with(b"\\") {
            len -= 1;
        }
        if !greedy {
            while len > 0 && b".!?:".contains(&rest[len - 1]) {
                len -= 1;
            }
        }
        let after = &rest[len..];
        let blank = run(after, 48, |byte| byte == b' ' || byte == b'\t');
        let ends_line =
            matches!(after.get(blank), None | Some(b'\n' | b'\r')) || (blank > 0 && after[blank] == b'#');
        Self { range: at..at + len, quoted: false, ends_line, quote: b"" }
    }

    /// Where the value ends, read as far as it goes.
    pub(super) fn full_end(&self, text: &[u8]) -> usize {
        if self.range.len() < SEEN {
            return self.range.end;
        }
        let rest = &text[self.range.end..];
        if self.quoted {
            let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            return self.range.end + find(&rest[..line], self.quote).unwrap_or(line);
        }
        self.range.end + run(rest, usize::MAX, |byte| !byte.is_ascii_whitespace() && !b"\"'`".contains(&byte))
    }
}
