//! The texts in what a tool was given or answered.

use serde_json::Value;

/// Every text in a value, in its order.
pub(crate) fn all(value: &Value) -> Vec<&str> {
    let (mut found, mut waiting) = (Vec::new(), vec![value]);
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(items) => waiting.extend(items.iter().rev()),
            Value::Object(fields) => waiting.extend(fields.values().rev()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn all_texts_of_a_value_come_in_its_order() {
        let value = json!(["a", {"b": ["c", 1, null], "d": {"e": "f"}}, true, "g"]);
        assert_eq!(super::all(&value), ["a", "c", "f", "g"]);
    }
}
