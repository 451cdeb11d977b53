//! Anthropic's Messages: the answer is the input of a tool that the model must call.

use remora_engine::{Question, Spent};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::answer;

/// The version of the protocol that is spoken here.
const VERSION: &str = "2023-06-01";

/// The header that takes the key, and what stands before it there.
pub(crate) const KEY: (HeaderName, &str) = (HeaderName::from_static("x-api-key"), "");

pub(crate) fn headers() -> HeaderMap {
    HeaderMap::from_iter([(HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION))])
}

/// The request. What stays the same from call to call comes first and is marked to be kept by the provider.
pub(crate) fn body(model: &str, question: &Question) -> Value {
    let mut system = vec![json!({"type": "text", "text": question.instructions})];
    if !question.material.is_empty() {
        system.push(json!({"type": "text", "text": question.material}));
    }
    if let Some(last) = system.last_mut() {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
    json!({
        "model": model,
        "max_tokens": question.most_tokens,
        "system": system,
        "messages": [{"role": "user", "content": question.request}],
        "tools": [{
            "name": question.answer, "description": "Takes the answer.", "input_schema": question.schema,
        }],
        "tool_choice": {"type": "tool", "name": question.answer},
    })
}

/// The answer, if there is one, and what it cost.
pub(crate) fn read(body: &Value, question: &Question) -> (Option<Value>, Spent) {
    let usage = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
    let spent = Spent {
        input: usage("input_tokens")
            + usage("cache_creation_input_tokens")
            + usage("cache_read_input_tokens"),
        output: usage("output_tokens"),
    };
    let blocks = body["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let called = blocks.iter().find(|block| block["type"] == "tool_use" && block["name"] == question.answer);
    let answer = called.map(|block| block["input"].clone()).or_else(|| {
        let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        answer::object_in(&text)
    });
    (answer, spent)
}
