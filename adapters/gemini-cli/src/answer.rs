//! A tool's answer, of which Gemini CLI makes two: one for the model, one for the screen.

use serde_json::Value;

/// What the model is given, where it is text.
const FOR_MODEL: &str = "llmContent";

/// What is put around an answer that came from outside.
const OUTSIDE: [&str; 2] = ["<untrusted_context>", "</untrusted_context>"];

/// Tools whose answer goes on with the file as it is afterwards, which they were given.
const REPEATS: [&str; 2] = ["write_file", "replace"];
const REPEATED_AFTER: &str = " Here is the updated code:";

/// What the model read. What the screen shows beside it (a file before and after, every step of a subagent) is
/// left out.
pub(crate) fn plain(tool: &str, answer: Value) -> Value {
    let mut fields = match answer {
        Value::Object(fields) => fields,
        other => return other,
    };
    let Some(for_model) = fields.get_mut(FOR_MODEL).map(Value::take) else { return Value::Object(fields) };
    match for_model {
        Value::String(text) => Value::String(without_frame(tool, &text)),
        // One part is the text; of several each may be something else.
        Value::Array(parts) => match parts.as_slice() {
            [part] if part.get("text").is_some_and(Value::is_string) => {
                Value::String(without_frame(tool, part["text"].as_str().unwrap_or_default()))
            }
            _ => Value::Array(parts),
        },
        other => other,
    }
}

fn without_frame(tool: &str, text: &str) -> String {
    let [begin, end] = OUTSIDE;
    let inner = text.trim().strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
    let text = inner.map_or(text, |inner| inner.trim_matches('\n'));
    let said = match text.find(REPEATED_AFTER) {
        Some(at) if REPEATS.contains(&tool) => &text[..at],
        _ => text,
    };
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_model_read_is_left_of_an_answer() {
        for (tool, answer, left) in [
            (
                "run_shell_command",
                json!({"llmContent": "<untrusted_context>\nOutput: x\n</untrusted_context>", "returnDisplay": "x"}),
                json!("Output: x"),
            ),
            (
                "write_file",
                json!({"llmContent": "Wrote /a. Here is the updated code:\nall of it", "returnDisplay": {"newContent": "all"}}),
                json!("Wrote /a."),
            ),
            (
                "read_file",
                json!({"llmContent": "say: Here is the updated code:"}),
                json!("say: Here is the updated code:"),
            ),
            ("mcp_a_b", json!({"llmContent": [{"text": "one"}]}), json!("one")),
            (
                "mcp_a_b",
                json!({"llmContent": [{"text": "1"}, {"text": "2"}]}),
                json!([{"text": "1"}, {"text": "2"}]),
            ),
            ("x", json!({"llmContent": [{"text": 7}]}), json!([{"text": 7}])),
            ("x", json!({"llmContent": 7}), json!(7)),
            ("x", json!({"error": {"message": "no"}}), json!({"error": {"message": "no"}})),
            ("x", json!("text"), json!("text")),
        ] {
            assert_eq!(plain(tool, answer.clone()), left, "{answer}");
        }
    }
}
