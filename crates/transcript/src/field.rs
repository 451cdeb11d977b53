//! One field of an event, as a record has it.

use regex::Regex;
use serde_json::Value;

use crate::definition::{Table, compiled};
use crate::error::DefinitionError;
use crate::path::{At, FieldPath, unfolded};

/// Where a value comes from: the first of these places that has one, else the default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    from: Vec<(FieldPath, Option<Regex>)>,
    default: Option<Value>,
}

/// The parts of a text are taken together up to this length, in bytes: more is cut from an event anyway, and a
/// secret at the cut is found before.
const LONGEST_TEXT: usize = 4 * 1024 * 1024;

impl Field {
    /// Reads a field: a path, a table `{ from = ..., regex = ..., default = ... }`, or a list of these, of which the
    /// first counts that has a value. Of a text that `regex` matches its first group counts, or the whole match.
    pub(crate) fn read(table: &Table<'_>, key: &str) -> Result<Option<Self>, DefinitionError> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let mut field = Self::default();
        match value {
            Value::Array(items) => {
                for (place, item) in items.iter().enumerate() {
                    field.add(table, &format!("{key}[{place}]"), item)?;
                }
            }
            other => field.add(table, key, other)?,
        }
        Ok(Some(field))
    }

    fn add(&mut self, table: &Table<'_>, key: &str, value: &Value) -> Result<(), DefinitionError> {
        match value {
            Value::String(text) => {
                let path = FieldPath::parse(text).map_err(|problem| table.error(key, problem))?;
                self.from.push((path, None));
            }
            Value::Object(values) => {
                let inner = table.below(key, values);
                inner.only(&["from", "default", "regex"])?;
                let part = if inner.get("regex").is_some() { Some(compiled(&inner, "regex")?) } else { None };
                self.from.extend(inner.paths("from")?.into_iter().map(|path| (path, part.clone())));
                self.default = inner.get("default").cloned().or(self.default.take());
            }
            _ => {
                let allowed = "a path, a table with from, regex, default, or a list of these";
                return Err(table.error(key, format!("must be {allowed}")));
            }
        }
        Ok(())
    }

    /// The value, if the record has it. Empty texts count as none, unless a pattern says that there is no more.
    pub(crate) fn value(&self, at: At<'_>) -> Option<Value> {
        let found = self.from.iter().find_map(|(path, part)| {
            let value = path.first(at)?;
            let Some(part) = part else { return Some(value).filter(|value| value.as_str() != Some("")) };
            let text = text_of(&value)?;
            let captures = part.captures(&text)?;
            let kept = captures.get(1).or_else(|| captures.get(0))?.as_str();
            Some(Value::String(kept.to_owned()))
        });
        found.or_else(|| self.default.clone())
    }

    /// The value as a text: of a list of parts the texts of all.
    pub(crate) fn text(&self, at: At<'_>) -> Option<String> {
        text_of(&self.value(at)?)
    }

    /// The value as an object or list, also where it was written as a text of JSON.
    pub(crate) fn unfolded(&self, at: At<'_>) -> Option<Value> {
        let value = self.value(at)?;
        Some(unfolded(&value).unwrap_or(value))
    }

    /// The value as a whole number.
    pub(crate) fn number(&self, at: At<'_>) -> Option<u64> {
        match self.value(at)? {
            Value::Number(number) => number.as_u64().or_else(|| {
                let number = number.as_f64().filter(|number| (0.0..1e15).contains(number))?;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
                Some(number as u64)
            }),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

/// A text, number or truth as a text.
pub(crate) fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// What is said in a value: a text, or the texts of its parts, one below the other.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    let mut text = String::new();
    collect(value, &mut text, 0);
    (!text.trim().is_empty()).then_some(text)
}

fn collect(value: &Value, into: &mut String, depth: usize) {
    const DEPTH: usize = 6;
    if depth > DEPTH || into.len() > LONGEST_TEXT {
        return;
    }
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, into, depth + 1)),
        Value::Object(fields) => {
            if let Some(said) = fields.get("text").or_else(|| fields.get("content")) {
                collect(said, into, depth + 1);
            }
        }
        other => {
            let Some(said) = plain_text(other).filter(|said| !said.is_empty()) else { return };
            if !into.is_empty() {
                into.push('\n');
            }
            into.push_str(&said);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_what_its_parts_say() {
        for (value, text) in [
            (json!("a"), Some("a")),
            (
                json!([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"text": "b"}]),
                Some("a\nb"),
            ),
            (json!({"content": [{"text": "端口"}]}), Some("端口")),
            (json!(7), Some("7")),
            (json!([{"type": "image"}]), None),
            (json!(" "), None),
            (json!(null), None),
        ] {
            assert_eq!(text_of(&value).as_deref(), text, "{value}");
        }
    }
}
