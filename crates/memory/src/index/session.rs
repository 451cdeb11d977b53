//! The text of an index for a session: under its caps, nothing falling off in silence.

/// The most lines of an index that a session is given.
pub const MAX_LINES: usize = 200;
/// The most bytes of an index that a session is given.
pub const MAX_BYTES: usize = 25_000;
/// A line longer than this many characters is shown cut before any entry is left out.
pub const MAX_LINE_CHARS: usize = 200;

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
    /// The text.
    pub text: String,
    /// How many entries are shown.
    pub shown: usize,
    /// How many are not.
    pub left_out: usize,
}
