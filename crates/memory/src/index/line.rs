//! The pointers in one line of an index.

use std::ops::Range;

use super::{Entry, Form, Place};
use crate::links::{self, Link};

/// What one line points to.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    /// Files that are named beside an entry or in prose.
    pub(super) mentions: Vec<String>,
}

/// A link or a bare file name that points to a memory.
struct Pointer<'a> {
    link: Link<'a>,
    file: String,
}

/// One line of the index, taken apart as far as all its entries share it.
struct Line<'a> {
    text: &'a str,
    /// Its place in the text.
    start: usize,
    /// Its number, from 1.
    number: usize,
    form: Form,
    /// How many entries it has.
    entries: usize,
    /// Where the hook stands in it.
    hook: Option<Range<usize>>,
    /// What is the hook where none stands behind the links.
    lead: &'a str,
}

/// Reads one line without its line ending; `start` is its place in the text, `number` its number.
pub(super) fn read(text: &str, start: usize, number: usize, folder: Option<&str>) -> Found {
    let (form, content) = form_of(text);
    let mut pointers: Vec<Pointer<'_>> = links::in_line(text)
        .into_iter()
        .filter(|link| link.start >= content)
        .filter_map(|link| file_of(&link, folder).map(|file| Pointer { link, file }))
        .collect();
    if pointers.is_empty() {
        pointers.extend(bare_name(text, content, form, folder));
    }
    let Some(first) = pointers.first() else { return Found::default() };
    let leads = text[content..first.link.start].chars().all(is_mark);
    if form == Form::Plain && !leads {
        return Found {
            entries: Vec::new(),
            mentions: pointers.into_iter().map(|pointer| pointer.file).collect(),
        };
    }

    // Further links belong to the entry's line as equals, or are only mentioned in its hook.
    let is_peer: Vec<bool> = (0..pointers.len())
        .map(|nth| nth == 0 || is_separator(&text[pointers[nth - 1].link.end..pointers[nth].link.start]))
        .collect();
    let last = is_peer.iter().rposition(|peer| *peer).unwrap_or(0);
    let hook = hook_range(text, form, &first.link, &pointers[last].link);
    let lead = lead_text(text, content, form, &first.link);
    let line =
        Line { text, start, number, form, entries: is_peer.iter().filter(|peer| **peer).count(), hook, lead };
    let mut found = Found::default();
    let (mut strikes, mut upto) = (0, 0);
    for (pointer, peer) in pointers.iter().zip(&is_peer) {
        strikes += text[upto..pointer.link.start].matches("~~").count();
        upto = pointer.link.start;
        if *peer {
            found.entries.push(line.entry(pointer, strikes % 2 == 1));
        } else {
            found.mentions.push(pointer.file.clone());
        }
    }
    found
}

impl Line<'_> {
    fn entry(&self, pointer: &Pointer<'_>, struck: bool) -> Entry {
        let Pointer { link, file } = pointer;
        let whole = |range: Range<usize>| self.start + range.start..self.start + range.end;
        let label = (!link.label.is_empty()).then(|| {
            let at = link.label.as_ptr() as usize - self.text.as_ptr() as usize;
            whole(at..at + link.label.len())
        });
        let hook = self.hook.clone().map_or(self.lead, |range| &self.text[range]);
        Entry {
            line: self.number,
            file: file.clone(),
            title: if link.label.is_empty() { stem(file) } else { plain(link.label) },
            hook: if self.form == Form::Row { hook.replace("\\|", "|") } else { hook.to_owned() },
            struck,
            wiki: link.wiki,
            in_line: self.entries,
            place: Place {
                link: whole(link.start..link.end),
                label,
                hook: self.hook.clone().map(whole),
                form: self.form,
            },
        }
    }
}

/// What kind of line it is, and where its content begins: behind marks of quotation, list and checkbox.
fn form_of(line: &str) -> (Form, usize) {
    let mut rest = line.trim_start_matches('\u{feff}').trim_start();
    while let Some(quoted) = rest.strip_prefix('>') {
        rest = quoted.trim_start();
    }
    if rest.starts_with('|') {
        return (Form::Row, line.len() - rest.len());
    }
    let mut form = Form::Plain;
    if let Some(item) = after_marker(rest) {
        form = Form::Item;
        rest = item.trim_start();
        let checkbox = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| rest.strip_prefix(mark));
        rest = checkbox.unwrap_or(rest).trim_start();
    } else {
        rest = rest.trim_start_matches('#').trim_start();
    }
    (form, line.len() - rest.len())
}

/// The rest of a line behind `- `, `* `, `+ `, `• `, `1. ` or `1) `.
pub(super) fn after_marker(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(['-', '*', '+', '•', '·', '–']) {
        return rest.starts_with([' ', '\t', '[']).then_some(rest);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 9 {
        return None;
    }
    let rest = text[digits..].strip_prefix(['.', ')', '、', '\u{ff0e}'])?;
    Some(rest)
}

/// The file that a link of the index names, relative to the folder.
fn file_of(link: &Link<'_>, folder: Option<&str>) -> Option<String> {
    if link.wiki {
        let name = link.target.trim_start_matches("./");
        if name.is_empty() {
            return None;
        }
        return Some(links::markdown_file(name).unwrap_or_else(|| format!("{name}.md")));
    }
    Some(relative(&links::markdown_file(link.target)?, folder))
}

/// A path made relative to the folder. An absolute path into another place keeps what follows the last
/// `/memory/`, because folders are moved and synchronised; otherwise its file name.
fn relative(path: &str, folder: Option<&str>) -> String {
    let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    if let Some(inside) = inside {
        return inside.to_owned();
    }
    let path = path.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':');
    if !(path.starts_with('/') || path.starts_with('~') || drive) {
        return path;
    }
    match path.rfind("/memory/") {
        Some(at) => path[at + "/memory/".len()..].to_owned(),
        None => path.rsplit('/').next().unwrap_or(&path).to_owned(),
    }
}

