//! An event made safe before it leaves the process: secrets out, pictures out, long texts cut.

use std::borrow::Cow;

use remora_event::{Event, Tool, ToolKind};
use remora_redact::{Limits, clean_text, clean_value, withhold_credentials};
use serde_json::Value;

/// Cleans every text of the event that came from outside. Ids and paths stay: they are looked up.
pub(crate) fn clean(event: &mut Event) {
    let limits = Limits::default();
    for text in [&mut event.prompt, &mut event.message, &mut event.memory_query].into_iter().flatten() {
        clean_in_place(text, limits);
    }
    if let Some(tool) = &mut event.tool {
        let is_shell = tool.kind == ToolKind::Shell;
        if withhold_credentials(&tool.paths, is_shell, &mut tool.input) {
            // An error may hold the beginning of the output.
            (tool.output, tool.error) = (None, tool.error.take().map(|_| "withheld".to_owned()));
        }
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
}
