//! What the start of a session gets: how to use this memory, who the person is, what is remembered here.
//!
//! A resumed or forked session already has what it was given before: it gets only what changed since.

use std::path::PathBuf;

use remora_event::Event;
use remora_memory::index::{MAX_BYTES, MAX_LINE_CHARS, MAX_LINES};
use sha2::{Digest, Sha256};

use super::budget::{JOINER, Room};
use super::protocol::{self, Way};
use super::wrapper::{self, Wrapper};
use super::{Choice, Injection, Item};
use crate::config::{Config, Notice};
use crate::ledger::Given;
use crate::memories::{Entry, Shelf};

/// The shares of the parts, in the host's unit. What one part leaves, the next may use.
const PROTOCOL_SHARE: usize = 1_800;
const USER_SHARE: usize = 1_800;
const INDEX_SHARE: usize = 2_700;

/// The name in the ledger of the text that says how to use this memory.
const PROTOCOL: &str = "protocol";

/// One memory about the person is given up to this length.
const USER_MEMORY_SHARE: usize = 900;

/// Fills the injection for a session's start.
pub(crate) fn compose(
    injection: &mut Injection,
    shelf: &Shelf,
    event: &Event,
    config: &Config,
    given: &Given,
    keeping: &Keeping,
) {
    let mut room = Room::new(config.inject.budget.start, event.budget);
    let mut saved = 0;
    let protocol = add_protocol(injection, shelf, keeping, room.part(PROTOCOL_SHARE), given);
    room.take(&protocol);
    saved += PROTOCOL_SHARE.saturating_sub(room.measure(&protocol));

    room = room.part(room.left().saturating_sub(Wrapper::costs(room)));
    let about = room.part(USER_SHARE + saved);
    let (guidance, mut background) = add_user_memories(injection, shelf, event, about, given);
    let used: usize = guidance.iter().chain(&background).map(|text| room.measure_in_wrapper(text)).sum();
    guidance.iter().chain(&background).for_each(|text| room.take_in_wrapper(text));
    saved = (USER_SHARE + saved).saturating_sub(used);

    // One less for the line before it.
    let index_room = room.part((INDEX_SHARE + saved).min(room.left().saturating_sub(1)));
    if let Some(index) = add_index(injection, shelf, event, index_room, given) {
        background.push(index);
    }
    injection.text =
        protocol + &Wrapper::Guidance.around(&guidance) + &Wrapper::Background.around(&background);
    let offered = shelf.entries.len();
    let taken = injection.items.iter().filter(|item| item.part != "text").count();
    injection.choices.push(Choice::new("start", offered, taken));
    if config.notice != Notice::Never && event.source.as_deref() != Some("compact") {
        injection.notice = Some(notice(shelf));
    }
}

/// Whether a context was given what a session's start gets.
pub(crate) fn is_given(given: &Given) -> bool {
    given.keys().any(|(part, _, file)| part == "text" && file == PROTOCOL)
}

/// Puts what a session's start gets before what its first prompt gets, as far as that leaves room.
pub(crate) fn put_before(
    injection: &mut Injection,
    shelf: &Shelf,
    event: &Event,
    config: &Config,
    mut given: Given,
    keeping: &Keeping,
) {
    given.extend(injection.items.iter().map(|item| (item.key(), item.digest.clone())));
    let mut rest = event.clone();
    if let Some(budget) = &mut rest.budget {
        budget.amount = budget.amount.saturating_sub(budget.unit.measure(&injection.text));
    }
    let mut start = Injection::default();
    compose(&mut start, shelf, &rest, config, &given, keeping);
    injection.text.insert_str(0, &start.text);
    injection.items.splice(0..0, start.items);
    injection.choices.append(&mut start.choices);
    injection.notice = injection.notice.take().or(start.notice);
}

/// One line for the person, inside the host.
pub(crate) fn notice(shelf: &Shelf) -> String {
    let about = shelf.entries.iter().filter(|entry| entry.is_about_person()).count();
    let here = shelf.entries.len() - about;
    let memories = if about == 1 { "memory" } else { "memories" };
    let review = match shelf.waiting {
        0 => String::new(),
        n => format!(", {n} to review"),
    };
    format!("Remora: {about} {memories} about you, {here} here{review}")
}

/// How this session's model keeps memory, and where.
#[derive(Debug, Clone)]
pub(crate) struct Keeping {
    /// With what.
    pub(crate) way: Way,
    /// The memory folder of the project.
    pub(crate) folder: Option<PathBuf>,
}

fn add_protocol(
    injection: &mut Injection,
    shelf: &Shelf,
    keeping: &Keeping,
    room: Room,
    given: &Given,
) -> String {
    let said = protocol::text(keeping.way, keeping.folder.as_deref(), &shelf.command, room);
    let Some(text) = said else { return String::new() };
    let item = Item::own("start", (PROTOCOL, "how to use this memory"), &text, digest(&text));
    if item.is_given(given) {
        return String::new();
    }
    injection.items.push(item);
    text
}

