//! Copilot CLI's payloads as events, and replies as its output.

use remora_conformance::Adapter;
use remora_copilot_cli::{ADAPTER, HOOKS, PROFILE_TOML};
use remora_event::{EventKind, Outcome, ToolKind};
use serde_json::json;

const COPILOT: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/copilot-cli"),
    tells_nothing: |_| false,
};

#[test]
fn every_capture_is_an_event() {
    COPILOT.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in COPILOT.captures() {
            insta::assert_json_snapshot!(capture.name.as_str(), capture.event());
        }
    });
}

#[test]
fn any_field_may_be_gone_or_of_another_type() {
    COPILOT.check_changed_fields();
}

#[test]
fn a_cut_payload_gives_its_leading_fields() {
    COPILOT.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    COPILOT.check_changed_bytes();
}

#[test]
fn output_is_what_copilot_cli_takes() {
    COPILOT.check_outputs();
    COPILOT.check_nothing_decides();
    insta::assert_snapshot!(COPILOT.outputs(), @r#"
    SessionStart: nothing
    UserPromptSubmit: {"additionalContext":"line \"one\"\n第二行"}
    PreToolUse: nothing
    PostToolUse: {"additionalContext":"line \"one\"\n第二行"}
    PostToolUseFailure: {"additionalContext":"line \"one\"\n第二行"}
    SubagentStart: {"additionalContext":"line \"one\"\n第二行"}
    SubagentStop: nothing
    PreCompact: nothing
    Stop: nothing
    SessionEnd: nothing
    "#);
}

#[test]
fn what_a_subagent_does_belongs_to_the_session_that_it_works_for() {
    let root = "1107fa40-43c9-4191-a296-b4b595cc152e";
    let agent = "f0e46857-291b-4181-a1eb-0b41828673c6";
    for name in ["SubagentStart", "PostToolUse.Bash.in_subagent", "SubagentStop"] {
        let event = COPILOT.capture(name).event();
        let acting = event.agent.expect("an agent");
        assert_eq!((event.session.as_str(), acting.id.as_str()), (root, agent), "{name}");
        assert_eq!(acting.kind, "general-purpose", "{name}");
    }
}

#[test]
fn a_session_that_lost_its_id_is_known_by_its_transcript() {
    let transcript = "/home/dev/.copilot/session-state/1107fa40/events.jsonl";
    let payload = json!({"cwd": "/w", "transcript_path": transcript}).to_string();
    let event = COPILOT.capture("Stop").parse(payload.as_bytes()).expect("an event");
    assert_eq!(event.session, "1107fa40");
}

#[test]
fn sources_are_spelled_as_everywhere() {
    for (said, source) in [("new", "startup"), ("resume", "resume")] {
        let event = COPILOT.event_with("SessionStart.new", &json!({"source": said}));
        assert_eq!(event.source.as_deref(), Some(source));
    }
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    for (prompt, words) in [
        ("say hello", Some("say hello")),
        (
            "<current_datetime>2026-11-29T20:37:38.600+00:00</current_datetime>\n\n部署在哪里\n\n<system_reminder>\nx\n</system_reminder>",
            Some("部署在哪里"),
        ),
        ("<remora-memory>\nx\n</remora-memory>\n\ndo it", Some("do it")),
    ] {
        let event = COPILOT.event_with("UserPromptSubmit", &json!({"prompt": prompt}));
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
    }
}

#[test]
fn tools_are_told_apart() {
    for (name, input, kind, query, paths) in [
        ("Bash", json!({"command": "ls"}), ToolKind::Shell, None, vec![]),
        ("Write", json!({"path": "/a/b.md", "file_text": "c"}), ToolKind::Write, None, vec!["/a/b.md"]),
        ("Edit", json!({"path": "../b.rs"}), ToolKind::Edit, None, vec!["/w/b.rs"]),
        ("Read", json!({"path": "b.rs"}), ToolKind::Read, None, vec!["/w/d/b.rs"]),
        ("Grep", json!({"pattern": "x", "path": "src"}), ToolKind::Search, None, vec!["/w/d/src"]),
        ("Glob", json!({"pattern": "*.rs"}), ToolKind::Search, None, vec![]),
        ("Agent", json!({"prompt": "p"}), ToolKind::Agent, None, vec![]),
        ("sql", json!({"query": "q"}), ToolKind::Other, None, vec![]),
        ("store_memory", json!({"fact": "f"}), ToolKind::Memory, None, vec![]),
        ("notes-memory_search", json!({"query": "端口"}), ToolKind::Memory, Some("端口"), vec![]),
        ("remora-memory_search", json!({"query": "q"}), ToolKind::Other, None, vec![]),
    ] {
        let event = COPILOT.event_with("PreToolUse.Bash", &json!({"tool_name": name, "tool_input": input}));
        let tool = event.tool.expect("a tool");
        assert_eq!(
            (tool.kind, event.memory_query.as_deref(), tool.paths),
            (kind, query, paths.into_iter().map(str::to_owned).collect()),
            "{name}"
        );
    }
}

#[test]
fn a_command_fails_when_its_status_says_so() {
    for (text, kind, error) in [
        ("ok\n<shellId: 0 completed with exit code 0>", EventKind::PostToolUse, None),
        ("no\n<shellId: build completed with exit code 3>", EventKind::ToolFailure, Some("exit code 3")),
        ("<shellId: 0 completed with exit code 3>\nsaid a program", EventKind::PostToolUse, None),
        ("<command started in background with shellId: 1>", EventKind::PostToolUse, None),
    ] {
        let result = json!({"result_type": "success", "text_result_for_llm": text});
        let event =
            COPILOT.event_with("PostToolUse.Bash", &json!({"tool_name": "Bash", "tool_result": result}));
        let tool = event.tool.as_ref().expect("a tool");
        let outcome = if kind == EventKind::ToolFailure { Outcome::Failed } else { Outcome::Completed };
        assert_eq!(
            (event.event, event.outcome, tool.error.as_deref(), tool.output.clone()),
            (kind, Some(outcome), error, Some(text.into())),
            "{text}"
        );
    }
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile = toml::from_str(PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, ADAPTER);
    assert!(profile.memory.has_tool("x-memory_search"));
    assert!(profile.compaction_at_pre_compact());
}
