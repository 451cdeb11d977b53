//! The path of a memory file: relative, inside its folder, the same on every platform.
//!
//! Three layers keep names from outside where they belong. A name is checked by its letters for all platforms at
//! once ([`MemoryPath::parse`]); the resolved path must start with the folder *and a separator*
//! ([`MemoryPath::inside`]); and files are opened relative to a directory handle that no symbolic link
//! leads out of ([`crate::write`], [`crate::folder`]). Any doubt is a refusal.

use std::fmt;
use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

/// The longest component, in bytes: the limit of common file systems.
const MAX_COMPONENT: usize = 255;
/// The longest path, in bytes.
const MAX_PATH: usize = 1024;
/// The deepest path, in components; a folder is read as deep.
pub(crate) const MAX_DEPTH: usize = 9;

/// A checked path of a file relative to a memory folder, with `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryPath(String);

/// Why a path was refused. One kind of error for all: nothing was read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("refused the path {path:?}: {reason}")]
pub struct Refused {
    /// The path as it came, at most 200 characters of it.
    pub path: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// Names that mean a device on Windows, whatever the extension.
const RESERVED: [&str; 26] = [
    "con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "conin$",
    "conout$",
];

impl MemoryPath {
    /// Checks a path for use on any platform: what a new memory is called, and everything that a team mate,
    /// a model or a host names.
    ///
    /// # Errors
    /// Absolute paths, `..`, backslashes, drive letters and streams, control and bidi characters, percent-encoded or
    /// full-width traversal, reserved names, trailing dots or spaces, hidden files, text that is not NFC, names
    /// that are too long.
    pub fn parse(path: &str) -> Result<Self, Refused> {
        let refuse = |reason| Err(refusal(path, reason));
        if path.is_empty() {
            return refuse("it is empty");
        }
        if path.len() > MAX_PATH {
            return refuse("it is too long");
        }
        if path.starts_with(['/', '~']) {
            return refuse("it is not relative to the folder");
        }
        if path.nfc().ne(path.chars()) {
            return refuse("its Unicode is not in the composed form");
        }
        if let Some(reason) = bad_character(path) {
            return refuse(reason);
        }
        if hides_traversal(path) {
            return refuse("it hides a separator or `..` in another spelling");
        }
        if path.split('/').count() > MAX_DEPTH {
            return refuse("it is too deep");
        }
        match path.split('/').find_map(bad_component) {
            Some(reason) => refuse(reason),
            None => Ok(Self(path.to_owned())),
        }
    }

    /// Accepts a path that was found by listing a person's own folder: their file names are their business, so
    /// only what could leave the folder is refused.
    ///
    /// # Errors
    /// Absolute paths, empty components, `.` and `..`, NUL, and on Windows what is no plain name there.
    pub fn found(path: &str) -> Result<Self, Refused> {
        let refuse = |reason| Err(refusal(path, reason));
        if path.contains('\0') || (cfg!(windows) && path.contains(['\\', ':'])) {
            return refuse("it has a character that cannot be in a file name");
        }
        if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return refuse("it is not a plain path inside the folder");
        }
        if path.split('/').count() > MAX_DEPTH || path.len() > 4 * MAX_PATH {
            return refuse("it is too deep or too long");
        }
        Ok(Self(path.to_owned()))
    }

    /// The path as a text with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file name without folders.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folders above the file, with `/`; empty at the top.
    pub fn parent(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// The path on disk, checked once more: it must start with `folder` and a separator, so that `team-evil` is not
    /// taken for something inside `team`. For display and for other programs; this crate opens files by handle.
    ///
    /// # Errors
    /// Where the joined path does not lie in `folder`.
    pub fn inside(&self, folder: &Path) -> Result<PathBuf, Refused> {
        let joined = folder.join(&self.0);
        let mut prefix = folder.as_os_str().to_owned();
        if !folder.as_os_str().as_encoded_bytes().ends_with(b"/") {
            prefix.push(std::path::MAIN_SEPARATOR_STR);
        }
        if joined.as_os_str().as_encoded_bytes().starts_with(prefix.as_encoded_bytes()) {
            Ok(joined)
        } else {
            Err(refusal(&self.0, "it does not lie in the folder"))
        }
    }

    /// The form in which two names are the same file on some platform: without case, composed.
    /// Two different paths with the same form must not both be written.
    pub fn fold(&self) -> String {
        self.0.nfkc().collect::<String>().to_lowercase()
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<Path> for MemoryPath {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

fn refusal(path: &str, reason: &'static str) -> Refused {
    Refused { path: path.chars().take(200).collect(), reason }
}

fn bad_character(path: &str) -> Option<&'static str> {
    path.chars().find_map(|c| match c {
        '\\' => Some("it has a backslash"),
        ':' => Some("it has a colon"),
        '<' | '>' | '"' | '|' | '?' | '*' => Some("it has a character that Windows does not allow"),
        c if c.is_control() => Some("it has a control character"),
        c if is_invisible(c) => Some("it has an invisible or direction-changing character"),
        _ => None,
    })
}

/// Characters that change how a name looks without being seen.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether the path turns into traversal when its compatibility forms are normalised or its percent
/// signs decoded, once, twice or more often.
fn hides_traversal(path: &str) -> bool {
    let mut text: String = path.to_owned();
    for _ in 0..5 {
        let plain: String = text.nfkc().collect();
        let decoded = percent_decoded(&plain);
        let escapes = |text: &str| {
            text.contains(['\\', '\0', ':'])
                || text.starts_with('/')
                || text.matches('/').count() != path.matches('/').count()
                || text.split('/').any(|name| matches!(name, "" | "." | ".."))
        };
        if escapes(&plain) || escapes(&decoded) {
            return true;
        }
        if decoded == text {
            return false;
        }
        text = decoded;
    }
    // Encoded more often than any honest name.
    true
}

/// Percent-encoding undone; invalid UTF-8 becomes the replacement character, which is harmless here.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        match (bytes[at], digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    // An overlong form of `/` or `.` is no UTF-8; some programs decode it all the same.
    if out.windows(2).any(|pair| matches!(pair, [0xc0, 0xae | 0xaf] | [0xc1, _])) {
        return "..".to_owned();
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn bad_component(name: &str) -> Option<&'static str> {
    if matches!(name, "" | "." | "..") {
        return Some("it has an empty, `.` or `..` component");
    }
    if name.len() > MAX_COMPONENT {
        return Some("a component is too long");
    }
    if name.starts_with('.') {
        return Some("it is hidden");
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Some("a component begins or ends with a space, or ends with a dot");
    }
    let folded: String = name.nfkc().collect::<String>().to_lowercase();
    let stem = folded.split('.').next().unwrap_or("").trim_end();
    RESERVED.contains(&stem).then_some("it is a reserved name on Windows")
}
