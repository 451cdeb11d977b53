//! What holds for any text: nothing panics, an edit changes one value, an index keeps its other lines, and no path
//! leaves its folder.

use proptest::prelude::*;
use remora_memory::edit::{self, NewValue};
use remora_memory::new_memory::{NewMemory, excluded, file_name, kind_from_text, name_from, too_vague};
use remora_memory::path::MemoryPath;
use remora_memory::reader::{read_bytes, read_text};
use remora_memory::{By, Index, Memory, MemoryKind};

fn day() -> chrono::NaiveDate {
    chrono::NaiveDate::from_ymd_opt(2026, 12, 2).expect("a date")
}

/// Texts made of the pieces that the readers look at.
fn pieces(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => prop::sample::select(pieces).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

fn file_like() -> impl Strategy<Value = String> {
    pieces(
        &[
            "---\n",
            "---",
            "\n",
            "\r\n",
            "\u{feff}",
            "name: a",
            "name:",
            "description: ",
            "type: user",
            "metadata:",
            "  ",
            "\t",
            "- ",
            "# ",
            ": ",
            " #",
            "\"",
            "'",
            "`",
            "```",
            "[",
            "]",
            "{",
            "}",
            "|",
            ">",
            "&a",
            "*a",
            "!",
            "x",
            "中",
            "\u{ff1a}",
            "...",
            "created: 2026-11-02",
            "updated",
            "a: [1, 2]",
            "<<: *a",
            "\\",
            "%",
            "@",
        ],
        60,
    )
}

fn index_like() -> impl Strategy<Value = String> {
    pieces(
        &[
            "- ",
            "* ",
            "1. ",
            "| ",
            "|",
            "\n",
            "\r\n",
            "\u{feff}",
            "[A](a.md)",
            "[B](b.md)",
            "[[a]]",
            "[[b|B]]",
            " — ",
            ", ",
            "~~",
            "# H\n",
            "```\n",
            "<!--",
            "-->",
            "[",
            "]",
            "(",
            ")",
            "`",
            "\\",
            "text",
            "中",
            "a.md",
            " ",
            "%20",
            "> ",
        ],
        50,
    )
}

/// A readable file with known values, in one of the ways that are written.
#[derive(Debug, Clone)]
struct Written {
    text: String,
    crlf: bool,
}

fn one_line() -> impl Strategy<Value = String> {
    pieces(
        &[
            "word", " ", "two", ": ", " #", "\"", "'", "`", "[", "]", "{", "}", "中文", "!", "*", "&", "\\",
            "%", "-", "1", "no",
        ],
        12,
    )
    .prop_map(|text| text.replace(char::is_control, " ").split_whitespace().collect::<Vec<_>>().join(" "))
    .prop_filter("says something", |text| !text.is_empty())
}

fn written() -> impl Strategy<Value = Written> {
    let value = prop_oneof![
        one_line(),
        one_line().prop_map(|text| format!("'{}'", text.replace('\'', "''"))),
        Just(">-\n  folded\n  text".to_owned()),
        Just("\"a \\\"quoted\\\" text\"".to_owned()),
    ];
    let type_line =
        prop_oneof![Just("type: user".to_owned()), Just("type: feedback   # the type".to_owned())];
    let metadata = prop_oneof![
        Just("metadata: \n  node_type: memory\n  # a comment\n  updated: 2026-11-02\n".to_owned()),
        Just("metadata:\n  - odd\n".to_owned()),
        Just("updated: '2026-11-02' # when\n".to_owned()),
        Just(String::new()),
    ];
    let body = prop_oneof![
        Just("Text.\n".to_owned()),
        Just("\n\n---\nname: x\n\nText".to_owned()),
        Just(String::new())
    ];
    let parts = (value, type_line, metadata, body, any::<bool>(), any::<bool>(), any::<bool>());
    parts.prop_map(|(value, type_line, metadata, body, crlf, bom, swapped)| {
        let first = format!("name: a-name\ndescription: {value}\n");
        let second = format!("{type_line}\nunknown: 1.10 # kept\n{metadata}");
        let (one, two) = if swapped { (&second, &first) } else { (&first, &second) };
        let text = format!("---\n{one}{two}---\n{body}");
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        Written { text: if bom { format!("\u{feff}{text}") } else { text }, crlf }
    })
}

fn without_lines_of<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let own = line.trim_start_matches('\u{feff}').starts_with(&format!("{key}:"));
        inside = own || (inside && line.starts_with(' '));
        if !inside {
            lines.push(line);
        }
    }
    lines
}

