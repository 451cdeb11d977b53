//! What hosts wrote down of their sessions, read as events.
//!
//! A [`Definition`] is plain data, written by a host's adapter or by a person: where transcripts lie, how their
//! records are matched, which of their fields mean what, and which event they make. [`Definition::sources`]
//! finds transcripts, and a [`Reader`] makes events of one, from the [`Place`] where the last reading ended.
//!
//! An event of a transcript has the same id each time it is read, so that it can be read again: a place is to
//! be kept after the events before it were, and an interruption then neither loses nor doubles anything.
//! Nothing is loaded whole but single records, and files that are one JSON value; both are bounded. Nothing that is read is
//! changed.

mod condition;
mod definition;
mod document;
mod error;
mod field;
mod find;
mod folders;
mod lines;
mod mark;
mod moment;
mod path;
mod pattern;
mod place;
mod reader;
mod rows;
mod telling;
mod tools;

pub use definition::Definition;
pub use document::LONGEST as LONGEST_DOCUMENT;
pub use error::{DefinitionError, ReadError};
pub use find::{Found, Source};
pub use folders::Folders;
pub use lines::LONGEST_LINE;
pub use place::Place;
pub use reader::{Batch, LeftOut, Reader};
