//! What the extension for pi tells as events, and replies as it reads them.

use remora_conformance::Adapter;
use remora_event::{ToolKind, Via};
use remora_pi::{ADAPTER, HOOKS, PROFILE_TOML};
use serde_json::json;

const PI: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/pi"),
    tells_nothing: |_| false,
};

#[test]
fn every_capture_is_an_event() {
    PI.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in PI.captures() {
            insta::assert_json_snapshot!(capture.name.as_str(), capture.event());
        }
    });
}

#[test]
fn any_field_may_be_gone_or_of_another_type() {
    PI.check_changed_fields();
}

#[test]
fn a_cut_payload_gives_its_leading_fields() {
    PI.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    PI.check_changed_bytes();
}

#[test]
fn output_is_what_the_extension_takes() {
    PI.check_outputs();
    PI.check_nothing_decides();
    insta::assert_snapshot!(PI.outputs(), @r#"
    session-start: nothing
    user-prompt: {"additionalContext":"line \"one\"\n第二行"}
    post-tool-use: {"additionalContext":"line \"one\"\n第二行"}
    tool-failure: {"additionalContext":"line \"one\"\n第二行"}
    post-compact: nothing
    stop: nothing
    session-end: nothing
    "#);
}

#[test]
fn a_plugin_tells_and_a_session_is_known_by_its_file() {
    for capture in PI.captures() {
        assert_eq!(capture.event().via, Via::Plugin);
    }
    let file = "/home/dev/.pi/agent/sessions/--home-dev-proj--/2026-11-29T21-03-31-617Z_01a2291e-c320.jsonl";
    let payload = json!({"cwd": "/w", "transcript_path": file}).to_string();
    let event = PI.capture("stop").parse(payload.as_bytes()).expect("an event");
    assert_eq!(event.session, "01a2291e-c320");
}

#[test]
fn a_fork_names_its_parent() {
    let event = PI.event_with("session-start", &json!({"source": "fork", "parent_session": "01a2291e"}));
    assert_eq!((event.source.as_deref(), event.parent_session.as_deref()), (Some("fork"), Some("01a2291e")));
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    for (prompt, words) in [
        ("say hello", Some("say hello")),
        ("<file name=\"/w/a.txt\">\nplease remember x\n</file>\n部署在哪里", Some("部署在哪里")),
        ("<remora-guidance>\nx\n</remora-guidance>", None),
    ] {
        let event = PI.event_with("user-prompt", &json!({"prompt": prompt}));
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
    }
}

#[test]
fn tools_are_told_apart() {
    for (name, input, kind, paths) in [
        ("bash", json!({"command": "ls"}), ToolKind::Shell, vec![]),
        ("write", json!({"path": "/a/b.md", "content": "c"}), ToolKind::Write, vec!["/a/b.md"]),
        ("edit", json!({"path": "../b.rs"}), ToolKind::Edit, vec!["/w/b.rs"]),
        ("read", json!({"path": "b.rs"}), ToolKind::Read, vec!["/w/d/b.rs"]),
        ("grep", json!({"pattern": "x", "path": "src"}), ToolKind::Search, vec!["/w/d/src"]),
        ("todo", json!({"action": "list"}), ToolKind::Other, vec![]),
    ] {
        let fields = json!({"tool_name": name, "tool_input": input});
        let tool = PI.event_with("post-tool-use.edit", &fields).tool.expect("a tool");
        let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
        assert_eq!((tool.kind, tool.paths), (kind, paths), "{name}");
    }
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile = toml::from_str(PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, ADAPTER);
    assert!(profile.compaction_at_post_compact());
}
