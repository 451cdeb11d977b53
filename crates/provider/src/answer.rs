//! The JSON in what a model said.

use serde_json::Value;

/// The object that a text consists of, or that stands in it, in a fence or between sentences.
pub(crate) fn object_in(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Some(value) = object(text) {
        return Some(value);
    }
    text.match_indices('{').find_map(|(start, _)| {
        // The first whole value from here on, whatever comes behind it.
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

fn object(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_found_where_models_put_it() {
        let expected = Some(json!({"files": ["a.md"]}));
        for text in [
            "{\"files\": [\"a.md\"]}",
            "```json\n{\"files\": [\"a.md\"]}\n```",
            "Sure! Here it is: {\"files\": [\"a.md\"]} I hope that helps {you}.",
            "{broken {\"files\": [\"a.md\"]}",
        ] {
            assert_eq!(object_in(text), expected, "{text}");
        }
        for text in ["", "I would choose a.md.", "[\"a.md\"]", "{\"files\": [", "{{{{{"] {
            assert_eq!(object_in(text), None, "{text}");
        }
    }
}
