//! What was asked of the fake model, kept whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::protocol::Protocol;
use super::texts::{self, Text};
use crate::error::{Error, Result};

/// Headers that carry a key or a session; their values are not kept.
const SECRET_HEADERS: [&str; 5] = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"];

/// What a request was for, as the fake model took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The main conversation: it got the script's step of this number, counted from 0. Beyond the
    /// script's end the number goes on.
    Main {
        /// The step's number.
        step: usize,
    },
    /// A request that one of the script's rules answered.
    Rule {
        /// The rule's number, counted from 0.
        rule: usize,
    },
    /// A model call beside the main conversation: titles, summaries, small models.
    Side,
    /// No call of a model: lists of models, token counts, whatever else a host asks.
    Other,
}

/// One request, in the order of arrival.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Milliseconds since the server started.
    pub at_ms: u64,
    /// The HTTP method.
    pub method: String,
    /// The path with its query, a key in it taken out.
    pub path: String,
    /// The headers without those that carry a key.
    pub headers: BTreeMap<String, String>,
    /// The JSON body; a string if it was no JSON, null if there was none.
    pub body: Value,
    /// What the fake model took it for.
    pub purpose: Purpose,
}

/// A place where a text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The number of the request, counted from 0.
    pub request: usize,
    /// The text that contains what was looked for.
    pub text: Text,
}

/// All requests of a run.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Recording {
    requests: Vec<Request>,
}

impl Request {
    /// The protocol that the path speaks, `None` if it is no call of a model.
    pub fn protocol(&self) -> Option<Protocol> {
        Protocol::of_path(&self.path)
    }

    /// All text in the request that a model would read, in order. Definitions of tools are not
    /// among it.
    pub fn texts(&self) -> Vec<Text> {
        self.protocol().map(|protocol| texts::of(protocol, &self.body)).unwrap_or_default()
    }

    /// Whether a text that a model would read contains `needle`.
    pub fn says(&self, needle: &str) -> bool {
        self.texts().iter().any(|text| text.text.contains(needle))
    }

    /// The names of the tools that the request offers to the model.
    pub fn tools(&self) -> Vec<String> {
        self.protocol().map(|protocol| protocol.tools(&self.body)).unwrap_or_default()
    }

    /// Whether it belongs to the main conversation.
    pub fn is_main(&self) -> bool {
        matches!(self.purpose, Purpose::Main { .. })
    }
}

impl Recording {
    pub(super) fn of(requests: Vec<Request>) -> Self {
        Self { requests }
    }

    /// Reads what a server wrote into `folder`: one file per request, named by number.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut requests = Vec::new();
        loop {
            let file = folder.join(file_name(requests.len()));
            match std::fs::read(&file) {
                Ok(bytes) => requests
                    .push(serde_json::from_slice(&bytes).map_err(Error::json(file.display().to_string()))?),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
                Err(error) => return Err(Error::file("reading", &file)(error)),
            }
        }
        Ok(Self { requests })
    }

    /// All requests in order of arrival, side requests too.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The requests of the main conversation.
    pub fn main(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| request.is_main())
    }

    /// All text that reached a model, request by request. A host sends its whole conversation with
    /// each request, so the same text comes again and again.
    pub fn texts_sent_to_model(&self) -> Vec<Found> {
        let of_one = |(number, request): (usize, &Request)| {
            request.texts().into_iter().map(move |text| Found { request: number, text }).collect::<Vec<_>>()
        };
        self.requests.iter().enumerate().flat_map(of_one).collect()
    }

    /// Where `needle` reached a model.
    pub fn find(&self, needle: &str) -> Vec<Found> {
        let mut found = self.texts_sent_to_model();
        found.retain(|place| place.text.text.contains(needle));
        found
    }

    /// One line per request, for the message of a failed test.
    pub fn outline(&self) -> String {
        let line = |(number, request): (usize, &Request)| {
            let characters: usize = request.texts().iter().map(|text| text.text.chars().count()).sum();
            format!(
                "{number:3} {:?} {} {} ({} tools, {characters} characters)\n",
                request.purpose,
                request.method,
                request.path,
                request.tools().len(),
            )
        };
        self.requests.iter().enumerate().map(line).collect()
    }
}

/// The file of the request with this number.
pub(super) fn file_name(number: usize) -> String {
    format!("{number:04}.json")
}

/// Drops what identifies the caller; a fake key today is somebody's real key tomorrow.
pub(super) fn without_keys<'a>(
    headers: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, String> {
    headers
        .filter(|(name, _)| !SECRET_HEADERS.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Takes the value of a `key` parameter out of a path.
pub(super) fn path_without_key(path: &str) -> String {
    let Some((bare, query)) = path.split_once('?') else { return path.to_owned() };
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("key=")).collect();
    if kept.is_empty() { bare.to_owned() } else { format!("{bare}?{}", kept.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_kept() {
        let cases = [
            ("/v1/messages", "/v1/messages"),
            ("/v1beta/models/m:generateContent?key=abc", "/v1beta/models/m:generateContent"),
            ("/x?alt=sse&key=abc&y=1", "/x?alt=sse&y=1"),
        ];
        for (path, expect) in cases {
            assert_eq!(path_without_key(path), expect);
        }
        let headers = [("authorization", "Bearer x"), ("accept", "*/*"), ("x-api-key", "k")];
        let kept = without_keys(headers.into_iter());
        assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["accept"]);
    }
}
