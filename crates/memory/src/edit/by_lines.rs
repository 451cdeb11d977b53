//! The line editor: finds the lines of a key and changes only its value in them.

use std::ops::Range;

use super::NewValue;
use crate::frontmatter::{TEXT_KEYS, split_key};
use crate::yaml_text::{quoted, scalar};

/// The lines of a key in a block of frontmatter.
pub(super) struct Lines {
    /// All its lines, line endings included.
    pub(super) whole: Range<usize>,
    /// The value, without the spaces before it and without a comment behind it; empty if there is none.
    pub(super) value: Range<usize>,
}

/// The block with the key's value changed, added or removed; `None` where the line editor cannot tell how.
pub(super) fn change(content: &str, path: &str, value: Option<NewValue<'_>>, ending: &str) -> Option<String> {
    let found = find(content, path);
    let Some(value) = value else {
        let mut out = content.to_owned();
        out.replace_range(found?.whole, "");
        return Some(out);
    };
    match found {
        Some(lines) => {
            let old = &content[lines.value.clone()];
            let new = written(value, old.chars().next());
            let mut out = content.to_owned();
            let space = if content[..lines.value.start].ends_with([' ', '\t']) { "" } else { " " };
            out.replace_range(lines.value, &format!("{space}{new}"));
            Some(out)
        }
        None => add(content, path, &written(value, None), ending),
    }
}

/// The value on one line, in the quotes that the old one had.
fn written(value: NewValue<'_>, quote: Option<char>) -> String {
    match value {
        NewValue::Text(text) => match quote {
            Some('"') => quoted(text),
            Some('\'') if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', "''")),
            _ => scalar(text),
        },
        NewValue::List(items) => {
            let item = |text: &String| {
                let plain = scalar(text);
                if plain == *text && !text.contains([',', '[', ']', '{', '}']) { plain } else { quoted(text) }
            };
            format!("[{}]", items.iter().map(item).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Adds a key at the end of the block, or at the end of the mapping that it belongs to.
fn add(content: &str, path: &str, value: &str, ending: &str) -> Option<String> {
    let mut out = content.to_owned();
    let closed = |out: &mut String| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(ending);
        }
    };
    let Some((parent, key)) = path.split_once('.') else {
        closed(&mut out);
        return Some(format!("{out}{path}: {value}{ending}"));
    };
    let Some(lines) = find(content, parent) else {
        closed(&mut out);
        return Some(format!("{out}{parent}:{ending}  {key}: {value}{ending}"));
    };
    // Only a mapping in block form: the key's line ends with the colon, its children are indented.
    let own = content[lines.whole.clone()].split_inclusive('\n').next().unwrap_or("");
    if !own.trim_end().ends_with(':') {
        return None;
    }
    let children = &content[lines.whole.start + own.len()..lines.whole.end];
    let first = children
        .split_inclusive('\n')
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let indent = first.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    if indent.is_empty() {
        return None;
    }
    let kept = children.trim_end().len();
    let at = lines.whole.start + own.len() + if kept == 0 { 0 } else { kept + line_end(&children[kept..]) };
    let lead = if content[..at].ends_with('\n') { "" } else { ending };
    out.insert_str(at, &format!("{lead}{indent}{key}: {value}{ending}"));
    Some(out)
}

fn line_end(rest: &str) -> usize {
    rest.find('\n').map_or(rest.len(), |at| at + 1)
}

/// Finds the lines of a key; `None` also where it stands twice.
pub(super) fn find(content: &str, path: &str) -> Option<Lines> {
    if let Some(lines) = find_in(content, 0..content.len(), path) {
        return Some(lines);
    }
    let (parent, key) = path.split_once('.')?;
    let outer = find_in(content, 0..content.len(), parent)?;
    let own = outer.whole.start + line_end(&content[outer.whole.clone()]);
    find_in(content, own..outer.whole.end, key)
}

fn find_in(content: &str, within: Range<usize>, key: &str) -> Option<Lines> {
    let lines: Vec<(usize, &str)> = content[within.clone()]
        .split_inclusive('\n')
        .scan(within.start, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .collect();
    let base = lines.iter().filter(|(_, line)| says(line)).map(|(_, line)| indent_of(line)).min()?;
    let mut at = lines
        .iter()
        .enumerate()
        .filter(|(_, (_, line))| key_at(line, base).is_some_and(|(name, _)| name == key));
    let (nth, (start, line)) = at.next()?;
    if at.next().is_some() {
        return None;
    }
    let (_, rest) = key_at(line, base)?;
    // The children: deeper lines, blank lines between them, list items of a key without a value.
    let mut last = nth;
    for (later, (_, line)) in lines.iter().enumerate().skip(nth + 1) {
        if line.trim().is_empty() {
            continue;
        }
        let item = rest.is_empty() && indent_of(line) == base && line.trim_start().starts_with("- ");
        if indent_of(line) <= base && !item {
            break;
        }
        last = later;
    }
    let end = lines[last].0 + lines[last].1.len();
    let text = line.trim_end();
    let value_start = start + text.len() - rest.len();
    let value_end = if last > nth {
        let last = lines[last];
        last.0 + last.1.trim_end().len()
    } else {
        value_start + without_comment(rest, TEXT_KEYS.contains(&key)).len()
    };
    let value_start = if rest.is_empty() { start + after_colon(line) } else { value_start };
    Some(Lines { whole: *start..end, value: value_start..value_end.max(value_start) })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Whether a line is neither blank nor a comment.
fn says(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}

/// The key and the rest of a line at the indentation of the mapping.
fn key_at(line: &str, base: usize) -> Option<(&str, &str)> {
    if indent_of(line) == base && says(line) { split_key(line.trim()) } else { None }
}

/// Behind the colon of a key without a value, and one space if there is one.
fn after_colon(line: &str) -> usize {
    let colon = line.find([':', '\u{ff1a}']).map_or(line.trim_end().len(), |at| at + 1);
    if line[colon.min(line.len())..].starts_with(' ') { colon + 1 } else { colon }
}

/// The value without a comment behind it. In running text a ` #` is part of it, unless the text is quoted.
fn without_comment(rest: &str, running: bool) -> &str {
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let mut from = 1;
        while let Some(at) = rest[from..].find(quote) {
            let close = from + at + 1;
            let behind = rest[close..].trim_start();
            if behind.is_empty() || (behind.starts_with('#') && rest[close..].starts_with([' ', '\t'])) {
                return &rest[..close];
            }
            from = close;
        }
        return rest;
    }
    if running { rest } else { rest.find(" #").map_or(rest, |at| rest[..at].trim_end()) }
}
