//! One moment in the life of a host's session.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One event, as it travels and as it is kept (without the fields that only say what the call can take).
///
/// Unknown keys are ignored when reading, so that a newer sender can talk to an older engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event {
    /// The version of the format: 1.
    pub v: u32,
    /// Which moment this is.
    pub event: EventKind,
    /// A version 7 UUID made once by the sender and kept in the spool: it recognises a resend, nothing else.
    pub id: String,
    /// Makes two different reports of one happening equal: `<event>:<call or prompt id>:<agent id or ->`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How the event came here.
    #[serde(default)]
    pub via: Via,
    /// The id of the adapter that made the event. With `via` it names the origin.
    pub adapter: String,
    /// The host that ran the session, for example `claude-code`.
    pub host: String,
    /// The host's own version, if it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_version: Option<String>,
    /// The host's session id, unchanged.
    pub session: String,
    /// The host's turn or prompt id, unchanged; counted by the engine where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The session this one was forked from, if the host says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
    /// Set when a subagent acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Absolute working directory; the engine derives the project from it.
    pub cwd: String,
    /// RFC 3339 with offset.
    pub at: String,
    /// Path of the host's transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// Start source: startup, resume, fork, clear or compact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Why a session ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What set off a compaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The person's text with the host's own inserts removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The tool call that this event is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// The question, when the tool is itself one of the host's memory tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_query: Option<String>,
    /// The assistant's last message at `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How a turn or a tool use ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// An allow-list per host of what else is worth keeping; never interpreted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// The input was longer than a hook reads; only its complete leading fields are here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The event is a probe of the installation, not work: it is answered and not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probe: bool,
    /// What this call can take. Not stored.
    #[serde(default)]
    pub want: Want,
    /// How much context this call can take. Not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Whether context chosen for an earlier moment of this turn may ride on this call. Not stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Milliseconds that the sender waits for the reply. Not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
}

impl Event {
    /// An event with the required fields; everything optional is absent.
    pub fn new(
        event: EventKind,
        id: String,
        adapter: &str,
        session: String,
        cwd: String,
        at: String,
    ) -> Self {
        Self {
            v: crate::EVENT_VERSION,
            event,
            id,
            key: None,
            via: Via::Executable,
            adapter: adapter.to_owned(),
            host: adapter.to_owned(),
            host_version: None,
            session,
            turn: None,
            parent_session: None,
            agent: None,
            cwd,
            at,
            transcript: None,
            source: None,
            reason: None,
            trigger: None,
            prompt: None,
            tool: None,
            memory_query: None,
            message: None,
            outcome: None,
            extra: Map::new(),
            truncated: false,
            probe: false,
            want: Want::Ack,
            budget: None,
            late: false,
            deadline_ms: None,
        }
    }

    /// The same event without what only says what the call can take: this is what is kept.
    #[must_use]
    pub fn without_call(mut self) -> Self {
        self.want = Want::Ack;
        self.budget = None;
        self.late = false;
        self.deadline_ms = None;
        self
    }

    /// The acting agent's id, or `-` for the main session: the form used in keys.
    pub fn agent_id(&self) -> &str {
        self.agent.as_ref().map_or("-", |a| a.id.as_str())
    }
}

/// The moments that hosts report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EventKind {
    /// A session starts, resumes, forks, is cleared, or goes on after a compaction.
    SessionStart,
    /// The person sent a prompt.
    UserPrompt,
    /// A tool is about to run.
    PreToolUse,
    /// A tool has run.
    PostToolUse,
    /// A tool has failed.
    ToolFailure,
    /// A subagent starts.
    SubagentStart,
    /// A subagent has ended.
    SubagentStop,
    /// The context is about to be compacted.
    PreCompact,
    /// The context was compacted.
    PostCompact,
    /// The agent's turn has ended.
    Stop,
    /// The session has ended.
    SessionEnd,
    /// The host told the person something.
    Notification,
    /// A moment that this version does not know. Kept, never interpreted.
    #[serde(other)]
    Unknown,
}

impl EventKind {
    /// The spelling used on the wire, in keys and in the journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::UserPrompt => "user_prompt",
            Self::PreToolUse => "pre_tool_use",
            Self::PostToolUse => "post_tool_use",
            Self::ToolFailure => "tool_failure",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop => "subagent_stop",
            Self::PreCompact => "pre_compact",
            Self::PostCompact => "post_compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session_end",
            Self::Notification => "notification",
            Self::Unknown => "unknown",
        }
    }
}

/// How an event came to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Via {
    /// A hook executable that the host ran.
    Executable,
    /// A transcript that the host wrote.
    Transcript,
    /// A plugin that runs inside the host.
    Plugin,
    /// `remora event`, or the HTTP interface.
    #[default]
    Api,
}

impl Via {
    /// The spelling used on the wire and in the journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Executable => "executable",
            Self::Transcript => "transcript",
            Self::Plugin => "plugin",
            Self::Api => "api",
        }
    }
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Agent {
    /// The host's id of this agent, unchanged.
    pub id: String,
    /// What kind of agent it is; may be empty where the host says nothing.
    #[serde(default, rename = "type")]
    pub kind: String,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tool {
    /// The host's name of the tool, unchanged.
    pub name: String,
    /// The host's id of this call, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What the tool was given.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// What the tool answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long the tool ran, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What the tool does, in host-neutral words.
    #[serde(default)]
    pub kind: ToolKind,
    /// Files that the call touched, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// What a tool does, in host-neutral words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ToolKind {
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes part of a file.
    Edit,
    /// Runs a command.
    Shell,
    /// Searches files or names.
    Search,
    /// Fetches or searches the web.
    Web,
    /// Belongs to an MCP server.
    Mcp,
    /// Starts another agent.
    Agent,
    /// One of the host's memory tools.
    Memory,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

impl ToolKind {
    /// The spelling used on the wire and in the journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Shell => "shell",
            Self::Search => "search",
            Self::Web => "web",
            Self::Mcp => "mcp",
            Self::Agent => "agent",
            Self::Memory => "memory",
            Self::Other => "other",
        }
    }
}

/// How a turn or a tool use ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Outcome {
    /// It ran to its end.
    Completed,
    /// It failed.
    Failed,
    /// The person or the host stopped it.
    Interrupted,
}

/// What a call can take in return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Want {
    /// Nothing: the sender does not wait.
    None,
    /// That the event was committed.
    #[default]
    Ack,
    /// Context for the model, within the budget.
    Context,
}

/// How much context a call can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Budget {
    /// How many units.
    pub amount: usize,
    /// In which unit the host counts.
    pub unit: Unit,
}

/// The unit in which a host counts the text that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// UTF-16 code units.
    Utf16,
}

impl Unit {
    /// How long `text` is in this unit.
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Utf16 if text.is_ascii() => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// The key of a tool event. A failure is spelled as the success it would have been, so that one call
/// has one key.
pub fn key_for_tool(event: EventKind, call: &str, agent: &str) -> String {
    let event = if event == EventKind::ToolFailure { EventKind::PostToolUse } else { event };
    format!("{}:{call}:{agent}", event.as_str())
}

/// The key of a prompt.
pub fn key_for_prompt(prompt_id: &str, agent: &str) -> String {
    format!("{}:{prompt_id}:{agent}", EventKind::UserPrompt.as_str())
}
