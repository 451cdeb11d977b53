//! The shapes in which hosts and models wrap binary content.

use serde_json::{Map, Value};

use super::{Elided, SHORTEST_RUN, base64};

/// Names under which content lies beside its media type.
const CONTENT: &[&str] = &["data", "base64", "blob", "bytes", "b64_json"];

/// Names of the media type.
const MEDIA_TYPE: &[&str] =
    &["media_type", "mimeType", "mime_type", "mediaType", "contentType", "content_type"];

/// Replaces an object that is a binary block by the description of what it held. Whatever else the object
/// says (a title, a path) stays beside the description.
///
/// Known are `{type, source: {type: "base64", media_type, data}}`, `{type, file: {base64, type}}`,
/// `{mimeType, data}`, `{mimeType, blob}` and their spellings. A data URL is a string and is recognised as
/// one.
pub(crate) fn elide_block(value: &mut Value) -> bool {
    let Value::Object(object) = value else { return false };
    let elided = if let Some(elided) = content_of(object) {
        object.retain(|key, value| !is_structure(key) && !is_long(value));
        elided
    } else if let Some((holder, elided)) = wrapped_content(object) {
        object.shift_remove(holder);
        object.retain(|key, value| !is_structure(key) && !is_long(value));
        elided
    } else {
        return false;
    };
    let rest = std::mem::take(object);
    let Value::Object(described) = elided.into_value() else { return false };
    *object = described;
    object.extend(rest.into_iter().filter(|(key, _)| !DESCRIPTION.contains(&key.as_str())));
    true
}

/// What a description says, so that no block speaks over it.
const DESCRIPTION: &[&str] = &["elided", "bytes", "sha256"];

fn is_structure(key: &str) -> bool {
    key == "type"
        || key == "format"
        || key == "cache_control"
        || key == "originalSize"
        || MEDIA_TYPE.contains(&key)
        || CONTENT.contains(&key)
}

fn is_long(value: &Value) -> bool {
    value.as_str().is_some_and(|text| super::may_be_content(text.as_bytes()))
}

/// The content that `source` or `file` holds.
fn wrapped_content(object: &Map<String, Value>) -> Option<(&'static str, Elided)> {
    if !object.get("type").is_some_and(Value::is_string) {
        return None;
    }
    ["source", "file"].into_iter().find_map(|holder| {
        let inner = object.get(holder)?.as_object()?;
        Some((holder, content_of(inner)?))
    })
}

/// The content that lies beside its media type in one object.
fn content_of(object: &Map<String, Value>) -> Option<Elided> {
    // Few objects hold content: look for it before all else.
    let content = CONTENT.iter().find_map(|name| object.get(*name)?.as_str())?;
    if content.is_empty() || !base64::may_be_encoded(content.as_bytes()) {
        return None;
    }
    let said = MEDIA_TYPE.iter().chain(&["type"]).find_map(|name| {
        let said = object.get(*name)?.as_str()?;
        super::is_media_type(said).then_some(said)
    });
    let declared = object.get("type").and_then(Value::as_str) == Some("base64");
    let encoded_by_name = object.contains_key("base64") || object.contains_key("b64_json");
    let known = said.is_some_and(|said| !said.starts_with("text/")) || declared || encoded_by_name;
    let long = super::may_be_content(content.as_bytes());
    ((known && content.len() >= SHORTEST_BLOCK) || long)
        .then(|| Elided::of_base64(said, content.as_bytes()))?
}

/// Below this, `data` beside a media type may be a word.
const SHORTEST_BLOCK: usize = 8;

/// Replaces an array that is a buffer written as numbers, as some runtimes do, by its description.
pub(crate) fn elide_bytes(value: &mut Value) -> bool {
    let Value::Array(items) = value else { return false };
    if items.len() < SHORTEST_RUN {
        return false;
    }
    let bytes: Option<Vec<u8>> = items.iter().map(|item| u8::try_from(item.as_u64()?).ok()).collect();
    let Some(bytes) = bytes else { return false };
    *value = Elided::of_bytes(&bytes).into_value();
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::encoded;
    use super::*;

    #[test]
    fn blocks_of_hosts_and_models_are_described() {
        let data = encoded(300);
        let wanted = json!({
            "elided": true,
            "media_type": "image/png",
            "bytes": 300,
            "sha256": base64::digest(data.as_bytes()).expect("it is base64").sha256,
        });
        for block in [
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}),
            json!({"type": "image", "file": {"base64": data, "type": "image/png", "originalSize": 300}}),
            json!({"mimeType": "image/png", "data": data}),
            json!({"mime_type": "image/png", "data": data}),
            json!({"type": "image", "data": data, "mimeType": "image/png"}),
            json!({"blob": data, "mimeType": "image/png"}),
        ] {
            let mut value = block.clone();
            assert!(elide_block(&mut value), "{block}");
            assert_eq!(value, wanted, "{block}");
        }
    }

    #[test]
    fn what_a_block_says_beside_its_content_stays() {
        let mut value = json!({
            "type": "document", "title": "Plan", "bytes": "no",
            "source": {"type": "base64", "media_type": "application/pdf", "data": encoded(300)},
        });
        assert!(elide_block(&mut value));
        assert_eq!(value["title"], "Plan");
        assert_eq!(value["bytes"], 300);
    }

    #[test]
    fn other_objects_stay() {
        for object in [
            json!({"type": "text", "text": "data"}),
            json!({"data": "hello"}),
            json!({"type": "text/plain", "data": "hello world, all of it"}),
            json!({"mimeType": "text/plain", "data": "aGVsbG8gd29ybGQ"}),
            json!({"type": "file", "file": {"filePath": "/a", "content": "b"}}),
            json!({"mimeType": "image/png", "data": "see below"}),
            json!([1, 2, 3]),
        ] {
            let mut value = object.clone();
            assert!(!elide_block(&mut value) && !elide_bytes(&mut value), "{object}");
            assert_eq!(value, object);
        }
    }

    #[test]
    fn a_buffer_of_numbers_is_described() {
        let mut value = json!([137, 80, 78, 71, 13, 10, 26, 10].repeat(200));
        assert!(elide_bytes(&mut value));
        assert_eq!((&value["media_type"], &value["bytes"]), (&json!("image/png"), &json!(1600)));
        let mut prices = json!(vec![300; 2000]);
        assert!(!elide_bytes(&mut prices));
    }
}
