//! Where in a record a value lies.

use serde_json::Value;

/// A path through objects and lists: keys with dots between them, `*` for each item of a list, a number for one.
///
/// A key that begins with `$` begins at the whole record, also where a rule is about one item of it. A text that
/// holds an object or a list as JSON is looked into like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldPath {
    from_record: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Each,
}

/// At most so many values are looked at for one path.
const MOST: usize = 10_000;

impl FieldPath {
    /// Reads a path; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (from_record, rest) = match text.strip_prefix("$.") {
            Some(rest) => (true, rest),
            None if text == "$" => (true, ""),
            None => (false, text),
        };
        if rest.is_empty() && !from_record && text != "." {
            return Err("a path is empty; \".\" is the whole record".to_owned());
        }
        let rest = if text == "." { "" } else { rest };
        let mut steps = Vec::new();
        for step in rest.split('.').filter(|_| !rest.is_empty()) {
            match step {
                "" => return Err(format!("{text:?} has an empty step between two dots")),
                "*" => steps.push(Step::Each),
                key => steps.push(Step::Key(key.to_owned())),
            }
        }
        Ok(Self { from_record, steps })
    }

    /// Gives each value at this path to `take`, until that answers that it has enough.
    pub(crate) fn visit(&self, at: At<'_>, take: &mut dyn FnMut(&Value) -> bool) -> bool {
        let start = if self.from_record { at.record } else { at.item };
        let mut left = MOST;
        walk(start, &self.steps, &mut left, take)
    }

    /// Takes the value at this path out of a record; nothing through texts and lists.
    pub(crate) fn take(&self, record: &mut Value) -> Option<Value> {
        let place = self.steps.iter().try_fold(record, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Each => None,
        })?;
        Some(place.take())
    }

    /// The first value at this path that is not null.
    pub(crate) fn first(&self, at: At<'_>) -> Option<Value> {
        let mut found = None;
        self.visit(at, &mut |value| {
            if !value.is_null() {
                found = Some(value.clone());
            }
            found.is_some()
        });
        found
    }
}

/// Where paths begin: at a record, and at the item of it that a rule is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) record: &'a Value,
    pub(crate) item: &'a Value,
}

fn walk(value: &Value, steps: &[Step], left: &mut usize, take: &mut dyn FnMut(&Value) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        if *left == 0 {
            return true;
        }
        *left -= 1;
        return take(value);
    };
    if let Some(unfolded) = unfolded(value) {
        return walk(&unfolded, steps, left, take);
    }
    match (step, value) {
        (Step::Key(key), Value::Object(fields)) => {
            fields.get(key).is_some_and(|value| walk(value, rest, left, take))
        }
        (Step::Key(key), Value::Array(items)) => {
            let item = key.parse::<usize>().ok().and_then(|place| items.get(place));
            item.is_some_and(|value| walk(value, rest, left, take))
        }
        (Step::Each, Value::Array(items)) => items.iter().any(|value| walk(value, rest, left, take)),
        _ => false,
    }
}

/// The object or list that a text holds as JSON.
pub(crate) fn unfolded(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str::<Value>(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_at_their_paths() {
        let record = json!({
            "type": "x",
            "message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            "folded": "{\"exit\": {\"code\": 3}}",
            "nothing": null,
        });
        let item = json!({"name": "item"});
        let at = At { record: &record, item: &item };
        for (path, found) in [
            ("$.type", Some(json!("x"))),
            ("name", Some(json!("item"))),
            (".", Some(item.clone())),
            ("$.message.content.*.text", Some(json!("a"))),
            ("$.message.content.1.text", Some(json!("b"))),
            ("$.message.content.9.text", None),
            ("$.folded.exit.code", Some(json!(3))),
            ("$.nothing", None),
            ("$.type.deeper", None),
            ("$.message.*", None),
        ] {
            let parsed = FieldPath::parse(path).expect("a path");
            assert_eq!(parsed.first(at), found, "{path}");
        }
    }

    #[test]
    fn what_is_no_path_is_said() {
        for path in ["", "a..b", "$."] {
            let problem = FieldPath::parse(path);
            assert!(problem.is_err() || path == "$.", "{path} {problem:?}");
        }
    }
}
