//! Folders by the digests of their paths: a host may write down nothing else of where a session ran.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

/// Folders that are known, each by the SHA-256 of its path in hexadecimal digits.
#[derive(Debug, Clone, Default)]
pub struct Folders(HashMap<[u8; 32], String>);

impl Folders {
    /// Those of these that are absolute paths.
    pub fn of(paths: impl Iterator<Item = String>) -> Self {
        let absolute = paths.filter(|path| path.starts_with('/'));
        Self(absolute.map(|path| (Sha256::digest(&path).into(), path)).collect())
    }

    /// The folder with this digest, if it is known.
    pub(crate) fn with_digest(&self, digest: &str) -> Option<&str> {
        let digits = |at: usize| u8::from_str_radix(digest.get(at..at + 2)?, 16).ok();
        if digest.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = digits(place * 2)?;
        }
        self.0.get(&bytes).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_digest_alone() {
        let folders =
            Folders::of(["/home/dev/proj", "/home/dev/端口", "proj"].map(str::to_owned).into_iter());
        let digest = |path: &str| format!("{:x}", Sha256::digest(path));
        for (digest, folder) in [
            (digest("/home/dev/proj"), Some("/home/dev/proj")),
            (digest("/home/dev/proj").to_uppercase(), Some("/home/dev/proj")),
            (digest("/home/dev/端口"), Some("/home/dev/端口")),
            (digest("/home/dev/other"), None),
            (digest("proj"), None),
            ("/home/dev/proj".to_owned(), None),
            ("端".repeat(32), None),
            (String::new(), None),
        ] {
            assert_eq!(folders.with_digest(&digest), folder, "{digest}");
        }
    }
}
