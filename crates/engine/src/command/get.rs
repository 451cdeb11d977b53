//! `get`: whole memories and entries of the journal by their ids, as a model may read them.
//!
//! An id is `memory:<scope>/<file>` or `journal:<number>`; a memory's name or file does as well.

use std::path::Path;
use std::sync::Arc;

use remora_event::{Budget, Unit};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, plain};
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::injection::{Room, Wrapper, memory_text, one_line};
use crate::journal::{self, Asked, Filter, JournalEntry};
use crate::memories::{Entry, Shelf};

/// One answer has at most so many characters of text, in UTF-16 units, unless less is asked for.
const ANSWER: usize = 10_000;

/// Where less is left, a text that does not fit is left for the next call instead of being cut to a stump.
const STUMP: usize = 600;

/// What `get` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    ids: Vec<String>,
    /// UTF-16 units for all texts together.
    #[serde(default)]
    room: Option<usize>,
}

/// `{"found": [{"id", "wrapper", "text"}], "missing": [{"id", "near": [ids]}], "left_out": [ids]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    if args.ids.is_empty() {
        return Err(EngineError::usage("no ids are named", "take them from a search"));
    }
    let shelf = engine.shelf_of(&place).await?;
    let engine = Arc::clone(engine);
    blocking(move || {
        let mut room = room_of(args.room.unwrap_or(ANSWER).min(ANSWER));
        let (mut found, mut missing, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for id in &args.ids {
            let Some(whole) = Whole::named(&engine, &shelf, &place, id)? else {
                missing.push(json!({"id": id, "near": near(&shelf, id)}));
                continue;
            };
            let Some(text) = whole.fitting(room) else {
                left_out.push(whole.id());
                continue;
            };
            room.take(&text);
            found.push(json!({"id": whole.id(), "wrapper": whole.wrapper().as_str(), "text": text}));
        }
        Ok(json!({"found": found, "missing": missing, "left_out": left_out}))
    })
    .await
}

/// What an id stands for.
enum Whole<'a> {
    Memory(&'a Entry),
    Journal(Box<JournalEntry>),
}

impl<'a> Whole<'a> {
    /// An entry of the journal is only there for its own project.
    fn named(
        engine: &Engine,
        shelf: &'a Shelf,
        place: &Place,
        id: &str,
    ) -> Result<Option<Self>, EngineError> {
        let Some(number) = id.trim().strip_prefix("journal:") else {
            return Ok(exactly(shelf, id).ok().map(Self::Memory));
        };
        let Ok(number) = number.trim().parse() else { return Ok(None) };
        let asked = Asked::project(place.slug());
        let entry = engine
            .journal()
            .read(|connection| journal::entry(connection, number, &Filter::resolve(connection, &asked)?))?;
        Ok(entry.map(Box::new).map(Self::Journal))
    }

    fn id(&self) -> String {
        match self {
            Self::Memory(entry) => id_of(entry),
            Self::Journal(entry) => format!("journal:{}", entry.id),
        }
    }

    fn wrapper(&self) -> Wrapper {
        match self {
            Self::Memory(entry) => Wrapper::of(entry),
            Self::Journal(_) => Wrapper::Background,
        }
    }

    /// The text, cut if need be; nothing where too little of it would be left.
    fn fitting(&self, room: Room) -> Option<String> {
        let whole = self.text(room_of(usize::MAX));
        if room.fits(&whole) {
            return Some(whole);
        }
        let cut = self.text(room);
        (room.left() >= STUMP).then(|| room.prefix(&cut).to_owned())
    }

    fn text(&self, room: Room) -> String {
        match self {
            Self::Memory(entry) => memory_text(entry, room),
            Self::Journal(entry) => journal_text(entry, room),
        }
    }
}

fn room_of(amount: usize) -> Room {
    Room::new(amount, Some(Budget { amount, unit: Unit::Utf16 }))
}

/// An entry of the journal: what it is, where and when it happened, then its words.
fn journal_text(entry: &JournalEntry, room: Room) -> String {
    let mut text = format!(
        "### journal:{}\n({} · {} · {} · session {})\n",
        entry.id,
        entry.kind,
        one_line(&entry.host),
        clock::rfc3339(entry.at),
        one_line(&entry.session),
    );
    for part in journal_parts(&entry.title, &entry.body) {
        text.push_str(&remora_redact::neutralise(part.trim()));
        text.push('\n');
    }
    if !room.fits(&text) {
        const NOTE: &str = "… (cut)\n";
        let kept = room.part(room.left().saturating_sub(room.measure(NOTE))).prefix(&text).len();
        text.truncate(kept);
        text.push_str(NOTE);
    }
    text
}

/// The title is often the beginning of the text.
fn journal_parts<'a>(title: &'a str, body: &'a str) -> impl Iterator<Item = &'a str> {
    let repeated = body.trim_start().starts_with(title.trim_end_matches('…').trim());
    [(!repeated).then_some(title), Some(body)].into_iter().flatten().filter(|part| !part.trim().is_empty())
}

/// The id by which a memory is asked for.
pub(super) fn id_of(entry: &Entry) -> String {
    entry.id()
}

/// What reading a memory whole costs, estimated.
pub(super) fn tokens_of(entry: &Entry) -> i64 {
    crate::injection::tokens_of(&memory_text(entry, room_of(ANSWER)))
}

/// What reading an entry of the journal costs, estimated.
pub(super) fn tokens_of_entry(title: &str, body: &str) -> i64 {
    journal_parts(title, body).map(crate::injection::tokens_of).sum()
}

/// The one memory that is called exactly so: by id, name, file or path.
pub(super) fn exactly<'a>(shelf: &'a Shelf, id: &str) -> Result<&'a Entry, EngineError> {
    let wanted = plain(id);
    let found: Vec<&Entry> = if id.trim().starts_with("memory:") {
        shelf.entries.iter().filter(|entry| id_of(entry) == id.trim()).collect()
    } else {
        let is_called = |entry: &&Entry| {
            plain(&entry.name) == wanted || plain(&entry.file) == wanted || entry.path == Path::new(id)
        };
        shelf.entries.iter().filter(is_called).collect()
    };
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let near = near(shelf, id);
            let message = format!("there is no memory called {id:?} here");
            let hint = match near.as_slice() {
                [] => "a search shows the ids".to_owned(),
                near => format!("did you mean {}?", near.join(" or ")),
            };
            Err(EngineError::not_found(message, &hint))
        }
        several => {
            let ids: Vec<String> = several.iter().map(|entry| id_of(entry)).collect();
            let message = format!("{id:?} could be {}", ids.join(" or "));
            Err(EngineError::usage(message, "name one of these ids"))
        }
    }
}

/// The ids of memories whose names have a part in common with what was asked for.
fn near(shelf: &Shelf, id: &str) -> Vec<String> {
    const MOST: usize = 3;
    let wanted = plain(id.rsplit('/').next().unwrap_or(id));
    if wanted.chars().count() < 3 {
        return Vec::new();
    }
    let is_near = |entry: &&Entry| {
        let (name, file) = (plain(&entry.name), plain(&entry.file));
        name.contains(&wanted) || file.contains(&wanted) || wanted.contains(&name)
    };
    shelf.entries.iter().filter(is_near).take(MOST).map(id_of).collect()
}
