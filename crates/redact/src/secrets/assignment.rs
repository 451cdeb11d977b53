//! Values that are given to names of secrets: in code, settings, shells, tables and sentences.

use std::ops::Range;

use super::MARKER_START;
use super::context::{line_before, run, run_back};
use super::name::{Kind, Name};
use super::operator::{self, Joint};
use super::plausible::{Place, is_plausible};
use super::span::{Found, Sureness::Named};
use super::value::Value;
use crate::find::rfind;
use crate::words::{Words, words};

/// The longest part of a name on either side of the word that was found.
const LONGEST_NAME: usize = 64;

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}

/// Looks at a word of secrets (`password`, `token`, ...) at `word`.
pub(super) fn check(text: &[u8], word: Range<usize>, found: &mut Found) {
    let mut end = word.end + run(&text[word.end..], LONGEST_NAME, is_name);
    while text[end - 1] == b'.' || text[end - 1] == b'-' {
        end -= 1;
    }
    // Most words stand in sentences and expressions: nothing that joins follows them.
    if !text.get(end).is_some_and(|next| b"=:\"'`*]\\,|>( \t?\n\r+\xef".contains(next))
        || found.covers(word.start, Named)
    {
        return;
    }
    let start = word.start - run_back(&text[..word.start], LONGEST_NAME, is_name);
    let dashes = run(&text[start..], 2, |byte| byte == b'-');
    let start = start + dashes;
    if start >= end {
        return;
    }
    let Some((joint, at)) = operator::after_name(text, start, end) else { return };
    let Some(name) = Name::read(&text[start..end]) else { return };
    if is_in_marker(&text[..start]) {
        return;
    }
    let given = Given { text, name, start, end, joint, at };
    if let Some(range) = given.secret() {
        found.add(range, name.says(), Named);
    }
}

/// Looks at `pw` and what is after it.
pub(super) fn check_pw(text: &[u8], word: Range<usize>, found: &mut Found) {
    check(text, word.start..word.end - 1, found);
}

/// A name, a joint, and the place where the value begins.
struct Given<'a> {
    text: &'a [u8],
    name: Name,
    start: usize,
    end: usize,
    joint: Joint,
    at: usize,
}

impl Given<'_> {
    fn secret(&self) -> Option<Range<usize>> {
        let typed = self.after_type();
        let at = typed.unwrap_or(self.at);
        if let Some(value) = Value::quoted(self.text, at) {
            let range = self.without_scheme(value.range.clone());
            let place = if self.joint == Joint::Sentence { Place::Sentence } else { Place::Quoted };
            let place = if self.is_env() && self.joint != Joint::Colon { Place::Field } else { place };
            return self.judged(place, range.clone()).then(|| range.start..value.full_end(self.text));
        }
        if typed.is_some() {
            return None;
        }
        let greedy = self.joint != Joint::Colon && self.is_env() && self.begins_line();
        let value = Value::bare(self.text, at, greedy);
        let place = self.place(&value)?;
        let mut range = self.without_scheme(value.range.clone());
        let mut end = value.full_end(self.text);
        if range.is_empty() && range.start < self.text.len() {
            // The scheme was the whole value: what it introduces follows.
            let next = Value::bare(self.text, range.start, false);
            range = next.range.clone();
            end = next.full_end(self.text);
        }
        self.judged(place, range.clone()).then_some(range.start..end)
    }

    fn judged(&self, place: Place, range: Range<usize>) -> bool {
        is_plausible(&self.name, place, &self.text[range])
    }

    /// Where a value without quotes stands.
    fn place(&self, value: &Value) -> Option<Place> {
        let before = &self.text[..self.start];
        match self.joint {
            Joint::Element => self.text[value.range.end..].starts_with(b"</").then_some(Place::Element),
            Joint::Cell => Some(Place::Cell),
            Joint::Flag => Some(Place::Flag),
            Joint::Sentence => Some(Place::Sentence),
            Joint::NameValue => Some(Place::Line),
            Joint::Equals { spaced: false } if before.ends_with(b"--") => Some(Place::Flag),
            Joint::Equals { spaced: false } if before.ends_with(b"?") || before.ends_with(b"&") => {
                Some(Place::Query)
            }
            Joint::Equals { .. } | Joint::Colon if self.is_env() => Some(Place::Env),
            Joint::Equals { spaced: true } => {
                (value.ends_line && self.begins_line()).then_some(Place::SpacedLine)
            }
            Joint::Equals { spaced: false } if value.ends_line && self.begins_line() => Some(Place::Setting),
            Joint::Colon if value.ends_line && self.begins_line() => Some(Place::Line),
            Joint::Colon if value.ends_line && self.name.kind == Kind::Password => Some(Place::Sentence),
            Joint::Equals { spaced: false } | Joint::Colon => Some(Place::Inline),
            Joint::Argument | Joint::Arrow => None,
        }
    }

    /// Whether the name is written in capitals and the value follows at once.
    fn is_env(&self) -> bool {
        let name = &self.text[self.start..self.end];
        let capitals = name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
        capitals
            && match self.joint {
                Joint::Equals { spaced } => !spaced && !self.text[self.at..].starts_with(b" "),
                Joint::Colon => self.begins_line(),
                Joint::NameValue => true,
                _ => false,
            }
    }

    /// Whether the name is the first thing on its line, but for what files and listings put there.
    fn begins_line(&self) -> bool {
        let Some(line) = line_before(&self.text[..self.start], 64) else { return false };
        let line = line.rsplit(|&byte| byte == b'\t').next().unwrap_or(line);
        let mut words = line.split(u8::is_ascii_whitespace);
        words.all(|word| {
            const FIRST: Words =
                words!["export", "set", "setx", "ENV", "ARG", "env", "declare", "-x", "$env:"];
            word.iter().all(|byte| byte.is_ascii_digit() || b"-+>|#:\"'$*\xe2\x86\x92".contains(byte))
                || FIRST.contains(word)
        })
    }

    /// Where the value begins after `name: Type = `.
    fn after_type(&self) -> Option<usize> {
        if self.joint != Joint::Colon {
            return None;
        }
        let rest = &self.text[self.at..];
        let kind = run(rest, 48, |byte| byte.is_ascii_alphanumeric() || b" _&<>'[]|.:?".contains(&byte));
        let equals =
            kind > 1 && rest.get(kind) == Some(&b'=') && !matches!(rest.get(kind + 1), Some(b'=' | b'>'));
        (equals && rest[..kind].ends_with(b" ")).then_some(self.at + kind + 1)
    }

    /// Without the word that says how to authorise.
    fn without_scheme(&self, range: Range<usize>) -> Range<usize> {
        const SCHEMES: Words = words!["bearer", "basic", "token", "apikey", "digest", "key"];
        let value = &self.text[range.clone()];
        let word = run(value, 12, |byte| byte.is_ascii_alphabetic());
        if SCHEMES.find(|scheme| value[..word].eq_ignore_ascii_case(scheme)).is_none() {
            return range;
        }
        let spaces = run(&self.text[range.start + word..], 4, |byte| byte == b' ');
        if spaces == 0 {
            return range;
        }
        let start = range.start + word + spaces;
        start..range.end.max(start)
    }
}

