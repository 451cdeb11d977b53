//! Shortening text without breaking its characters.

use std::borrow::Cow;

/// What stands in the gap of a cut text.
fn marker(missing: usize) -> String {
    format!("\n[... {missing} characters missing ...]\n")
}

/// Room for the longest marker: the number can have twenty digits.
const MARKER_ROOM: usize = 56;

/// Cuts `text` to its head and tail, with a plain marker between that says how many characters are missing.
///
/// The result has at most `max_chars` characters, marker included; a text that fits is returned as it is, so
/// cutting twice is cutting once. Where `max_chars` has no room for a marker, only the head is kept. Neither
/// a CR LF pair nor a character and what joins it (accents, emoji sequences) is split.
pub fn cut(text: &str, max_chars: usize) -> Cow<'_, str> {
    cut_with_gap(text, max_chars).map_or(Cow::Borrowed(text), |(short, _)| Cow::Owned(short))
}

/// The cut text and where its head ends, if `text` does not fit.
pub(crate) fn cut_with_gap(text: &str, max_chars: usize) -> Option<(String, usize)> {
    // A text of n bytes has at most n characters, so that most texts need no counting.
    if text.len() <= max_chars || text.chars().count() <= max_chars {
        return None;
    }
    Some(match shares(max_chars) {
        None => head_only(text, max_chars),
        Some((head, tail)) => {
            let head_end = loosened(text, after_chars(text, head));
            let tail_start = tightened(text, before_last_chars(text, tail));
            let missing = text[head_end..tail_start].chars().count();
            ([&text[..head_end], &marker(missing), &text[tail_start..]].concat(), head_end)
        }
    })
}

/// Cuts what is left of a longer text: its `head` and its `tail`, between which `between` characters are
/// missing already.
pub(crate) fn joined(head: &str, between: usize, tail: &str, max_chars: usize) -> (String, usize) {
    let Some((head_share, tail_share)) = shares(max_chars) else {
        return head_only(head, max_chars);
    };
    let head_end = loosened(head, after_chars(head, head_share));
    let tail_start = tightened(tail, before_last_chars(tail, tail_share));
    let missing = head[head_end..].chars().count() + between + tail[..tail_start].chars().count();
    ([&head[..head_end], &marker(missing), &tail[tail_start..]].concat(), head_end)
}

fn head_only(text: &str, max_chars: usize) -> (String, usize) {
    let end = loosened(text, after_chars(text, max_chars));
    (text[..end].to_owned(), end)
}

/// Characters of head and tail, if there is room for more than the marker.
fn shares(max_chars: usize) -> Option<(usize, usize)> {
    let kept = max_chars.checked_sub(MARKER_ROOM).filter(|kept| *kept >= MARKER_ROOM)?;
    Some((kept - kept / 2, kept / 2))
}

/// The longest prefix of `text` within `amount` bytes, or UTF-16 code units if `utf16`, that splits no
/// character.
pub fn cut_to(text: &str, amount: usize, utf16: bool) -> &str {
    if text.len() <= amount {
        // A character never has more UTF-16 units than UTF-8 bytes.
        return text;
    }
    if !utf16 {
        return &text[..text.floor_char_boundary(amount)];
    }
    let mut units = 0;
    for (at, char) in text.char_indices() {
        units += char.len_utf16();
        if units > amount {
            return &text[..at];
        }
    }
    text
}

