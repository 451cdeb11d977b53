//! Edits of one value: what the file is before and after, byte for byte, and what is refused.

use remora_memory::edit::{self, NewValue};

const FILE: &str = "x.md";

fn set(text: &str, path: &str, value: &str) -> String {
    edit::set(FILE, text, path, NewValue::Text(value)).expect("sure")
}

/// Why, the text before, the key, the new value, the text after.
const CASES: &[(&str, &str, &str, &str, &str)] = &[
    (
        "a comment, the order and unknown keys stay",
        "---\n# mine\ntype: user # the person\nname: a\nversion: 1.10\ndescription: b\n---\nText.\n",
        "type",
        "feedback",
        "---\n# mine\ntype: feedback # the person\nname: a\nversion: 1.10\ndescription: b\n---\nText.\n",
    ),
    (
        "quotes where they are needed",
        "---\nname: a\ndescription: b\n---\nText.\n",
        "description",
        "Note: never #1",
        "---\nname: a\ndescription: \"Note: never #1\"\n---\nText.\n",
    ),
    (
        "in a file that is no YAML",
        "---\nname: a\ndescription: Note: never\ntype: user\n---\nText.\n",
        "type",
        "feedback",
        "---\nname: a\ndescription: Note: never\ntype: feedback\n---\nText.\n",
    ),
    (
        "the very value that is no YAML",
        "---\nname: a\ndescription: Note: never\ntype: user\n---\nText.\n",
        "description",
        "Note: always",
        "---\nname: a\ndescription: \"Note: always\"\ntype: user\n---\nText.\n",
    ),
    (
        "a nested value, with the trailing space behind its parent",
        "---\nname: a\nmetadata: \n  node_type: memory\n  updated: 2026-11-02\n  originSessionId: 1f\n---\nText.\n",
        "metadata.updated",
        "2026-12-02",
        "---\nname: a\nmetadata: \n  node_type: memory\n  updated: 2026-12-02\n  originSessionId: 1f\n---\nText.\n",
    ),
    (
        "a new nested key",
        "---\nname: a\nmetadata: \n  node_type: memory\n\n---\nText.\n",
        "metadata.updated",
        "2026-12-02",
        "---\nname: a\nmetadata: \n  node_type: memory\n  updated: 2026-12-02\n\n---\nText.\n",
    ),
    (
        "a new nested key where there is no parent",
        "---\nname: a\n---\nText.\n",
        "metadata.updated",
        "2026-12-02",
        "---\nname: a\nmetadata:\n  updated: 2026-12-02\n---\nText.\n",
    ),
    (
        "carriage returns and a byte order mark",
        "\u{feff}---\r\nname: a\r\ndescription: b\r\n---\r\nText.\r\n",
        "description",
        "c d",
        "\u{feff}---\r\nname: a\r\ndescription: c d\r\n---\r\nText.\r\n",
    ),
    (
        "a new key with carriage returns",
        "---\r\nname: a\r\n---\r\nText.\r\n",
        "type",
        "user",
        "---\r\nname: a\r\ntype: user\r\n---\r\nText.\r\n",
    ),
    (
        "a folded value becomes one line",
        "---\nname: a\ndescription: >-\n  one\n  two\ntype: user\n---\nText.\n",
        "description",
        "three",
        "---\nname: a\ndescription: three\ntype: user\n---\nText.\n",
    ),
    (
        "a value where none stood",
        "---\nname:\ndescription: b\n---\nText.\n",
        "name",
        "a",
        "---\nname: a\ndescription: b\n---\nText.\n",
    ),
    (
        "the first of two blocks that has the key",
        "---\nmetadata:\n  node_type: memory\n---\n---\nname: a\ndescription: b\n---\nText.\n",
        "description",
        "c",
        "---\nmetadata:\n  node_type: memory\n---\n---\nname: a\ndescription: c\n---\nText.\n",
    ),
    (
        "below text that stands before",
        "> copied\n\n---\nname: a\ntype: user\n---\nText.\n",
        "type",
        "project",
        "> copied\n\n---\nname: a\ntype: project\n---\nText.\n",
    ),
    (
        "an equal value changes nothing",
        "---\nname:   'a'\n---\nText.\n",
        "name",
        "a",
        "---\nname:   'a'\n---\nText.\n",
    ),
    (
        "a mapping in one line",
        "---\nname: a\nmetadata: {type: user, updated: 2026-11-02} # flow\n---\nText.\n",
        "metadata.updated",
        "2026-12-02",
        "---\nname: a\nmetadata: {type: user, updated: 2026-12-02} # flow\n---\nText.\n",
    ),
    (
        "a new key in a mapping in one line",
        "---\nname: a\nmetadata: {type: user}\n---\nText.\n",
        "metadata.updated",
        "2026-12-02",
        "---\nname: a\nmetadata: {type: user, updated: 2026-12-02}\n---\nText.\n",
    ),
    (
        "full-width text",
        "---\nname: 数据库\ndescription: 集成测试用真实数据库\n---\n正文。\n",
        "description",
        "换了说明",
        "---\nname: 数据库\ndescription: 换了说明\n---\n正文。\n",
    ),
];

