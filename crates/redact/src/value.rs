//! A whole JSON value, from what came in to what may be kept.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::clean::{Limits, clean_text};
use crate::{binary, secrets};

/// Cleans every text of a value as [`clean_text`] does, and what only a value can show:
///
/// - binary blocks, in the shapes in which hosts and models write them, become
///   `{"elided": true, "media_type": ..., "bytes": ..., "sha256": ...}` (`bytes` and `sha256` of the decoded
///   content), and so does a string that is nothing but a data URL or at least 1 KiB of base64;
/// - a string under a key that is named like a secret is redacted if it can be one, and so is the `value`
///   beside such a `name`;
/// - keys are searched for secrets too.
///
/// Values of any depth are taken: nothing here recurses.
pub fn clean_value(value: &mut Value, limits: Limits) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        if binary::elide_block(value) || binary::elide_bytes(value) {
            // What stayed beside the description is cleaned as well.
        }
        match value {
            Value::String(text) => {
                if let Some(elided) = binary::elide_string(text, None) {
                    *value = elided;
                } else if let Cow::Owned(clean) = clean_text(text, limits) {
                    *text = clean;
                }
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(object) => {
                clean_keys(object);
                redact_named(object);
                waiting.extend(object.values_mut());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Redacts the strings that a key of the object names as secrets.
fn redact_named(object: &mut Map<String, Value>) {
    for (key, value) in object.iter_mut() {
        redact_if_named(key, value);
    }
    // A variable or header in a list.
    let name = ["name", "key", "Name", "Key"].into_iter().find_map(|label| object.get(label)?.as_str());
    if let Some(name) = name.map(str::to_owned)
        && let Some(value) = ["value", "Value"].into_iter().find(|label| object.contains_key(*label))
        && let Some(value) = object.get_mut(value)
    {
        redact_if_named(&name, value);
    }
}

fn redact_if_named(key: &str, value: &mut Value) {
    let Value::String(text) = value else { return };
    let Some(name) = secrets::Name::read(key.as_bytes()) else { return };
    // A token that says what it is keeps its kind.
    if secrets::find_secrets(text).is_empty() && secrets::is_plausible_field(&name, text) {
        *text = secrets::marker(name.says());
    }
}

/// Shorter keys hold no secret.
const SHORTEST_KEY: usize = 16;

fn clean_keys(object: &mut Map<String, Value>) {
    let holds_secret = |key: &String| key.len() >= SHORTEST_KEY && !secrets::find_secrets(key).is_empty();
    if object.keys().any(holds_secret) {
        *object = std::mem::take(object)
            .into_iter()
            .map(|(key, value)| (secrets::redact_secrets(&key).into_owned(), value))
            .collect();
    }
}