fn same_but(one: &Memory, other: &Memory, key: &str) -> bool {
    let fields = |memory: &Memory| {
        let rest = memory.metadata.all.0.iter().filter(|field| field.key != key);
        rest.map(|field| (field.key.clone(), format!("{:?}", field.value).replace(char::is_numeric, "")))
            .collect::<Vec<_>>()
    };
    one.body == other.body && one.before == other.before && fields(one) == fields(other)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 256 } else { 4000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn readers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), text in file_like()) {
        let _ = read_bytes("x.md", &bytes);
        let memory = read_text("feedback_x.md", &text);
        if let Ok(memory) = memory {
            prop_assert!(!memory.name.contains('\n'));
            prop_assert!(!memory.description.contains('\n'));
            let lines = text.matches('\n').count() + 1;
            for problem in &memory.problems {
                prop_assert!((1..=lines + 1).contains(&problem.line), "{problem} of {lines} lines");
            }
        }
    }

    #[test]
    fn the_body_is_never_lost(text in file_like()) {
        // Every line is in the body, before the frontmatter, or within it.
        let layout = remora_memory::frontmatter::layout(&text);
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let between: Vec<_> = layout.blocks.iter().map(|block| block.content.clone()).collect();
        prop_assert!(layout.before.start == at);
        at = layout.before.end;
        for content in between {
            prop_assert!(text[at..content.start].lines().all(|line| line.trim().is_empty() || line.trim_end() == "---"));
            prop_assert!(at <= content.start && content.start <= content.end);
            at = content.end;
        }
        prop_assert!(at <= layout.body.start && layout.body.end == text.len());
        let skipped = &text[at..layout.body.start];
        prop_assert!(skipped.lines().all(|line| line.trim_end().chars().all(|c| matches!(c, '-' | '.'))), "{skipped:?}");
    }

    #[test]
    fn an_edit_changes_one_value(file in written(), value in one_line(), key in prop::sample::select(vec!["description", "name"])) {
        let before = read_text("x.md", &file.text).expect("readable");
        if let Ok(edited) = edit::set("x.md", &file.text, key, NewValue::Text(&value)) {
            let after = read_text("x.md", &edited).expect("readable");
            prop_assert_eq!(after.metadata.all.text(key).map(str::to_owned), Some(value));
            prop_assert!(same_but(&before, &after, key));
            prop_assert_eq!(without_lines_of(&file.text, key), without_lines_of(&edited, key));
            if file.crlf {
                prop_assert_eq!(edited.matches('\n').count(), edited.matches("\r\n").count());
            }
        }
    }

    #[test]
    fn a_comment_behind_the_value_stays(file in written()) {
        if let Ok(edited) = edit::set("x.md", &file.text, "type", NewValue::Text("project")) {
            prop_assert_eq!(edited.contains("type: project   # the type"), file.text.contains("# the type"));
            prop_assert_eq!(edited.matches('#').count(), file.text.matches('#').count());
        }
    }

    #[test]
    fn metadata_is_written_where_it_stands(file in written()) {
        let before = read_text("x.md", &file.text).expect("readable");
        if let Ok(edited) = edit::set_metadata("x.md", &file.text, "updated", NewValue::Text("2026-12-02")) {
            let after = read_text("x.md", &edited).expect("readable");
            prop_assert_eq!(after.metadata.text("updated"), Some("2026-12-02"));
            prop_assert_eq!(&before.body, &after.body);
            prop_assert_eq!(&before.description, &after.description);
            prop_assert_eq!(before.kind, after.kind);
            for comment in ["# kept", "# a comment", "# when"] {
                prop_assert_eq!(file.text.contains(comment), edited.contains(comment));
            }
        }
    }

    #[test]
    fn a_new_body_changes_nothing_above(file in written(), body in "[a-z #:*\n-]{0,80}") {
        if let Ok(edited) = edit::set_body("x.md", &file.text, &body) {
            let layout = remora_memory::frontmatter::layout(&file.text);
            prop_assert_eq!(&edited[..layout.body.start], &file.text[..layout.body.start]);
            let after = read_text("x.md", &edited).expect("readable");
            prop_assert_eq!(after.body.trim(), body.trim());
        }
    }

    #[test]
    fn edits_of_anything_are_sure_or_refused(text in file_like(), value in one_line()) {
        if let Ok(edited) = edit::set("x.md", &text, "description", NewValue::Text(&value)) {
            let (before, after) = (read_text("x.md", &text), read_text("x.md", &edited));
            if let (Ok(before), Ok(after)) = (before, after) {
                prop_assert_eq!(before.body, after.body);
            }
        }
        let _ = edit::remove("x.md", &text, "metadata.updated");
        let _ = edit::set_body("x.md", &text, &value);
    }

    #[test]
    fn an_index_keeps_every_other_line(text in index_like(), title in one_line(), hook in one_line()) {
        // The mark belongs to the file, not to its first line.
        let text = text.replace('\u{feff}', "");
        let index = Index::parse(&text);
        let own: Vec<usize> = index.entries().iter().filter(|entry| entry.is_for("a.md")).map(|entry| entry.line).collect();
        let others: Vec<&str> =
            text.split_inclusive('\n').enumerate().filter(|(nth, _)| !own.contains(&(nth + 1))).map(|(_, line)| line).collect();

        let mut removed = index.clone();
        let count = removed.remove("a.md");
        // A mention becomes an entry when the entry before it goes.
        prop_assert!(count >= own.len());
        let left: Vec<&str> = removed.text().split_inclusive('\n').collect();
        prop_assert!(is_subsequence(&others, &left), "{:?} not in {:?}", others, left);
        prop_assert!(removed.entries().iter().all(|entry| !entry.is_for("a.md")));

        let mut added = index.clone();
        added.upsert("a.md", &title, &hook);
        let left: Vec<&str> = added.text().split_inclusive('\n').map(|line| line.trim_end_matches(['\r', '\n'])).collect();
        let others: Vec<&str> = others.iter().map(|line| line.trim_end_matches(['\r', '\n'])).collect();
        prop_assert!(is_subsequence(&others, &left), "{:?} not in {:?}", others, left);
    }

    #[test]
    fn a_new_memory_is_read_as_it_was_meant(body in one_line(), name in one_line(), description in one_line(), source in one_line()) {
        let mut memory = NewMemory::from_text(MemoryKind::Feedback, &body, By::Person, &source, day());
        memory.name = name.clone();
        memory.description = description.clone();
        memory.metadata.push(("confidence".to_owned(), source.clone()));
        let text = memory.text();
        let read = read_text("x.md", &text).expect("readable");
        prop_assert_eq!(&read.name, &name);
        prop_assert_eq!(&read.description, &description);
        prop_assert_eq!(read.kind, MemoryKind::Feedback);
        prop_assert_eq!(read.metadata.by, Some(By::Person));
        prop_assert!(read.problems.iter().all(|problem| problem.what.is_advice()), "{:?} in {}", read.problems, text);
    }

    #[test]
    fn names_from_any_text_are_safe_paths(text in any::<String>()) {
        let name = name_from(&text);
        prop_assert!(!name.is_empty() && name.chars().count() <= 60);
        for kind in MemoryKind::ALL {
            let file = file_name(kind, &name);
            prop_assert!(MemoryPath::parse(&file).is_ok(), "{:?}", MemoryPath::parse(&file));
        }
        let _ = (kind_from_text(&text), excluded(&text), too_vague(&text));
        let _ = remora_memory::dates::absolute_dates(&text, day());
    }

    #[test]
    fn dates_only_add(parts in prop::collection::vec(prop::sample::select(DATE_PARTS), 0..10), joint in prop::sample::select(vec![" ", ", ", ". ", "\n", "\u{ff0c}"])) {
        let text = parts.join(joint);
        let once = remora_memory::dates::absolute_dates(&text, day());
        prop_assert!(once.len() >= text.len());
        prop_assert_eq!(remora_memory::dates::absolute_dates(&once, day()), once);
    }

    #[test]
    fn a_memory_path_never_leaves(path in pieces(&["..", ".", "/", "\\", "a", "b.md", "%2e", "%2f", "%25", "\u{ff0e}", "\u{ff0f}", "\u{2024}", "\u{2025}", ":", "C:", "con", "nul.md", " ", "\0", "\u{202e}", "~", "中", "\u{c0}"], 10)) {
        if let Ok(checked) = MemoryPath::parse(&path) {
            let folder = std::path::Path::new("/data/team");
            let inside = checked.inside(folder).expect("inside");
            prop_assert!(inside.starts_with(folder) && inside != folder);
            prop_assert!(inside.components().all(|part| !matches!(part, std::path::Component::ParentDir)));
            prop_assert!(!path.contains(['\\', ':', '\0']));
        }
        if let Ok(found) = MemoryPath::found(&path) {
            prop_assert!(found.as_str().split('/').all(|part| !matches!(part, "" | "." | "..")));
        }
    }
}

