//! Where the frontmatter of a memory file stands, and what it says.
//!
//! Real files have a byte order mark, carriage returns, a line before the first `---`, the block twice
//! (a host stamped its own over the model's), no closing `---`, or none at all. The layout says where each part
//! stands as byte ranges of the text, so that an edit can leave every other byte alone.

mod lines;
mod yaml;

use std::ops::Range;

use crate::problem::{Flaw, Problem};
use crate::value::{Fields, Value};

pub(crate) use lines::{TEXT_KEYS, split_key};

/// How far below its first line a file's frontmatter may begin, in lines.
const BEFORE: usize = 30;

/// How many blocks in a row are joined; more were never seen.
const BLOCKS: usize = 4;

/// One block of frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The bytes between the opening and the closing `---`, both lines excluded.
    pub content: Range<usize>,
    /// The line of the opening `---`, from 1.
    pub line: usize,
    /// Whether a closing `---` was found.
    pub closed: bool,
}

/// The parts of a memory file as byte ranges of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Text before the frontmatter, without the byte order mark; empty in an ordinary file.
    pub before: Range<usize>,
    /// The blocks of frontmatter, mostly one.
    pub blocks: Vec<Block>,
    /// The body: what follows the last block, or the whole text where there is none.
    pub body: Range<usize>,
    /// The line at which the body begins, from 1.
    pub body_line: usize,
}

/// One line of a text with its place.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    /// The text without its line ending.
    text: &'a str,
    start: usize,
    /// Where the next line starts.
    next: usize,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn opens(&self) -> bool {
        self.text.trim_end() == "---"
    }

    fn closes(&self) -> bool {
        let text = self.text.trim_end();
        text == "..." || (text.len() >= 3 && text.bytes().all(|byte| byte == b'-'))
    }
}

fn lines_of(text: &str, from: usize) -> Vec<Line<'_>> {
    let mut start = from;
    let mut lines = Vec::new();
    for whole in text[from..].split_inclusive('\n') {
        let next = start + whole.len();
        let bare = whole.strip_suffix('\n').unwrap_or(whole);
        lines.push(Line { text: bare.strip_suffix('\r').unwrap_or(bare), start, next });
        start = next;
    }
    lines
}

/// Finds the parts of `text`. Never fails: a text without frontmatter is all body.
pub fn layout(text: &str) -> Layout {
    let from = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lines = lines_of(text, from);
    let none = || Layout { before: from..from, blocks: Vec::new(), body: from..text.len(), body_line: 1 };
    let Some(open) = opening(&lines) else { return none() };
    let Some((first, mut after)) = block_at(&lines, open) else { return none() };

    let before = if lines[..open].iter().all(Line::is_blank) { from..from } else { from..lines[open].start };
    let mut blocks = vec![first];
    while blocks.len() < BLOCKS && blocks.last().is_some_and(|block| block.closed) {
        let Some(next) = (after..lines.len()).find(|nth| !lines[*nth].is_blank()) else { break };
        if !lines[next].opens() {
            break;
        }
        match block_at(&lines, next) {
            Some((block, end)) if block.closed && is_ours(&lines[next + 1..end]) => {
                blocks.push(block);
                after = end;
            }
            _ => break,
        }
    }
    let body = lines.get(after).map_or(text.len(), |line| line.start);
    Layout { before, blocks, body: body..text.len(), body_line: after + 1 }
}

/// The line of the opening `---`: the first line that says something, or one a little further down whose
/// block is closed and has the keys of a memory. Code fences are passed over, except one around the whole file.
fn opening(lines: &[Line<'_>]) -> Option<usize> {
    let first = lines.iter().position(|line| !line.is_blank())?;
    if lines[first].opens() {
        return Some(first);
    }
    let mut fenced = false;
    for nth in first..lines.len().min(first + BEFORE) {
        let line = lines[nth].text.trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = nth != first && !fenced;
        } else if !fenced && lines[nth].opens() {
            let found = block_at(lines, nth)
                .is_some_and(|(block, end)| block.closed && is_ours(&lines[nth + 1..end]));
            if found {
                return Some(nth);
            }
        }
    }
    None
}

/// Whether a block has at least one key that memories have.
fn is_ours(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| {
        let key = lines::split_key(line.text.trim_end()).map(|(key, _)| key);
        key.is_some_and(|key| matches!(key, "name" | "description" | "type" | "metadata"))
    })
}

