//! `recall`: what would be given to a model for this question, and why.

use std::sync::Arc;

use remora_recall::{Options, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::memories::Entry;

/// What `recall` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
    /// Also what the abstention kept back.
    #[serde(default)]
    all: bool,
}

/// `{"query", "project", "offered", "memories": [{..., "tokens", "score", "why"}]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: &Place, args: Arguments) -> Result<Value, EngineError> {
    if args.query.trim().is_empty() {
        return Err(EngineError::usage(
            "the question is empty",
            "write what you want to know: remora recall \"which port\"",
        ));
    }
    let shelf = engine.shelf_of(place).await?;
    let project = place.project_json();
    blocking(move || {
        let options =
            Options { limit: args.limit.unwrap_or(5).clamp(1, 100), abstain: !args.all, explain: true };
        let outcome = shelf.corpus().recall(&Query::new(&args.query), &options);
        let found = outcome.ranked.iter().filter_map(|hit| {
            let why: Vec<String> = hit.why.iter().map(ToString::to_string).collect();
            Some(recalled(shelf.entry(&hit.id)?, f64::from(hit.confidence), &why))
        });
        let mut memories: Vec<Value> = Vec::new();
        if asks_about_person(&args.query) {
            let about = shelf.newest_first().filter(|entry| entry.is_about_person());
            let about = about.filter(|entry| entry.superseded_by.is_none());
            memories.extend(about.map(|entry| recalled(entry, 1.0, &["it is about the person".to_owned()])));
        }
        for memory in found {
            if !memories.iter().any(|other| other["id"] == memory["id"]) {
                memories.push(memory);
            }
        }
        memories.truncate(options.limit);
        Ok(json!({
            "query": args.query,
            "project": project,
            "offered": shelf.recallable(),
            "memories": memories,
        }))
    })
    .await
}

/// A memory as an answer shows it.
fn recalled(entry: &Entry, score: f64, why: &[String]) -> Value {
    let mut value = super::list::entry_json(entry);
    value["tokens"] = json!(super::get::tokens_of(entry));
    value["score"] = json!((score * 1000.0).round() / 1000.0);
    value["why"] = json!(why);
    value
}

/// Ways in which people and their agents ask what is known of the person. Small letters, single spaces.
const ABOUT_PERSON: &[&str] = &[
    "about me",
    "who am i",
    "who i am",
    "know me",
    "know of me",
    "remember of me",
    "about the user",
    "about the person",
    "who the user is",
    "who is the user",
    "who the person is",
    "who is the person",
    "user preferences",
    "user profile",
    "my preferences",
    "关于我",
    "我是谁",
    "了解我",
    "认识我",
    "记得我",
    "知道我",
    "用户是谁",
    "关于用户",
    "用户偏好",
    "私について",
    "私のこと",
    "私は誰",
    "ユーザーについて",
    "나에 대해",
    "저에 대해",
    "내가 누구",
    "사용자에 대해",
];

/// Whether a question is about the person: its words seldom stand in what is known of them.
fn asks_about_person(query: &str) -> bool {
    let folded = query.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    // A long question that also mentions the person is about something else.
    folded.chars().count() <= 80 && ABOUT_PERSON.iter().any(|words| contains_words(&folded, words))
}

/// Whether the words stand in a text, whole where they are Latin.
fn contains_words(text: &str, words: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(words).any(|(at, _)| {
        !words.is_ascii()
            || !inside(text[..at].chars().next_back()) && !inside(text[at + words.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_the_person_are_told_from_others() {
        let about = [
            "what do you know about me?",
            "Who am I",
            "user preferences",
            "你知道我什么？",
            "关于我你记得什么",
            "私について何を知っている?",
        ];
        for question in about {
            assert!(asks_about_person(question), "{question}");
        }
        let others = [
            "what is remembered about metrics",
            "how do I know mean from median",
            "用户表在哪里",
            "the about menu",
        ];
        for question in others {
            assert!(!asks_about_person(question), "{question}");
        }
    }
}
