//! What a person marked as private.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memchr2_iter};

/// What stands where a private span was.
const MARKER: &str = "[private]";

/// Replaces every `<private>...</private>` by `[private]`.
///
/// Tags are matched in any case, with spaces or attributes inside, and in full width (`＜private＞`), as an
/// input method for Chinese or Japanese writes them. A span inside a span belongs to it. A span that is
/// never closed runs to the end of the text.
pub fn strip_private(text: &str) -> Cow<'_, str> {
    let spans = spans(text);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut kept_to = 0;
    for span in spans {
        out.push_str(&text[kept_to..span.start]);
        out.push_str(MARKER);
        kept_to = span.end;
    }
    out.push_str(&text[kept_to..]);
    Cow::Owned(out)
}

fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    // 0xEF leads the full-width brackets.
    for at in memchr2_iter(b'<', 0xef, text.as_bytes()) {
        match tag(&text.as_bytes()[at..]) {
            Some(Tag::Open) => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            Some(Tag::Close(len)) if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    spans.push(start..at + len);
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        spans.push(start..text.len());
    }
    spans
}

enum Tag {
    Open,
    /// With the length of the tag.
    Close(usize),
}

/// Attributes longer than this make it no tag of a person's.
const LONGEST_ATTRIBUTES: usize = 200;

fn tag(bytes: &[u8]) -> Option<Tag> {
    let inside = after_any(bytes, &["<", "＜"])?;
    let spaced = inside.first()?.is_ascii_whitespace();
    let mut rest = inside.trim_ascii_start();
    let closing = after_any(rest, &["/", "／"]);
    rest = closing.unwrap_or(rest).trim_ascii_start();
    let (name, after) = rest.split_at_checked("private".len())?;
    if !name.eq_ignore_ascii_case(b"private") {
        return None;
    }
    let end = after_any(after.trim_ascii_start(), &[">", "＞"]);
    // `a < private && b > c` is no tag.
    let end = if end.is_none() && !spaced { after_attributes(after) } else { end };
    let len = bytes.len() - end?.len();
    Some(if closing.is_some() { Tag::Close(len) } else { Tag::Open })
}

/// What follows the tag, if ` name="value"...>` is what comes next.
fn after_attributes(bytes: &[u8]) -> Option<&[u8]> {
    if !bytes.first()?.is_ascii_whitespace() {
        return None;
    }
    let window = &bytes[..bytes.len().min(LONGEST_ATTRIBUTES)];
    let end = memchr2(b'<', b'>', window)?;
    (window[end] == b'>' && window[..end].contains(&b'=')).then(|| &bytes[end + 1..])
}

fn after_any<'a>(bytes: &'a [u8], beginnings: &[&str]) -> Option<&'a [u8]> {
    beginnings.iter().find_map(|beginning| bytes.strip_prefix(beginning.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn private_spans_go() {
        for (text, wanted) in [
            ("a <private>x</private> b", "a [private] b"),
            ("a <PRIVATE>x</Private> b", "a [private] b"),
            ("<private>x</private>", "[private]"),
            ("<private></private>y", "[private]y"),
            ("a < private >x</ private > b", "a [private] b"),
            ("a <private reason=\"mine\">x</private> b", "a [private] b"),
            ("a ＜private＞x＜/private＞ b", "a [private] b"),
            ("a ＜private＞x＜／private＞ b", "a [private] b"),
            ("a <private>x\ny</private> b <private>z</private>.", "a [private] b [private]."),
            ("a <private>x <private>y</private> z</private> b", "a [private] b"),
            ("a <private>x <private>y</private> z", "a [private]"),
            ("a <private>never closed", "a [private]"),
            ("a <private", "a <private"),
            ("a </private> b", "a </private> b"),
            ("<privateer>x</privateer>", "<privateer>x</privateer>"),
            ("private: fn<T>() < private", "private: fn<T>() < private"),
            ("if a < private && b > c {}", "if a < private && b > c {}"),
            ("class Box<private T> {}", "class Box<private T> {}"),
            ("<private x <private>y</private> z", "<private x [private] z"),
            ("中文<private>密</private>，好。", "中文[private]，好。"),
        ] {
            assert_eq!(strip_private(text), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_between_tags_is_left(
            before in "[^<＜]{0,20}", inside in "[^<＜]{0,20}", after in "[^<＜]{0,20}", closed: bool
        ) {
            let close = if closed { "</private>" } else { "" };
            let text = format!("{before}<private>{inside}{close}{after}");
            let wanted = format!("{before}[private]{}", if closed { after.as_str() } else { "" });
            prop_assert_eq!(strip_private(&text), wanted);
        }

        #[test]
        fn stripping_twice_is_stripping_once(text in "(<|/|private|>| |x|中|＜){0,30}") {
            let once = strip_private(&text);
            prop_assert_eq!(strip_private(&once), once.clone());
        }
    }
}
