//! Odd memory files, each with the reading that is expected.

use remora_memory::reader::{read_bytes, read_text};
use remora_memory::{Flaw, Memory};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    file: String,
    text: String,
    #[serde(default)]
    crlf: bool,
    #[serde(default)]
    bom: bool,
    name: String,
    description: String,
    kind: String,
    body: Option<String>,
    #[serde(default)]
    problems: Vec<String>,
    links: Option<Vec<String>>,
    #[serde(default)]
    seen: toml::Table,
    #[serde(default)]
    supersedes: Vec<String>,
    #[serde(default)]
    superseded_by: Vec<String>,
    #[serde(default)]
    reinforced: Vec<String>,
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

fn cases() -> Vec<Case> {
    toml::from_str::<Cases>(include_str!("odd_files.toml")).expect("the table is valid").case
}

impl Case {
    fn text(&self) -> String {
        let text = self.text.trim_start_matches(if self.text.starts_with("\n---") { "\n" } else { "" });
        let text = if self.crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        if self.bom { format!("\u{feff}{text}") } else { text }
    }
}

/// The name of a flaw without what it carries.
fn word(flaw: &Flaw) -> String {
    format!("{flaw:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn differences(case: &Case, memory: &Memory) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut differ = |what: &str, is: String, expected: String| {
        if is != expected {
            wrong.push(format!("  {what} is {is:?}, expected {expected:?}"));
        }
    };
    differ("name", memory.name.clone(), case.name.clone());
    differ("description", memory.description.clone(), case.description.clone());
    differ("kind", memory.kind.to_string(), case.kind.clone());
    if let Some(body) = &case.body {
        differ("body", memory.body.clone(), body.clone());
    }
    if let Some(links) = &case.links {
        differ("links", memory.links.join(" | "), links.join(" | "));
    }
    let problems: Vec<String> = memory
        .problems
        .iter()
        .filter(|problem| !problem.what.is_advice())
        .map(|problem| word(&problem.what))
        .collect();
    differ("problems", problems.join(" "), case.problems.join(" "));
    for (path, value) in &case.seen {
        let is = memory.metadata.all.text(path).unwrap_or("nothing").to_owned();
        differ(path, is, value.as_str().expect("a text").to_owned());
    }
    differ("supersedes", memory.metadata.supersedes.join(" "), case.supersedes.join(" "));
    differ("superseded_by", memory.metadata.superseded_by.join(" "), case.superseded_by.join(" "));
    let days: Vec<String> = memory.metadata.reinforced.iter().map(ToString::to_string).collect();
    differ("reinforced", days.join(" "), case.reinforced.join(" "));
    wrong
}

#[test]
fn odd_files_are_read_as_meant() {
    let cases = cases();
    assert!(cases.len() >= 60, "there are {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let memory = read_text(&case.file, &case.text()).expect("readable");
        let differences = differences(case, &memory);
        if !differences.is_empty() {
            wrong.push(format!("{}\n{}", case.why, differences.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn what_is_no_text_is_unreadable_with_its_line() {
    let big = "x".repeat((1 << 20) + 1);
    let cases: [(&[u8], usize, &str); 5] = [
        (b"---\nname: a\ndescription: caf\xe9\n---\n", 3, "not valid UTF-8"),
        (b"one\ntwo\n\xff\n", 3, "not valid UTF-8"),
        (b"one\n\0two", 2, "a NUL byte: not a text file"),
        (b"\xff\xfe-\0-\0-\0", 1, "UTF-16, which is not read; save it as UTF-8"),
        (big.as_bytes(), 1, "larger than 1 MiB"),
    ];
    for (bytes, line, problem) in cases {
        let unreadable = read_bytes("x.md", bytes).expect_err(problem);
        assert_eq!(
            (unreadable.line, unreadable.problem.as_str(), unreadable.file.as_str()),
            (line, problem, "x.md")
        );
    }
}

#[test]
fn a_large_body_is_read_whole() {
    let body = "A line with some words in it, again and again.\n".repeat(640);
    let text = format!("---\nname: a\ndescription: b\ntype: user\n---\n\n{body}");
    let memory = read_text("x.md", &text).expect("readable");
    assert!(memory.body.len() > 30_000);
    assert_eq!(memory.body, body.trim_end());
    assert_eq!(memory.body_line, 7);
}
