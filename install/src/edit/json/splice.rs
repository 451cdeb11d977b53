//! Putting an item into an object or array, and taking one out, without touching the text around it.
//!
//! Taking out is the inverse of putting in, wherever the item stands by then.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::Ranged;

use super::document::span;
use super::render::{Layout, Style};

/// The places of an object or array and of its items.
#[derive(Debug, Clone)]
pub(super) struct Container {
    /// From the opening to behind the closing bracket.
    range: Range<usize>,
    items: Vec<Range<usize>>,
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        Self { range: span(object), items: object.properties.iter().map(span).collect() }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        let items = array.elements.iter().map(|item| item.start()..item.end()).collect();
        Self { range: span(array), items }
    }
}

impl Container {
    fn inside(&self) -> Range<usize> {
        self.range.start + 1..self.range.end - 1
    }

    /// Whether it has items and all of it stands on one line.
    pub(super) fn is_one_line(&self, text: &str) -> bool {
        !self.items.is_empty() && !text[self.range.clone()].contains('\n')
    }
}

/// Puts an item last. `one_line` says how to write it where the container is empty and gives no example.
pub(super) fn append(
    text: &str,
    container: &Container,
    style: &Style,
    one_line: bool,
    render: impl Fn(Layout<'_>) -> String,
) -> String {
    match container.items.last() {
        Some(last) => append_after(text, container, last, style, render),
        None => fill(text, container, style, one_line, render),
    }
}

fn append_after(
    text: &str,
    container: &Container,
    last: &Range<usize>,
    style: &Style,
    render: impl Fn(Layout<'_>) -> String,
) -> String {
    let inside = container.inside();
    let on_own_lines = text[inside.start..container.items[0].start].contains('\n');
    let over_lines = text[inside.clone()].contains('\n');
    let indent = line_indent(text, if on_own_lines { last.start } else { container.range.end });

    let comma = comma_after(text, last.end, inside.end);
    let behind = comma.map_or(last.end, |at| at + 1);
    let at = if on_own_lines { end_of_line_comments(text, behind, inside.end) } else { behind };

    let lead = if on_own_lines { format!("{}{indent}", style.newline) } else { style.gap.to_owned() };
    let item = render(if over_lines { Layout::Indented(indent) } else { Layout::OneLine });
    let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
    [&text[..behind], before, &text[behind..at], &lead, &item, after, &text[at..]].concat()
}

fn fill(
    text: &str,
    container: &Container,
    style: &Style,
    one_line: bool,
    render: impl Fn(Layout<'_>) -> String,
) -> String {
    let inside = container.inside();
    let at = end_of_comments(text, inside.start, inside.end);
    let rest = &text[at..inside.end];
    if one_line {
        return [&text[..at], rest, &render(Layout::OneLine), rest, &text[inside.end..]].concat();
    }
    let outer = line_indent(text, container.range.start);
    let indent = format!("{outer}{}", style.unit);
    let item = render(Layout::Indented(&indent));
    let tail = if rest.contains('\n') { rest.to_owned() } else { format!("{}{outer}", style.newline) };
    [&text[..at], style.newline, &indent, &item, &tail, &text[inside.end..]].concat()
}

/// Takes an item out, with the comma that goes with it.
pub(super) fn remove(text: &str, container: &Container, index: usize) -> String {
    let inside = container.inside();
    let item = &container.items[index];
    let own_comma = comma_after(text, item.end, inside.end);
    let end = own_comma.map_or(item.end, |at| at + 1);
    let previous = index.checked_sub(1).map(|before| &container.items[before]);
    let start = start_of_gap(text, previous.map_or(inside.start, |item| item.end), item.start, end);

    if container.items.len() == 1 {
        let rest = [&text[inside.start..start], &text[end..inside.end]].concat();
        let rest = if rest.trim().is_empty() { "" } else { &rest };
        return [&text[..inside.start], rest, &text[inside.end..]].concat();
    }
    let separator = match previous {
        Some(previous) if own_comma.is_none() => comma_after(text, previous.end, start),
        _ => None,
    };
    match separator {
        Some(comma) => [&text[..comma], &text[comma + 1..start], &text[end..]].concat(),
        None => [&text[..start], &text[end..]].concat(),
    }
}

/// Puts other text in the place of an item.
pub(super) fn replace(text: &str, range: &Range<usize>, render: impl Fn(Layout<'_>) -> String) -> String {
    let one_line = !text[range.clone()].contains('\n');
    let layout = if one_line { Layout::OneLine } else { Layout::Indented(line_indent(text, range.start)) };
    [&text[..range.start], &render(layout), &text[range.end..]].concat()
}

/// The white space before an item goes with it, but not a line end that closes a comment.
fn start_of_gap(text: &str, from: usize, item: usize, end: usize) -> usize {
    let gap = item - (text[from..item].len() - text[from..item].trim_end().len());
    let ends_a_comment =
        comments(text, from, item).last().is_some_and(|last| last.end == gap && last.is_line);
    let line_goes_on = !text[end..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
    if ends_a_comment && line_goes_on { item } else { gap }
}

/// The indentation of the line that an offset is in.
fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

struct Comment {
    start: usize,
    end: usize,
    is_line: bool,
}

/// The comments between two offsets, in a stretch that holds nothing else but white space and commas.
fn comments(text: &str, from: usize, to: usize) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some(start) = text[at..to].find('/').map(|found| at + found) {
        let is_line = text[start..].starts_with("//");
        let end = if is_line {
            text[start..to].find(['\n', '\r']).map_or(to, |length| start + length)
        } else {
            text[start + 2..to].find("*/").map_or(to, |length| start + length + 4)
        };
        found.push(Comment { start, end, is_line });
        at = end;
    }
    found
}

/// Where the next comma stands, between an item's end and the next item or bracket.
fn comma_after(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..to];
        let skipped = rest.len() - rest.trim_start().len();
        at += skipped;
        match &text.as_bytes()[at..to] {
            [b',', ..] => return Some(at),
            [b'/', ..] => at = comments(text, at, to).first().map_or(to, |comment| comment.end),
            _ => return None,
        }
    }
}

/// Behind the comments that begin on the line of an offset.
fn end_of_line_comments(text: &str, from: usize, to: usize) -> usize {
    let line_end = text[from..to].find('\n').map_or(to, |length| from + length);
    comments(text, from, to)
        .iter()
        .take_while(|comment| comment.start < line_end)
        .last()
        .map_or(from, |c| c.end)
}

/// Behind the last comment of an empty container.
fn end_of_comments(text: &str, from: usize, to: usize) -> usize {
    comments(text, from, to).last().map_or(from, |comment| comment.end)
}
