//! A file line by line, in bounded memory.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};

use serde_json::Value;

/// A line over this length is left out, in bytes. It is in memory twice while it is read: as it stands, and as
/// what it says.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// A buffer that grew beyond this is given back after the line.
const KEPT_BUFFER: usize = 1024 * 1024;

/// The lines of a file from a place on.
#[derive(Debug)]
pub(crate) struct Lines {
    input: BufReader<File>,
    /// Where the next line begins.
    offset: u64,
    line: Vec<u8>,
}

/// One line.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    /// What it says.
    Record(Value),
    /// It says nothing.
    Empty,
    /// It is no JSON.
    Unreadable,
    /// It is too long.
    TooLong,
    /// There is no line, or none that has come to its end.
    End,
}

impl Lines {
    /// The lines from `offset` on.
    pub(crate) fn from(mut file: File, offset: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { input: BufReader::with_capacity(64 * 1024, file), offset, line: Vec::new() })
    }

    pub(crate) fn file(&self) -> &File {
        self.input.get_ref()
    }

    /// Where the next line begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes of the line that was read last.
    pub(crate) fn bytes(&self) -> &[u8] {
        plain(&self.line)
    }

    /// The next line. `is_at_rest`: nobody writes the file any more, so that a last line without an end counts,
    /// provided it says something.
    pub(crate) fn read(&mut self, is_at_rest: bool) -> io::Result<Line> {
        self.line.clear();
        if self.line.capacity() > KEPT_BUFFER {
            self.line.shrink_to(KEPT_BUFFER);
        }
        let (mut length, mut is_whole) = (0u64, false);
        while !is_whole {
            let piece = self.input.fill_buf()?;
            if piece.is_empty() {
                break;
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            is_whole = end.is_some();
            let taken = end.map_or(piece.len(), |end| end + 1);
            length += taken as u64;
            if length <= LONGEST_LINE as u64 {
                self.line.extend_from_slice(&piece[..taken]);
            } else {
                self.line = Vec::new();
            }
            self.input.consume(taken);
        }
        let is_long = length > LONGEST_LINE as u64;
        let read = if is_long { Line::TooLong } else { parsed(&self.line, self.offset == 0) };
        let counts = is_whole || is_at_rest && matches!(read, Line::Record(_));
        if !counts {
            // Read again when there is more.
            self.input.seek(SeekFrom::Start(self.offset))?;
            self.line.clear();
            return Ok(Line::End);
        }
        self.offset += length;
        Ok(read)
    }
}

/// A line without what programs and crashes leave around it.
fn plain(line: &[u8]) -> &[u8] {
    let is_nothing = |byte: &u8| matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n');
    let start = line.iter().position(|byte| !is_nothing(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_nothing(byte)).map_or(start, |end| end + 1);
    &line[start..end]
}

fn parsed(line: &[u8], is_first: bool) -> Line {
    let line = if is_first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    let line = plain(line);
    if line.is_empty() {
        return Line::Empty;
    }
    let value = serde_json::from_slice(line)
        .ok()
        .or_else(|| serde_json::from_str(&String::from_utf8_lossy(line)).ok());
    match value {
        Some(value @ (Value::Object(_) | Value::Array(_))) => Line::Record(value),
        _ => Line::Unreadable,
    }
}
