//! Changing an index: only the entry that must change, every other byte kept.

use std::collections::HashMap;

use super::{Entry, Form, INDEX_FILE, Index, line};
use crate::memory::MemoryKind;

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing had to change.
    None,
    /// The entry in this line was rewritten.
    Rewritten(usize),
    /// An entry was added as this line.
    Added(usize),
}

impl Index {
    /// Points to `file` with this title and hook: rewrites the parts of its entry that differ, or adds a line in
    /// the style of the others, behind the last entry of the same type where the index has sections. An
    /// empty hook leaves the hook that stands there.
    pub fn upsert(&mut self, file: &str, title: &str, hook: &str) -> Change {
        let (title, hook) = (one_line(title), one_line(hook));
        let Some(entry) = self.entry(file).cloned() else { return self.add(file, &title, &hook) };
        let mut edits = Vec::new();
        if entry.in_line == 1 && !hook.is_empty() && entry.hook != hook {
            edits.push(self.hook_edit(&entry, &hook));
        }
        if let Some(label) = entry.place.label.clone().filter(|_| !title.is_empty() && entry.title != title) {
            edits.push((label, label_text(&title, entry.wiki, entry.place.form)));
        }
        if edits.is_empty() {
            return Change::None;
        }
        // From the end, so that the ranges before stay true.
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, text) in edits {
            self.text.replace_range(range, &text);
        }
        self.find_entries();
        Change::Rewritten(entry.line)
    }

    fn hook_edit(&self, entry: &Entry, hook: &str) -> (std::ops::Range<usize>, String) {
        let hook = hook_text(hook, entry.place.form);
        if let Some(range) = entry.place.hook.clone() {
            return (range, hook);
        }
        // Behind the link and the marks that close around it.
        let rest = &self.text[entry.place.link.end..];
        let line = &rest[..rest.find(['\r', '\n']).unwrap_or(rest.len())];
        if entry.place.form == Form::Row {
            let start = self.text[..entry.place.link.end].rfind('\n').map_or(0, |at| at + 1);
            let row = &self.text[start..entry.place.link.end + line.len()];
            let link_end = entry.place.link.end - start;
            let empty = line::cells(row).into_iter().find(|cell| cell.start >= link_end && cell.is_empty());
            if let Some(cell) = empty {
                let at = start + cell.start;
                return (at..at, format!("{hook} "));
            }
        }
        let at = entry.place.link.end + line.trim_end().len();
        (at..at, format!("{}{hook}", self.separator()))
    }

    /// Removes the entries for `file`, struck-out ones too: their whole line, or only the link where others share
    /// the line. Returns how many were removed. A mention inside another entry's hook stays.
    pub fn remove(&mut self, file: &str) -> usize {
        /// How often what is left of a line is read again; a line with more links to one file keeps the rest.
        const ROUNDS: usize = 64;
        let mut removed = 0;
        for _ in 0..ROUNDS {
            let (alone, shared): (Vec<Entry>, Vec<Entry>) = self
                .entries
                .iter()
                .filter(|entry| entry.is_for(file))
                .cloned()
                .partition(|entry| entry.in_line == 1);
            if alone.is_empty() && shared.is_empty() {
                break;
            }
            // From the end, so that the places before stay true; of the links that share a line one at a time.
            let shared = shared.last();
            if let Some(entry) = shared {
                self.cut_link(entry);
            }
            let behind = shared.map_or(usize::MAX, |entry| entry.line);
            let mut text = String::with_capacity(self.text.len());
            let mut gone = alone.iter().map(|entry| entry.line).peekable();
            for (nth, line) in self.text.split_inclusive('\n').enumerate() {
                let is_gone = gone.next_if_eq(&(nth + 1)).is_some();
                if is_gone && nth + 1 != behind {
                    removed += 1;
                    // The mark belongs to the file, not to its first line.
                    text.push_str(if nth == 0 && line.starts_with('\u{feff}') { "\u{feff}" } else { "" });
                } else {
                    text.push_str(line);
                }
            }
            removed += usize::from(shared.is_some());
            self.text = text;
            self.find_entries();
        }
        removed
    }

    /// Cuts one of several links out of a line, with the separator that joins it to its neighbour.
    fn cut_link(&mut self, entry: &Entry) {
        let peers: Vec<&Entry> = self.entries.iter().filter(|other| other.line == entry.line).collect();
        let own = &entry.place.link;
        let next = peers.iter().map(|peer| &peer.place.link).find(|link| link.start >= own.end);
        let before = peers.iter().map(|peer| &peer.place.link).rfind(|link| link.end <= own.start);
        let range = match (next, before) {
            _ if entry.place.form == Form::Row => own.clone(),
            (Some(next), _) => own.start..next.start,
            (None, Some(before)) => before.end..own.end,
            (None, None) => own.clone(),
        };
        self.text.replace_range(range, "");
    }

    /// The line around a byte, with its line ending.
    fn line_around(&self, at: usize) -> (usize, usize) {
        let bom = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let start = self.text[..at].rfind('\n').map_or(bom, |newline| newline + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline + 1);
        (start, end)
    }

    fn add(&mut self, file: &str, title: &str, hook: &str) -> Change {
        let ending = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        if self.text.trim_start_matches('\u{feff}').trim().is_empty() {
            if !self.text.is_empty() && !self.text.ends_with(['\n', '\u{feff}']) {
                self.text.push_str(ending);
            }
            self.text.extend(["# Memory Index", ending, ending]);
        }
        let model = self.model_for(file).cloned();
        let line = self.new_line(model.as_ref(), file, title, hook);
        let at = match &model {
            Some(model) => self.line_around(model.place.link.start).1,
            None => self.text.len(),
        };
        let mut insert = String::new();
        let not_ended = at > 0 && !self.text[..at].ends_with('\n');
        if not_ended || (model.is_none() && needs_blank_line(&self.text)) {
            insert.push_str(ending);
        }
        insert.push_str(&line);
        let at_end = at == self.text.len() && !insert.starts_with(['\r', '\n']) || model.is_none();
        if at < self.text.len() || at_end || self.text.is_empty() {
            insert.push_str(ending);
        }
        let number = self.text[..at].matches('\n').count() + insert.matches('\n').count()
            - usize::from(insert.ends_with('\n'))
            + 1;
        self.text.insert_str(at, &insert);
        self.find_entries();
        Change::Added(number)
    }

    /// The entry behind which a new one for `file` goes: the last of its type in an index with sections, else
    /// the last.
    fn model_for(&self, file: &str) -> Option<&Entry> {
        let sections = self.text.lines().filter(|line| line.starts_with("## ")).count() > 1;
        let kind = MemoryKind::from_file_name(file).filter(|_| sections);
        let same_kind = kind.and_then(|kind| {
            self.entries.iter().rfind(|e| MemoryKind::from_file_name(&e.file) == Some(kind))
        });
        same_kind.or_else(|| self.entries.last())
    }

    fn new_line(&self, model: Option<&Entry>, file: &str, title: &str, hook: &str) -> String {
        let form = model.map_or(Form::Item, |model| model.place.form);
        let wiki = model.is_some_and(|model| model.wiki) && self.entries.iter().all(|entry| entry.wiki);
        let title = if title.is_empty() { file } else { title };
        let link = if wiki {
            let bar = if form == Form::Row { "\\|" } else { "|" };
            format!("[[{}{bar}{}]]", file.strip_suffix(".md").unwrap_or(file), label_text(title, true, form))
        } else {
            format!("[{}]({})", label_text(title, false, form), target_text(file))
        };
        let hook = hook_text(hook, form);
        if let Some(model) = model.filter(|model| model.place.form == Form::Row) {
            return self.new_row(model, &link, &hook);
        }
        let marker = model.map_or_else(|| "- ".to_owned(), |model| self.marker_after(model));
        let separator = if hook.is_empty() { String::new() } else { self.separator() };
        format!("{marker}{link}{separator}{hook}")
    }

    fn new_row(&self, model: &Entry, link: &str, hook: &str) -> String {
        let (start, end) = self.line_around(model.place.link.start);
        let row = self.text[start..end].trim_end();
        let cells = line::cells(row);
        let holds =
            |at: usize| cells.iter().position(|cell| start + cell.start <= at && at <= start + cell.end);
        let link_cell = holds(model.place.link.start).unwrap_or(0);
        let hook_cell = model.place.hook.as_ref().and_then(|range| holds(range.start));
        let hook_cell = hook_cell.unwrap_or(cells.len().saturating_sub(1)).max(usize::from(cells.len() > 1));
        let texts = (0..cells.len().max(1)).map(|nth| match nth {
            nth if nth == link_cell => link,
            nth if nth == hook_cell => hook,
            _ => "",
        });
        let texts: Vec<&str> = texts.collect();
        format!("| {} |", texts.join(" | "))
    }

    /// The list marker for a line behind `model`: the same one, or the next number.
    fn marker_after(&self, model: &Entry) -> String {
        let (start, _) = self.line_around(model.place.link.start);
        let lead = &self.text[start..model.place.link.start];
        let indent: String = lead.chars().take_while(|c| c.is_whitespace()).collect();
        let mark = lead.trim();
        let digits = mark.len() - mark.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match mark.chars().next() {
            Some(mark @ ('-' | '*' | '+' | '•')) => format!("{indent}{mark} "),
            Some(_) if digits > 0 => {
                let number: u64 = mark[..digits].parse().unwrap_or(0);
                let dot: String = mark[digits..].chars().take(1).collect();
                format!("{indent}{}{dot} ", number.saturating_add(1))
            }
            _ => "- ".to_owned(),
        }
    }

    /// What stands between link and hook in most entries; ` — ` in an index that has none.
    fn separator(&self) -> String {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for entry in &self.entries {
            let Some(hook) = entry.place.hook.as_ref().filter(|hook| hook.start >= entry.place.link.end)
            else {
                continue;
            };
            let between = &self.text[entry.place.link.end..hook.start];
            if entry.place.form != Form::Row
                && !between.contains(['~', '*', '[', ')', '|'])
                && between.len() <= 8
            {
                *seen.entry(between).or_default() += 1;
            }
        }
        let most = seen.into_iter().max_by_key(|(text, count)| (*count, text.len(), *text));
        most.map_or_else(|| " — ".to_owned(), |(text, _)| text.to_owned())
    }
}

/// Whether a line added at the end needs a blank line before it, behind a heading or prose.
fn needs_blank_line(text: &str) -> bool {
    text.lines().next_back().is_some_and(|line| {
        let line = line.trim_start_matches('\u{feff}');
        !line.trim().is_empty() && line::after_marker(line.trim_start()).is_none()
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn label_text(title: &str, wiki: bool, form: Form) -> String {
    let title = if wiki {
        title.replace(['[', ']', '|'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        title.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    };
    if form == Form::Row { title.replace('|', "\\|") } else { title }
}

fn hook_text(hook: &str, form: Form) -> String {
    if form == Form::Row { hook.replace('|', "\\|") } else { hook.to_owned() }
}

/// A path as a link target: what would end the link or start an anchor is percent-encoded.
fn target_text(file: &str) -> String {
    debug_assert!(file != INDEX_FILE, "the index does not point to itself");
    let mut out = String::with_capacity(file.len());
    for c in file.chars() {
        if matches!(c, ' ' | '(' | ')' | '<' | '>' | '#' | '?' | '%' | '\\') {
            out.extend(["%", &format!("{:02X}", c as u32)]);
        } else {
            out.push(c);
        }
    }
    out
}