#[test]
fn one_value_changes() {
    let mut wrong = Vec::new();
    for (why, before, path, value, after) in CASES {
        let is = match edit::set(FILE, before, path, NewValue::Text(value)) {
            Ok(text) => text,
            Err(error) => error.to_string(),
        };
        if is != *after {
            wrong.push(format!("{why}\n  is       {is:?}\n  expected {after:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lists_and_removals() {
    let text = "---\nname: a\nmetadata:\n  supersedes:\n    - old\n  source: x\n---\nText.\n";
    let names = ["one".to_owned(), "two, three".to_owned()];
    let listed = edit::set(FILE, text, "metadata.supersedes", NewValue::List(&names)).expect("sure");
    assert_eq!(
        listed,
        "---\nname: a\nmetadata:\n  supersedes: [one, \"two, three\"]\n  source: x\n---\nText.\n"
    );
    let read = remora_memory::reader::read_text(FILE, &listed).expect("readable");
    assert_eq!(read.metadata.supersedes, names);

    let added = edit::set(FILE, text, "metadata.superseded_by", NewValue::List(&names[..1])).expect("sure");
    assert_eq!(
        added,
        "---\nname: a\nmetadata:\n  supersedes:\n    - old\n  source: x\n  superseded_by: [one]\n---\nText.\n"
    );

    let removed = edit::remove(FILE, text, "metadata.supersedes").expect("sure");
    assert_eq!(removed, "---\nname: a\nmetadata:\n  source: x\n---\nText.\n");
    assert_eq!(edit::remove(FILE, text, "metadata.none").expect("nothing to do"), text);
    let last = edit::remove(FILE, &removed, "metadata.source").expect("sure");
    assert_eq!(last, "---\nname: a\nmetadata:\n---\nText.\n");
}

#[test]
fn metadata_at_the_top_level_is_written_there() {
    let top = "---\nname: a\nupdated: 2026-11-02\n---\nText.\n";
    let edited = edit::set_metadata(FILE, top, "updated", NewValue::Text("2026-12-02")).expect("sure");
    assert_eq!(edited, "---\nname: a\nupdated: 2026-12-02\n---\nText.\n");
}

#[test]
fn bodies_are_replaced() {
    let cases = [
        ("---\nname: a\n---\n\nOld.\n\n", "New.\nTwo.", "---\nname: a\n---\n\nNew.\nTwo.\n\n"),
        ("---\r\nname: a\r\n---\r\nOld.\r\n", "New.\nTwo.\n", "---\r\nname: a\r\n---\r\nNew.\r\nTwo.\r\n"),
        ("---\nname: a\n---", "New.", "---\nname: a\n---\nNew.\n"),
        ("Only text.", "New.", "New.\n"),
        ("\u{feff}Only text.\n", "New.", "\u{feff}New.\n"),
    ];
    for (before, body, after) in cases {
        assert_eq!(edit::set_body(FILE, before, body).expect("sure"), after);
    }
    let refused = edit::set_body(FILE, "---\nname: a\n---\nOld.\n", "---\nname: b\n---\nNew.");
    assert!(refused.is_err(), "a body that would be frontmatter");
}

#[test]
fn what_is_not_sure_is_refused() {
    let twice = "---\nname: a\ndescription: one\ndescription: two\n---\nText.\n";
    let refused = edit::set(FILE, twice, "description", NewValue::Text("three")).expect_err("which one");
    assert_eq!(refused.to_string(), "could not edit x.md: it is not certain that nothing else would change");
    let none = edit::set(FILE, "Only text.\n", "name", NewValue::Text("a")).expect_err("no frontmatter");
    assert_eq!(none.to_string(), "could not edit x.md: it has no frontmatter");
    let bomb = "---\nname: a\nx: &x [1]\ny: *x\n---\nText.\n";
    assert_eq!(set(bomb, "name", "b"), "---\nname: b\nx: &x [1]\ny: *x\n---\nText.\n");
}
