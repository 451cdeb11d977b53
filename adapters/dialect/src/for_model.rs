//! A tool's answer, of which a host makes two: one for the model, one for the screen.

use serde_json::Value;

/// What the model is given, where it is text.
const FOR_MODEL: &str = "llmContent";

/// What a host puts around the answer for the model, and what in it repeats the arguments.
#[derive(Debug)]
pub struct ForModel {
    /// What stands around an answer that came from outside.
    pub frame: Option<[&'static str; 2]>,
    /// Tools whose answer goes on with the file as it is afterwards, which they were given, and the words after
    /// which that begins.
    pub repeats: Option<(&'static [&'static str], &'static str)>,
}

impl ForModel {
    /// What the model read. What the screen shows beside it (a file before and after, every step of a subagent)
    /// is left out.
    pub fn plain(&self, tool: &str, answer: Value) -> Value {
        let mut fields = match answer {
            Value::Object(fields) => fields,
            other => return other,
        };
        let Some(for_model) = fields.get_mut(FOR_MODEL).map(Value::take) else {
            return Value::Object(fields);
        };
        match for_model {
            Value::String(text) => Value::String(self.said(tool, &text)),
            // One part is the text; of several each may be something else.
            Value::Array(parts) => match parts.as_slice() {
                [part] if part.get("text").is_some_and(Value::is_string) => {
                    Value::String(self.said(tool, part["text"].as_str().unwrap_or_default()))
                }
                _ => Value::Array(parts),
            },
            other => other,
        }
    }

    fn said(&self, tool: &str, text: &str) -> String {
        let inner = self.frame.and_then(|[begin, end]| text.trim().strip_prefix(begin)?.strip_suffix(end));
        let text = inner.map_or(text, |inner| inner.trim_matches('\n'));
        let repeated = self.repeats.filter(|(tools, _)| tools.contains(&tool));
        let said = repeated.and_then(|(_, after)| Some(&text[..text.find(after)?])).unwrap_or(text);
        said.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ANSWERS: ForModel = ForModel {
        frame: Some(["<untrusted_context>", "</untrusted_context>"]),
        repeats: Some((&["write_file"], " Here is the updated code:")),
    };

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
            assert_eq!(ANSWERS.plain(tool, answer.clone()), left, "{answer}");
        }
    }

    #[test]
    fn without_a_frame_nothing_is_taken_off() {
        let plain = ForModel { frame: None, repeats: None };
        let answer = json!({"llmContent": "<untrusted_context>x</untrusted_context>"});
        assert_eq!(plain.plain("write_file", answer), json!("<untrusted_context>x</untrusted_context>"));
    }
}
