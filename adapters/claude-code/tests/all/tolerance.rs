//! Payloads that are not as they were: fields gone, of another type, other hosts', bytes of any kind.

use remora_claude_code::{HOOKS, parse};
use remora_event::{Event, EventKind, ToolKind};
use remora_hook::Payload;
use serde_json::{Value, json};

use crate::captures::CLAUDE;

#[test]
fn every_field_may_be_gone_or_of_another_type() {
    CLAUDE.check_changed_fields();
}

#[test]
fn a_payload_cut_anywhere_gives_its_leading_fields() {
    CLAUDE.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    CLAUDE.check_changed_bytes();
}

/// The event of a payload that a hook gets.
fn event_of(hook: &str, payload: &str) -> Option<Event> {
    let hook = CLAUDE.hook(hook).expect("a hook");
    parse(hook.event, &mut Payload::read(payload.as_bytes())?)
}

#[test]
fn ids_may_be_numbers() {
    let payload = r#"{"session_id":7,"prompt_id":8,"cwd":"/p","tool_name":"Bash","tool_use_id":9,
        "tool_input":"{\"command\":\"ls\"}","duration_ms":"12"}"#;
    let event = event_of("PostToolUse", payload).expect("an event");
    assert_eq!((event.session.as_str(), event.turn.as_deref()), ("7", Some("8")));
    assert_eq!(event.key.as_deref(), Some("post_tool_use:9:-"));
    let tool = event.tool.expect("a tool");
    assert_eq!((tool.input, tool.duration_ms), (json!({"command": "ls"}), Some(12)));
}

#[test]
fn tools_are_told_apart() {
    let tool = |name: &str, input: Value| {
        let payload = json!({"session_id": "s", "cwd": "/w/d", "tool_name": name, "tool_input": input});
        let event = event_of("PreToolUse", &payload.to_string()).expect("an event");
        (
            event.tool.as_ref().expect("a tool").kind,
            event.memory_query.clone(),
            event.tool.expect("a tool").paths,
        )
    };
    let none: [&str; 0] = [];
    for (name, input, kind, query, paths) in [
        ("Read", json!({"file_path": "a.rs"}), ToolKind::Read, None, vec!["/w/d/a.rs"]),
        ("Write", json!({"file_path": "/x/../y/./a"}), ToolKind::Write, None, vec!["/y/a"]),
        ("MultiEdit", json!({"file_path": "../a"}), ToolKind::Edit, None, vec!["/w/a"]),
        ("NotebookEdit", json!({"notebook_path": "/n.ipynb"}), ToolKind::Edit, None, vec!["/n.ipynb"]),
        ("Bash", json!({"command": "ls"}), ToolKind::Shell, None, none.to_vec()),
        ("Grep", json!({"pattern": "x", "path": "src"}), ToolKind::Search, None, vec!["/w/d/src"]),
        ("Glob", json!({"pattern": "*"}), ToolKind::Search, None, none.to_vec()),
        ("WebFetch", json!({"url": "u"}), ToolKind::Web, None, none.to_vec()),
        ("Task", json!({"prompt": "p"}), ToolKind::Agent, None, none.to_vec()),
        ("TodoWrite", json!({"todos": []}), ToolKind::Other, None, none.to_vec()),
        ("mcp__db__query", json!({"query": "q"}), ToolKind::Mcp, None, none.to_vec()),
        (
            "mcp__a__memory_search",
            json!({"query": " where? "}),
            ToolKind::Memory,
            Some("where?"),
            none.to_vec(),
        ),
        ("memory-memory_search", json!({"query": "q"}), ToolKind::Memory, Some("q"), none.to_vec()),
        ("mcp__remora__memory_search", json!({"query": "q"}), ToolKind::Mcp, None, none.to_vec()),
        ("mcp__plugin_x_remora__memory_search", json!({"query": "q"}), ToolKind::Mcp, None, none.to_vec()),
        (
            "mcp__a__memory",
            json!({"command": "search", "query": "q"}),
            ToolKind::Memory,
            Some("q"),
            none.to_vec(),
        ),
        (
            "memory",
            json!({"command": "view", "path": "/memories/build-times.md"}),
            ToolKind::Memory,
            Some("build times"),
            vec!["/memories/build-times.md"],
        ),
        ("memory", json!({"command": "create", "path": "/m/a"}), ToolKind::Other, None, vec!["/m/a"]),
    ] {
        let paths = paths.into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(tool(name, input), (kind, query.map(str::to_owned), paths), "{name}");
    }
    let long = tool("mcp__a__memory_search", json!({"query": "长".repeat(5_000)})).1.expect("a query");
    assert_eq!(long.chars().count(), 500);
}

