//! An event made safe before it leaves the process: secrets out, pictures out, long texts cut.

use std::borrow::Cow;

use remora_event::{Event, Tool, ToolKind};
use remora_redact::{Limits, clean_text, clean_value, is_sensitive_path};
use serde_json::Value;

/// Cleans every text of the event that came from outside. Ids and paths stay: they are looked up.
pub(crate) fn clean(event: &mut Event) {
    let limits = Limits::default();
    for text in [&mut event.prompt, &mut event.message, &mut event.memory_query].into_iter().flatten() {
        clean_in_place(text, limits);
    }
    if let Some(tool) = &mut event.tool {
        withhold_credentials(tool);
        clean_value(&mut tool.input, limits);
        if let Some(output) = &mut tool.output {
            clean_value(output, limits);
        }
        if let Some(error) = &mut tool.error {
            clean_in_place(error, limits);
        }
    }
    for value in event.extra.values_mut() {
        clean_value(value, limits);
    }
}

fn clean_in_place(text: &mut String, limits: Limits) {
    if let Cow::Owned(cleaned) = clean_text(text, limits) {
        *text = cleaned;
    }
}

/// What was read from or written to a file that holds credentials is not kept, whatever it looks like.
fn withhold_credentials(tool: &mut Tool) {
    if tool.paths.iter().any(|path| is_sensitive_path(path)) {
        tool.output = None;
        if let Value::Object(arguments) = &mut tool.input {
            arguments.retain(|_, value| value.as_str().is_some_and(is_sensitive_path));
        }
    }
    if tool.kind == ToolKind::Shell && texts(&tool.input).any(names_credentials) {
        tool.output = None;
    }
}

fn texts(input: &Value) -> impl Iterator<Item = &str> {
    input.as_object().into_iter().flat_map(|arguments| arguments.values()).filter_map(Value::as_str)
}

fn names_credentials(command: &str) -> bool {
    command.split(|c: char| c.is_whitespace() || ";|&<>()=\"'`".contains(c)).any(is_sensitive_path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(kind: ToolKind, input: Value, paths: &[&str]) -> Tool {
        Tool {
            name: "T".to_owned(),
            call: None,
            input,
            output: Some(json!({"text": "what it said"})),
            error: None,
            duration_ms: None,
            kind,
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    #[test]
    fn nothing_of_a_file_with_credentials_is_kept() {
        let input = json!({"file_path": "/p/.env", "content": "no secret shape", "n": 1});
        let mut write = tool(ToolKind::Write, input, &["/p/.env"]);
        withhold_credentials(&mut write);
        assert_eq!((write.input, write.output), (json!({"file_path": "/p/.env"}), None));
    }

    #[test]
    fn a_command_that_names_such_a_file_loses_its_output_and_others_keep_it() {
        for (command, kept) in [
            ("cat .env", false),
            ("cat '/p/.env'|sort", false),
            ("cat <.env", false),
            ("cat README.md", true),
            ("echo environment", true),
        ] {
            let mut shell = tool(ToolKind::Shell, json!({"command": command}), &[]);
            withhold_credentials(&mut shell);
            assert_eq!(shell.output.is_some(), kept, "{command}");
            assert_eq!(shell.input["command"], command);
        }
    }
}