/// `DB_PASSWORD=value`
fn is_assignment(value: &[u8]) -> bool {
    let name = run(value, LONGEST_NAME, is_name);
    matches!(value.get(name), Some(b'=' | b':')) && Name::read(&value[..name]).is_some()
}

/// Whether a name is part of a redaction.
fn is_in_marker(before: &[u8]) -> bool {
    let start = before.len().saturating_sub(40);
    rfind(&before[start..], MARKER_START.as_bytes()).is_some_and(|at| !before[start + at..].contains(&b']'))
}

/// What joins a label to a value in those languages, together with words that may stand between.
const LINKS: Words = words![
    "是", "为", "為", "成", "：", ":", "＝", "=", "は", "が", "を", "는", "은", "이", "가", "를", "을", "→",
    "to", "is", "ist", "lautet", "est", "es", "é", "это"
];
const BETWEEN: Words =
    words!["设置", "設置", "设", "設", "改", "就", "用的", "的", "了", " ", "\t", "*", "\"", "`"];

/// Looks at what follows such a label.
pub(super) fn check_label(text: &[u8], label: Range<usize>, kind: Kind, found: &mut Found) {
    let mut at = label.end;
    let mut linked = false;
    for _ in 0..8 {
        let rest = &text[at..];
        let step = |words: Words| words.that_begins(rest).map(<[u8]>::len);
        if let Some(len) = step(LINKS) {
            linked = true;
            at += len;
        } else if let Some(len) = step(BETWEEN) {
            // A quote after the link opens the value.
            if linked && b"\"`".contains(&rest[0]) {
                break;
            }
            at += len;
        } else {
            break;
        }
    }
    // The value is in its own script, or in quotes.
    let next = text[at..].first().copied().unwrap_or(b' ');
    if !linked || !(next.is_ascii_graphic() || b"\xe2\xe3\xef".contains(&next)) {
        return;
    }
    let name = Name::of(kind, false);
    let value = Value::quoted(text, at).unwrap_or_else(|| Value::bare(text, at, false));
    // The sentence goes on in its own script.
    let start = value.range.start;
    let ascii = run(&text[value.range.clone()], usize::MAX, |byte| byte.is_ascii_graphic());
    let range = start..start + ascii;
    if is_assignment(&text[range.clone()]) {
        // The value has a name of its own and is found by it.
        return;
    }
    if is_plausible(&name, Place::Sentence, &text[range.clone()]) {
        let end = if ascii == value.range.len() { value.full_end(text) } else { range.end };
        found.add(start..end, name.says(), Named);
    }
}
