//! The line reader behind the YAML parser: `key: value` by lines, for frontmatter that is no valid YAML.
//!
//! People and models write `description: Note: never do x` and `description: "Quoted" first word`. YAML
//! refuses both; what was meant is plain to see, so it is read as it was meant.

use crate::problem::{Flaw, Problem};
use crate::value::{Field, Fields, Value};

/// Keys whose value is running text: in these a ` #`, a bracket or a `: ` belongs to the sentence.
pub(crate) const TEXT_KEYS: [&str; 2] = ["name", "description"];

/// Keys that every memory has, accepted with a full-width colon and in capitals too.
const KNOWN_KEYS: [&str; 4] = ["name", "description", "type", "metadata"];

/// What the line reader made of a block.
#[derive(Debug, Default)]
pub(super) struct ByLines {
    pub(super) fields: Fields,
    pub(super) problems: Vec<Problem>,
}

/// One line of the block with its number in the file.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '\t']).len()
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Reads a block by lines; never fails. `first_line` is the line of the file at which `content` begins.
pub(super) fn read(content: &str, first_line: usize) -> ByLines {
    let lines: Vec<Line<'_>> = content
        .lines()
        .enumerate()
        .map(|(nth, text)| Line { number: first_line + nth, text: text.trim_end() })
        .collect();
    let mut read = ByLines::default();
    read_mapping(&lines, 0, &mut read.fields, &mut read.problems);
    read
}

fn read_mapping(lines: &[Line<'_>], depth: usize, fields: &mut Fields, problems: &mut Vec<Problem>) {
    let base = lines.iter().filter(|line| !line.is_blank()).map(Line::indent).min().unwrap_or(0);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let text = line.text.trim();
        at += 1;
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let Some((key, rest)) = split_key(text) else {
            // A sentence that was wrapped without indentation: it belongs to the value above.
            problems.push(Problem::new(line.number, continued(fields, text)));
            continue;
        };
        let children = children_of(&lines[at..], base, rest.is_empty());
        at += children.len();
        if let Some(first) = fields.iter().find(|field| field.key == key) {
            let flaw = Flaw::KeyTwice { key: key.to_owned(), first: first.line };
            problems.push(Problem::new(line.number, flaw));
            continue;
        }
        let value = value_of(key, rest, children, depth, problems);
        fields.0.push(Field { key: key.to_owned(), value, line: line.number });
    }
}

/// Appends `text` to the last value if that is running text, and says what happened.
fn continued(fields: &mut Fields, text: &str) -> Flaw {
    if let Some(Field { value: Value::Text(value), .. }) = fields.0.last_mut()
        && !value.is_empty()
    {
        value.push(' ');
        value.push_str(text);
        return Flaw::WrappedLine;
    }
    Flaw::LineNotUnderstood { text: text.chars().take(60).collect() }
}

/// The key and the rest of a line that looks like `key: value`.
pub(crate) fn split_key(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = match text.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let (key, rest) = text[1..].split_once(char::from(*quote))?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        _ => split_plain_key(text)?,
    };
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    let known = KNOWN_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key));
    (spaced || known).then_some((key, rest.trim()))
}

fn split_plain_key(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    let (key, rest) = text.split_at(end);
    if key.is_empty() || key.starts_with('-') {
        return None;
    }
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix(':') {
        return Some((key, rest));
    }
    let known = KNOWN_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key));
    rest.strip_prefix('\u{ff1a}').filter(|_| known).map(|rest| (key, rest))
}

/// The lines that belong to a key: those indented deeper, blank lines between them, and, under a key
/// without a value, list items at the key's own indentation.
fn children_of<'a, 'b>(lines: &'b [Line<'a>], base: usize, empty: bool) -> &'b [Line<'a>] {
    let belongs = |line: &Line<'_>| {
        line.indent() > base || (empty && line.indent() == base && is_item(line.text.trim()))
    };
    let mut end = 0;
    for (nth, line) in lines.iter().enumerate() {
        if line.is_blank() {
            continue;
        }
        if !belongs(line) {
            break;
        }
        end = nth + 1;
    }
    &lines[..end]
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

