//! One transcript read from a place on, in batches.

use std::fs::File;
use std::sync::Arc;

use remora_event::Event;
use rusqlite::Connection;
use serde_json::Value;

use crate::definition::{Definition, Form};
use crate::document::{self, Document};
use crate::error::ReadError;
use crate::find::Source;
use crate::folders::Folders;
use crate::lines::{Line, Lines};
use crate::mark::Mark;
use crate::place::Place;
use crate::rows;
use crate::telling::Telling;

/// What is open over more bytes than this ends: a place in a file must move on. Of a database: rows.
const OPEN_BYTES: u64 = 8 * 1024 * 1024;
const OPEN_ROWS: u64 = 20_000;

/// So many rows of a database are read at a time.
const ROWS: u64 = 256;

/// Reads one transcript.
pub struct Reader {
    definition: Arc<Definition>,
    source: Source,
    telling: Telling,
    input: Input,
    is_at_rest: bool,
    ended: bool,
    started_at: u64,
    left_out: LeftOut,
}

enum Input {
    Lines(Lines),
    Document { records: Vec<Value>, next: usize },
    Rows { connection: Connection, next: u64 },
}

/// What a batch holds.
#[derive(Debug)]
pub struct Batch {
    /// The events, in the order of the transcript.
    pub events: Vec<Event>,
    /// Where to read on once these events are kept.
    pub place: Place,
    /// How far was read since the reader was opened, in bytes; in rows of a database.
    pub read: u64,
    /// Whether that was all for now.
    pub is_end: bool,
}

/// What could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Records that are no JSON.
    pub unreadable: u64,
    /// Records that are too long.
    pub too_long: u64,
    /// Files that would have to be in memory whole, and are too long for that.
    pub files_too_long: u64,
}

/// The records of a document, after what it says of itself.
fn whole(source: &Source, is_at_rest: bool, left_out: &mut LeftOut) -> Result<Vec<Value>, ReadError> {
    let Some(records) = &source.records else { return Ok(Vec::new()) };
    match document::read(&source.path, records)? {
        Document::Records(head, records) => return Ok(std::iter::once(head).chain(records).collect()),
        Document::TooLong => left_out.files_too_long += 1,
        Document::Unreadable if is_at_rest => left_out.unreadable += 1,
        Document::Unreadable => return Err(ReadError::Busy { path: source.path.clone() }),
    }
    Ok(Vec::new())
}

impl Reader {
    /// Opens a transcript. A file that is not the one whose place this is, or that was cut or written anew, is read
    /// from its beginning. `is_at_rest`: nobody writes it any more, so that what is open at its end ends there.
    pub fn open(
        definition: &Arc<Definition>,
        source: Source,
        place: Place,
        is_at_rest: bool,
    ) -> Result<Self, ReadError> {
        let mut place = place;
        let mut left_out = LeftOut::default();
        let input = match &definition.form {
            Form::Lines | Form::Document { .. } if source.records.is_some() => {
                place = Place::default();
                Input::Document { records: whole(&source, is_at_rest, &mut left_out)?, next: 0 }
            }
            Form::Lines | Form::Document { .. } => {
                let file = File::open(&source.path).map_err(ReadError::file(&source.path))?;
                let holds = place.mark.holds(&file, place.offset).map_err(ReadError::file(&source.path))?;
                if !holds {
                    place = Place::default();
                }
                Input::Lines(Lines::from(file, place.offset).map_err(ReadError::file(&source.path))?)
            }
            Form::Rows { .. } => {
                // A row may change after it was written: a session that changed is read anew.
                if place.offset > 0 && place.mark != Mark::named(&source.changed) {
                    place = Place::default();
                }
                let connection = rows::open(&source.path)?;
                Input::Rows { connection, next: place.offset }
            }
        };
        Ok(Self {
            started_at: place.offset,
            telling: Telling::new(Arc::clone(definition), source.clone(), place.facts),
            definition: Arc::clone(definition),
            source,
            input,
            is_at_rest,
            ended: false,
            left_out,
        })
    }

    /// The same, with folders that sessions may have run in: some transcripts say only a folder's digest.
    #[must_use]
    pub fn knowing(mut self, folders: Arc<Folders>) -> Self {
        self.telling.know(folders);
        self
    }

    /// What could not be read so far.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// The next events: about so many, or what so many bytes (of a database: rows) hold.
    pub fn read(&mut self, most_events: usize, most_bytes: u64) -> Result<Batch, ReadError> {
        let from = self.offset();
        while !self.ended && self.telling.waiting() < most_events && self.offset() - from < most_bytes {
            self.step()?;
        }
        if self.ended && self.is_at_rest {
            self.telling.end();
        }
        Ok(Batch {
            events: self.telling.take(),
            place: self.place()?,
            read: self.offset() - self.started_at,
            is_end: self.ended,
        })
    }

    /// Reads a little, or notes the end.
    fn step(&mut self) -> Result<(), ReadError> {
        let limit = match &mut self.input {
            Input::Lines(lines) => {
                let offset = lines.offset();
                let line = lines.read(self.is_at_rest).map_err(ReadError::file(&self.source.path))?;
                match line {
                    Line::Record(record) => self.telling.hear(&record, lines.bytes(), offset),
                    Line::Empty => {}
                    Line::Unreadable => self.left_out.unreadable += 1,
                    Line::TooLong => self.left_out.too_long += 1,
                    Line::End => self.ended = true,
                }
                OPEN_BYTES
            }
            Input::Document { records, next } => {
                match records.get_mut(*next).map(Value::take) {
                    Some(record) => {
                        let bytes = record.to_string();
                        self.telling.hear(&record, bytes.as_bytes(), *next as u64);
                        *next += 1;
                    }
                    None => self.ended = true,
                }
                OPEN_ROWS
            }
            Input::Rows { connection, next } => {
                let Form::Rows { records, json, .. } = &self.definition.form else { return Ok(()) };
                let (telling, from, until) = (&mut self.telling, *next, *next + ROWS);
                self.ended =
                    rows::records(connection, &self.source, (records, json), from, |record, place| {
                        telling.hear(&record, record.to_string().as_bytes(), place - 1);
                        *next = place;
                        place >= until
                    })?;
                OPEN_ROWS
            }
        };
        self.telling.end_before(self.offset().saturating_sub(limit));
        Ok(())
    }

    fn offset(&self) -> u64 {
        match &self.input {
            Input::Lines(lines) => lines.offset(),
            Input::Document { next, .. } => *next as u64,
            Input::Rows { next, .. } => *next,
        }
    }

    fn place(&self) -> Result<Place, ReadError> {
        let (offset, facts) = match self.telling.held() {
            Some(held) => (held.offset, held.facts.clone()),
            None => (self.offset(), self.telling.facts().clone()),
        };
        let is_all = self.ended && offset == self.offset();
        let mark = match &self.input {
            Input::Lines(lines) => {
                Mark::of(lines.file(), offset).map_err(ReadError::file(&self.source.path))?
            }
            Input::Document { .. } | Input::Rows { .. } => Mark::named(&self.source.changed),
        };
        let done = if is_all { self.source.changed.clone() } else { String::new() };
        Ok(Place { offset, mark, facts, done })
    }
}
