//! The arguments of a call, taken apart with errors that say what to write instead.

use std::ops::RangeInclusive;

use rmcp::model::JsonObject;
use serde_json::Value;

use super::answer;
use crate::failure::Failure;

/// One call's arguments.
#[derive(Debug)]
pub(super) struct Fields {
    tool: &'static str,
    values: JsonObject,
}

impl Fields {
    /// The arguments of a call of `tool`.
    pub(super) fn new(tool: &'static str, arguments: Option<JsonObject>) -> Self {
        Self { tool, values: arguments.unwrap_or_default() }
    }

    /// What was given besides what the tool takes, in a sentence. Not a reason to refuse the call: there are
    /// hosts that offer their models an argument of their own for every tool, and hand it on.
    pub(super) fn left_over(&self, takes: &[&str]) -> Option<String> {
        let unknown = self.values.keys().filter(|name| !takes.contains(&name.as_str()));
        let unknown: Vec<String> =
            unknown.take(3).map(|name| format!("{:?}", answer::line(name, 40))).collect();
        (!unknown.is_empty())
            .then(|| format!("Note: {} takes {} and no {}.", self.tool, takes.join(", "), unknown.join(", ")))
    }

    /// A text that must be there.
    pub(super) fn text(&self, name: &str, longest: usize) -> Result<String, Failure> {
        self.text_if_any(name, longest)?.ok_or_else(|| {
            Failure::usage(
                format!("{} needs {name:?}", self.tool),
                format!("call it again with {name:?} as a text that is not empty"),
            )
        })
    }

