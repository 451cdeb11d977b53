//! A transcript that is one JSON value.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use crate::error::ReadError;
use crate::path::FieldPath;

/// A document over this size is left out, in bytes: it is in memory whole.
pub const LONGEST: u64 = 32 * 1024 * 1024;

/// What a file holds.
pub(crate) enum Document {
    /// The value itself without its records, and the records.
    Records(Value, Vec<Value>),
    /// Nothing that can be read: it is too long.
    TooLong,
    /// It is being written, or is none.
    Unreadable,
}

/// Reads a document.
pub(crate) fn read(path: &Path, records: &FieldPath) -> Result<Document, ReadError> {
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(ReadError::file(path))?;
    file.take(LONGEST + 1).read_to_end(&mut text).map_err(ReadError::file(path))?;
    if text.len() as u64 > LONGEST {
        return Ok(Document::TooLong);
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let Ok(mut value) = serde_json::from_slice::<Value>(text) else { return Ok(Document::Unreadable) };
    match records.take(&mut value) {
        Some(Value::Array(items)) => Ok(Document::Records(value, items)),
        _ => Ok(Document::Unreadable),
    }
}