#[test]
fn the_host_that_really_runs_the_hook_is_found_out() {
    let copilot: fn(&str) -> Option<String> = |name| (name == "COPILOT_CLI").then(|| "1".to_owned());
    let cursor: fn(&str) -> Option<String> = |name| (name == "CURSOR_VERSION").then(|| "3.1".to_owned());
    let nothing: fn(&str) -> Option<String> = |_| None;
    let of_claude = r#"{"session_id":"s","transcript_path":"/h/.claude/projects/-p/s.jsonl"}"#;
    for (payload, environment, host) in [
        (of_claude, nothing, "claude-code"),
        (of_claude, copilot, "claude-code"),
        (of_claude, cursor, "claude-code"),
        (r#"{"session_id":"s","cursor_version":"3.1"}"#, nothing, "cursor"),
        (r#"{"conversation_id":"s"}"#, cursor, "cursor"),
        (r#"{"session_id":"s","timestamp":"now"}"#, copilot, "copilot-cli"),
        (r#"{"sessionId":"s","hookEventName":"SessionStart"}"#, nothing, "vscode-copilot"),
        (r#"{"session_id":"s"}"#, nothing, "claude-code"),
    ] {
        let mut payload = Payload::read(payload.as_bytes()).expect("JSON").with_environment(environment);
        let event = parse(EventKind::Stop, &mut payload).expect("an event");
        assert_eq!(
            (event.host.as_str(), event.adapter.as_str(), event.session.as_str()),
            (host, "claude-code", "s")
        );
    }
}

#[test]
fn copilot_running_these_hooks_is_understood() {
    let read = |name: &str, kind| {
        let text = std::fs::read(format!("{}/copilot-cli/{name}", CLAUDE.captures)).expect("a fixture");
        let mut payload = Payload::read(&text)
            .expect("JSON")
            .with_environment(|name| (name == "COPILOT_CLI").then(|| "1".to_owned()));
        let event = parse(kind, &mut payload).expect("an event");
        assert_eq!(event.host, "copilot-cli", "{name}");
        event
    };
    let start = read("SubagentStart.json", EventKind::SubagentStart);
    let agent = start.agent.expect("an agent");
    assert_eq!(start.session, "1107fa40-43c9-4191-a296-b4b595cc152e");
    assert_eq!(agent.kind, "general-purpose");
    let inside = read("PostToolUse.Bash.in_subagent.json", EventKind::PostToolUse);
    assert_eq!(inside.session, start.session);
    assert!(inside.tool.expect("a tool").output.is_some());
    let search = read("PostToolUse.memory_memory_search.json", EventKind::PostToolUse);
    assert_eq!(search.memory_query.as_deref(), Some("alpha"));
    assert_eq!(read("UserPromptSubmit.json", EventKind::UserPrompt).prompt.as_deref(), Some("say hello"));
    assert_eq!(read("SessionStart.new.json", EventKind::SessionStart).source.as_deref(), Some("new"));
}

#[test]
fn the_hosts_version_is_taken_from_where_it_says_it() {
    for (payload, agent, version) in [
        (r#"{"session_id":"s"}"#, "claude-code_2-1-332_harness", Some("2.1.332")),
        (r#"{"session_id":"s"}"#, "something else", None),
        (r#"{"session_id":"s","cursor_version":"3.1"}"#, "claude-code_2-1-332_harness", Some("3.1")),
    ] {
        let environment: fn(&str) -> Option<String> = match agent {
            "something else" => |name| (name == "AI_AGENT").then(|| "something else".to_owned()),
            _ => |name| (name == "AI_AGENT").then(|| "claude-code_2-1-332_harness".to_owned()),
        };
        let mut payload = Payload::read(payload.as_bytes()).expect("JSON").with_environment(environment);
        let event = parse(EventKind::Stop, &mut payload).expect("an event");
        assert_eq!(event.host_version.as_deref(), version, "{agent}");
    }
}

#[test]
fn cursor_without_a_session_is_nothing() {
    let payload = r#"{"cursor_version":"3","session_id":"empty-state-draft","workspace_roots":[]}"#;
    assert_eq!(event_of("SessionStart", payload), None);
}

#[test]
fn a_synthetic_prompt_is_an_event_without_its_text() {
    for payload in [
        r#"{"session_id":"s","prompt":"<task-notification>x</task-notification>"}"#,
        r#"{"session_id":"s","prompt":"check the mail","source":"schedule_wakeup"}"#,
    ] {
        let event = event_of("UserPromptSubmit", payload).expect("an event");
        assert_eq!((event.prompt.as_deref(), event.extra.get("synthetic")), (None, Some(&json!(true))));
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_parser_panic(bytes: Vec<u8>, hook in 0usize..11) {
        if let Some(mut payload) = Payload::read(&bytes) {
            let _ = parse(HOOKS[hook].1.event, &mut payload);
        }
    }
}
