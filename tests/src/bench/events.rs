//! Events of sessions that never happened, in the shapes and the lengths of captured ones.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use remora_event::wire::Request;
use remora_event::{Event, EventKind, Tool, ToolKind};
use serde_json::{Value, json};

use super::client::frame;
use super::text::Text;
use crate::error::Result;

/// Events of one session: a start, then turns of a prompt, tool calls and an end.
const PER_SESSION: usize = 60;

/// Events of one turn: a prompt, eight calls, what the agent says at the end.
const PER_TURN: usize = 10;

/// The second in which the first event happened: 2026-06-01.
const FIRST: i64 = 1_780_272_000;

/// A row of events without end.
#[derive(Debug)]
pub struct Events {
    text: Text,
    seed: u64,
    cwd: String,
    number: usize,
    at: DateTime<Utc>,
}

impl Events {
    /// The events of a seed, in a project.
    pub fn new(seed: u64, project: &Path) -> Self {
        let at = DateTime::from_timestamp(FIRST, 0).unwrap_or_default();
        Self { text: Text::new(seed), seed, cwd: project.to_string_lossy().into_owned(), number: 0, at }
    }

    /// The next event.
    pub fn next_event(&mut self) -> Event {
        let (session, place) = (self.number / PER_SESSION, self.number % PER_SESSION);
        self.number += 1;
        let seconds = self.text.numbers.skewed(1, 90);
        self.at += TimeDelta::seconds(i64::try_from(seconds).unwrap_or(1));
        match (place, place % PER_TURN) {
            (0, _) => {
                let mut event = self.event(EventKind::SessionStart, session);
                event.source = Some("startup".to_owned());
                event
            }
            (_, 1) => {
                let mut event = self.event(EventKind::UserPrompt, session);
                event.prompt = Some(self.text.prompt());
                event
            }
            (_, 0) => {
                let mut event = self.event(EventKind::Stop, session);
                let length = self.text.numbers.skewed(200, 3_000);
                event.message = Some(self.text.prose(length));
                event
            }
            _ => {
                let mut event = self.event(EventKind::PostToolUse, session);
                let tool = self.tool();
                event.key = tool.call.as_ref().map(|call| format!("post_tool_use:{call}:-"));
                event.tool = Some(tool);
                event
            }
        }
    }

    /// The next event as it travels.
    pub fn next_frame(&mut self) -> Result<Vec<u8>> {
        frame(&Request::Event(Box::new(self.next_event())))
    }

    fn event(&mut self, kind: EventKind, session: usize) -> Event {
        let id = self.uuid();
        let session = format!("bench-{}-{session}", self.seed);
        let at = self.at.to_rfc3339_opts(SecondsFormat::Millis, false);
        Event::new(kind, id, "claude-code", session, self.cwd.clone(), at)
    }

    fn uuid(&mut self) -> String {
        let hex = self.text.numbers.hex(16);
        format!("{}-{}-7{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }

    /// Half of all calls are of the shell, a third read and write files.
    fn tool(&mut self) -> Tool {
        let file = format!("{}/{}", self.cwd, self.text.path());
        let output = self.text.numbers.skewed(60, 6_000);
        let (name, kind, input, output) = match self.text.numbers.below(12) {
            0..=5 => {
                let input = json!({"command": self.text.command(), "description": self.text.sentence(5)});
                let output = json!({"stdout": self.text.output(output), "stderr": "", "interrupted": false, "isImage": false});
                ("Bash", ToolKind::Shell, input, output)
            }
            6 | 7 => {
                let content = self.text.output(output);
                let output =
                    json!({"type": "text", "file": {"filePath": file, "content": content, "numLines": 80}});
                ("Read", ToolKind::Read, json!({"file_path": file}), output)
            }
            8 | 9 => {
                let (old, new) = (self.text.output(200), self.text.output(output.min(2_000)));
                let input =
                    json!({"file_path": file, "old_string": old, "new_string": new, "replace_all": false});
                ("Edit", ToolKind::Edit, input, json!({"filePath": file, "userModified": false}))
            }
            10 => {
                let input = json!({"pattern": self.text.identifier(), "output_mode": "content"});
                let content = self.text.output(output);
                (
                    "Grep",
                    ToolKind::Search,
                    input,
                    json!({"mode": "content", "content": content, "numLines": 12}),
                )
            }
            _ => {
                let input = json!({"description": self.text.sentence(4), "prompt": self.text.prose(400)});
                let content = json!([{"type": "text", "text": self.text.prose(output)}]);
                ("Task", ToolKind::Agent, input, json!({"status": "completed", "content": content}))
            }
        };
        let paths = if input.get("file_path").is_some() { vec![file] } else { Vec::new() };
        Tool {
            name: name.to_owned(),
            call: Some(format!("toolu_{}", self.text.numbers.hex(12))),
            input,
            output: Some(output),
            error: None,
            duration_ms: Some(40),
            kind,
            paths,
        }
    }
}

/// A payload of Claude Code as it comes to a hook, with what all of them have.
pub fn payload(hook: &str, session: &str, project: &Path, more: Value) -> Vec<u8> {
    let mut payload = json!({
        "session_id": session,
        "transcript_path": format!("/home/dev/.claude/projects/-home-dev-proj/{session}.jsonl"),
        "cwd": project,
        "permission_mode": "default",
        "hook_event_name": hook,
    });
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    payload.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_have_turns_of_real_lengths() {
        let mut events = Events::new(1, Path::new("/p"));
        let told: Vec<Event> = (0..6_000).map(|_| events.next_event()).collect();
        let of = |kind| told.iter().filter(|event| event.event == kind).count();
        let kinds = [EventKind::SessionStart, EventKind::UserPrompt, EventKind::PostToolUse, EventKind::Stop];
        assert_eq!(kinds.map(of), [100, 600, 4_800, 500]);
        let bytes: usize =
            told.iter().map(|event| serde_json::to_string(event).map_or(0, |text| text.len())).sum();
        assert!((1_000..3_000).contains(&(bytes / told.len())), "{}", bytes / told.len());
        let ids: std::collections::HashSet<&str> = told.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids.len(), told.len());
    }
}
