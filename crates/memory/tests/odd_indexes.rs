//! Odd indexes, each with the reading that is expected, and edits that change only their entry.

use std::path::Path;

use remora_memory::Index;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    text: String,
    entries: Vec<String>,
    #[serde(default)]
    mentions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    why: String,
    before: String,
    upsert: Option<[String; 3]>,
    remove: Option<String>,
    after: String,
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
    edit: Vec<Edit>,
}

fn cases() -> Cases {
    toml::from_str(include_str!("odd_indexes.toml")).expect("the table is valid")
}

fn shown(index: &Index) -> Vec<String> {
    let entries = index.entries().iter();
    let one = entries.map(|entry| {
        let struck = if entry.struck { "x " } else { "" };
        format!("{struck}{} {} = {} / {}", entry.line, entry.file, entry.title, entry.hook)
    });
    one.collect()
}

#[test]
fn odd_indexes_are_read_as_meant() {
    let cases = cases().case;
    assert!(cases.len() >= 40, "there are {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let index = Index::parse_in(&case.text, Path::new("/home/p/mem"));
        assert_eq!(index.text(), case.text);
        if shown(&index) != case.entries || index.mentions() != case.mentions {
            let (is, mentions) = (shown(&index), index.mentions());
            wrong
                .push(format!("{}\n  is       {is:?} {mentions:?}\n  expected {:?}", case.why, case.entries));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn edits_change_only_their_entry() {
    let edits = cases().edit;
    let mut wrong = Vec::new();
    for edit in &edits {
        let mut index = Index::parse(&edit.before);
        if let Some([file, title, hook]) = &edit.upsert {
            index.upsert(file, title, hook);
        }
        if let Some(file) = &edit.remove {
            index.remove(file);
        }
        if index.text() != edit.after {
            wrong.push(format!("{}\n  is       {:?}\n  expected {:?}", edit.why, index.text(), edit.after));
        }
        assert_eq!(index, Index::parse(index.text()), "{}: the entries are those of the text", edit.why);
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), edits.len(), wrong.join("\n"));
}
