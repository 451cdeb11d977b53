//! What the fake model will say: steps in order, and rules for conversations beside the main one.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

/// One answer of the model. Without text, calls and status it is an empty answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// What the model says to the person, before its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The tools that it calls, all in this one answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// An HTTP error status instead of an answer; `text` is its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the server waits before it answers, in milliseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub delay_ms: u64,
    /// How many input tokens the answer reports; a large number makes hosts compact. 10 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool's name as the host offers it.
    pub name: String,
    /// Its arguments; a string for a `freeform` tool.
    #[serde(default)]
    pub input: Value,
    /// The namespace of a tool in the Responses protocol (Codex puts MCP servers there).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A tool of the Responses protocol whose input is plain text, such as Codex's `apply_patch`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub freeform: bool,
}

/// An answer for requests that are recognised by their text, wherever in the script the main
/// conversation is: what a subagent is told, for instance. Each rule answers once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// A text that must have reached the model in this request.
    pub when: String,
    /// A text that must not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
    /// The answer.
    pub step: Step,
}

/// Everything that the fake model will say. What is asked beyond it gets the text "Done.".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Answers to the main conversation, in order.
    pub steps: Vec<Step>,
    /// Answers to recognised requests, looked at before the steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// If set, only requests that carry this text count as the main conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
}

impl Step {
    /// The model says something and ends its turn.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// The model calls one tool.
    pub fn call(name: impl Into<String>, input: Value) -> Self {
        Self::calls([Call::new(name, input)])
    }

    /// The model calls several tools at once.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self { calls: calls.into_iter().collect(), ..Self::default() }
    }

    /// The server answers with an HTTP error.
    pub fn error(status: u16, message: impl Into<String>) -> Self {
        Self { status: Some(status), ..Self::text(message) }
    }

    /// The same answer, later.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// The same answer, reporting that the request was so large.
    #[must_use]
    pub fn input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }
}

impl Call {
    /// A call of an ordinary tool.
    pub fn new(name: impl Into<String>, input: Value) -> Self {
        Self { name: name.into(), input, namespace: None, freeform: false }
    }

    /// A call of a tool in a namespace (Responses protocol).
    #[must_use]
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// A call of a tool that takes plain text (Responses protocol).
    pub fn freeform(name: impl Into<String>, input: impl Into<String>) -> Self {
        Self { freeform: true, ..Self::new(name, Value::String(input.into())) }
    }
}

impl Script {
    /// A script of steps for the main conversation.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect(), ..Self::default() }
    }

    /// Adds an answer for the first request that carries `when`.
    #[must_use]
    pub fn when(mut self, when: impl Into<String>, step: Step) -> Self {
        self.rules.push(Rule { when: when.into(), unless: None, step });
        self
    }

    /// Adds an answer for the first request that carries `when` but not `unless`.
    #[must_use]
    pub fn when_unless(mut self, when: impl Into<String>, unless: impl Into<String>, step: Step) -> Self {
        self.rules.push(Rule { when: when.into(), unless: Some(unless.into()), step });
        self
    }

    /// Reads a script from a JSON file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::file("reading", path))?;
        serde_json::from_str(&text).map_err(Error::json(path.display().to_string()))
    }

    /// Writes the script to a JSON file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(Error::json("a script"))?;
        std::fs::write(path, text).map_err(Error::file("writing", path))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_script_survives_its_file() {
        let script = Script::new([
            Step::call("Bash", json!({"command": "true"})),
            Step::calls([
                Call::new("x", json!({})).in_namespace("mcp__memory"),
                Call::freeform("apply_patch", "***"),
            ]),
            Step::error(529, "overloaded").after(Duration::from_millis(5)),
            Step::text("bye").input_tokens(190_000),
        ])
        .when_unless("SUBJOB", "ORCHESTRATOR", Step::text("sub done"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("script.json");
        script.write(&file).expect("a written script");
        assert_eq!(Script::read(&file).expect("a readable script"), script);
    }

    #[test]
    fn a_misspelt_key_is_an_error() {
        serde_json::from_str::<Script>(r#"{"steps": [{"txt": "hello"}]}"#).expect_err("unknown key");
    }
}
