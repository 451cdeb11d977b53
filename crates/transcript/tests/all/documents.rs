//! Transcripts that are one JSON value each, beside others that have a record a line.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use remora_event::Event;
use remora_transcript::{Folders, LONGEST_DOCUMENT, Place, Reader};
use serde_json::{Value, json};

use crate::kept::{Kept, definition, repository};

const CHATS: &str = ".gemini/tmp/proj/chats";

fn write(home: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(home.join(CHATS)).expect("folders");
    std::fs::write(home.join(CHATS).join(name), text).expect("written");
}

/// A chat as Gemini CLI writes it today.
fn by_lines() -> String {
    let chats = repository().join("tests/fixtures/transcripts/gemini-cli").join(CHATS);
    let file = std::fs::read_dir(chats).expect("chats").next().expect("a chat").expect("an entry");
    std::fs::read_to_string(file.path()).expect("a text")
}

/// The same chat as older versions wrote it: the last of what each record became, in a list.
fn whole(project: &str) -> Value {
    use sha2::Digest as _;
    let records: Vec<Value> =
        by_lines().lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let mut places = BTreeMap::new();
    let mut messages: Vec<Value> = Vec::new();
    for record in records.iter().filter(|record| record.get("type").is_some()) {
        let place = *places.entry(record["id"].to_string()).or_insert(messages.len());
        if place == messages.len() { messages.push(record.clone()) } else { messages[place] = record.clone() }
    }
    let mut chat = records[0].clone();
    chat["projectHash"] = json!(format!("{:x}", sha2::Sha256::digest(project)));
    chat["messages"] = json!(messages);
    chat
}

/// What a chat gives where these folders are known.
fn told(home: &Path, folders: &[&str]) -> Vec<Event> {
    let definition = definition("gemini-cli");
    let folders = Arc::new(Folders::of(folders.iter().map(|&folder| folder.to_owned())));
    let mut events = Vec::new();
    for source in definition.sources(home, 10).sources {
        let reader = Reader::open(&definition, source, Place::default(), true).expect("opened");
        events.extend(reader.knowing(Arc::clone(&folders)).read(10_000, u64::MAX).expect("read").events);
    }
    events
}

#[test]
fn an_older_chat_of_gemini_cli_gives_what_a_newer_one_gives() {
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), "session-a.jsonl", &by_lines());
    let newer = told(home.path(), &[]);
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), "session-a.json", &whole("/home/dev/proj").to_string());
    let older = told(home.path(), &["/home/dev/other", "/home/dev/proj"]);
    assert!(older.len() > 5, "{older:#?}");
    assert_eq!(older, newer);
}

#[test]
fn a_chat_that_was_written_anew_by_lines_comes_once() {
    let home = tempfile::tempdir().expect("a folder");
    write(home.path(), "session-a.json", &whole("/home/dev/proj").to_string());
    let mut kept = Kept::default();
    kept.read(&definition("gemini-cli"), home.path(), (4, true), None).expect("read");
    let before = kept.events.len();
    write(home.path(), "session-a.jsonl", &by_lines());
    kept.read(&definition("gemini-cli"), home.path(), (4, true), None).expect("read");
    assert_eq!((kept.events.len(), kept.again), (before, before));
}

#[test]
fn a_folder_that_nobody_knows_is_left_open_and_a_plain_text_is_a_prompt() {
    let home = tempfile::tempdir().expect("a folder");
    let mut chat = whole("/home/dev/gone");
    chat["messages"][0]["content"] = json!("where is 港口?");
    chat["messages"][0].as_object_mut().expect("an object").remove("displayContent");
    write(home.path(), "session-a.json", &chat.to_string());
    let events = told(home.path(), &["/home/dev/proj"]);
    assert!(events.iter().all(|event| event.cwd.is_empty()), "{events:#?}");
    assert_eq!(events[1].prompt.as_deref(), Some("where is 港口?"));
}

#[test]
fn a_chat_of_a_subagent_is_no_session() {
    let home = tempfile::tempdir().expect("a folder");
    let mut chat = whole("/home/dev/proj");
    chat["kind"] = json!("subagent");
    write(home.path(), "session-a.json", &chat.to_string());
    assert!(told(home.path(), &[]).iter().all(|event| event.session.is_empty()));
}

#[test]
fn what_cannot_be_read_whole_is_counted_and_what_is_being_written_waits() {
    let home = tempfile::tempdir().expect("a folder");
    let definition = definition("gemini-cli");
    let open = |text: &str, is_at_rest: bool| {
        write(home.path(), "session-a.json", text);
        let source = definition.sources(home.path(), 10).sources.remove(0);
        let mut reader = Reader::open(&definition, source, Place::default(), is_at_rest)?;
        let batch = reader.read(100, u64::MAX)?;
        assert!(batch.events.is_empty() && batch.is_end);
        Ok::<_, remora_transcript::ReadError>(reader.left_out())
    };
    let long = open(&" ".repeat(usize::try_from(LONGEST_DOCUMENT).expect("a size") + 1), true);
    assert_eq!(long.expect("read").files_too_long, 1);
    for damaged in ["", "{\"sessionId\":\"a\"", "[]", "{\"messages\": 3}", "\u{feff}{}"] {
        assert_eq!(open(damaged, true).expect("read").unreadable, 1, "{damaged:?}");
        assert!(open(damaged, false).is_err(), "{damaged:?}");
    }
}
