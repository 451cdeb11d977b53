//! Secrets in text: one pass for the beginnings and words that give them away, then a check at each.

mod anchors;
mod assignment;
mod command;
mod context;
mod dotted;
mod header;
mod key_block;
mod name;
mod operator;
mod placeholder;
mod plausible;
mod shapes;
mod span;
mod token;
mod url;
mod value;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use name::Name;
pub(crate) use plausible::is_plausible_field;
use span::Found;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of secret it is, in words: `github token`, `password`.
    pub kind: &'static str,
    /// Where it is, in bytes of the text; on character boundaries. What names or addresses the secret (the
    /// variable, user and host of an URL) is outside.
    pub range: Range<usize>,
}

/// All secrets in a text, in order, not overlapping.
///
/// The time is linear in the length of the text, whatever it holds.
pub fn find_secrets(text: &str) -> Vec<Finding> {
    let mut found = Found::default();
    anchors::scan(text.as_bytes(), &mut found);
    found.into_findings(text)
}

/// Replaces every secret by what kind it was: `[redacted: github token]`.
///
/// The result has no secret that [`find_secrets`] finds, so that redacting twice is redacting once.
pub fn redact_secrets(text: &str) -> Cow<'_, str> {
    let findings = find_secrets(text);
    if findings.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = replaced(text, &findings);
    // What stood beside a secret may look different without it.
    for _ in 0..MOST_PASSES {
        let findings = find_secrets(&out);
        if findings.is_empty() {
            break;
        }
        out = replaced(&out, &findings);
    }
    Cow::Owned(out)
}

/// Each further pass is needed only where secrets hide one another.
const MOST_PASSES: usize = 8;

/// What stands where a secret of this kind was.
pub(crate) fn marker(kind: &str) -> String {
    [MARKER_START, kind, "]"].concat()
}

const MARKER_START: &str = "[redacted: ";

fn replaced(text: &str, findings: &[Finding]) -> String {
    let mut out = String::with_capacity(text.len() + 16 * findings.len());
    let mut kept_to = 0;
    for Finding { kind, range } in findings {
        out.push_str(&text[kept_to..range.start]);
        out.push_str(&marker(kind));
        kept_to = range.end;
    }
    out.push_str(&text[kept_to..]);
    out
}
