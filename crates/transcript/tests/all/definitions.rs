//! What is said of a definition that is wrong, and what one may hold.

use remora_event::EventKind;
use remora_profile::HostProfile;
use remora_transcript::Definition;

use crate::kept::{Kept, defined};

fn problem(table: &str) -> String {
    let mut profile: HostProfile = toml::from_str(&format!("id = \"some\"\n{table}")).expect("a profile");
    profile.file = "/home/dev/.config/remora/hosts/some.toml".into();
    Definition::of(&profile).expect_err("a problem").to_string()
}

const PLAIN: &str = "[transcript]\npath = '~/t/{session}.jsonl'\nformat = 'jsonl'\n";

#[test]
fn a_wrong_definition_names_its_file_the_key_and_what_is_allowed() {
    let rule = |more: &str| problem(&format!("{PLAIN}[[transcript.events]]\n{more}"));
    let said = [
        problem("[transcript]\nformat = 'jsonl'"),
        problem("[transcript]\npath = 't/x'\nformat = 'jsonl'"),
        problem("[transcript]\npath = '~/{project}/x'\nformat = 'jsonl'"),
        problem(
            "[transcript]\npath = '~/t/x'\nformat = 'xml'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'a'",
        ),
        problem(
            "[transcript]\npath = '~/t/x.jsonl'\nformat = 'jsonl'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'a'",
        ),
        problem(PLAIN),
        rule("event = 'promt'\ntext = 'a'"),
        rule("event = 'prompt'"),
        rule("event = 'prompt'\ntext = 'a..b'"),
        rule("event = 'prompt'\ntext = 'a'\nwhen = [{ path = 'type', equal = 'user' }]"),
        rule("event = 'prompt'\ntext = 'a'\nwhen = [{ path = 'type' }]"),
        rule("event = 'prompt'\ntext = 'a'\nwhen = [{ path = 'type', regex = '(' }]"),
        rule("event = 'prompt'\ntext = 'a'\nwhen = [{ path = 'type', equals = 1, in = [2] }]"),
        rule("event = 'prompt'\ntext = { from = 'a', defualt = 'b' }"),
        rule("event = 'call'\nname = 'a'"),
        problem(&format!(
            "{PLAIN}[[transcript.events]]\nevent = 'prompt'\ntext = 'a'\n[transcript.tools.kinds]\nsh = 'shel'"
        )),
        problem(&format!(
            "{PLAIN}documents = '~/t/{{session}}.json'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'a'"
        )),
        problem(&format!(
            "{PLAIN}documents = '~/t/x.json'\nrecords = 'a'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'a'"
        )),
        problem(
            "[transcript]\npath = '~/t/{session}.json'\nformat = 'json'\nrecords = 'a'\ndocuments = '~/x.json'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'a'",
        ),
        problem(
            "[transcript]\npath = '~/x.db'\nformat = 'sqlite'\nsessions = 'DELETE FROM a'\nrecords = 'SELECT :session'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'a'",
        ),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn conditions_hold_as_they_say() {
    let record = r#"{"type":"user","n":3,"tags":["a","b"],"o":{"k":null},"text":"port 5433"}"#;
    for (condition, holds) in [
        ("path = 'type', equals = 'user'", true),
        ("path = 'type', not_equals = 'user'", false),
        ("path = 'n', equals = 3.0", true),
        ("path = 'type', in = ['x', 'user']", true),
        ("path = 'type', not_in = ['x', 'user']", false),
        ("path = 'missing', not_in = ['x']", true),
        ("path = 'text', contains = '5433'", true),
        ("path = 'tags', contains = 'b'", true),
        ("path = 'tags', not_contains = 'c'", true),
        ("path = 'tags.*', equals = 'b'", true),
        ("path = 'tags.*', not_equals = 'b'", false),
        ("path = 'o', contains = 'k'", true),
        ("path = 'o.k', exists = true", false),
        ("path = 'o.k', not_exists = true", true),
        ("path = 'o.k', exists = false", true),
        ("path = 'text', regex = '^port [0-9]+$'", true),
        ("path = 'text', not_regex = '^port'", false),
        ("path = 'n', regex = '^3$'", true),
    ] {
        let definition = defined(&format!(
            "{PLAIN}[[transcript.events]]\nevent = 'prompt'\ntext = 'text'\nwhen = [{{ {condition} }}]"
        ));
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("t")).expect("a folder");
        std::fs::write(home.path().join("t/s.jsonl"), format!("{record}\n")).expect("written");
        let mut kept = Kept::default();
        kept.read(&definition, home.path(), (10, true), None).expect("read");
        assert_eq!(kept.events.len(), usize::from(holds), "{condition}");
    }
}

#[test]
fn a_document_is_read_whole_and_again_when_it_changed() {
    let definition = defined(
        "[transcript]\npath = '~/t/*.json'\nformat = 'json'\nrecords = 'messages'\nfields = { id = 'id', at = 'at' }\n\
         [[transcript.events]]\nevent = 'session'\nwhen = [{ path = 'sessionId', exists = true }]\nsession = 'sessionId'\ncwd = 'cwd'\n\
         [[transcript.events]]\nevent = 'prompt'\nwhen = [{ path = 'role', equals = 'user' }]\ntext = 'text'\n\
         [[transcript.events]]\nevent = 'message'\nwhen = [{ path = 'role', equals = 'agent' }]\ntext = 'text'\n",
    );
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("t/a.json");
    std::fs::create_dir(home.path().join("t")).expect("a folder");
    let head = r#"{"sessionId":"s1","cwd":"/p","messages":[{"id":1,"role":"user","text":"端口"},{"id":2,"role":"agent","text":"5433"}"#;
    std::fs::write(&path, format!("{head}]}}")).expect("written");
    let mut kept = Kept::default();
    kept.read(&definition, home.path(), (1, true), None).expect("read");
    std::fs::write(&path, format!("{head},{{\"id\":3,\"role\":\"user\",\"text\":\"more\"}}]}}"))
        .expect("written");
    kept.read(&definition, home.path(), (1, true), None).expect("read");
    let kinds: Vec<EventKind> = kept.events.iter().map(|event| event.event).collect();
    let expected = [EventKind::SessionStart, EventKind::UserPrompt, EventKind::Stop, EventKind::UserPrompt];
    assert_eq!(kinds, expected);
    assert!(kept.events.iter().all(|event| event.session == "s1" && event.cwd == "/p"));
}
