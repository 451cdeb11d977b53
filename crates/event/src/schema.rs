//! The JSON Schemas in `docs/`, kept equal to the types.

use std::path::{Path, PathBuf};

use crate::{Event, Reply};

/// Set to `1`, the test writes the schemas instead of checking them.
const WRITE: &str = "REMORA_WRITE";

fn check(name: &str, schema: &schemars::Schema) {
    let path = docs().join(name);
    let mut text = serde_json::to_string_pretty(schema).expect("a schema is JSON");
    text.push('\n');
    if std::env::var_os(WRITE).is_some_and(|write| write == "1") {
        std::fs::write(&path, &text).expect("the documentation's folder");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{} is not what the types say: run the tests with {WRITE}=1", path.display());
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn the_schemas_are_those_of_the_types() {
    check("event.schema.json", &schemars::schema_for!(Event));
    check("reply.schema.json", &schemars::schema_for!(Reply));
}

/// Every example in the document is an event, a reply or a frame as the types read them, and every field
/// is explained.
#[test]
fn the_document_is_true() {
    let document = std::fs::read_to_string(docs().join("event-format.md")).expect("the document");
    let mut examples = 0;
    for block in document.split("```json\n").skip(1) {
        let json = block.split("```").next().unwrap_or_default();
        let value: serde_json::Value = serde_json::from_str(json).expect(json);
        if value.get("v").is_some() {
            let event: Event = serde_json::from_value(value.clone()).expect(json);
            let again = serde_json::to_value(&event).expect("an event is JSON");
            for (field, said) in value.as_object().expect("an object") {
                assert_eq!(&again[field], said, "{field} in {json}");
            }
        } else if value.get("type").is_some() {
            let read = serde_json::from_value::<crate::wire::Request>(value.clone()).is_ok()
                || serde_json::from_value::<crate::wire::Response>(value).is_ok();
            assert!(read, "{json}");
        } else {
            serde_json::from_value::<Reply>(value).expect(json);
        }
        examples += 1;
    }
    assert!(examples >= 4, "{examples}");

    for schema in [schemars::schema_for!(Event), schemars::schema_for!(Reply)] {
        let fields = schema.get("properties").and_then(serde_json::Value::as_object).expect("fields");
        for field in fields.keys() {
            assert!(document.contains(&format!("`{field}`")), "{field} is not explained");
        }
    }
}
