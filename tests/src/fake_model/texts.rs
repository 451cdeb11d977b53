//! The text in a request that a model would read, whatever the protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::protocol::Protocol;

/// A stretch of text as the model gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Who says it, in the protocol's own word: `system`, `user`, `assistant`, `developer`, `model`,
    /// `tool`; `call` for the arguments of a tool call, `tool` for a tool's result.
    pub role: String,
    /// What is said. Arguments of a call are JSON.
    pub text: String,
}

/// All texts of a request's body, in the order in which the model reads them.
pub(super) fn of(protocol: Protocol, body: &Value) -> Vec<Text> {
    let mut texts = Texts::default();
    match protocol {
        Protocol::Anthropic => {
            texts.add("system", &body["system"]);
            texts.messages(&body["messages"]);
        }
        Protocol::Responses => {
            texts.add("system", &body["instructions"]);
            match &body["input"] {
                Value::String(input) => texts.push("user", input),
                input => texts.messages(input),
            }
        }
        Protocol::Chat => texts.messages(&body["messages"]),
        Protocol::Gemini => {
            texts.add("system", &body["systemInstruction"]);
            texts.messages(&body["contents"]);
        }
    }
    texts.0
}

#[derive(Default)]
struct Texts(Vec<Text>);

impl Texts {
    fn push(&mut self, role: &str, text: &str) {
        if !text.is_empty() {
            self.0.push(Text { role: role.to_owned(), text: text.to_owned() });
        }
    }

    fn messages(&mut self, list: &Value) {
        for message in list.as_array().into_iter().flatten() {
            let role = message["role"].as_str().unwrap_or("user");
            self.add(role, message);
        }
    }

    /// Walks a message or a part of one: strings, lists, and objects of any protocol.
    fn add(&mut self, role: &str, part: &Value) {
        match part {
            Value::String(text) => self.push(role, text),
            Value::Array(parts) => parts.iter().for_each(|part| self.add(role, part)),
            Value::Object(_) => self.add_object(role, part),
            _ => {}
        }
    }

    fn add_object(&mut self, role: &str, part: &Value) {
        match part["type"].as_str() {
            Some("tool_use") => return self.push("call", &part["input"].to_string()),
            Some("tool_result") => return self.add("tool", &part["content"]),
            Some("function_call") => return self.leaves("call", &part["arguments"]),
            Some("custom_tool_call") => return self.leaves("call", &part["input"]),
            Some("function_call_output" | "custom_tool_call_output") => {
                return self.add("tool", &part["output"]);
            }
            _ => {}
        }
        self.add(role, &part["text"]);
        self.add(role, &part["content"]);
        self.add(role, &part["parts"]);
        for call in part["tool_calls"].as_array().into_iter().flatten() {
            self.leaves("call", &call["function"]["arguments"]);
        }
        if part["functionCall"].is_object() {
            self.push("call", &part["functionCall"]["args"].to_string());
        }
        self.leaves("tool", &part["functionResponse"]["response"]);
    }

    /// Every string in a result whose shape is the tool's own affair.
    fn leaves(&mut self, role: &str, value: &Value) {
        match value {
            Value::String(text) => self.push(role, text),
            Value::Array(items) => items.iter().for_each(|item| self.leaves(role, item)),
            Value::Object(fields) => fields.values().for_each(|field| self.leaves(role, field)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(protocol: Protocol, body: &Value, expect: &[(&str, &str)]) {
        let texts = of(protocol, body);
        let found: Vec<(&str, &str)> =
            texts.iter().map(|text| (text.role.as_str(), text.text.as_str())).collect();
        assert_eq!(found, expect, "{protocol:?}");
    }

    #[test]
    fn every_protocol_gives_up_its_texts_in_order() {
        check(
            Protocol::Anthropic,
            &json!({"system": [{"type": "text", "text": "be kind"}], "messages": [
                {"role": "user", "content": "hello"},
                {"role": "system", "content": "context"},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "well"},
                    {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "files"}]},
                    {"type": "text", "text": "reminder"}]},
            ]}),
            &[
                ("system", "be kind"),
                ("user", "hello"),
                ("system", "context"),
                ("assistant", "well"),
                ("call", r#"{"command":"ls"}"#),
                ("tool", "files"),
                ("user", "reminder"),
            ],
        );
        check(
            Protocol::Responses,
            &json!({"instructions": "be kind", "input": [
                {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "context"}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
                {"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}"},
                {"type": "function_call_output", "call_id": "1", "output": "files"},
                {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin"},
                {"type": "custom_tool_call_output", "output": [{"type": "input_text", "text": "patched"}]},
            ]}),
            &[
                ("system", "be kind"),
                ("developer", "context"),
                ("user", "hello"),
                ("call", r#"{"cmd":"ls"}"#),
                ("tool", "files"),
                ("call", "*** Begin"),
                ("tool", "patched"),
            ],
        );
        check(
            Protocol::Chat,
            &json!({"messages": [
                {"role": "system", "content": "be kind"},
                {"role": "user", "content": [{"type": "text", "text": "hello"}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "1", "content": "files"},
            ]}),
            &[("system", "be kind"), ("user", "hello"), ("call", "{}"), ("tool", "files")],
        );
        check(
            Protocol::Gemini,
            &json!({"systemInstruction": {"parts": [{"text": "be kind"}]}, "contents": [
                {"role": "user", "parts": [{"text": "hello"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "sh", "args": {"a": 1}}}]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "sh", "response": {"output": "files"}}}]},
            ]}),
            &[("system", "be kind"), ("user", "hello"), ("call", r#"{"a":1}"#), ("tool", "files")],
        );
    }
}
