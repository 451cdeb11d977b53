//! Editing the person's configuration files in place: what is not ours keeps every byte.

pub mod json;
mod text;
pub mod toml;

pub use text::Text;

use std::path::Path;

use serde_json::{Value, json};

use crate::Error;

/// Why a text could not be edited. Positions count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The text is not in its format.
    Syntax {
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// The text is well formed, but a value is not what the host expects there.
    Shape {
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
        /// What is odd.
        message: String,
    },
    /// The edit would have changed something else too.
    NotOurs,
}

impl Problem {
    /// The same problem, with the file it is in.
    pub fn of(self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Self::Syntax { line, column, message } => Error::Parse { path, line, column, problem: message },
            Self::Shape { line, column, message } => Error::Shape { path, line, column, problem: message },
            Self::NotOurs => Error::NotOurs(path),
        }
    }
}

/// Line and column of a byte offset, from 1, in characters.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Takes a value out of plain data, and the tables on the way that are then empty: parents come and go with what
/// is below them.
fn take_out(value: &mut Value, path: &[&str]) {
    let (Some((key, rest)), Some(table)) = (path.split_first(), value.as_object_mut()) else { return };
    if !rest.is_empty() {
        table.get_mut(*key).into_iter().for_each(|inner| take_out(inner, rest));
    }
    let is_gone = rest.is_empty() || table.get(*key).is_some_and(|inner| *inner == json!({}));
    if is_gone {
        table.shift_remove(*key);
    }
}
