//! One session of Claude Code as its hooks tell it, without the host: payloads in, what the model and the
//! person are given out.

use std::cell::Cell;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::installed::AT_EASE_MS;
use crate::test_home::TestHome;

/// A session that stands in a home's project.
#[derive(Debug)]
pub struct Session<'a> {
    home: &'a TestHome,
    id: String,
    agent: Option<String>,
    cwd: PathBuf,
    calls: Cell<u32>,
}

/// What a hook handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Answer {
    /// The text for the model; empty where there is none.
    pub context: String,
    /// The line for the person.
    pub notice: Option<String>,
}

impl<'a> Session<'a> {
    /// A session of this id. Nothing is told yet.
    pub fn new(home: &'a TestHome, id: &str) -> Self {
        Self { home, id: id.to_owned(), agent: None, cwd: home.project(), calls: Cell::new(0) }
    }

    /// The same session, of which a subagent speaks.
    #[must_use]
    pub fn of_agent(&self, agent: &str) -> Self {
        Self { agent: Some(agent.to_owned()), ..Self::new(self.home, &self.id) }
    }

    /// The same session, standing elsewhere.
    #[must_use]
    pub fn in_folder(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// The session starts: `startup`, `resume`, `fork`, `clear` or `compact`.
    pub fn start(&self, source: &str) -> Result<Answer> {
        self.tell("session-start", &json!({"hook_event_name": "SessionStart", "source": source}))
    }

    /// The person sends a prompt.
    pub fn prompt(&self, text: &str) -> Result<Answer> {
        let payload = json!({
            "hook_event_name": "UserPromptSubmit", "prompt": text, "prompt_id": self.next("prompt"),
        });
        self.tell("user-prompt-submit", &payload)
    }

    /// A shell command has run.
    pub fn shell(&self, command: &str, output: &str) -> Result<Answer> {
        let payload = json!({
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": self.next("call"),
            "tool_input": {"command": command}, "tool_response": {"stdout": output, "stderr": ""},
        });
        self.tell("post-tool-use", &payload)
    }

    /// The agent's turn has ended.
    pub fn stop(&self, message: &str) -> Result<Answer> {
        self.tell("stop", &json!({"hook_event_name": "Stop", "last_assistant_message": message}))
    }

    /// Tells a hook a payload, to which what all payloads have is added.
    pub fn tell(&self, event: &str, payload: &Value) -> Result<Answer> {
        let mut whole = json!({
            "session_id": self.id,
            "transcript_path": format!("/home/dev/.claude/projects/-p/{}.jsonl", self.id),
            "cwd": self.cwd,
            "permission_mode": "default",
        });
        if let Some(agent) = &self.agent {
            whole["agent_id"] = json!(agent);
            whole["agent_type"] = json!("general-purpose");
        }
        if let (Value::Object(whole), Value::Object(more)) = (&mut whole, payload) {
            whole.extend(more.clone());
        }
        let hook = self.home.hook("claude-code", event)?.args(at_ease()).cwd(&self.cwd);
        let done = hook.stdin(whole.to_string()).run()?.expect_ok(event)?;
        if !done.stderr.is_empty() || done.output_held {
            return Err(Error::Program { program: event.to_owned(), problem: done.describe() });
        }
        Answer::of(&done.stdout)
    }

    fn next(&self, what: &str) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("{}-{what}-{}", self.id, self.calls.get())
    }
}

impl Answer {
    /// Reads what a hook of Claude Code printed.
    pub fn of(printed: &[u8]) -> Result<Self> {
        if printed.is_empty() {
            return Ok(Self::default());
        }
        let value: Value = serde_json::from_slice(printed).map_err(Error::json("a hook"))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Ok(Self {
            context: text(&value["hookSpecificOutput"]["additionalContext"]).unwrap_or_default(),
            notice: text(&value["systemMessage"]),
        })
    }

    /// Whether the model is told this.
    pub fn says(&self, text: &str) -> bool {
        self.context.contains(text)
    }
}

/// Arguments with which a hook waits as long as the engine needs.
pub fn at_ease() -> [String; 2] {
    ["--deadline-ms".to_owned(), AT_EASE_MS.to_string()]
}
