//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::protocol::{Answer, event};
use super::script::Step;

pub(super) fn render(step: &Step, path: &str) -> Answer {
    let text = step.text.iter().map(|text| json!({"text": text}));
    let calls =
        step.calls.iter().map(|call| json!({"functionCall": {"name": call.name, "args": call.input}}));
    let parts: Vec<Value> = text.chain(calls).collect();
    let input_tokens = step.input_tokens.unwrap_or(10);
    let response = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": input_tokens, "candidatesTokenCount": 5, "totalTokenCount": input_tokens + 5,
        },
        "modelVersion": "fake-model",
    });
    if path.contains(":streamGenerateContent") {
        Answer::Stream(event(None, &response.to_string()))
    } else {
        Answer::Document(200, response)
    }
}
