//! By what it is known that a file still begins as it did when it was read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// So many bytes of a file's beginning, and before the place, are looked at.
const HEAD: u64 = 1024;
const TAIL: u64 = 256;

/// Digests of a file's first bytes and of those before a place in it. A file that was replaced, shortened or
/// written anew differs in one of them; one that was moved or copied does not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    head: String,
    tail: String,
}

impl Mark {
    /// The mark of a place in a file.
    pub(crate) fn of(file: &File, offset: u64) -> io::Result<Self> {
        Ok(Self {
            head: digest(file, 0, HEAD.min(offset))?,
            tail: digest(file, offset.saturating_sub(TAIL), TAIL.min(offset))?,
        })
    }

    /// The mark of what is not read by bytes.
    pub(crate) fn named(text: &str) -> Self {
        Self { head: text.to_owned(), tail: String::new() }
    }

    /// Whether the file still has this mark at this place.
    pub(crate) fn holds(&self, file: &File, offset: u64) -> io::Result<bool> {
        match Self::of(file, offset) {
            Ok(found) => Ok(found == *self),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn digest(file: &File, from: u64, length: u64) -> io::Result<String> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, from)?;
    Ok(short_digest(&[&bytes]))
}

/// Sixteen bytes of a digest, in hexadecimal digits.
pub(crate) fn short_digest(parts: &[&[u8]]) -> String {
    use std::fmt::Write as _;
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()[..16].iter().fold(String::with_capacity(32), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
