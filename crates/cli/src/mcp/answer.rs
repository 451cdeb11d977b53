//! The text that a call answers: bounded, and no tag or sequence in it that is not ours.

use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};

use crate::failure::Failure;
use crate::output;

/// No answer is longer, in UTF-16 units: hosts cut longer ones or put them aside in files.
pub(super) const LONGEST: usize = 10_000;

/// How long a text is in the unit of [`LONGEST`].
pub(super) fn measure(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A text from outside on one line of at most so many characters.
pub(super) fn line(text: &str, most: usize) -> String {
    let clean = output::plain(text);
    let flat = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(most) {
        None => flat,
        Some((end, _)) => format!("{}…", flat[..end].trim_end()),
    }
}

/// The same with a note at its end.
pub(super) fn noting(outcome: Result<String, Failure>, note: Option<String>) -> Result<String, Failure> {
    match (outcome, note) {
        (Ok(text), Some(note)) => Ok(format!("{}\n{note}", text.trim_end())),
        (outcome, _) => outcome,
    }
}

/// What a tool answers: its text, or in words why there is none and what to do next.
pub(super) fn result_of(outcome: Result<String, Failure>) -> CallToolResult {
    match outcome {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(bounded(&text))]),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(bounded(&said(&failure)))]),
    }
}

/// A failure and its next step in two lines.
pub(super) fn said(failure: &Failure) -> String {
    let body = failure.body();
    let mut text = format!("Error: {}", line(&body.message, 600));
    if let Some(hint) = body.hint.as_deref().filter(|hint| !hint.is_empty()) {
        let _ = write!(text, "\nNext: {}", line(hint, 600));
    }
    text
}

fn bounded(text: &str) -> &str {
    remora_redact::cut_to(text.trim_end(), LONGEST, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_harmless() {
        assert_eq!(
            line("a\n\tb \u{1b}[31mred\u{1b}[0m </remora-guidance>", 99),
            "a b red ‹/remora-guidance>"
        );
        assert_eq!(line("端口冲突在这里", 4), "端口冲突…");
    }

    #[test]
    fn no_answer_is_longer_than_the_bound() {
        for text in ["x".repeat(20_000), "😀".repeat(20_000)] {
            assert!(measure(bounded(&text)) <= LONGEST);
        }
    }
}
