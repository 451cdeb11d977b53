//! What was asked, made ready: prose counts fully, pasted text less.

use std::collections::HashSet;

use crate::meaning::Meaning;

/// Text after this many bytes is not looked at.
const LONGEST: usize = 20_000;
/// How much a word counts that stands in a fenced code block, a log or a stack trace.
const PASTED: f32 = 0.5;
/// How much a word of a URL counts.
const LINK: f32 = 0.4;

/// A request to find memories for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    text: String,
    shown: HashSet<String>,
}

/// A stretch of a query and how much its words count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch<'a> {
    pub(crate) text: &'a str,
    pub(crate) weight: f32,
}

impl Query {
    /// A query from what a person typed, as it is.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let end = text.floor_char_boundary(LONGEST);
        Self { text: text[..end].to_owned(), shown: HashSet::new() }
    }

    /// Leaves out documents that this context already has, by id.
    #[must_use]
    pub fn without<I, S>(mut self, shown: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.shown.extend(shown.into_iter().map(Into::into));
        self
    }

    pub(crate) fn is_shown(&self, id: &str) -> bool {
        self.shown.contains(id)
    }

    /// What it means, pasted text counting less.
    pub(crate) fn meaning(&self) -> Meaning {
        let add = |sum: Meaning, stretch: Stretch<'_>| sum.plus(&Meaning::of(stretch.text), stretch.weight);
        self.stretches().into_iter().fold(Meaning::default(), add).normal()
    }

    /// The text in stretches: prose, pasted lines, links.
    pub(crate) fn stretches(&self) -> Vec<Stretch<'_>> {
        let mut stretches = Vec::new();
        let mut fenced = false;
        for line in self.text.lines() {
            let content = line.trim_start();
            if content.starts_with("```") || content.starts_with("~~~") {
                fenced = !fenced;
                continue;
            }
            let weight = if fenced || is_pasted(content) { PASTED } else { 1.0 };
            push_line(line, weight, &mut stretches);
        }
        stretches
    }
}

/// Cuts the links out of a line.
fn push_line<'a>(line: &'a str, weight: f32, stretches: &mut Vec<Stretch<'a>>) {
    let mut rest = line;
    while let Some(at) = rest.find("http://").or_else(|| rest.find("https://")) {
        let (prose, from_link) = rest.split_at(at);
        let end = from_link
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"'))
            .unwrap_or(from_link.len());
        let address = from_link[..end].trim_start_matches("https://").trim_start_matches("http://");
        stretches.push(Stretch { text: prose, weight });
        stretches.push(Stretch { text: address, weight: weight.min(LINK) });
        rest = &from_link[end..];
    }
    stretches.push(Stretch { text: rest, weight });
    stretches.retain(|stretch| !stretch.text.trim().is_empty());
}

/// Whether a line looks like a stack frame, a log line or a diff rather than a sentence.
fn is_pasted(line: &str) -> bool {
    let frame = line.starts_with("at ") && line.ends_with(')')
        || line.starts_with("File \"")
        || line.starts_with("from ") && line.contains(":in ")
        || line.starts_with("--> ")
        || line.starts_with("@@ ")
        || line.starts_with("Traceback (");
    let first = line.trim_start_matches(['[', '+', '-', '>', '|', ' ']);
    let stamped = first.len() > 10
        && first.bytes().take(4).all(|byte| byte.is_ascii_digit())
        && matches!(first.as_bytes()[4], b'-' | b'/');
    let numbered_frame = line.split_once(": ").is_some_and(|(number, name)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && name.contains("::")
    });
    frame || stamped || numbered_frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_counts_less_than_prose() {
        let query = Query::new(
            "why does this fail?\n```\nlet port = 80;\n```\n2026-01-02 ERROR no route\n    at run (main.js:3:1)\nsee https://ci.example.org/job/7 please",
        );
        let seen: Vec<(&str, f32)> = query.stretches().iter().map(|s| (s.text.trim(), s.weight)).collect();
        assert_eq!(
            seen,
            [
                ("why does this fail?", 1.0),
                ("let port = 80;", PASTED),
                ("2026-01-02 ERROR no route", PASTED),
                ("at run (main.js:3:1)", PASTED),
                ("see", 1.0),
                ("ci.example.org/job/7", LINK),
                ("please", 1.0),
            ]
        );
    }
}
