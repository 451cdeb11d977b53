//! `OpenAI`'s Chat Completions, which most hosts speak.

use serde_json::{Value, json};

use super::protocol::{Answer, Ids, event};
use super::script::Step;

pub(super) fn render(step: &Step, body: &Value, ids: &mut Ids) -> Answer {
    let finish = if step.calls.is_empty() { "stop" } else { "tool_calls" };
    let message = message(step, ids);
    let input_tokens = step.input_tokens.unwrap_or(10);
    let usage = json!({
        "prompt_tokens": input_tokens, "completion_tokens": 5, "total_tokens": input_tokens + 5,
    });
    let head = |object: &str, id: &str, choice: Value| json!({"id": id, "object": object, "created": 0, "model": body["model"], "choices": [choice]});
    let id = ids.next("chatcmpl");
    if body["stream"] != true {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        let mut whole = head("chat.completion", &id, choice);
        whole["usage"] = usage;
        return Answer::Document(200, whole);
    }

    let chunk = |delta: Value, finish: Option<&str>| {
        head("chat.completion.chunk", &id, json!({"index": 0, "delta": delta, "finish_reason": finish}))
    };
    let first = chunk(message, None);
    let mut last = chunk(json!({}), Some(finish));
    last["usage"] = usage;
    let data = [first.to_string(), last.to_string(), "[DONE]".to_owned()];
    Answer::Stream(data.iter().map(|data| event(None, data)).collect())
}

fn message(step: &Step, ids: &mut Ids) -> Value {
    let mut message = json!({"role": "assistant", "content": step.text});
    let calls = step.calls.iter().enumerate().map(|(index, call)| {
        json!({
            "index": index, "id": ids.next("call"), "type": "function",
            "function": {"name": call.name, "arguments": call.input.to_string()},
        })
    });
    let calls: Vec<Value> = calls.collect();
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}
