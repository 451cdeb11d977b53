//! Chat Completions as `OpenAI` made them. Servers that speak it differ in what they take: what one refuses is left
//! out from then on.

use remora_engine::{Question, Spent};
use reqwest::header::{AUTHORIZATION, HeaderName};
use serde_json::{Value, json};

use crate::answer;

/// The header that takes the key, and what stands before it there.
pub(crate) const KEY: (HeaderName, &str) = (AUTHORIZATION, "Bearer ");

/// What a server was found to take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Habits {
    /// It knows the limit under its newer name alone.
    newer_limit: bool,
    /// It does not hold a model to a schema; the words of the question have to.
    no_schema: bool,
}

impl Habits {
    /// What to change after a refusal that names what was not taken; nothing where no change would help.
    pub(crate) fn after_refusal(self, message: &str) -> Option<Self> {
        let named = |word: &str| message.contains(word);
        if !self.newer_limit && named("max_completion_tokens") {
            return Some(Self { newer_limit: true, ..self });
        }
        let is_schema =
            named("response_format") || named("json_schema") || named("schema") || named("grammar");
        (!self.no_schema && is_schema).then_some(Self { no_schema: true, ..self })
    }
}

/// The request.
pub(crate) fn body(model: &str, question: &Question, habits: Habits) -> Value {
    let mut system = question.instructions.clone();
    if !question.material.is_empty() {
        system = format!("{system}\n\n{}", question.material);
    }
    if habits.no_schema {
        system = format!(
            "{system}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema: {}",
            question.schema
        );
    }
    let mut body = json!({
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": question.request}],
    });
    let limit = if habits.newer_limit { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = json!(question.most_tokens);
    if !habits.no_schema {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": question.answer, "strict": true, "schema": question.schema},
        });
    }
    body
}

/// The answer, if there is one, and what it cost.
pub(crate) fn read(body: &Value) -> (Option<Value>, Spent) {
    let usage = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
    let spent = Spent { input: usage("prompt_tokens"), output: usage("completion_tokens") };
    let message = &body["choices"][0]["message"];
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    (answer::object_in(&text), spent)
}
