//! Whether an answer fits its schema: the few words of JSON Schema that questions use.

use serde_json::Value;

/// The first place where `value` does not fit, in words.
pub(crate) fn misfit(schema: &Value, value: &Value) -> Option<String> {
    at("the answer", schema, value)
}

fn at(place: &str, schema: &Value, value: &Value) -> Option<String> {
    if let Some(kind) = schema["type"].as_str()
        && !is_of(kind, value)
    {
        return Some(format!("{place} is not of type {kind}"));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return Some(format!("{place} is none of the values that may be"));
    }
    if let Some(object) = value.as_object() {
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = required.into_iter().find(|name| !object.contains_key(*name)) {
            return Some(format!("{place} has no {missing:?}"));
        }
        for (name, inner) in object {
            match schema["properties"].get(name) {
                Some(schema) => {
                    if let Some(found) = at(&format!("{name:?}"), schema, inner) {
                        return Some(found);
                    }
                }
                None if schema["additionalProperties"] == Value::Bool(false) => {
                    return Some(format!("{place} has {name:?}, which was not asked for"));
                }
                None => {}
            }
        }
    }
    let items = schema.get("items")?;
    value.as_array()?.iter().find_map(|item| at(&format!("an item of {place}"), items, item))
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({
            "type": "object", "required": ["files"], "additionalProperties": false,
            "properties": {
                "files": {"type": "array", "items": {"type": "string"}},
                "sure": {"type": "string", "enum": ["yes", "no"]},
            },
        });
        for (value, expected) in [
            (json!({"files": []}), None),
            (json!({"files": ["a", "b"], "sure": "no"}), None),
            (json!(["a"]), Some("the answer is not of type object")),
            (json!({}), Some("the answer has no \"files\"")),
            (json!({"files": "a"}), Some("\"files\" is not of type array")),
            (json!({"files": [1]}), Some("an item of \"files\" is not of type string")),
            (json!({"files": [], "sure": "perhaps"}), Some("\"sure\" is none of the values that may be")),
            (json!({"files": [], "x": 1}), Some("the answer has \"x\", which was not asked for")),
        ] {
            assert_eq!(misfit(&schema, &value).as_deref(), expected, "{value}");
        }
    }
}
