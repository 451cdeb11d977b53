//! Taking our entries out of texts that people rearranged.

use remora_install::edit::json::{Document, hook_groups};
use serde_json::Value;

fn is_ours(handler: &Value) -> bool {
    handler["command"] == "ours"
}

#[test]
fn what_stands_around_an_entry_stays_whole() {
    let ours = r#"{"hooks": [{"command": "ours"}]}"#;
    let cases = [
        ("first of two", "[OURS, 1]", "[ 1]"),
        ("first of two, on lines", "[\n  OURS,\n  1\n]", "[\n  1\n]"),
        ("between", "[1, OURS, 2]", "[1, 2]"),
        ("last", "[1 , OURS]", "[1 ]"),
        ("behind a comment that ends its line", "[1, // one\n OURS]", "[1 // one\n ]"),
        ("behind a comment, something follows", "[1, // one\n OURS, 2]", "[1, // one\n  2]"),
        ("with a comment of the person's", "[1, OURS /* why */]", "[1 /* why */]"),
        ("with a trailing comma", "[\n  1,\n  OURS,\n]", "[\n  1,\n]"),
        ("alone with a comment", "[\n  // mine\n  OURS\n]", "[\n  // mine\n]"),
        ("twice", "[OURS, 1, OURS]", "[ 1]"),
    ];
    for (name, before, after) in cases {
        let whole = |list: &str| format!("{{\"hooks\": {{\"Stop\": {}}}}}", list.replace("OURS", ours));
        let left = hook_groups::remove(&whole(before), &is_ours, &[]).expect("the text is well formed");
        assert_eq!(left, whole(after), "{name}");
        Document::parse(&left).expect("it is still well formed");
    }
}

#[test]
fn lists_that_we_emptied_go_and_those_that_were_empty_stay() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"command": "ours"}]}]}, "a": 1}"#;
    let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let cases = [
        (vec![], r#"{ "a": 1}"#),
        (vec![path(&["hooks"])], r#"{"hooks": {}, "a": 1}"#),
        (vec![path(&["hooks", "Stop"])], r#"{"hooks": {"Stop": []}, "a": 1}"#),
    ];
    for (hollow, after) in cases {
        assert_eq!(hook_groups::remove(text, &is_ours, &hollow).as_deref(), Ok(after));
    }
}