/// The block that opens at line `open`, and the number of the line after it. `None` if what follows has
/// no key at all, as after a rule at the top of a plain text.
fn block_at(lines: &[Line<'_>], open: usize) -> Option<(Block, usize)> {
    let first = open + 1;
    let close = (first..lines.len()).find(|nth| lines[*nth].closes());
    let end = end_of_fields(lines, first, close.unwrap_or(lines.len()), close.is_some());
    lines[first..end].iter().find(|line| lines::split_key(line.text.trim()).is_some())?;
    let closed = close == Some(end);
    let content = lines[first].start..lines.get(end).map_or(lines[lines.len() - 1].next, |line| line.start);
    let block = Block { content, line: open + 1, closed };
    Some((block, if closed { end + 1 } else { end }))
}

/// Where the fields end: at the closing line, or where text begins that cannot be frontmatter.
fn end_of_fields(lines: &[Line<'_>], first: usize, close: usize, has_close: bool) -> usize {
    let mut after_blank = false;
    for (nth, line) in lines.iter().enumerate().take(close).skip(first) {
        let text = line.text.trim();
        if text.is_empty() {
            after_blank = true;
            continue;
        }
        let indented = line.text.starts_with([' ', '\t']);
        let fits = indented || lines::split_key(text).is_some() || text.starts_with("- ");
        let comment = text.starts_with('#') && has_close;
        let wrapped = has_close && !after_blank;
        if !(fits || comment || wrapped) {
            return nth;
        }
        after_blank = false;
    }
    close
}

/// What the frontmatter says: the blocks joined, with what was wrong on the way.
#[derive(Debug, Clone, Default)]
pub struct Frontmatter {
    /// The fields of all blocks; where two disagree, the first one's.
    pub fields: Fields,
    /// What was wrong, in the order of the file.
    pub problems: Vec<Problem>,
}

/// Reads the frontmatter at the places that `layout` found. Never fails: what YAML refuses is read by lines.
pub fn read(text: &str, layout: &Layout) -> Frontmatter {
    let mut whole = Frontmatter::default();
    if !layout.before.is_empty() {
        whole.problems.push(Problem::new(1, Flaw::TextBefore));
    }
    for (nth, block) in layout.blocks.iter().enumerate() {
        if nth > 0 {
            whole.problems.push(Problem::new(block.line, Flaw::BlockTwice));
        }
        let (fields, problems) = read_block(&text[block.content.clone()], block.line + 1);
        whole.problems.extend(problems);
        if !block.closed {
            whole.problems.push(Problem::new(block.line, Flaw::NotClosed));
        }
        join(&mut whole, fields, nth > 0);
    }
    whole
}

fn read_block(content: &str, first_line: usize) -> (Fields, Vec<Problem>) {
    let by_lines = lines::read(content, first_line);
    match yaml::read(content, first_line) {
        Ok(mut fields) => {
            let problems = take_sentences_whole(&mut fields, &by_lines.fields, content, first_line);
            (fields, problems)
        }
        Err((line, reason)) => {
            let mut problems = by_lines.problems;
            // Where the line reader already says what is wrong, the parser's words would only repeat it.
            if problems.is_empty() {
                problems.push(Problem::new(line.unwrap_or(first_line), Flaw::NotYaml { reason }));
            }
            (by_lines.fields, problems)
        }
    }
}

/// A sentence that YAML reads as something else (cut at ` #`, a list because of its bracket, a tag) is
/// taken as it stands.
fn take_sentences_whole(
    fields: &mut Fields,
    by_lines: &Fields,
    content: &str,
    first_line: usize,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for field in &mut fields.0 {
        if !lines::TEXT_KEYS.contains(&field.key.as_str()) {
            continue;
        }
        let line = content.lines().nth(field.line - first_line).unwrap_or("");
        let raw = lines::split_key(line.trim()).map_or("", |(_, rest)| rest);
        let cut = !raw.starts_with(['"', '\'', '|', '>']) && raw.contains(" #");
        let changed =
            matches!(field.value, Value::List(_) | Value::Map(_)) || raw.starts_with(['!', '&', '*']);
        let meant = by_lines.find(&field.key).filter(|meant| meant.line == field.line);
        if let Some(meant) = meant.filter(|meant| (cut || changed) && meant.value.text().is_some()) {
            field.value = meant.value.clone();
            problems.push(Problem::new(field.line, Flaw::SentenceUnquoted { key: field.key.clone() }));
        }
    }
    problems
}

/// Adds the fields of a further block: what the first lacks is taken, what disagrees is said.
fn join(whole: &mut Frontmatter, fields: Fields, further: bool) {
    for field in fields.0 {
        let Some(known) = whole.fields.0.iter_mut().find(|known| known.key == field.key) else {
            whole.fields.0.push(field);
            continue;
        };
        match (&mut known.value, field.value) {
            (Value::Map(into), Value::Map(from)) => {
                let mut inner = Frontmatter { fields: std::mem::take(into), problems: Vec::new() };
                join(&mut inner, from, further);
                *into = inner.fields;
                whole.problems.append(&mut inner.problems);
            }
            (known, value) if known.is_empty() => *known = value,
            (known, value) if further && !value.is_empty() && *known != value => {
                let flaw = Flaw::KeyTwice { key: field.key, first: known_line(whole, field.line) };
                whole.problems.push(Problem::new(field.line, flaw));
            }
            _ => {}
        }
    }
}

/// The line of the first block, for a message about a key that a later block repeats otherwise.
fn known_line(whole: &Frontmatter, line: usize) -> usize {
    whole.fields.iter().map(|field| field.line).filter(|known| *known < line).min().unwrap_or(1)
}