fn value_of(
    key: &str,
    rest: &str,
    children: &[Line<'_>],
    depth: usize,
    problems: &mut Vec<Problem>,
) -> Value {
    let running = TEXT_KEYS.contains(&key);
    if children.is_empty() && matches!(rest, "~" | "null" | "Null" | "NULL") {
        return Value::Text(String::new());
    }
    if is_block_indicator(rest) {
        return Value::Text(block_scalar(children, rest.starts_with('>')));
    }
    let mut filled = children.iter().filter(|line| !line.is_blank()).map(|line| line.text.trim()).peekable();
    let first = filled.peek().copied().unwrap_or("");
    let as_mapping = (rest.is_empty() && !running && split_key(first).is_some()) || key == "metadata";
    if as_mapping && !children.is_empty() && depth < 8 {
        let mut inner = Fields::default();
        read_mapping(children, depth + 1, &mut inner, problems);
        return Value::Map(inner);
    }
    if rest.is_empty() && !running && is_item(first) {
        return Value::List(filled.filter_map(|line| line.strip_prefix('-')).map(item).collect());
    }
    if let Some(inner) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && !running
        && children.is_empty()
    {
        return Value::List(
            inner.split(',').map(str::trim).filter(|part| !part.is_empty()).map(item).collect(),
        );
    }
    let text =
        std::iter::once(rest).chain(filled).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Value::Text(if running { unquoted(&text) } else { unquoted(without_comment(&text)) })
}

fn item(text: &str) -> Value {
    Value::Text(unquoted(without_comment(text.trim())))
}

/// `|`, `>`, with the marks that YAML allows behind them.
fn is_block_indicator(rest: &str) -> bool {
    rest.starts_with(['|', '>'])
        && rest.len() <= 3
        && rest[1..].chars().all(|c| matches!(c, '+' | '-' | '0'..='9'))
}

fn block_scalar(children: &[Line<'_>], folded: bool) -> String {
    let indent = children.iter().filter(|line| !line.is_blank()).map(Line::indent).min().unwrap_or(0);
    let lines = children.iter().map(|line| line.text.get(indent..).unwrap_or(""));
    lines.collect::<Vec<_>>().join(if folded { " " } else { "\n" })
}

fn without_comment(text: &str) -> &str {
    if text.starts_with(['"', '\'']) {
        let quote = &text[..1];
        return match text[1..].find(quote) {
            Some(close) if text[close + 2..].trim_start().starts_with('#') => &text[..close + 2],
            _ => text,
        };
    }
    text.find(" #").map_or(text, |at| text[..at].trim_end())
}

/// The text inside quotes, if the quotes enclose all of it; a sentence that only begins with a quoted
/// word keeps its quotes.
pub(super) fn unquoted(text: &str) -> String {
    for quote in ['"', '\''] {
        let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) else {
            continue;
        };
        if closes_early(inner, quote) {
            return text.to_owned();
        }
        return if quote == '"' { unescaped(inner) } else { inner.replace("''", "'") };
    }
    text.to_owned()
}

/// Whether the first quote inside ends a leading quoted word, as in `"a" and "b"`, rather than opening
/// an inner quotation, as in `"they said "no" twice"`.
fn closes_early(inner: &str, quote: char) -> bool {
    let mut before = ' ';
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && quote == '"' {
            before = chars.next().unwrap_or(' ');
            continue;
        }
        if c == quote {
            if quote == '\'' && chars.peek() == Some(&'\'') {
                chars.next();
                before = '\'';
                continue;
            }
            let next_ends = chars.peek().is_none_or(|next| !next.is_alphanumeric());
            return next_ends && !before.is_whitespace();
        }
        before = c;
    }
    false
}

/// The escapes of a double-quoted YAML scalar; one that YAML does not know stays as it is (`C:\dir`).
fn unescaped(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some(c @ ('"' | '\\' | '/')) => out.push(c),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}
