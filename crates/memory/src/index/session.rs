//! The text of an index for a session: under its caps, nothing falling off in silence.

use std::collections::{HashMap, HashSet};

use super::{Index, loose, nfc};
use crate::sentence::cut;

/// The most lines of an index that a session is given.
pub const MAX_LINES: usize = 200;
/// The most bytes of an index that a session is given.
pub const MAX_BYTES: usize = 25_000;
/// A line longer than this many characters is shown cut before any entry is left out.
pub const MAX_LINE_CHARS: usize = 200;

/// The room that the last line may take, in bytes; its text is written below.
const NOTE_BYTES: usize = 260;

/// In what a budget is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// UTF-16 code units.
    Utf16,
}

impl Unit {
    /// The length of `text` in this unit.
    pub fn len(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// How much room the index text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The amount.
    pub amount: usize,
    /// The unit.
    pub unit: Unit,
}

/// An index as it is shown in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionIndex {
    /// The text, lines ended by a newline; empty where there is nothing to show.
    pub text: String,
    /// How many entries are shown.
    pub shown: usize,
    /// How many are not.
    pub left_out: usize,
    /// How many lines are shown cut.
    pub cut: usize,
}

/// A line of the index, ready to be shown.
struct Line {
    text: String,
    was_cut: bool,
    /// The entries in it, by their place among all entries; empty for headings and prose.
    entries: Vec<usize>,
    /// The heading above it, by its place among the lines; of a heading, none.
    heading: Option<usize>,
}

impl Line {
    fn is_heading(&self) -> bool {
        self.text.trim_start().starts_with('#')
    }

    fn find_headings(lines: &mut [Self]) {
        let mut above = None;
        for (at, line) in lines.iter_mut().enumerate() {
            line.heading = above;
            if line.is_heading() {
                above = Some(at);
            }
        }
    }
}

impl Index {
    /// The index as a session is given it: at most 200 lines, 25,000 bytes and `budget`.
    ///
    /// Where not all entries fit, those stay that come first in `strongest` (file names, strongest first; an entry
    /// that is not named there is weaker than all that are), and the newest quarter of the places always
    /// goes to the first of `newest` (file names, newest first). The entries keep the order of the file. The last
    /// line says what is not shown.
    pub fn for_session(&self, budget: Budget, strongest: &[String], newest: &[String]) -> SessionIndex {
        let fits = |text: &str, lines: usize| {
            lines <= MAX_LINES && text.len() <= MAX_BYTES && budget.unit.len(text) <= budget.amount
        };
        let whole = self.lines(usize::MAX);
        let text = shown_text(&whole, None);
        if fits(&text, whole.len()) {
            return SessionIndex { text, shown: self.live(), left_out: 0, cut: 0 };
        }
        let mut lines = self.lines(MAX_LINE_CHARS);
        let text = shown_text(&lines, None);
        if fits(&text, lines.len()) {
            return SessionIndex { text, shown: self.live(), left_out: 0, cut: cuts(&lines, None) };
        }
        // Prose goes before any entry does.
        lines.retain(|line| !line.entries.is_empty() || line.is_heading());
        Line::find_headings(&mut lines);
        let short = shown_text(&lines, None);
        if fits(&short, lines.len()) {
            return SessionIndex { text: short, shown: self.live(), left_out: 0, cut: cuts(&lines, None) };
        }
        self.chosen(&lines, budget, strongest, newest)
    }