/// The byte offset after the first `chars` characters.
pub(crate) fn after_chars(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The byte offset before the last `chars` characters.
pub(crate) fn before_last_chars(text: &str, chars: usize) -> usize {
    match chars.checked_sub(1) {
        None => text.len(),
        Some(steps) => text.char_indices().nth_back(steps).map_or(0, |(at, _)| at),
    }
}

/// Moves the end of a head back while it would part what belongs together.
fn loosened(text: &str, mut end: usize) -> usize {
    for _ in 0..JOINED_AT_MOST {
        match around(text, end) {
            Some((last, next)) if joins(last, next) => end -= last.len_utf8(),
            _ => break,
        }
    }
    if around(text, end) == Some(CR_LF) { end - 1 } else { end }
}

/// Moves the start of a tail forward while it would part what belongs together.
fn tightened(text: &str, mut start: usize) -> usize {
    for _ in 0..JOINED_AT_MOST {
        match around(text, start) {
            Some((last, next)) if joins(last, next) => start += next.len_utf8(),
            _ => break,
        }
    }
    if around(text, start) == Some(CR_LF) { start + 1 } else { start }
}

/// A limit against texts made of nothing but joiners.
const JOINED_AT_MOST: usize = 16;

const CR_LF: (char, char) = ('\r', '\n');

/// The characters before and after an offset.
fn around(text: &str, at: usize) -> Option<(char, char)> {
    Some((text[..at].chars().next_back()?, text[at..].chars().next()?))
}

fn joins(last: char, next: char) -> bool {
    (last, next) == CR_LF
        || last == '\u{200d}'
        || matches!(next, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_stays() {
        assert!(matches!(cut("short", 5), Cow::Borrowed("short")));
        assert_eq!(cut("一二三", 3), "一二三");
    }

    #[test]
    fn a_long_text_keeps_head_and_tail_and_says_what_is_missing() {
        let text = format!("START{}END", "·".repeat(1000));
        let short = cut(&text, 200);
        assert!(short.starts_with("START··"), "{short}");
        assert!(short.ends_with("··END"), "{short}");
        assert!(short.contains("\n[... 864 characters missing ...]\n"), "{short}");
        assert!(short.chars().count() <= 200);
    }

    #[test]
    fn a_tiny_limit_keeps_the_head_only() {
        assert_eq!(cut("abcdefgh", 3), "abc");
        assert_eq!(cut("abcdefgh", 0), "");
    }

    #[test]
    fn pairs_stay_together() {
        assert_eq!(cut("a\r\nb", 2), "a");
        assert_eq!(cut("ae\u{301}f", 2), "a");
        assert_eq!(cut("a👩\u{200d}💻b", 3), "a");
        let text = "x\r\n".repeat(400);
        for limit in 112..140 {
            let short = cut(&text, limit);
            let (head, tail) = short.split_once("\n[... ").expect("a marker");
            assert!(!head.ends_with('\r'), "{limit}: {head:?}");
            assert!(!tail.split_once("...]\n").expect("an end").1.starts_with('\n'), "{limit}");
        }
    }

    #[test]
    fn budgets_are_in_bytes_or_units() {
        for (text, amount, utf16, wanted) in [
            ("héllo", 2, false, "h"),
            ("héllo", 2, true, "hé"),
            ("a😀b", 2, true, "a"),
            ("a😀b", 3, true, "a😀"),
            ("a😀b", 4, false, "a"),
            ("a😀b", 5, false, "a😀"),
            ("中文", 0, true, ""),
            ("中文", 100, true, "中文"),
        ] {
            assert_eq!(cut_to(text, amount, utf16), wanted, "{text} {amount} {utf16}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_never_grows_and_keeps_its_limit(text in "(?s).{0,400}", limit in 0usize..300) {
            let short = cut(&text, limit);
            prop_assert!(short.chars().count() <= limit.min(text.chars().count()));
            prop_assert_eq!(cut(&short, limit), short.clone());
        }

        #[test]
        fn a_budget_is_kept_and_used_up(text in "(?s).{0,60}", amount in 0usize..80, utf16: bool) {
            let size = |text: &str| if utf16 { text.encode_utf16().count() } else { text.len() };
            let prefix = cut_to(&text, amount, utf16);
            prop_assert!(text.starts_with(prefix));
            prop_assert!(size(prefix) <= amount);
            if let Some(next) = text[prefix.len()..].chars().next() {
                prop_assert!(size(prefix) + size(next.encode_utf8(&mut [0; 4])) > amount);
            }
        }
    }
}
