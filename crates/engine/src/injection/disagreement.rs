//! Where the person's own memory and a host's say different things of one subject, both are shown, and it is said.

use remora_memory::dates;
use remora_recall::overturned::{Cue, overturned};

use super::late::LateChoice;
use super::wrapper::one_line;
use crate::memories::{Entry, Scope, Shelf};

/// So many of the nearest memories are compared.
const NEAREST: usize = 5;
/// A prompt of many memories is compared only so far.
const COMPARED: usize = 5;

/// Two memories that may not both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disagreement {
    /// The newer one's id and the older one's.
    pub(super) ids: [String; 2],
    /// What is said of them.
    pub(super) line: String,
}

/// Adds to a choice what a host's own memory says otherwise, or the person's, next to what it contradicts.
pub(super) fn complete(shelf: &Shelf, chosen: Vec<LateChoice>) -> (Vec<LateChoice>, Vec<Disagreement>) {
    let has = |native: bool| shelf.ids().any(|(_, entry)| (entry.scope == Scope::Native) == native);
    if chosen.is_empty() || !has(true) || !has(false) {
        return (chosen, Vec::new());
    }
    let mut whole: Vec<LateChoice> = Vec::new();
    let mut found: Vec<Disagreement> = Vec::new();
    for (place, choice) in chosen.into_iter().enumerate() {
        if whole.iter().any(|other| other.id == choice.id) {
            continue;
        }
        let other = (place < COMPARED).then(|| against(shelf, &choice.id)).flatten();
        let step = choice.step;
        whole.push(choice);
        let Some((id, disagreement)) = other else { continue };
        if !whole.iter().any(|known| known.id == id) {
            whole.push(LateChoice { id, step, score: None });
        }
        if !found.contains(&disagreement) {
            found.push(disagreement);
        }
    }
    (whole, found)
}

/// The memory of the other kind that says otherwise than this one.
fn against(shelf: &Shelf, id: &str) -> Option<(String, Disagreement)> {
    let own = shelf.entry(id)?;
    let document = own.document();
    shelf.corpus().nearest(&document, NEAREST).into_iter().find_map(|near| {
        let other = shelf
            .entry(&near.id)
            .filter(|other| (other.scope == Scope::Native) != (own.scope == Scope::Native))?;
        let own_is_newer = own.changed_ms >= other.changed_ms;
        let (newer, older) = if own_is_newer { (own, other) } else { (other, own) };
        let cue = overturned(&newer.document(), &older.document(), near.similarity)?;
        let other_id = near.id.clone();
        let ids = if own_is_newer { [id.to_owned(), near.id] } else { [near.id, id.to_owned()] };
        Some((other_id, Disagreement { ids, line: line(newer, older, &cue) }))
    })
}

fn line(newer: &Entry, older: &Entry, cue: &Cue) -> String {
    let named = |entry: &Entry| {
        let whose = match entry.scope {
            Scope::Native if entry.by.starts_with("import ") => one_line(&entry.by),
            Scope::Native => "the agent's own memory".to_owned(),
            _ => "Remora's memory".to_owned(),
        };
        format!("{} ({whose}, {})", one_line(&entry.name), dates::age_words(entry.age_days))
    };
    let why = match cue {
        Cue::NewValue { old, new, .. } => {
            format!("the first says {}, the second {}", one_line(new), one_line(old))
        }
        Cue::SaysSo { words } => format!("the first says \"{}\"", one_line(words)),
    };
    format!(
        "These two disagree: {} and {}: {why}. Find out which holds before you act on either.",
        named(newer),
        named(older)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use remora_memory::Scan;

    use super::*;
    use crate::memories::{Place, View};
    use crate::review::Waiting;

    /// One memory of the person's and one of a host's, of which the first was chosen.
    fn of(own: &str, native: &str) -> (Vec<String>, Vec<String>) {
        let place = |folder: &str, scope| Place {
            folder: folder.into(),
            scope,
            origin: (scope == Scope::Native).then(|| "some-host".into()),
            is_snapshot: scope == Scope::Native,
            elsewhere: None,
        };
        let scan = |file: &str, body: &str, changed: &str| {
            let text = format!(
                "---\nname: {file}\ndescription: {body:?}\ntype: project\nmetadata:\n  updated: {changed}\n---\n{body}\n"
            );
            let memory = remora_memory::reader::read_text(&format!("{file}.md"), &text).expect("a memory");
            Arc::new(Scan { memories: vec![Arc::new(memory)], ..Scan::default() })
        };
        let view = View {
            project: None,
            places: vec![place("/own", Scope::Private), place("/native", Scope::Native)],
        };
        let scans = [scan("own", own, "2026-01-02"), scan("native", native, "2025-01-02")];
        let shelf = Shelf::of(&view, &scans, &Waiting::default(), "remora");
        let chosen = vec![LateChoice { id: "own.md".into(), step: "lexical", score: None }];
        let (whole, found) = complete(&shelf, chosen);
        let ids = whole.into_iter().map(|choice| choice.id).collect();
        let days = |line: &str| {
            line.split(' ')
                .filter(|word| word.parse::<u32>().is_err() || word.len() > 3)
                .collect::<Vec<_>>()
                .join(" ")
        };
        (ids, found.into_iter().map(|one| days(&one.line)).collect())
    }

    #[test]
    fn what_a_host_says_otherwise_stands_beside_it() {
        let (ids, lines) =
            of("The staging API listens on port 9090.", "The staging API listens on port 8080.");
        assert_eq!(ids, ["own.md", "native.md"]);
        insta::assert_snapshot!(lines.join("\n"), @"These two disagree: own (Remora's memory, days ago) and native (the agent's own memory, days ago): the first says 9090, the second 8080. Find out which holds before you act on either.");
        for (own, native) in [
            ("The staging API listens on port 9090.", "The staging API listens on port 9090, always."),
            ("The staging API listens on port 9090.", "Invoices are rounded to 5 cents."),
        ] {
            assert_eq!(of(own, native), (vec!["own.md".to_owned()], vec![]), "{own} {native}");
        }
    }
}
