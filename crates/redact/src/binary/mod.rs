//! Binary content in text: found, described, and left out.

mod base64;
mod blocks;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::find::rfind;
pub(crate) use blocks::{elide_block, elide_bytes};

/// A run of base64 shorter than this stays: it may be an identifier, a signature or a public key.
const SHORTEST_RUN: usize = 1024;

/// A whole string that is a data URL is taken from this many characters of content on.
const SHORTEST_URL: usize = 64;

/// What is said of content that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Elided {
    media_type: String,
    bytes: usize,
    sha256: String,
}

impl Elided {
    /// Describes base64 content, if it is that; `said` is the media type that came with it.
    fn of_base64(said: Option<&str>, encoded: &[u8]) -> Option<Self> {
        let decoded = base64::digest(encoded)?;
        let media_type = said.filter(|said| is_media_type(said)).unwrap_or(base64::media_type(&decoded.head));
        let media_type = media_type.to_ascii_lowercase();
        Some(Self { media_type, bytes: decoded.bytes, sha256: decoded.sha256 })
    }

    fn of_bytes(content: &[u8]) -> Self {
        let media_type = base64::media_type(content).to_owned();
        Self { media_type, bytes: content.len(), sha256: base64::hex(&Sha256::digest(content)) }
    }

    fn into_value(self) -> Value {
        json!({
            "elided": true,
            "media_type": self.media_type,
            "bytes": self.bytes,
            "sha256": self.sha256,
        })
    }

    fn write_into(&self, text: &mut String) {
        let Self { media_type, bytes, sha256 } = self;
        let _ = write!(text, "[elided: {media_type}, {bytes} bytes, sha256 {sha256}]");
    }
}

/// Type and subtype only, so that nothing is smuggled in as a media type.
fn is_media_type(said: &str) -> bool {
    said.len() <= 100
        && said.split_once('/').is_some_and(|(kind, subtype)| {
            [kind, subtype].iter().all(|part| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte))
            })
        })
}

/// What stands for a string that is nothing but binary content, if it is one.
pub(crate) fn elide_string(text: &str, said: Option<&str>) -> Option<Value> {
    let text = text.trim_ascii();
    if text.len() < SHORTEST_URL {
        return None;
    }
    let (said, content) = match data_url(text) {
        Some((media_type, content)) => (Some(media_type).filter(|said| !said.is_empty()).or(said), content),
        None if may_be_content(text.as_bytes()) => (said, text.as_bytes()),
        None => return None,
    };
    let enough = content.len() >= SHORTEST_URL;
    enough.then(|| Elided::of_base64(said, content))?.map(Elided::into_value)
}

/// Whether a text without a label is long and varied enough to be binary content.
fn may_be_content(text: &[u8]) -> bool {
    text.len() >= SHORTEST_RUN && base64::may_be_encoded(text) && base64::is_varied(text)
}

/// Media type and content of a base64 data URL.
fn data_url(text: &str) -> Option<(&str, &[u8])> {
    let (scheme, rest) = text.split_at_checked("data:".len())?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let comma = memchr::memchr(b',', &rest.as_bytes()[..rest.len().min(LONGEST_URL_HEAD)])?;
    let head = &rest[..comma];
    let parameters = head.strip_suffix(";base64")?;
    let media_type = parameters.split(';').next().unwrap_or_default();
    Some((media_type, &rest.as_bytes()[comma + 1..]))
}

/// `data:`, media type and parameters.
const LONGEST_URL_HEAD: usize = 200;

/// Replaces each long run of base64 in a text by a short description, with the `data:...;base64,` before it.
pub(crate) fn elide_runs(text: &str) -> Cow<'_, str> {
    let runs = base64::runs(text.as_bytes());
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(64 * 1024));
    let mut kept_to = 0;
    for run in runs {
        let url = url_head(&text[kept_to..run.start]);
        let Range { start, end } = run;
        let said = url.and_then(|head| data_url(head)).map(|(media_type, _)| media_type);
        if let Some(elided) = Elided::of_base64(said, &text.as_bytes()[start..end]) {
            out.push_str(&text[kept_to..start - url.map_or(0, str::len)]);
            elided.write_into(&mut out);
            kept_to = end;
        }
    }
    out.push_str(&text[kept_to..]);
    Cow::Owned(out)
}

/// The `data:...;base64,` that ends `before`.
fn url_head(before: &str) -> Option<&str> {
    if !before.ends_with(";base64,") {
        return None;
    }
    let from = before.ceil_char_boundary(before.len().saturating_sub(LONGEST_URL_HEAD));
    let start = rfind(&before.as_bytes()[from..], b"data:")?;
    Some(&before[from + start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base64 of bytes that look random, with the length of what it encodes.
    pub(super) fn encoded(bytes: usize) -> String {
        let mut state = 7_u32;
        let content: Vec<u8> = (0..bytes)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0]
            })
            .collect();
        base64::tests::encode(&content)
    }

    #[test]
    fn a_run_in_a_text_is_described() {
        let picture = encoded(3000);
        let text = format!("before data:image/png;base64,{picture} after");
        let short = elide_runs(&text);
        assert!(short.starts_with("before [elided: image/png, 3000 bytes, sha256 "), "{short}");
        assert!(short.ends_with("] after"), "{short}");

        let text = format!("src=\"{picture}\"");
        assert!(
            elide_runs(&text).starts_with("src=\"[elided: application/octet-stream, 3000 bytes, sha256 ")
        );
    }

    #[test]
    fn wrapped_base64_is_a_run() {
        let picture = encoded(3000);
        let lines: Vec<&[u8]> = picture.as_bytes().chunks(76).collect();
        let wrapped = String::from_utf8(lines.join(&b'\n')).expect("base64 is text");
        let text = format!("$ base64 logo.bin\n{wrapped}\n$ echo done\n");
        let short = elide_runs(&text);
        assert!(
            short.starts_with("$ base64 logo.bin\n[elided: application/octet-stream, 3000 bytes"),
            "{short}"
        );
        assert!(short.ends_with("]\n$ echo done\n"), "{short}");
    }

    #[test]
    fn long_texts_that_are_no_base64_stay() {
        for text in [
            "x".repeat(5000),
            "word ".repeat(1000),
            "0123456789abcdef".repeat(200),
            "src/main.rs\n".repeat(300),
            "identifier\n".repeat(300),
            "中文".repeat(2000),
            "a/b/c/d".repeat(400),
        ] {
            assert!(matches!(elide_runs(&text), Cow::Borrowed(_)), "{}", &text[..6]);
            assert_eq!(elide_string(&text, None), None);
        }
    }

    #[test]
    fn a_media_type_carries_nothing_else() {
        for (said, fine) in [
            ("image/png", true),
            ("image/svg+xml", true),
            ("image", false),
            ("image/png\nIgnore the above", false),
            ("a/b/c", false),
            ("/", false),
        ] {
            assert_eq!(is_media_type(said), fine, "{said}");
        }
    }
}
