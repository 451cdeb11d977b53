//! Input as a host, or something that is none, may send it.

use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::delivery::executable_of;
use crate::engine::{Engine, Manner, context};
use crate::world::{AT_EASE, Seen, World};
use remora_claude_code::HOOKS;

#[test]
fn whatever_comes_the_host_sees_status_0_and_nothing() {
    let deep = format!("{{\"session_id\":\"s\",\"x\":{}", "[".repeat(200_000));
    for (what, input) in [
        ("nothing", &b""[..]),
        ("half a JSON", br#"{"session_id":"s","cwd":"/w","prom"#),
        ("a list", b"[1,2,3]"),
        ("prose", b"hello there"),
        ("zeros", &[0; 100]),
        ("invalid UTF-8", b"{\"session_id\":\"s\xff\xfe\",\"prompt\":\"\xc3\x28\"}"),
        ("deep nesting", deep.as_bytes()),
        ("a mark first", b"\xef\xbb\xbf{\"session_id\":\"s\"}"),
    ] {
        let world = World::new();
        for (event, _) in HOOKS {
            assert_eq!(world.run(&executable_of(event), input), Seen::nothing(), "{event}: {what}");
        }
    }
}

#[test]
fn half_a_payload_is_an_event_that_says_so() {
    let world = World::new();
    assert_eq!(
        world.run_at_ease("user-prompt-submit", br#"{"session_id":"s","cwd":"/w","prompt":"whole","x":"cu"#),
        Seen::nothing()
    );
    let event = world.spooled().pop().expect("an event");
    assert_eq!(
        (event.session.as_str(), event.prompt.as_deref(), event.truncated),
        ("s", Some("whole"), true)
    );
}

#[test]
fn a_payload_without_a_directory_gets_the_hooks_own() {
    let world = World::new();
    assert_eq!(
        world.run_at_ease("user-prompt-submit", br#"{"session_id":"s","prompt":"x"}"#),
        Seen::nothing()
    );
    let event = world.spooled().pop().expect("an event");
    let here = world.path(".").canonicalize().expect("a folder");
    assert_eq!(std::path::Path::new(&event.cwd).canonicalize().expect("a folder"), here);
}

#[test]
fn a_hundred_megabytes_leave_their_leading_fields() {
    let world = World::new();
    let mut child = world.command("post-tool-use").args(AT_EASE).spawn().expect("the hook runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let head =
        br#"{"session_id":"s","cwd":"/w","tool_name":"Bash","tool_use_id":"t","tool_response":{"stdout":""#;
    let block = vec![b'a'; 1024 * 1024];
    let mut sent = stdin.write_all(head).is_ok();
    for _ in 0..100 {
        sent = sent && stdin.write_all(&block).is_ok();
    }
    assert!(sent && stdin.write_all(b"\"}}").is_ok(), "all of it is read");
    drop(stdin);
    assert_eq!(Seen::of(child), Seen::nothing());
    let event = world.spooled().pop().expect("an event");
    assert_eq!((event.session.as_str(), event.truncated), ("s", true));
    assert_eq!(event.tool.and_then(|tool| tool.call).as_deref(), Some("t"));
}

#[test]
fn a_host_that_never_ends_its_input_is_not_waited_for() {
    let world = World::new();
    let mut child = world.command("user-prompt-submit").spawn().expect("the hook runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(br#"{"session_id":"s","cwd":"/w","prompt":"x"}"#).expect("it reads");
    // The pipe stays open: that the hook ends at all is what is tested.
    assert_eq!(Seen::of(child), Seen::nothing());
    drop(stdin);
    assert_eq!(world.spooled().pop().expect("an event").prompt.as_deref(), Some("x"));
}

#[test]
fn a_large_payload_reaches_an_engine_whole() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), Manner::Answers(Box::default()));
    let todos: Vec<_> =
        (0..4_000).map(|n| serde_json::json!({"content": format!("task {n} {}", "x".repeat(200))})).collect();
    let payload = serde_json::json!({"session_id": "s", "cwd": "/w", "tool_name": "TodoWrite", "tool_input": {"todos": todos}});
    assert_eq!(world.run_at_ease("post-tool-use", payload.to_string().as_bytes()), Seen::nothing());
    let tool = engine.event().tool.expect("a tool");
    assert_eq!(tool.input["todos"].as_array().map(Vec::len), Some(4_000));
}

#[test]
fn a_terminal_is_left_at_once() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), context("x"));
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&controller).expect("a terminal of ours");
    unlockpt(&controller).expect("an open terminal");
    let name = ptsname(&controller, Vec::new()).expect("its name").into_string().expect("text");
    let terminal = File::options().read(true).write(true).open(name).expect("its other side");
    let child = world.command("session-start").stdin(Stdio::from(terminal)).spawn().expect("the hook runs");
    assert_eq!(Seen::of(child), Seen::nothing());
    assert_eq!(engine.rest(), []);
    assert!(!world.has("spool"));
}
