//! The names of a payload's fields.

use remora_event::Agent;
use remora_hook::Payload;
use serde_json::Value;

/// The session of a payload that lost both its id and the path of its transcript.
const UNKNOWN: &str = "unknown";

/// Where a payload has what. Of several names the first counts that holds a text.
#[derive(Debug)]
pub struct Fields {
    /// The session's id.
    pub session: &'static [&'static str],
    /// The session's id in the path of its transcript, for payloads that lost it.
    pub session_in_path: fn(&str) -> Option<&str>,
    /// The working directory; of a list the first.
    pub cwd: &'static [&'static str],
    /// The transcript's path.
    pub transcript: &'static [&'static str],
    /// The turn's or the prompt's id.
    pub turn: &'static [&'static str],
    /// What the person sent.
    pub prompt: &'static [&'static str],
    /// The subagent's id.
    pub agent: &'static [&'static str],
    /// The subagent's kind.
    pub agent_kind: &'static [&'static str],
    /// What a tool was given.
    pub input: &'static [&'static str],
    /// What a tool answered.
    pub output: &'static [&'static str],
    /// What went wrong.
    pub error: &'static [&'static str],
    /// How long a tool ran, in milliseconds.
    pub duration: &'static [&'static str],
    /// The object that says of a tool of an MCP server what its name may not tell, with the keys of the
    /// server and of the tool in it.
    pub mcp: Option<(&'static str, [&'static str; 2])>,
    /// The assistant's last message.
    pub message: &'static [&'static str],
    /// What else is worth keeping; an event keeps it under the same name.
    pub extra: &'static [&'static str],
}

impl Fields {
    /// The names that most hosts took over.
    pub const USUAL: Self = Self {
        session: &["session_id"],
        session_in_path: stem,
        cwd: &["cwd"],
        transcript: &["transcript_path"],
        turn: &[],
        prompt: &["prompt"],
        agent: &["agent_id"],
        agent_kind: &["agent_type"],
        input: &["tool_input"],
        output: &["tool_response"],
        error: &["error"],
        duration: &["duration_ms"],
        mcp: None,
        message: &["last_assistant_message"],
        extra: &[],
    };

    pub(crate) fn session(&self, payload: &Payload) -> String {
        let of_transcript = || {
            let transcript = payload.first_text(self.transcript)?;
            (self.session_in_path)(&transcript).filter(|id| !id.is_empty()).map(str::to_owned)
        };
        payload.first_text(self.session).or_else(of_transcript).unwrap_or_else(|| UNKNOWN.to_owned())
    }

    pub(crate) fn cwd(&self, payload: &Payload) -> Option<String> {
        self.cwd.iter().find_map(|key| {
            let of_list = || payload.get(key)?.get(0)?.as_str().map(str::to_owned);
            payload.text(key).or_else(of_list)
        })
    }

    pub(crate) fn agent(&self, payload: &Payload) -> Option<Agent> {
        let id = payload.first_text(self.agent)?;
        Some(Agent { id, kind: payload.first_text(self.agent_kind).unwrap_or_default() })
    }

    /// The server and the tool, as the payload itself says.
    pub(crate) fn mcp<'a>(&self, payload: &'a Payload) -> Option<(&'a str, &'a str)> {
        let (object, [server, tool]) = self.mcp?;
        let said = payload.get(object)?;
        Some((said.get(server)?.as_str()?, said.get(tool)?.as_str()?))
    }

    pub(crate) fn extra(&self, payload: &mut Payload) -> serde_json::Map<String, Value> {
        let is_empty = |value: &Value| {
            value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty)
        };
        let mut extra = serde_json::Map::new();
        for key in self.extra {
            if let Some(value) = payload.take(key).filter(|value| !is_empty(value)) {
                extra.insert((*key).to_owned(), value);
            }
        }
        extra
    }
}

/// The name of the file at a path, without its ending.
pub fn stem(path: &str) -> Option<&str> {
    let file = path.rsplit(['/', '\\']).next()?;
    Some(file.rsplit_once('.').map_or(file, |(stem, _)| stem))
}

/// The name of the folder that the file at a path lies in.
pub fn folder(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).nth(1)
}