/// Memories about the person, with their bodies, newest change first. Where not all fit, the last line says so.
fn add_user_memories(
    injection: &mut Injection,
    shelf: &Shelf,
    event: &Event,
    room: Room,
    given: &Given,
) -> (Vec<String>, Vec<String>) {
    let (mut guidance, mut background) = (Vec::new(), Vec::new());
    let mut left_out = 0;
    let about = shelf.newest_first().filter(|entry| entry.is_about_person() && entry.superseded_by.is_none());
    let more = |left: usize| {
        format!(
            "({left} more memories about the person are not shown; `{} list` names them.)\n",
            shelf.command
        )
    };
    let says_more = room.fits_in_wrapper(&more(999));
    let mut room = room.part(room.left().saturating_sub(room.measure_in_wrapper(&more(999))));
    for entry in about.filter(|entry| !is_told_by_host(entry, event)) {
        let mut item = Item::of(entry, "body", "start", "");
        if item.is_given(given) {
            continue;
        }
        if room.left() < USER_MEMORY_SHARE / 4 {
            left_out += 1;
            continue;
        }
        let text = wrapper::memory(entry, room.part_in_wrapper(USER_MEMORY_SHARE));
        if !room.fits_in_wrapper(&text) {
            left_out += 1;
            continue;
        }
        room.take_in_wrapper(&text);
        item.tokens = super::tokens_of(&text);
        injection.items.push(item);
        match Wrapper::of(entry) {
            Wrapper::Guidance => guidance.push(text),
            Wrapper::Background => background.push(text),
        }
    }
    if left_out > 0 && says_more {
        background.push(more(left_out));
    }
    (guidance, background)
}

/// Whether the host gives its own model its own index of this memory: not twice.
fn is_told_by_host(entry: &Entry, event: &Event) -> bool {
    entry.elsewhere.is_none() && entry.origin.as_deref() == Some(event.host.as_str())
}

/// The project's index: a line a memory, the strongest where not all fit, shown newest first, and a last
/// line that says what is missing and how to find it.
fn add_index(
    injection: &mut Injection,
    shelf: &Shelf,
    event: &Event,
    room: Room,
    given: &Given,
) -> Option<String> {
    let entries: Vec<&Entry> = shelf
        .newest_first()
        .filter(|entry| !entry.is_about_person() && entry.superseded_by.is_none())
        .filter(|entry| !is_told_by_host(entry, event))
        .filter(|entry| given.is_empty() || !index_item(entry).is_given(given))
        .collect();
    if entries.is_empty() {
        return None;
    }
    let title = "## Remembered in this project (name, file, what it is about)\n";
    let more = |left: usize| {
        format!(
            "({left} more entries are not shown. `{} recall` and `{} list` find them; shorter index lines, with the detail in the files, make room.)\n",
            shelf.command, shelf.command
        )
    };
    let mut lines: Vec<Line<'_>> = entries.iter().map(|entry| Line::of(entry, room)).collect();
    let fits = |lines: &[Line<'_>], left: usize| {
        let text: usize = lines.iter().map(|line| line.length).sum();
        let note = if left > 0 { room.measure(&more(left)) } else { 0 };
        let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
        lines.len() <= MAX_LINES && bytes <= MAX_BYTES && room.measure(title) + text + note <= room.left()
    };
    let mut slots = most_that_fit(lines.iter().map(|line| line.length), room.left()).min(MAX_LINES);
    while slots > 0 {
        let kept = Shelf::strongest(&entries, slots);
        lines.retain(|line| kept.iter().any(|keep| std::ptr::eq(*keep, line.entry)));
        if fits(&lines, entries.len() - lines.len()) {
            break;
        }
        slots = (slots * 9 / 10).min(slots - 1);
    }
    if slots == 0 {
        lines.clear();
        if !fits(&lines, entries.len()) {
            return None;
        }
    }
    let mut text = String::from(title);
    for line in &lines {
        text.push_str(line.text);
        let mut item = index_item(line.entry);
        item.tokens = super::tokens_of(line.text);
        injection.items.push(item);
    }
    let left = entries.len() - lines.len();
    if left > 0 {
        text.push_str(&more(left));
    }
    Some(text)
}

/// One entry's line of the index, and its length in the host's unit.
struct Line<'a> {
    entry: &'a Entry,
    text: &'a str,
    length: usize,
}

impl<'a> Line<'a> {
    fn of(entry: &'a Entry, room: Room) -> Self {
        let text = index_line(entry);
        Self { entry, text, length: room.measure(text) }
    }
}

/// So many of the shortest fit: more lines than that never do.
fn most_that_fit(lengths: impl Iterator<Item = usize>, mut left: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    lengths
        .iter()
        .take_while(|length| {
            let rest = left.checked_sub(**length);
            left = rest.unwrap_or(left);
            rest.is_some()
        })
        .count()
}

fn index_item(entry: &Entry) -> Item {
    let mut item = Item::of(entry, "index", "start", "");
    item.digest = digest(index_line(entry));
    item
}

/// The line is made once for as long as the memory stays as it is.
fn index_line(entry: &Entry) -> &str {
    entry.line.get_or_init(|| {
        let hook = entry.hook.as_deref().filter(|hook| !hook.is_empty()).unwrap_or(&entry.description);
        let line = format!(
            "- {} ({}): {}",
            wrapper::one_line(&entry.name),
            wrapper::one_line(&entry.file),
            wrapper::one_line(hook)
        );
        match line.char_indices().nth(MAX_LINE_CHARS) {
            None => line + "\n",
            Some((end, _)) => format!("{}…\n", line[..end].trim_end_matches(JOINER)),
        }
    })
}

pub(crate) fn digest(text: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(text.as_bytes())[..8].iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
