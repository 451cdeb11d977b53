//! From a file's bytes to text and back.

use std::path::Path;

use crate::Error;

const BOM: &str = "\u{feff}";

/// A configuration file's text, and whether a byte order mark stood before it: parsers refuse the mark, and
/// editors that wrote it want it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    has_mark: bool,
    text: String,
}

impl Text {
    /// Reads a file's bytes. `path` is for the error when they are not UTF-8.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(bytes).map_err(|_| Error::NotText(path.to_owned()))?;
        let bare = text.strip_prefix(BOM);
        Ok(Self { has_mark: bare.is_some(), text: bare.unwrap_or(text).to_owned() })
    }

    /// The text without the mark.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes of an edited text, with the mark where there was one.
    pub fn bytes(&self, edited: &str) -> Vec<u8> {
        let mark = if self.has_mark { BOM } else { "" };
        [mark.as_bytes(), edited.as_bytes()].concat()
    }
}