/// A file name without any link, as in `- real_db.md: never mock`, at the beginning of an item or in a cell.
fn bare_name<'a>(text: &'a str, content: usize, form: Form, folder: Option<&str>) -> Option<Pointer<'a>> {
    if form == Form::Plain {
        return None;
    }
    let from = content.min(text.len());
    for cell in text[from..].split('|') {
        let cell_start = cell.as_ptr() as usize - text.as_ptr() as usize;
        let lead = cell.len() - cell.trim_start_matches(is_mark).len();
        let word = &cell[lead..];
        let end = word.to_ascii_lowercase().find(".md").map(|at| at + 3);
        if let Some(end) = end.filter(|end| is_file_name(&word[..*end], &word[*end..])) {
            let (start, target) = (cell_start + lead, &word[..end]);
            let ticks = word[end..].len() - word[end..].trim_start_matches('`').len();
            let link = Link { start, end: start + end + ticks, label: "", target, wiki: false };
            let file = relative(&links::markdown_file(target)?, folder);
            return Some(Pointer { link, file });
        }
        if form == Form::Item {
            break;
        }
    }
    None
}

fn is_file_name(name: &str, behind: &str) -> bool {
    name.len() > 3
        && !name
            .chars()
            .any(|c| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '<' | '>' | '`' | '*'))
        && !behind.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '_')
}

/// Marks around a link that are no words: emphasis, strike-out, quotes, brackets, spaces, symbols.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '~' | '`' | '"' | '(' | '|' | '\u{ff08}' | '\u{feff}')
}

/// Whether the text between two links only separates them.
fn is_separator(between: &str) -> bool {
    let text = between.trim_matches(is_mark);
    let text = text.trim();
    let connects =
        |word: &str| matches!(word, "and" | "or" | "&" | "+" | "/" | "和" | "与" | "及" | "と" | "및");
    text.trim_end_matches(is_mark).ends_with([';', '\u{ff1b}'])
        || text.chars().all(|c| ",、·;/|&+>→=-–—()\u{ff0c}\u{ff1b}\u{ff09}\u{ff08}".contains(c) || is_mark(c))
        || text.split_whitespace().all(connects)
}

/// Where the hook stands: behind the last of the entry's links, or in another cell.
fn hook_range(line: &str, form: Form, first: &Link<'_>, last: &Link<'_>) -> Option<Range<usize>> {
    if form == Form::Row {
        let cells = cells(line);
        let holds = |cell: &&Range<usize>| !line[(*cell).clone()].trim_matches(is_mark).is_empty();
        let behind = cells.iter().filter(|cell| cell.start >= last.end).rfind(holds);
        let before = cells.iter().filter(|cell| cell.end <= first.start).rfind(holds);
        return behind.or(before).cloned();
    }
    trimmed(line, last.end..line.len())
}

/// What stands before the first link of an item, if nothing stands behind it: `- Testing: [A](a.md)`.
fn lead_text<'a>(line: &'a str, content: usize, form: Form, first: &Link<'_>) -> &'a str {
    if form == Form::Row {
        return "";
    }
    let lead = trimmed(line, content..first.start).map_or("", |range| &line[range]);
    lead.trim_matches(|c| matches!(c, '*' | '_' | ':' | '\u{ff1a}' | ' '))
}

/// The range without separators and marks at both ends; `None` if nothing is left.
fn trimmed(line: &str, range: Range<usize>) -> Option<Range<usize>> {
    let text = &line[range.clone()];
    let closing = |c: char| is_mark(c) && c != '(' && c != '`' && c != '"' || c == ')';
    let separator = |c: char| "—–-:,;→=>·|\u{ff1a}\u{ff0c}\u{2015}\u{2012}".contains(c);
    // One separator only: a hook may itself begin with a dash, as `-v` does.
    let behind = text.trim_start_matches(closing).trim_start().trim_start_matches(separator);
    let start = range.end - behind.trim_start().len();
    let kept = line[start..range.end].trim_end().trim_end_matches("~~").trim_end();
    let kept = kept.trim_end_matches(|c: char| "—–-:\u{ff1a}".contains(c)).trim_end();
    (!kept.is_empty() && kept.chars().any(|c| !is_mark(c))).then(|| start..start + kept.len())
}

/// The cells of a table row, without their bars and outer spaces.
pub(super) fn cells(line: &str) -> Vec<Range<usize>> {
    let mut bars = Vec::new();
    let (mut escaped, mut wiki) = (false, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'|' if !escaped && !wiki => bars.push(at),
            b'[' if line[at..].starts_with("[[") => wiki = true,
            b']' if line.as_bytes()[..at].ends_with(b"]") => wiki = false,
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    let mut cells = Vec::new();
    for (nth, bar) in bars.iter().enumerate() {
        let end = bars.get(nth + 1).copied().unwrap_or(line.len());
        let text = &line[bar + 1..end];
        if nth + 1 == bars.len() && text.trim().is_empty() {
            break;
        }
        let start = bar + 1 + (text.len() - text.trim_start().len());
        cells.push(start..start.max(start + text.trim().len()));
    }
    cells
}

fn stem(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// A label without emphasis marks and escapes.
fn plain(label: &str) -> String {
    let label = label.trim_matches(|c| matches!(c, '*' | '`' | '~')).trim();
    label.replace("\\[", "[").replace("\\]", "]")
}
