//! Payloads that are not as they were: fields gone, of another type, cut, with bytes of any kind.

use serde_json::{Value, json};

use crate::Adapter;

/// What stands in a payload's place, wherever it is put.
const BYTES: [&[u8]; 7] = [b"\0", b"\"", b"{", b"]", b"\xff\xfe", b"\\ud800", b"\xe4\xb8"];

/// A payload is changed at so many places.
const PLACES: usize = 60;

impl Adapter {
    /// Any field may be gone, or of another type: it is an event all the same.
    pub fn check_changed_fields(&self) {
        let mut cases = 0;
        for capture in self.captures() {
            let payload = capture.json();
            let whole = capture.event();
            for pointer in pointers(&payload) {
                for replacement in std::iter::once(None).chain(retyped().into_iter().map(Some)) {
                    let mut changed = payload.clone();
                    replace(&mut changed, &pointer, replacement);
                    let event = capture.parse(changed.to_string().as_bytes());
                    if (self.tells_nothing)(&changed) {
                        assert_eq!(event, None, "{} {pointer}", capture.name);
                        continue;
                    }
                    let event =
                        event.unwrap_or_else(|| panic!("{} without {pointer} is an event", capture.name));
                    assert!(!event.session.is_empty(), "{} {pointer}", capture.name);
                    let of_the_hook = event.event == capture.hook.event || event.event == whole.event;
                    let failed = event.outcome == Some(remora_event::Outcome::Failed);
                    assert!(of_the_hook || failed, "{} {pointer}", capture.name);
                    cases += 1;
                }
            }
        }
        // Even the smallest payload has three fields.
        let least = 3 * retyped().len() * self.captures().len();
        assert!(cases >= least, "{cases} changes are fewer than {least}");
    }

    /// A payload that is cut anywhere gives the fields that came whole.
    pub fn check_cut_payloads(&self) {
        for capture in self.captures() {
            let whole = capture.event();
            let payload = capture.json().to_string();
            for end in 1..payload.len() {
                let Some(event) = capture.parse(&payload.as_bytes()[..end]) else {
                    panic!("{} cut at {end} is no event", capture.name)
                };
                // Of a subagent's payload the head may tell its own id alone.
                let is_agent = whole.agent.as_ref().is_some_and(|agent| agent.id == event.session);
                let known = event.session == whole.session || event.session == "unknown" || is_agent;
                let from_transcript = whole.transcript.is_some() && event.transcript == whole.transcript;
                assert!(known || from_transcript, "{} {end}: {}", capture.name, event.session);
                assert!(event.cwd == whole.cwd || event.cwd.is_empty(), "{} {end}", capture.name);
            }
        }
    }

    /// No bytes at any place make the parser panic.
    pub fn check_changed_bytes(&self) {
        for capture in self.captures() {
            let step = (capture.text.len() / PLACES).max(1);
            for at in (0..capture.text.len()).step_by(step) {
                for (gone, with) in BYTES.iter().enumerate() {
                    let mut bytes = capture.text.clone().into_bytes();
                    let end = (at + gone * 3).min(bytes.len());
                    bytes.splice(at..end, with.iter().copied());
                    let _ = capture.parse(&bytes);
                }
            }
        }
    }
}

/// What a field may turn into.
fn retyped() -> Vec<Value> {
    let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
    vec![
        Value::Null,
        json!(true),
        json!(-1.5),
        json!(18_446_744_073_709_551_615_u64),
        json!(""),
        json!("x"),
        json!([]),
        json!([1, "x", {}]),
        json!({}),
        json!({"a": {"b": "c"}}),
        deep,
    ]
}

/// Every field of an object, at every depth.
fn pointers(value: &Value) -> Vec<String> {
    let Value::Object(fields) = value else { return Vec::new() };
    fields
        .iter()
        .flat_map(|(key, value)| {
            let below = pointers(value).into_iter().map(move |pointer| format!("/{key}{pointer}"));
            std::iter::once(format!("/{key}")).chain(below)
        })
        .collect()
}

fn replace(value: &mut Value, pointer: &str, replacement: Option<Value>) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let fields = value.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    match replacement {
        Some(replacement) => drop(fields.insert(key.to_owned(), replacement)),
        None => drop(fields.shift_remove(key)),
    }
}
