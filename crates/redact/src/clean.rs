//! One text, from what came in to what may be kept.

use std::borrow::Cow;

use crate::{binary, cut, private, secrets};

/// How much of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Characters of one text, the marker of what was cut included.
    pub text: usize,
}

impl Default for Limits {
    /// 16,000 characters.
    fn default() -> Self {
        Self { text: 16_000 }
    }
}

/// Takes out of a text what is not to be kept, in this order: long runs of base64 and data URLs become
/// `[elided: image/png, 1234 bytes, sha256 ...]`, private spans become `[private]`, secrets become
/// `[redacted: github token]`, and what is then longer than `limits.text` is cut to its head and tail.
///
/// Of a text of which only head and tail will be kept, only these are searched for secrets, with a margin.
pub fn clean_text(text: &str, limits: Limits) -> Cow<'_, str> {
    if text.len() < SHORTEST && text.len() <= limits.text {
        return Cow::Borrowed(text);
    }
    let text = binary::elide_runs(text);
    let text = then(text, private::strip_private);
    then(text, |text| redacted_and_cut(text, limits))
}

/// No secret, span or run is shorter than this.
const SHORTEST: usize = 7;

/// Applies a further step, keeping a borrow where nothing changes.
fn then<'a>(text: Cow<'a, str>, step: impl for<'b> Fn(&'b str) -> Cow<'b, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => match step(&text) {
            Cow::Borrowed(_) => Cow::Owned(text),
            Cow::Owned(changed) => Cow::Owned(changed),
        },
    }
}

/// Bytes searched beyond what is kept, so that a secret at the edge of the cut is seen whole.
const MARGIN: usize = 8 * 1024;

/// The part of the margin, at its far end, in which a secret may be halved: it is never kept.
const UNSURE: usize = 4 * 1024;

fn redacted_and_cut(text: &str, limits: Limits) -> Cow<'_, str> {
    // At most four bytes to a character.
    let kept_at_most = limits.text.saturating_mul(4);
    if text.len() > kept_at_most.saturating_add(8 * MARGIN) {
        return Cow::Owned(settled(ends(text, limits), limits));
    }
    let clean = secrets::redact_secrets(text);
    match cut::cut_with_gap(&clean, limits.text) {
        None => clean,
        Some(short) => Cow::Owned(settled(short, limits)),
    }
}

/// Head and tail of a text that is much longer than what is kept, each searched with a margin.
fn ends(text: &str, limits: Limits) -> (String, usize) {
    let half = limits.text.div_ceil(2);
    let head = &text[..text.ceil_char_boundary(cut::after_chars(text, half) + MARGIN)];
    let tail = &text[text.floor_char_boundary(cut::before_last_chars(text, half) - MARGIN)..];
    let between = text[head.len()..text.len() - tail.len()].chars().count();
    let head = secrets::redact_secrets(head);
    let tail = secrets::redact_secrets(tail);
    let head_end = head.floor_char_boundary(head.len().saturating_sub(UNSURE));
    let tail_start = tail.ceil_char_boundary(UNSURE.min(tail.len()));
    let unsure = head[head_end..].chars().count() + tail[..tail_start].chars().count();
    cut::joined(&head[..head_end], between + unsure, &tail[tail_start..], limits.text)
}

/// Looks again at both sides of the gap: a cut can take away what made a secret look like something else.
fn settled((mut text, gap): (String, usize), limits: Limits) -> String {
    let start = text.floor_char_boundary(gap.saturating_sub(NEAR_GAP));
    let end = text.ceil_char_boundary((gap + NEAR_GAP).min(text.len()));
    if secrets::find_secrets(&text[start..end]).is_empty() {
        return text;
    }
    for _ in 0..MOST_PASSES {
        let Cow::Owned(clean) = secrets::redact_secrets(&text) else { break };
        text = cut::cut(&clean, limits.text).into_owned();
    }
    text
}

/// How far from the gap, in bytes, a text can look different for it.
const NEAR_GAP: usize = 1024;

const MOST_PASSES: usize = 4;
