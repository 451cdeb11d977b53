//! `memory_search`: what there is, in a line each, so that only what helps is read whole.

use std::fmt::Write as _;

use remora_engine::Wrapper;
use serde_json::{Value, json};

use super::answer::{self, line, measure};
use super::fields::Fields;
use super::link::Link;
use crate::failure::Failure;
use crate::output;

/// A question is a few words.
const QUESTION: usize = 2_000;

/// So many of each kind unless more are asked for.
const USUAL: usize = 8;

/// At most so many of each kind.
pub(super) const MOST: usize = 25;

/// Characters of a description, of a title and of the place in a text where the words stand.
const DESCRIPTION: usize = 240;
const TITLE: usize = 160;

/// What is kept free for the wrappers and for saying that there is more.
const FRAME: usize = 900;

/// Searches memories and, in a project, its journal.
pub(super) async fn call(link: &Link, fields: Fields) -> Result<String, Failure> {
    let query = fields.text("query", QUESTION)?;
    let limit = fields.number("limit", &(1..=MOST))?.unwrap_or(USUAL);
    // One more than is shown tells whether there is more.
    let memories = link.ask("recall", json!({"query": query, "limit": limit + 1, "all": true})).await?;
    let journal = if link.has_project() {
        link.ask("search", json!({"query": query, "limit": limit + 1})).await?
    } else {
        Value::Null
    };
    Ok(render(&query, limit, &memories, &journal, link.has_project()))
}

/// The lines that are shown, by their wrapper, and how much room is left for more.
struct Lines {
    guidance: Vec<String>,
    background: Vec<String>,
    room: usize,
    shown: usize,
}

impl Lines {
    fn add(&mut self, wrapper: &str, text: String) -> bool {
        let length = measure(&text) + 2;
        if length > self.room {
            self.room = 0;
            return false;
        }
        self.room -= length;
        self.shown += 1;
        if wrapper == "guidance" {
            self.guidance.push(text);
        } else {
            self.background.push(text);
        }
        true
    }
}

fn render(query: &str, limit: usize, memories: &Value, journal: &Value, has_project: bool) -> String {
    let found = output::list(memories, "memories");
    let hits = output::list(journal, "hits");
    let mut lines =
        Lines { guidance: Vec::new(), background: Vec::new(), room: answer::LONGEST - FRAME, shown: 0 };
    let shown_memories = found
        .iter()
        .take(limit)
        .take_while(|memory| lines.add(&output::text(memory, "wrapper"), memory_line(memory)))
        .count();
    let shown_hits = hits.iter().take(limit).take_while(|hit| lines.add("background", hit_line(hit))).count();

    let mut text = String::new();
    if lines.shown == 0 {
        let _ = writeln!(
            text,
            "Nothing is remembered about {:?} here. Try other words, or fewer.",
            line(query, 80)
        );
    } else {
        text.push_str("memory_get with the ids reads them whole.\n");
    }
    text.push_str(&Wrapper::Guidance.around(&lines.guidance));
    text.push_str(&Wrapper::Background.around(&lines.background));
    let more: Vec<&str> =
        [(found.len() > shown_memories, "memories"), (hits.len() > shown_hits, "entries of the journal")]
            .into_iter()
            .filter_map(|(is_more, what)| is_more.then_some(what))
            .collect();
    if !more.is_empty() {
        let _ = writeln!(
            text,
            "There are more {}: narrow the query, or raise limit (at most {MOST}).",
            more.join(" and ")
        );
    }
    if let Some(note) = journal.get("limited").and_then(Value::as_str) {
        let _ = writeln!(text, "Journal: {}.", line(note, 200));
    }
    if !has_project {
        text.push_str("No project is open here: only memories about the person were searched.\n");
    }
    text
}

fn memory_line(memory: &Value) -> String {
    let mut text = format!(
        "- {} · {} · {} · {}~{} tokens\n  {}",
        line(&output::text(memory, "id"), 200),
        output::text(memory, "type"),
        output::age(output::number(memory, "age_days")),
        author(&output::text(memory, "by")),
        output::number(memory, "tokens"),
        line(&output::text(memory, "description"), DESCRIPTION),
    );
    if let Some(by) = memory.get("superseded_by").and_then(Value::as_str) {
        let _ = write!(text, "\n  superseded by {}", line(by, 100));
    }
    text
}

/// Who wrote it, where that is not the person.
fn author(by: &str) -> String {
    match by {
        "person" => String::new(),
        "agent" => "by an agent · ".to_owned(),
        other => format!("by {} · ", line(other, 40)),
    }
}

fn hit_line(hit: &Value) -> String {
    let title = line(&output::text(hit, "title"), TITLE);
    let mut text = format!(
        "- journal:{} · {} in {} · {} · ~{} tokens\n  {title}",
        output::number(hit, "id"),
        line(&output::text(hit, "kind"), 20),
        line(&output::text(hit, "host"), 40),
        output::age(output::number(hit, "age_days")),
        output::number(hit, "tokens"),
    );
    let snippet = line(&output::text(hit, "snippet"), DESCRIPTION);
    if !snippet.is_empty() && !title.starts_with(snippet.trim_end_matches('…')) {
        let _ = write!(text, "\n  {snippet}");
    }
    text
}
