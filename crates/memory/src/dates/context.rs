//! What stands around an expression: code, a day that is there already, the sentence and what it tells of.

use std::ops::Range;

/// The ranges of code spans and fences.
pub(super) fn code_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let ticks = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        match open {
            Some((start, opened)) if opened == ticks => {
                ranges.push(start..at + ticks);
                open = None;
            }
            Some(_) => {}
            None => open = Some((at, ticks)),
        }
        at += ticks;
    }
    // A fence that is never closed reaches to the end; a lone backtick is only a backtick.
    if let Some((start, ticks)) = open
        && ticks >= 3
    {
        ranges.push(start..text.len());
    }
    ranges
}

/// Whether an expression is a part of a name, a call, or a title.
pub(super) fn is_in_name(text: &str, start: usize, end: usize) -> bool {
    let (before, behind) = (&text[..start], &text[end..]);
    let joins = |c: char| matches!(c, '-' | '_' | '/' | '.' | '\\');
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let follows = before.ends_with(joins) && is_word(before.chars().rev().nth(1));
    let goes_on = behind.starts_with(['_', '/', '\\']) && is_word(behind.chars().nth(1));
    let is_call = behind.starts_with("()");
    let title = before.rfind(['《', '》']).is_some_and(|at| before[at..].starts_with('《'));
    follows || goes_on || is_call || title && behind.contains('》')
}

/// Whether a day in figures stands right behind the expression in brackets, or right before it as in
/// "2026-12-09 (next Wednesday)".
pub(super) fn has_day_already(text: &str, start: usize, end: usize) -> bool {
    let behind = text[end..].trim_start_matches([' ', ',']);
    let opened = behind.strip_prefix(['(', '\u{ff08}', '[']).map(str::trim_start);
    if opened.is_some_and(starts_with_year) || starts_with_date(behind) {
        return true;
    }
    let before = text[..start].trim_end_matches([' ', '(', '\u{ff08}', ',']);
    let tail: String = before.chars().rev().take(10).collect::<Vec<_>>().into_iter().rev().collect();
    start > before.len() && starts_with_date(&tail)
}

fn starts_with_year(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && (text.starts_with("19") || text.starts_with("20"))
}

fn starts_with_date(text: &str) -> bool {
    starts_with_year(text)
        && text[4..].starts_with(['-', '/', '.'])
        && text[5..].starts_with(|c: char| c.is_ascii_digit())
}

/// How far a sentence is looked at to each side, in bytes.
const SENTENCE: usize = 300;

/// The sentence around a place, before and behind it, in small letters.
pub(super) fn sentence_around(text: &str, start: usize, end: usize) -> (String, String) {
    let stops = |c: char| matches!(c, '\n' | '。' | '\u{ff01}' | '\u{ff1f}' | '!' | '?' | ';' | '\u{ff1b}');
    let before = &text[text.floor_char_boundary(start.saturating_sub(SENTENCE))..start];
    let behind = &text[end..text.floor_char_boundary((end + SENTENCE).min(text.len()))];
    let from = before.rfind(stops).into_iter().chain(before.rfind(". ")).max();
    let from = from.map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let to = behind.find(stops).into_iter().chain(behind.find(". ")).min().unwrap_or(behind.len());
    (before[from..].to_lowercase(), behind[..to].to_lowercase())
}
