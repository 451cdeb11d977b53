//! Anthropic's Messages, streaming and whole.

use serde_json::{Value, json};

use super::protocol::{Answer, Ids, typed_events};
use super::script::Step;

pub(super) fn render(step: &Step, body: &Value, ids: &mut Ids) -> Answer {
    let blocks = blocks(step, ids);
    let reason = if step.calls.is_empty() { "end_turn" } else { "tool_use" };
    let input_tokens = step.input_tokens.unwrap_or(10);
    let message = |content: &[Value], ended: Option<&str>, output_tokens: u64| {
        json!({
            "type": "message", "role": "assistant", "model": body["model"], "content": content,
            "stop_reason": ended, "stop_sequence": null,
            "usage": {"input_tokens": input_tokens, "output_tokens": output_tokens},
        })
    };
    let id = ids.next("msg");
    if body["stream"] != true {
        let mut whole = message(&blocks, Some(reason), 5);
        whole["id"] = json!(id);
        return Answer::Document(200, whole);
    }

    let mut start = message(&[], None, 1);
    start["id"] = json!(id);
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in blocks.iter().enumerate() {
        let (empty, delta) = opened(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 5},
    }));
    events.push(json!({"type": "message_stop"}));
    Answer::Stream(typed_events(&events))
}

fn blocks(step: &Step, ids: &mut Ids) -> Vec<Value> {
    let text = step.text.iter().map(|text| json!({"type": "text", "text": text}));
    let mut blocks: Vec<Value> = text.collect();
    for call in &step.calls {
        let id = ids.next("toolu");
        blocks.push(json!({"type": "tool_use", "id": id, "name": call.name, "input": call.input}));
    }
    blocks
}

/// A block as it starts in a stream, and the delta that fills it.
fn opened(block: &Value) -> (Value, Value) {
    if block["type"] == "text" {
        let delta = json!({"type": "text_delta", "text": block["text"]});
        return (json!({"type": "text", "text": ""}), delta);
    }
    let mut empty = block.clone();
    empty["input"] = json!({});
    (empty, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
}