/// Texts that repeat one piece: none costs a square of its length. There is no clock here; a reader that does would
/// make this test take minutes.
#[test]
fn long_and_monotonous_texts_are_read() {
    let pieces = [
        "[",
        "[[",
        "- [A](a.md) ",
        "- [A](a.md)\n",
        "`",
        "``x`",
        "(",
        "|",
        "---\n",
        "a: b\n",
        "---\na: b\n",
        "- \n",
        "  a:\n",
        "\n",
        "周三",
        "on Friday ",
        "in two weeks ",
        "\"",
        "~~",
        "<!-- ",
        "%2e",
        "# H\n- [[a]]\n",
        "{",
        "[a, ",
        ": ",
        " #",
        "*x ",
        "&x ",
        "> ",
        "| - ",
        "\\",
        "月底",
        "1",
        "a: |\n  x\n",
        "a:\n- b\n",
        "? ",
    ];
    for piece in pieces {
        for head in ["", "---\nname: a\ndescription: "] {
            let text = format!("{head}{}", piece.repeat(30_000 / piece.len()));
            let memory = read_text("x.md", &text).expect("readable");
            assert!(memory.problems.len() <= text.len());
            let mut index = Index::parse(&text);
            index.upsert("b.md", "B", "hook");
            index.remove("a.md");
            assert!(index.entry("a.md").is_none() || piece.ends_with(' '), "{piece:?}");
            let dated = remora_memory::dates::absolute_dates(&text, day());
            assert!(dated.len() >= text.len());
            let _ = (excluded(&text), kind_from_text(&text), name_from(&text), too_vague(&text));
            let _ = edit::set("x.md", &text, "description", NewValue::Text("new"));
        }
    }
}

const DATE_PARTS: &[&str] = &[
    "next",
    "next week",
    "by Friday",
    "on Monday",
    "Tuesday",
    "every",
    "in two days",
    "3 days ago",
    "the",
    "end of the month",
    "May 5",
    "was",
    "must",
    "never",
    "下周",
    "下周三",
    "周五前",
    "三天后",
    "月底",
    "每",
    "12月9日",
    "三月底",
    "明年",
    "来週",
    "来週の水曜日",
    "3日後",
    "다음 주",
    "다음 주 수요일",
    "3일 후",
    "(2026-12-09)",
    "2026-12-09",
    "`",
    "`tomorrow`",
    "word",
    "字",
];

fn is_subsequence(wanted: &[&str], lines: &[&str]) -> bool {
    let mut lines = lines.iter();
    wanted.iter().all(|wanted| lines.any(|line| line == wanted))
}
