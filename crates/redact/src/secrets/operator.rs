//! What joins a name to its value.

use super::context::{line_before, run};
use crate::find::contains;
use crate::words::words;

/// How a value is given to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `=` and its kin, with white space before it or not.
    Equals { spaced: bool },
    /// `:` and its kin.
    Colon,
    /// `=>`.
    Arrow,
    /// A comma or a parenthesis: only a value in quotes can follow.
    Argument,
    /// `>` of `<name>`.
    Element,
    /// `|` of a table.
    Cell,
    /// White space after `--name`.
    Flag,
    /// ` is ` and the like.
    Sentence,
    /// `name: NAME`, then `value: `.
    NameValue,
}

/// Columns may be aligned over this width.
const WIDEST: usize = 48;

/// The joint after a name, and where it ends. `name` is in `text` at `start..end`.
pub(super) fn after_name(text: &[u8], start: usize, end: usize) -> Option<(Joint, usize)> {
    let closers = run(&text[end..], 4, |byte| b"\"'`*]\\".contains(&byte));
    let closed = end + closers;
    let quoted = text[end..closed].iter().any(|byte| b"\"'`".contains(byte));
    let optional = usize::from(closers == 0 && text.get(closed) == Some(&b'?'));
    let spaces = run(&text[closed + optional..], WIDEST, |byte| byte == b' ' || byte == b'\t');
    let at = closed + optional + spaces;
    let rest = &text[at..];
    let joint = |joint: Joint, len: usize| Some((joint, at + len));
    match rest {
        [b':', b':', ..] | [b'=', b'~', ..] => None,
        [b':', b'=', ..] => joint(Joint::Equals { spaced: spaces > 0 }, 2),
        [b':', ..] => joint(Joint::Colon, 1),
        [b'=', b'>', ..] => joint(Joint::Arrow, 2),
        [b'=', b'=', b'=', ..] => joint(Joint::Equals { spaced: true }, 3),
        [b'=' | b'?' | b'+', b'=', ..] => joint(Joint::Equals { spaced: true }, 2),
        [b'=', ..] => joint(Joint::Equals { spaced: spaces > 0 }, 1),
        _ if rest.starts_with("：".as_bytes()) || rest.starts_with("＝".as_bytes()) => {
            joint(Joint::Colon, 3)
        }
        [b'>', ..] if closers == 0 && text[..start].ends_with(b"<") => joint(Joint::Element, 1),
        [b',', ..] if quoted => name_value(text, start, at).or_else(|| joint(Joint::Argument, 1)),
        [b'(', ..] if closers == 0 && spaces == 0 => joint(Joint::Argument, 1),
        [b'|', next, ..] if *next != b'|' && spaces > 0 => joint(Joint::Cell, 1),
        [b'\n' | b'\r', ..] => name_value(text, start, at),
        _ if spaces == 0 || rest.is_empty() => None,
        _ if is_flag(&text[..start]) || is_set(&text[..start]) => joint(Joint::Flag, 0),
        [b'\'' | b'"', ..] if !quoted => joint(Joint::Argument, 0),
        _ => {
            // `pass to` is a verb.
            let verb = text[start..end].eq_ignore_ascii_case(b"pass");
            match words!["is ", "was ", "is: ", "to ", "ist ", "lautet "].that_begins(rest) {
                Some(word) => (!verb).then_some((Joint::Sentence, at + word.len())),
                None => is_login(&text[..start]).then_some((Joint::Sentence, at)),
            }
        }
    }
}

fn is_flag(before: &[u8]) -> bool {
    before.ends_with(b"--")
}

/// A program that keeps a setting: `aws configure set aws_secret_access_key VALUE`.
fn is_set(before: &[u8]) -> bool {
    line_before(before, 200)
        .is_some_and(|line| contains(line, b"configure set ") || contains(line, b"config set "))
}

/// A line of `.netrc`.
fn is_login(before: &[u8]) -> bool {
    line_before(before, 200).is_some_and(|line| contains(line, b"login "))
}

/// `name: NAME` and `value: ...` on the next line or after a comma, as lists of variables are written.
fn name_value(text: &[u8], start: usize, at: usize) -> Option<(Joint, usize)> {
    let before = &text[start.saturating_sub(12)..start];
    words!["name", "Name", "key", "Key"].find(|label| contains(before, label))?;
    let gap = run(&text[at..], WIDEST, |byte| byte.is_ascii_whitespace() || b",\"'".contains(&byte));
    let rest = &text[at + gap..];
    let label = words!["value", "Value"].that_begins(rest)?;
    let colon = label.len() + run(&rest[label.len()..], 4, |byte| b"\"' ".contains(&byte));
    matches!(rest.get(colon), Some(b':' | b'=')).then_some((Joint::NameValue, at + gap + colon + 1))
}
