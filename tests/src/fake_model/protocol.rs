//! The protocols that the fake model speaks, and what tells them apart.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::script::Step;
use super::{anthropic, chat, gemini, responses};

/// How a host talks to its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Anthropic's Messages.
    Anthropic,
    /// `OpenAI`'s Responses.
    Responses,
    /// `OpenAI`'s Chat Completions.
    Chat,
    /// Gemini's `generateContent` and `streamGenerateContent`.
    Gemini,
}

/// An answer that is ready to be sent.
#[derive(Debug)]
pub(super) enum Answer {
    /// A JSON document with its HTTP status.
    Document(u16, Value),
    /// A stream of server-sent events.
    Stream(String),
}

/// Unique ids of one server. Two servers never give the same id, since hosts keep the ids of a
/// session in its transcript and a resumed session meets another server.
#[derive(Debug)]
pub(super) struct Ids {
    stem: String,
    count: u64,
}

impl Ids {
    pub(super) fn new() -> Self {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = since_epoch.map(|age| age.as_nanos()).unwrap_or_default();
        Self { stem: format!("{nanos:x}{:x}", std::process::id()), count: 0 }
    }

    pub(super) fn next(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}_{}{:04}", self.stem, self.count)
    }
}

impl Protocol {
    /// The protocol of a model call's path, `None` for any other path.
    pub fn of_path(path: &str) -> Option<Self> {
        let bare = path.split('?').next().unwrap_or(path);
        match bare {
            _ if bare.ends_with("/messages") => Some(Self::Anthropic),
            _ if bare.ends_with("/responses") || bare.ends_with("/responses/compact") => {
                Some(Self::Responses)
            }
            _ if bare.ends_with("/chat/completions") => Some(Self::Chat),
            _ if bare.ends_with(":generateContent") || bare.ends_with(":streamGenerateContent") => {
                Some(Self::Gemini)
            }
            _ => None,
        }
    }

    /// The names of the tools that a request offers.
    pub fn tools(self, body: &Value) -> Vec<String> {
        let list = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut names = Vec::new();
        for tool in list {
            match self {
                Self::Chat => names.push(&tool["function"]["name"]),
                Self::Gemini => {
                    let declared = tool["functionDeclarations"].as_array();
                    names.extend(declared.into_iter().flatten().map(|function| &function["name"]));
                }
                // A namespace holds tools of its own; a built-in tool has a type and no name.
                Self::Responses if tool["tools"].is_array() => {
                    let inner = tool["tools"].as_array();
                    names.extend(inner.into_iter().flatten().map(|function| &function["name"]));
                }
                Self::Responses if tool["name"].is_null() => names.push(&tool["type"]),
                Self::Anthropic | Self::Responses => names.push(&tool["name"]),
            }
        }
        names.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Renders a step as this protocol's answer to `body`, sent to `path`.
    pub(super) fn render(self, step: &Step, path: &str, body: &Value, ids: &mut Ids) -> Answer {
        if let Some(status) = step.status {
            return Answer::Document(status, self.error(status, step.text.as_deref().unwrap_or("error")));
        }
        match self {
            Self::Anthropic => anthropic::render(step, body, ids),
            Self::Responses => responses::render(step, path, body, ids),
            Self::Chat => chat::render(step, body, ids),
            Self::Gemini => gemini::render(step, path),
        }
    }

    fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => {
                let kind = match status {
                    400 => "invalid_request_error",
                    401 => "authentication_error",
                    429 => "rate_limit_error",
                    529 => "overloaded_error",
                    _ => "api_error",
                };
                json!({"type": "error", "error": {"type": kind, "message": message}})
            }
            Self::Responses | Self::Chat => {
                json!({"error": {"message": message, "type": "api_error", "code": status.to_string()}})
            }
            Self::Gemini => json!({"error": {"code": status, "message": message, "status": "UNKNOWN"}}),
        }
    }
}

/// One server-sent event. Anthropic and Responses name their events, the others do not.
pub(super) fn event(name: Option<&str>, data: &str) -> String {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {data}\n\n")
}

/// Events whose name is also their `type`.
pub(super) fn typed_events(events: &[Value]) -> String {
    events.iter().map(|data| event(data["type"].as_str(), &data.to_string())).collect()
}