    /// How many entries are not struck out.
    fn live(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.struck).count()
    }

    /// The lines to be shown, each at most `limit` characters.
    fn lines(&self, limit: usize) -> Vec<Line> {
        let mut in_line: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| !entry.struck) {
            in_line.entry(entry.line).or_default().push(at);
        }
        let text = self.text.trim_start_matches('\u{feff}');
        let mut lines: Vec<Line> = Vec::new();
        for (nth, text) in text.lines().enumerate() {
            let text = text.trim_end();
            if text.is_empty() && lines.last().is_none_or(|line| line.text.is_empty()) {
                continue;
            }
            let shown = cut(text, limit);
            let entries = in_line.remove(&(nth + 1)).unwrap_or_default();
            lines.push(Line { was_cut: shown != text, text: shown, entries, heading: None });
        }
        while lines.last().is_some_and(|line| line.text.is_empty()) {
            lines.pop();
        }
        Line::find_headings(&mut lines);
        lines
    }

    fn chosen(
        &self,
        lines: &[Line],
        budget: Budget,
        strongest: &[String],
        newest: &[String],
    ) -> SessionIndex {
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for (at, line) in lines.iter().enumerate().rev() {
            for entry in line.entries.iter().map(|entry| &self.entries[*entry]) {
                by_name.insert(if entry.wiki { loose(&entry.file) } else { nfc(&entry.file) }, at);
            }
        }
        let line_of = |file: &String| {
            let stem = file.rsplit('/').next().unwrap_or(file);
            by_name
                .get(&nfc(file))
                .or_else(|| by_name.get(&loose(file)))
                .or_else(|| by_name.get(&loose(stem)))
                .copied()
        };
        let rest = (0..lines.len()).filter(|at| !lines[*at].entries.is_empty());
        let by_strength = each_once(strongest.iter().filter_map(line_of).chain(rest));
        let by_age = each_once(newest.iter().filter_map(line_of));
        // How many lines fit depends on which; the room is filled in order, the newest quarter of the places first.
        let room = Room::new(budget);
        let places = room.fill(lines, by_strength.iter()).len();
        let quarter = places.div_ceil(4).min(by_age.len());
        let order: Vec<usize> = by_age[..quarter].iter().chain(&by_strength).copied().collect();
        let chosen: HashSet<usize> = room.fill(lines, order.iter()).into_iter().collect();

        let shown: usize = chosen.iter().map(|at| lines[*at].entries.len()).sum();
        let left_out = self.live().saturating_sub(shown);
        let mut text = shown_text(lines, Some(&chosen));
        if left_out > 0 {
            text.push_str(&note(left_out));
        }
        if budget.unit.len(&text) > budget.amount {
            text.clear();
            return SessionIndex { text, shown: 0, left_out: self.live(), cut: 0 };
        }
        SessionIndex { text, shown, left_out, cut: cuts(lines, Some(&chosen)) }
    }
}

/// The room for entries, with that of the last line set aside.
struct Room {
    bytes: usize,
    amount: usize,
    unit: Unit,
}

impl Room {
    fn new(budget: Budget) -> Self {
        Self {
            bytes: MAX_BYTES - NOTE_BYTES,
            amount: budget.amount.saturating_sub(NOTE_BYTES.min(budget.unit.len(&note(99_999)))),
            unit: budget.unit,
        }
    }

    /// The lines that fit, taken in this order; one that is too long does not keep a shorter one out. With the
    /// first entry of a section comes its heading.
    fn fill<'a>(&self, lines: &[Line], order: impl Iterator<Item = &'a usize>) -> Vec<usize> {
        let mut taken: Vec<usize> = Vec::new();
        let mut seen: HashSet<usize> = HashSet::new();
        let mut headings: HashSet<usize> = HashSet::new();
        let (mut bytes, mut amount, mut count) = (0, 0, 1);
        for at in order {
            if seen.contains(at) {
                continue;
            }
            let heading = lines[*at].heading.filter(|heading| !headings.contains(heading));
            let new = [Some(*at), heading].into_iter().flatten();
            let (mut more_bytes, mut more_amount, mut more_lines) = (0, 0, 0);
            for line in new {
                more_bytes += lines[line].text.len() + 1;
                more_amount += self.unit.len(&lines[line].text) + 1;
                more_lines += 1;
            }
            let fits = bytes + more_bytes <= self.bytes
                && amount + more_amount <= self.amount
                && count + more_lines <= MAX_LINES;
            if fits {
                bytes += more_bytes;
                amount += more_amount;
                count += more_lines;
                headings.extend(heading);
                seen.insert(*at);
                taken.push(*at);
            }
        }
        taken
    }
}

fn each_once(places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    places.filter(|at| seen.insert(*at)).collect()
}

/// The chosen lines in the order of the file, with the headings above them; all lines where none are chosen.
fn shown_text(lines: &[Line], chosen: Option<&HashSet<usize>>) -> String {
    let mut text = String::new();
    let headings: HashSet<usize> =
        chosen.map(|chosen| chosen.iter().filter_map(|at| lines[*at].heading).collect()).unwrap_or_default();
    for (at, line) in lines.iter().enumerate() {
        if chosen.is_none_or(|chosen| chosen.contains(&at) || headings.contains(&at)) {
            text.push_str(&line.text);
            text.push('\n');
        }
    }
    text
}

fn cuts(lines: &[Line], chosen: Option<&HashSet<usize>>) -> usize {
    let shown = lines.iter().enumerate().filter(|(at, _)| chosen.is_none_or(|chosen| chosen.contains(at)));
    shown.filter(|(_, line)| line.was_cut).count()
}

/// The last line.
fn note(left_out: usize) -> String {
    let entries = if left_out == 1 { "1 more entry is" } else { &format!("{left_out} more entries are") };
    format!(
        "({entries} not shown; search still finds them. To see more here: one line of about 200 characters per \
         memory, detail into its file, or consolidate with `remora dream`.)\n"
    )
}
