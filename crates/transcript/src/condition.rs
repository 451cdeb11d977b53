//! When a rule is about a record.

use regex::Regex;
use serde_json::Value;

use crate::definition::{Table, compiled};
use crate::error::DefinitionError;
use crate::field::plain_text;
use crate::path::{At, FieldPath};

/// What a value must be, or must not be.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    path: FieldPath,
    test: Test,
    negated: bool,
}

#[derive(Debug, Clone)]
enum Test {
    Equals(Value),
    In(Vec<Value>),
    Contains(Value),
    Exists,
    Regex(Regex),
}

/// The tests that there are; each may be preceded by `not_`.
const TESTS: [&str; 5] = ["equals", "in", "contains", "exists", "regex"];

impl Condition {
    /// Reads a condition: `{ path = "type", equals = "user" }`.
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, DefinitionError> {
        let negations = TESTS.map(|test| format!("not_{test}"));
        let allowed: Vec<&str> =
            std::iter::once("path").chain(TESTS).chain(negations.iter().map(String::as_str)).collect();
        table.only(&allowed)?;
        let path = table.path("path")?.ok_or_else(|| table.missing("path"))?;
        let mut tests = allowed[1..].iter().filter_map(|key| Some((*key, table.get(key)?)));
        let Some((key, value)) = tests.next() else {
            return Err(table.error(
                "",
                format!(
                    "says what of {path:?} is wanted with none of {}",
                    TESTS.join(", "),
                    path = table.text("path")?.unwrap_or_default()
                ),
            ));
        };
        if let Some((other, _)) = tests.next() {
            return Err(
                table.error(other, format!("a condition has one test, and this one has {key} already"))
            );
        }
        let (name, mut negated) = match key.strip_prefix("not_") {
            Some(name) => (name, true),
            None => (key, false),
        };
        let test = match name {
            "equals" => Test::Equals(value.clone()),
            "in" => match value {
                Value::Array(values) => Test::In(values.clone()),
                _ => return Err(table.error(key, "must be a list of values".to_owned())),
            },
            "contains" => Test::Contains(value.clone()),
            "regex" => Test::Regex(compiled(table, key)?),
            _ => match value {
                Value::Bool(wanted) => {
                    negated ^= !wanted;
                    Test::Exists
                }
                _ => return Err(table.error(key, "must be true or false".to_owned())),
            },
        };
        Ok(Self { path, test, negated })
    }

    /// Whether it holds. Of a path with several values one is enough; for a negation none may be.
    pub(crate) fn holds(&self, at: At<'_>) -> bool {
        let mut found = false;
        self.path.visit(at, &mut |value| {
            found = self.test.passes(value);
            found
        });
        found != self.negated
    }
}

impl Test {
    fn passes(&self, value: &Value) -> bool {
        match self {
            Self::Equals(wanted) => is_equal(value, wanted),
            Self::In(wanted) => wanted.iter().any(|wanted| is_equal(value, wanted)),
            Self::Contains(wanted) => match value {
                Value::Array(items) => items.iter().any(|item| is_equal(item, wanted)),
                Value::Object(fields) => wanted.as_str().is_some_and(|key| fields.contains_key(key)),
                other => match (plain_text(other), plain_text(wanted)) {
                    (Some(text), Some(wanted)) => text.contains(&wanted),
                    _ => false,
                },
            },
            Self::Exists => !value.is_null(),
            Self::Regex(pattern) => plain_text(value).is_some_and(|text| pattern.is_match(&text)),
        }
    }
}

/// Whether two values say the same: 1 and 1.0 do.
fn is_equal(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && other.is_number() && one.as_f64() == other.as_f64()
}