    /// A text; an empty one is none.
    pub(super) fn text_if_any(&self, name: &str, longest: usize) -> Result<Option<String>, Failure> {
        let text = match self.values.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim(),
            Some(other) => return Err(self.wrong(name, "a text", other)),
        };
        let length = text.chars().count();
        if length > longest {
            return Err(Failure::usage(
                format!("{name:?} has {length} characters, and {} takes at most {longest}", self.tool),
                "say it in fewer words",
            ));
        }
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }

    /// A whole number, also one that was written as a text.
    pub(super) fn number(&self, name: &str, range: &RangeInclusive<usize>) -> Result<Option<usize>, Failure> {
        let (value, number) = match self.values.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => (&self.values[name], text.trim().parse().ok()),
            Some(value) => (value, value.as_u64().and_then(|number| usize::try_from(number).ok())),
        };
        match number {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let wanted = format!("a whole number from {} to {}", range.start(), range.end());
                Err(self.wrong(name, &wanted, value))
            }
        }
    }

    /// A list of texts with something in it; one text alone is a list of one.
    pub(super) fn texts(&self, name: &str, most: usize, longest: usize) -> Result<Vec<String>, Failure> {
        let wanted = format!("a list of 1 to {most} texts");
        let items = match self.values.get(name) {
            Some(Value::String(one)) if !one.trim().is_empty() => vec![Value::String(one.clone())],
            Some(Value::Array(items)) if (1..=most).contains(&items.len()) => items.clone(),
            Some(other) => return Err(self.wrong(name, &wanted, other)),
            None => return Err(self.wrong(name, &wanted, &Value::Null)),
        };
        let read = |item: Value| match item {
            Value::String(text) if (1..=longest).contains(&text.trim().chars().count()) => {
                Ok(text.trim().to_owned())
            }
            other => Err(self.wrong(name, &format!("{wanted}, each of 1 to {longest} characters"), &other)),
        };
        items.into_iter().map(read).collect()
    }

    fn wrong(&self, name: &str, wanted: &str, found: &Value) -> Failure {
        let found = match found {
            Value::Array(items) => format!("a list of {}", items.len()),
            Value::Object(_) => "an object".to_owned(),
            Value::Null => "nothing".to_owned(),
            value => answer::line(&value.to_string(), 40),
        };
        Failure::usage(
            format!("{name:?} must be {wanted}, and is {found}"),
            format!("call {} again with {name:?} like that", self.tool),
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(arguments: Value) -> Fields {
        let Value::Object(arguments) = arguments else { panic!("not an object: {arguments}") };
        Fields::new("memory_tool", Some(arguments))
    }

    fn why<T: std::fmt::Debug>(outcome: Result<T, Failure>) -> String {
        answer::said(&outcome.expect_err("a refusal"))
    }

    #[test]
    fn what_is_well_written_is_taken() {
        let given = fields(json!({"text": " a fact ", "limit": "7", "ids": "journal:3"}));
        assert_eq!(given.text("text", 10).expect("a text"), "a fact");
        assert_eq!(given.number("limit", &(1..=9)).expect("a number"), Some(7));
        assert_eq!(given.texts("ids", 3, 20).expect("a list"), ["journal:3"]);
        let nothing = fields(json!({"limit": null}));
        assert_eq!(nothing.text_if_any("text", 10).expect("none"), None);
        assert_eq!(nothing.number("limit", &(1..=9)).expect("none"), None);
    }

    #[test]
    fn what_no_tool_takes_is_named() {
        let given = fields(json!({"text": "a fact", "wait_for_previous": true, "q": 1}));
        let said = given.left_over(&["text", "limit"]).expect("a note");
        assert_eq!(said, r#"Note: memory_tool takes text, limit and no "wait_for_previous", "q"."#);
        assert_eq!(fields(json!({"text": "a fact"})).left_over(&["text"]), None);
    }

    #[test]
    fn what_is_not_says_what_to_write() {
        let long = "é".repeat(11);
        let wrong = [
            why(fields(json!({})).text("text", 10)),
            why(fields(json!({"text": "  "})).text("text", 10)),
            why(fields(json!({"text": ["x"]})).text("text", 10)),
            why(fields(json!({"text": long})).text("text", 10)),
            why(fields(json!({"limit": 0})).number("limit", &(1..=9))),
            why(fields(json!({"limit": 2.5})).number("limit", &(1..=9))),
            why(fields(json!({"limit": "many"})).number("limit", &(1..=9))),
            why(fields(json!({})).texts("ids", 2, 5)),
            why(fields(json!({"ids": []})).texts("ids", 2, 5)),
            why(fields(json!({"ids": ["a", "b", "c"]})).texts("ids", 2, 5)),
            why(fields(json!({"ids": ["a", 1]})).texts("ids", 2, 5)),
            why(fields(json!({"ids": ["abcdef"]})).texts("ids", 2, 5)),
        ];
        insta::assert_snapshot!(wrong.join("\n"), @r#"
        Error: memory_tool needs "text"
        Next: call it again with "text" as a text that is not empty
        Error: memory_tool needs "text"
        Next: call it again with "text" as a text that is not empty
        Error: "text" must be a text, and is a list of 1
        Next: call memory_tool again with "text" like that
        Error: "text" has 11 characters, and memory_tool takes at most 10
        Next: say it in fewer words
        Error: "limit" must be a whole number from 1 to 9, and is 0
        Next: call memory_tool again with "limit" like that
        Error: "limit" must be a whole number from 1 to 9, and is 2.5
        Next: call memory_tool again with "limit" like that
        Error: "limit" must be a whole number from 1 to 9, and is "many"
        Next: call memory_tool again with "limit" like that
        Error: "ids" must be a list of 1 to 2 texts, and is nothing
        Next: call memory_tool again with "ids" like that
        Error: "ids" must be a list of 1 to 2 texts, and is a list of 0
        Next: call memory_tool again with "ids" like that
        Error: "ids" must be a list of 1 to 2 texts, and is a list of 3
        Next: call memory_tool again with "ids" like that
        Error: "ids" must be a list of 1 to 2 texts, each of 1 to 5 characters, and is 1
        Next: call memory_tool again with "ids" like that
        Error: "ids" must be a list of 1 to 2 texts, each of 1 to 5 characters, and is "abcdef"
        Next: call memory_tool again with "ids" like that
        "#);
    }
}
