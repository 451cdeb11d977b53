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

/// The event without any text that would have to be cleaned: who, where, when, which tool, which files.
pub(crate) fn skeleton(event: &Event) -> Event {
    let [id, session, cwd, at] = [&event.id, &event.session, &event.cwd, &event.at].map(String::clone);
    let mut bare = Event::new(event.event, id, &event.adapter, session, cwd, at);
    bare.host.clone_from(&event.host);
    bare.host_version.clone_from(&event.host_version);
    bare.key.clone_from(&event.key);
    bare.turn.clone_from(&event.turn);
    bare.parent_session.clone_from(&event.parent_session);
    bare.agent.clone_from(&event.agent);
    bare.transcript.clone_from(&event.transcript);
    bare.source.clone_from(&event.source);
    bare.reason.clone_from(&event.reason);
    bare.trigger.clone_from(&event.trigger);
    bare.outcome = event.outcome;
    bare.truncated = true;
    bare.tool = event.tool.as_ref().map(|tool| Tool {
        name: tool.name.clone(),
        call: tool.call.clone(),
        input: Value::Null,
        output: None,
        error: None,
        duration_ms: tool.duration_ms,
        kind: tool.kind,
        paths: tool.paths.clone(),
    });
    bare
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
    use remora_event::EventKind;
    use serde_json::json;

    #[test]
    fn a_skeleton_has_no_text_and_says_so() {
        let [id, session, cwd, at] = ["id", "s", "/w", "now"].map(str::to_owned);
        let mut event = Event::new(EventKind::PostToolUse, id, "a", session, cwd, at);
        event.key = Some("k".into());
        event.prompt = Some("SECRET".into());
        event.message = Some("SECRET".into());
        event.memory_query = Some("SECRET".into());
        event.extra.insert("x".into(), json!("SECRET"));
        event.tool = Some(Tool {
            error: Some("SECRET".into()),
            ..tool(ToolKind::Write, json!({"content": "SECRET"}), &["/w/a"])
        });
        let bare = skeleton(&event);
        assert!(!serde_json::to_string(&bare).expect("JSON").contains("SECRET"));
        assert_eq!((bare.id.as_str(), bare.key.as_deref(), bare.truncated), ("id", Some("k"), true));
        assert_eq!(bare.tool.expect("a tool").paths, ["/w/a"]);
    }

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
