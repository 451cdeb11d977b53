//! Captured payloads as events.

use std::path::Path;

use remora_event::Event;
use remora_hook::{Hook, Payload};
use serde_json::{Value, json};

use crate::Adapter;

/// A payload that the host really sent.
#[derive(Debug, Clone)]
pub struct Capture {
    /// The file's name without its ending: `PostToolUse.Bash`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The hook that gets it.
    pub hook: &'static Hook,
}

impl Capture {
    /// The event that the adapter makes of a text in this payload's place.
    pub fn parse(&self, text: &[u8]) -> Option<Event> {
        (self.hook.parse)(self.hook.event, &mut Payload::read(text)?)
    }

    /// The payload as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("JSON")
    }

    /// The event that the adapter makes of it.
    pub fn event(&self) -> Event {
        self.parse(self.text.as_bytes()).unwrap_or_else(|| panic!("{} is no event", self.name))
    }
}

impl Adapter {
    /// The captured payloads that a hook gets and makes an event of, in the order of their names.
    pub fn captures(&self) -> Vec<Capture> {
        let mut captures = self.all_captures();
        captures.retain(|capture| !(self.tells_nothing)(&capture.json()));
        captures
    }

    fn all_captures(&self) -> Vec<Capture> {
        let entries = std::fs::read_dir(self.captures).expect("the folder of captures");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let captures: Vec<Capture> = paths.iter().filter_map(|path| self.capture_in(path)).collect();
        assert!(!captures.is_empty(), "there are no captures in {}", self.captures);
        captures
    }

    /// The capture of this name.
    pub fn capture(&self, name: &str) -> Capture {
        let found = self.captures().into_iter().find(|capture| capture.name == name);
        found.unwrap_or_else(|| panic!("there is no capture {name}"))
    }

    /// The event of a payload of a capture's kind that has nothing but a session and these fields.
    pub fn event_with(&self, capture: &str, fields: &Value) -> Event {
        let mut payload = json!({"session_id": "s", "turn_id": "t", "cwd": "/w/d"});
        let fields = fields.as_object().expect("an object").clone();
        payload.as_object_mut().expect("an object").extend(fields);
        self.capture(capture).parse(payload.to_string().as_bytes()).expect("an event")
    }

    fn capture_in(&self, path: &Path) -> Option<Capture> {
        let name = path.file_stem()?.to_string_lossy().into_owned();
        let hook = self.hook(name.split('.').next()?)?;
        let text = std::fs::read_to_string(path).expect("a readable capture");
        Some(Capture { name, text, hook })
    }

    /// Every hook has a capture, and every capture that tells something is an event of its session, with the
    /// adapter's name on it.
    pub fn check_captures(&self) {
        for capture in self.all_captures().iter().filter(|capture| (self.tells_nothing)(&capture.json())) {
            assert_eq!(capture.parse(capture.text.as_bytes()), None, "{}", capture.name);
        }
        let captures = self.captures();
        for (event, _) in self.hooks {
            let has_one = captures.iter().any(|capture| capture.name.split('.').next() == Some(event));
            assert!(has_one, "{event} has no capture");
        }
        for capture in captures {
            let event = capture.event();
            assert_eq!((event.adapter.as_str(), event.host.as_str()), (self.id, self.id), "{}", capture.name);
            assert!(!event.session.is_empty() && event.session != "unknown", "{}", capture.name);
            assert!(event.cwd.starts_with('/'), "{}: {}", capture.name, event.cwd);
        }
    }
}
