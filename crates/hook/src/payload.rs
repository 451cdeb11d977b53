//! A host's payload, read with patience.

use serde_json::{Map, Value};

use crate::lenient;

/// What the host wrote on standard input.
#[derive(Debug)]
pub struct Payload {
    fields: Map<String, Value>,
    truncated: bool,
    variable: fn(&str) -> Option<String>,
}

impl Payload {
    /// Reads a payload, or nothing when it is no JSON object at all. Cut or broken input gives its
    /// complete leading fields.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let read = lenient::read(bytes)?;
        Some(Self { fields: read.fields, truncated: read.truncated, variable: |_| None })
    }

    /// The same payload with the process's environment, which is the last means to find out which host
    /// runs a hook. Nothing else may depend on it: a repository can set variables.
    #[must_use]
    pub fn with_environment(mut self, variable: fn(&str) -> Option<String>) -> Self {
        self.variable = variable;
        self
    }

    /// The same payload, known to be incomplete.
    #[must_use]
    pub fn marked_truncated(mut self, truncated: bool) -> Self {
        self.truncated |= truncated;
        self
    }

    /// Whether input was missing.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// A variable of the environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name)
    }

    /// A field, as it came; `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// Takes a field out; `null` counts as absent.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        self.fields.get_mut(key).map(Value::take).filter(|value| !value.is_null())
    }

    /// Takes an object out, also when it was written as a text of JSON. Other values come as they are.
    pub fn take_unfolded(&mut self, key: &str) -> Option<Value> {
        let value = self.take(key)?;
        let folded = value.as_str().filter(|text| text.trim_start().starts_with('{'));
        match folded.and_then(|text| lenient::read_whole(text.as_bytes())) {
            Some(fields) => Some(Value::Object(fields)),
            None => Some(value),
        }
    }

    /// A text that is not empty. Numbers and booleans are spelled out.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(text_of)
    }

    /// The first of several fields that holds a text.
    pub fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    /// Takes a text out without copying it. Numbers and booleans are spelled out.
    pub fn take_text(&mut self, key: &str) -> Option<String> {
        match self.take(key)? {
            Value::String(text) => Some(text).filter(|text| !text.is_empty()),
            other => text_of(&other),
        }
    }

    /// A whole number, also when it was written as a text or with a fraction.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Value::Number(number) => number.as_u64().or_else(|| number.as_f64().and_then(whole)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Yes or no, also when it was written as a text.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

/// The text of a scalar that is not empty.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
fn whole(number: f64) -> Option<u64> {
    (0.0..9e15).contains(&number).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_types_are_read_where_they_make_sense() {
        let payload = Payload::read(
            br#"{"id":12,"n":"34","f":5.9,"neg":-1,"yes":"true","empty":"","o":{},"nil":null}"#,
        )
        .expect("an object");
        assert_eq!(payload.text("id").as_deref(), Some("12"));
        assert_eq!(payload.number("n"), Some(34));
        assert_eq!(payload.number("f"), Some(5));
        assert_eq!(payload.number("neg"), None);
        assert_eq!(payload.flag("yes"), Some(true));
        assert_eq!(payload.text("empty"), None);
        assert_eq!(payload.text("o"), None);
        assert!(payload.get("nil").is_none());
    }
}
