//! Transcripts that are cut, written on, replaced, damaged: nothing is lost once they are whole, nothing comes twice.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use remora_transcript::{Definition, LONGEST_LINE, Place, Reader};

use crate::kept::{Kept, defined};

const LINES: &str = r#"
[transcript]
path = "~/t/{session}.jsonl"
format = "jsonl"
fields = { at = "at" }

[[transcript.events]]
event = "prompt"
when = [{ path = "type", equals = "user" }]
text = "text"

[[transcript.events]]
event = "call"
when = [{ path = "type", equals = "call" }]
name = "name"
call = "id"
input = "input"

[[transcript.events]]
event = "result"
when = [{ path = "type", equals = "result" }]
call = "id"
output = "output"

[[transcript.events]]
event = "message"
when = [{ path = "type", equals = "said" }]
text = "text"
"#;

/// One line of a transcript, or something that is none.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let text = "[a-z端口\u{1F980}\"\\\\]{0,12}";
    prop_oneof![
        6 => text.prop_map(|text| serde_json::json!({"type": "user", "text": text}).to_string().into_bytes()),
        6 => text.prop_map(|text| serde_json::json!({"type": "said", "text": text}).to_string().into_bytes()),
        4 => (0..4u8).prop_map(|id| serde_json::json!({"type": "call", "name": "T", "id": id}).to_string().into_bytes()),
        4 => (0..4u8).prop_map(|id| serde_json::json!({"type": "result", "id": id, "output": "x"}).to_string().into_bytes()),
        2 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => Just(vec![0; 30]),
        1 => Just(b"{\"type\":\"user\",\"text\":\"\xff\xfe\"}".to_vec()),
        1 => Just(b"{\"type\":\"user\",".to_vec()),
    ]
}

fn file_of(lines: &[Vec<u8>], end: &[u8]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| {
            let line = line.iter().copied().filter(|byte| *byte != b'\n');
            line.chain(end.iter().copied()).collect::<Vec<u8>>()
        })
        .collect()
}

fn write(home: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(home.join("t")).expect("a folder");
    std::fs::write(home.join("t/s1.jsonl"), bytes).expect("written");
}

