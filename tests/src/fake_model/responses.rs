//! `OpenAI`'s Responses, as Codex speaks them.

use serde_json::{Value, json};

use super::protocol::{Answer, Ids, typed_events};
use super::script::{Call, Step};

pub(super) fn render(step: &Step, path: &str, body: &Value, ids: &mut Ids) -> Answer {
    if path.contains("/responses/compact") {
        let text = step.text.as_deref().unwrap_or_default();
        let summary =
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
        return Answer::Document(200, json!({"output": [summary]}));
    }
    let items = items(step, ids);
    let input_tokens = step.input_tokens.unwrap_or(10);
    let response = json!({
        "id": ids.next("resp"), "object": "response", "created_at": 0, "status": "completed",
        "model": body["model"], "output": items,
        "usage": {
            "input_tokens": input_tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input_tokens + 5,
        },
    });
    if body["stream"] != true {
        return Answer::Document(200, response);
    }

    let mut started = response.clone();
    started["status"] = json!("in_progress");
    started["output"] = json!([]);
    let mut events = vec![json!({"type": "response.created", "response": started})];
    for (index, item) in items.iter().enumerate() {
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
        if item["type"] == "message" {
            events.push(json!({
                "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                "content_index": 0, "delta": item["content"][0]["text"],
            }));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": response}));
    Answer::Stream(typed_events(&events))
}

fn items(step: &Step, ids: &mut Ids) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(text) = &step.text {
        items.push(json!({
            "type": "message", "id": ids.next("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }));
    }
    items.extend(step.calls.iter().map(|call| call_item(call, ids)));
    items
}

fn call_item(call: &Call, ids: &mut Ids) -> Value {
    let call_id = ids.next("call");
    if call.freeform {
        return json!({
            "type": "custom_tool_call", "id": ids.next("ctc"), "call_id": call_id,
            "name": call.name, "input": call.input, "status": "completed",
        });
    }
    let mut item = json!({
        "type": "function_call", "id": ids.next("fc"), "call_id": call_id,
        "name": call.name, "arguments": call.input.to_string(), "status": "completed",
    });
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}
