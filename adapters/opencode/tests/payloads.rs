//! What the plugin for `OpenCode` tells as events, and replies as it reads them.

use remora_conformance::Adapter;
use remora_event::{EventKind, Outcome, ToolKind, Via};
use remora_opencode::{ADAPTER, HOOKS, PROFILE_TOML};
use serde_json::json;

const OPENCODE: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/opencode"),
    tells_nothing: |_| false,
};

#[test]
fn every_capture_is_an_event() {
    OPENCODE.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in OPENCODE.captures() {
            insta::assert_json_snapshot!(capture.name.as_str(), capture.event());
        }
    });
}

#[test]
fn any_field_may_be_gone_or_of_another_type() {
    OPENCODE.check_changed_fields();
}

#[test]
fn a_cut_payload_gives_its_leading_fields() {
    OPENCODE.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    OPENCODE.check_changed_bytes();
}

#[test]
fn output_is_what_the_plugin_takes() {
    OPENCODE.check_outputs();
    OPENCODE.check_nothing_decides();
    insta::assert_snapshot!(OPENCODE.outputs(), @r#"
    session-start: nothing
    user-prompt: {"additionalContext":"line \"one\"\n第二行"}
    post-tool-use: {"additionalContext":"line \"one\"\n第二行"}
    tool-failure: {"additionalContext":"line \"one\"\n第二行"}
    subagent-start: nothing
    subagent-stop: nothing
    post-compact: nothing
    stop: nothing
    session-end: nothing
    "#);
}

#[test]
fn a_plugin_tells_and_what_a_subagent_does_belongs_to_the_session_that_it_works_for() {
    for capture in OPENCODE.captures() {
        let event = capture.event();
        assert_eq!((event.via, event.host_version.as_deref()), (Via::Plugin, Some("1.18.33")));
        let (session, compacted) = ("ses_dd5880501ffeN6JjbB0WmnLAwR", "ses_dd58751e6ffev2OEmdtWaQ5UwL");
        assert_eq!(event.session, if capture.name == "post-compact" { compacted } else { session });
        let is_agents = capture.name.contains("subagent");
        assert_eq!(event.agent.is_some(), is_agents, "{}", capture.name);
    }
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    for (prompt, words) in [
        ("say hello", Some("say hello")),
        // `opencode run` quotes what has spaces in it.
        ("\"部署在哪里 now\"", Some("部署在哪里 now")),
        ("\"a\" and \"b\"", Some("\"a\" and \"b\"")),
        ("\"", Some("\"")),
        ("\"\"", Some("\"\"")),
        ("<system-reminder>\nx\n</system-reminder>\ndo it", Some("do it")),
        ("<remora-guidance>\nx\n</remora-guidance>", None),
    ] {
        let event = OPENCODE.event_with("user-prompt", &json!({"prompt": prompt, "prompt_id": "msg_1"}));
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
        assert_eq!(event.key.as_deref(), Some("user_prompt:msg_1:-"));
    }
}

#[test]
fn tools_are_told_apart() {
    for (name, input, kind, query, paths) in [
        ("bash", json!({"command": "ls"}), ToolKind::Shell, None, vec![]),
        ("write", json!({"filePath": "/a/b.md", "content": "c"}), ToolKind::Write, None, vec!["/a/b.md"]),
        ("edit", json!({"filePath": "../b.rs"}), ToolKind::Edit, None, vec!["/w/b.rs"]),
        ("read", json!({"filePath": "b.rs"}), ToolKind::Read, None, vec!["/w/d/b.rs"]),
        ("grep", json!({"pattern": "x", "path": "src"}), ToolKind::Search, None, vec!["/w/d/src"]),
        ("webfetch", json!({"url": "u"}), ToolKind::Web, None, vec![]),
        ("task", json!({"prompt": "p"}), ToolKind::Agent, None, vec![]),
        ("todowrite", json!({"todos": []}), ToolKind::Other, None, vec![]),
        ("my_notes_memory_search", json!({"query": "端口"}), ToolKind::Memory, Some("端口"), vec![]),
        ("remora_memory_search", json!({"query": "q"}), ToolKind::Other, None, vec![]),
    ] {
        let event =
            OPENCODE.event_with("post-tool-use.edit", &json!({"tool_name": name, "tool_input": input}));
        let tool = event.tool.expect("a tool");
        assert_eq!(
            (tool.kind, event.memory_query.as_deref(), tool.paths),
            (kind, query, paths.into_iter().map(str::to_owned).collect()),
            "{name}"
        );
    }
}

#[test]
fn a_tool_of_a_server_says_whether_it_failed() {
    for (is_error, kind, outcome) in
        [(false, EventKind::PostToolUse, Outcome::Completed), (true, EventKind::ToolFailure, Outcome::Failed)]
    {
        let answer = json!({"content": [{"type": "text", "text": "no such note"}], "isError": is_error});
        let fields = json!({"tool_name": "notes_read", "tool_use_id": "call_1", "tool_response": answer});
        let event = OPENCODE.event_with("post-tool-use.edit", &fields);
        assert_eq!((event.event, event.outcome), (kind, Some(outcome)));
        assert_eq!(event.key.as_deref(), Some("post_tool_use:call_1:-"));
        let error = event.tool.and_then(|tool| tool.error);
        assert_eq!(error.as_deref(), is_error.then_some("no such note"));
    }
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile = toml::from_str(PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, ADAPTER);
    assert!(profile.memory.has_tool("x_memory_search"));
    assert!(profile.compaction_at_post_compact());
}