/// What a file gives that is read whole, at once.
fn whole(definition: &Arc<Definition>, bytes: &[u8]) -> Vec<String> {
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), bytes);
    let mut kept = Kept::default();
    kept.read(definition, home.path(), (1_000, true), None).expect("read");
    kept.ids().into_iter().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_file_that_grows_gives_what_it_gives_whole(
        lines in proptest::collection::vec(line(), 0..24),
        cuts in proptest::collection::vec(0.0..1.0f64, 0..5),
        crlf in any::<bool>(),
        bom in any::<bool>(),
        most in 1..5usize,
    ) {
        let definition = defined(LINES);
        let mut bytes = if bom { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        bytes.extend(file_of(&lines, if crlf { b"\r\n" } else { b"\n" }));
        let expected = whole(&definition, &bytes);

        let home = tempfile::tempdir().expect("a folder");
        let mut kept = Kept::default();
        let mut cuts = cuts;
        cuts.sort_by(f64::total_cmp);
        for cut in cuts {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a part of a small number")]
            let end = (bytes.len() as f64 * cut) as usize;
            write(home.path(), &bytes[..end]);
            kept.read(&definition, home.path(), (most, false), None).expect("read");
        }
        write(home.path(), &bytes);
        kept.read(&definition, home.path(), (most, true), None).expect("read");
        let mut found: Vec<String> = kept.ids().into_iter().map(str::to_owned).collect();
        let mut expected = expected;
        // An end of a turn may be told where its answer was not known yet; what is told is the same.
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn an_interruption_loses_nothing_and_doubles_nothing(
        lines in proptest::collection::vec(line(), 0..24),
        stops in proptest::collection::vec(0..6usize, 0..4),
        most in 1..4usize,
    ) {
        let definition = defined(LINES);
        let bytes = file_of(&lines, b"\n");
        let home = tempfile::tempdir().expect("a folder");
        write(home.path(), &bytes);
        let mut kept = Kept::default();
        for stop in stops {
            kept.read(&definition, home.path(), (most, true), Some(stop)).expect("read");
        }
        kept.read(&definition, home.path(), (most, true), None).expect("read");
        prop_assert_eq!(kept.ids(), whole(&definition, &bytes));
    }

    #[test]
    fn a_file_that_was_replaced_is_read_from_its_beginning(
        first in proptest::collection::vec(line(), 1..12),
        second in proptest::collection::vec(line(), 1..12),
    ) {
        let definition = defined(LINES);
        let home = tempfile::tempdir().expect("a folder");
        let mut kept = Kept::default();
        write(home.path(), &file_of(&first, b"\n"));
        kept.read(&definition, home.path(), (3, true), None).expect("read");
        // Replaced as editors do it: another file under the same name.
        let bytes = file_of(&second, b"\n");
        let fresh = home.path().join("t/fresh");
        std::fs::write(&fresh, &bytes).expect("written");
        std::fs::rename(fresh, home.path().join("t/s1.jsonl")).expect("replaced");
        kept.read(&definition, home.path(), (3, true), None).expect("read");
        for id in whole(&definition, &bytes) {
            prop_assert!(kept.ids().contains(&id.as_str()), "{} is missing", id);
        }
    }
}

#[test]
fn a_file_that_was_cut_gives_nothing_twice() {
    let definition = defined(LINES);
    let home = tempfile::tempdir().expect("a folder");
    let lines: Vec<Vec<u8>> =
        (0..40).map(|n| format!("{{\"type\":\"user\",\"text\":\"prompt {n}\"}}").into_bytes()).collect();
    let mut kept = Kept::default();
    write(home.path(), &file_of(&lines, b"\n"));
    kept.read(&definition, home.path(), (3, true), None).expect("read");
    assert_eq!(kept.events.len(), 40);
    write(home.path(), &file_of(&lines[..10], b"\n"));
    kept.read(&definition, home.path(), (3, true), None).expect("read");
    assert_eq!(kept.events.len(), 40);
    write(home.path(), &file_of(&lines, b"\n"));
    kept.read(&definition, home.path(), (3, true), None).expect("read");
    assert_eq!(kept.events.len(), 40);
}

#[test]
fn a_line_that_is_too_long_is_left_out_and_the_next_is_read() {
    let definition = defined(LINES);
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(home.path().join("t")).expect("a folder");
    let path = home.path().join("t/s1.jsonl");
    let mut file = std::fs::File::create(&path).expect("a file");
    let long = "x".repeat(LONGEST_LINE + 10);
    writeln!(file, "{{\"type\":\"user\",\"text\":\"{long}\"}}\n{{\"type\":\"user\",\"text\":\"next\"}}")
        .expect("written");
    let source = definition.sources(home.path(), 10).sources.remove(0);
    let mut reader = Reader::open(&definition, source, Place::default(), true).expect("opened");
    let mut prompts = Vec::new();
    loop {
        let batch = reader.read(10, 1_000_000).expect("read");
        prompts.extend(batch.events.into_iter().filter_map(|event| event.prompt));
        if batch.is_end {
            break;
        }
    }
    assert_eq!(prompts, ["next"]);
    assert_eq!((reader.left_out().too_long, reader.left_out().unreadable), (1, 0));
}

#[test]
fn what_is_never_answered_holds_no_place_for_ever() {
    let definition = defined(LINES);
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(home.path().join("t")).expect("a folder");
    let mut text = String::from("{\"type\":\"call\",\"name\":\"T\",\"id\":\"lost\"}\n");
    let filler = "y".repeat(1024 * 1024);
    for _ in 0..10 {
        text.push_str(&format!("{{\"type\":\"other\",\"text\":\"{filler}\"}}\n"));
    }
    std::fs::write(home.path().join("t/s1.jsonl"), &text).expect("written");
    let source = definition.sources(home.path(), 10).sources.remove(0);
    let mut reader = Reader::open(&definition, source, Place::default(), false).expect("opened");
    let mut events = Vec::new();
    let last = loop {
        let batch = reader.read(10, 1_000_000).expect("read");
        events.extend(batch.events);
        if batch.is_end {
            break batch.place;
        }
    };
    assert_eq!(last.offset(), text.len() as u64);
    assert_eq!(events.len(), 1, "the call without its answer");
}
