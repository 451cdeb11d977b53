//! Codex's payloads as events, and replies as its output.

use remora_codex::{ADAPTER, HOOKS, PROFILE_TOML};
use remora_conformance::Adapter;
use remora_event::{EventKind, Outcome, ToolKind, Unit};
use serde_json::{Value, json};

const CODEX: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/codex"),
    tells_nothing: |_| false,
};

#[test]
fn every_capture_is_an_event() {
    CODEX.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in CODEX.captures() {
            let mut event = serde_json::to_value(capture.event()).expect("JSON");
            // The picture, which is replaced before the event leaves the process.
            if let Some(url) = event.pointer_mut("/tool/output/0/image_url") {
                *url = json!("...");
            }
            insta::assert_json_snapshot!(capture.name, event);
        }
    });
}

#[test]
fn any_field_may_be_gone_or_of_another_type() {
    CODEX.check_changed_fields();
}

#[test]
fn a_cut_payload_gives_its_leading_fields() {
    CODEX.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    CODEX.check_changed_bytes();
}

#[test]
fn output_is_what_codex_takes() {
    CODEX.check_outputs();
    CODEX.check_nothing_decides();
    assert!(HOOKS.iter().filter_map(|(_, hook)| hook.budget).all(|budget| budget.unit == Unit::Bytes));
    insta::assert_snapshot!(CODEX.outputs(), @r#"
    SessionStart: {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    UserPromptSubmit: {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PostToolUse: {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    SubagentStart: {"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    SubagentStop: nothing
    PreCompact: nothing
    PostCompact: nothing
    Stop: nothing
    SessionEnd: nothing
    "#);
}

#[test]
fn tools_are_told_apart() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** End Patch\n";
    for (name, input, kind, query, paths) in [
        ("Bash", json!({"command": "ls"}), ToolKind::Shell, None, vec![]),
        (
            "Bash",
            json!({"command": format!("apply_patch <<'E'\n{patch}E")}),
            ToolKind::Shell,
            None,
            vec!["/w/d/a.rs", "/w/d/b.rs"],
        ),
        ("apply_patch", json!({"command": patch}), ToolKind::Edit, None, vec!["/w/d/a.rs", "/w/d/b.rs"]),
        ("apply_patch", json!(patch), ToolKind::Edit, None, vec!["/w/d/a.rs", "/w/d/b.rs"]),
        ("view_image", json!({"path": "../x.png"}), ToolKind::Read, None, vec!["/w/x.png"]),
        ("spawn_agent", json!({"message": "m"}), ToolKind::Agent, None, vec![]),
        ("mcp__db__query", json!({"query": "q"}), ToolKind::Mcp, None, vec![]),
        ("mcp__m__memory_search", json!({"query": "端口?"}), ToolKind::Memory, Some("端口?"), vec![]),
        ("mcp__remora__memory_search", json!({"query": "q"}), ToolKind::Mcp, None, vec![]),
        (
            "memoriessearch",
            json!({"queries": ["zebra", "deploy"]}),
            ToolKind::Memory,
            Some("zebra deploy"),
            vec![],
        ),
        (
            "memoriesread",
            json!({"path": "rollout_summaries/build-times.md"}),
            ToolKind::Memory,
            Some("build times"),
            vec![],
        ),
        ("memoriesread", json!({"path": "MEMORY.md"}), ToolKind::Memory, None, vec![]),
        ("memorieslist", json!({}), ToolKind::Memory, None, vec![]),
        ("memoriesadd_ad_hoc_note", json!({"note": "query"}), ToolKind::Memory, None, vec![]),
        ("update_plan", json!({"plan": []}), ToolKind::Other, None, vec![]),
    ] {
        let event = CODEX.event_with("PreToolUse.Bash", &json!({"tool_name": name, "tool_input": input}));
        let tool = event.tool.expect("a tool");
        assert_eq!(
            (tool.kind, event.memory_query.as_deref(), tool.paths),
            (kind, query, paths.into_iter().map(str::to_owned).collect()),
            "{name}"
        );
    }
}

#[test]
fn an_outcome_is_claimed_where_the_answer_tells_it() {
    use EventKind::{PostToolUse, ToolFailure};
    for (name, answer, kind, outcome, error) in [
        ("Bash", json!("error: it broke\n"), PostToolUse, None, None),
        (
            "Bash",
            json!("Exit code: 2\nWall time: 0 seconds\nOutput:\nno\n"),
            ToolFailure,
            Some(Outcome::Failed),
            Some("exit code 2"),
        ),
        (
            "apply_patch",
            json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"),
            PostToolUse,
            Some(Outcome::Completed),
            None,
        ),
        (
            "apply_patch",
            json!("Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n"),
            ToolFailure,
            Some(Outcome::Failed),
            Some("exit code 1"),
        ),
        (
            "mcp__a__b",
            json!({"content": [{"type": "text", "text": "no such table"}], "isError": true}),
            ToolFailure,
            Some(Outcome::Failed),
            Some("no such table"),
        ),
        ("mcp__a__b", json!({"content": [], "isError": false}), PostToolUse, Some(Outcome::Completed), None),
    ] {
        let event = CODEX.event_with(
            "PostToolUse.Bash",
            &json!({"tool_name": name, "tool_response": answer, "tool_use_id": "c"}),
        );
        let told = event.tool.as_ref().and_then(|tool| tool.error.as_deref());
        assert_eq!((event.event, event.outcome, told), (kind, outcome, error), "{name} {answer}");
        assert_eq!(event.key.as_deref(), Some("post_tool_use:c:-"));
    }
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    for (prompt, words) in [
        ("say <b>hello</b>", Some("say <b>hello</b>")),
        ("<environment_context>\n<cwd>/w</cwd>\n</environment_context>\n部署在哪里", Some("部署在哪里")),
        ("<remora-memory>x</remora-memory>fix it", Some("fix it")),
        (
            "# Context from my IDE setup:\n\n## Active file: a.rs\n\n## My request for Codex:\nfix it\n",
            Some("fix it"),
        ),
        ("<hook_prompt hook_run_id=\"1\">go on</hook_prompt>", None),
        ("<turn_aborted>\nwhy\n</turn_aborted>", None),
    ] {
        let event = CODEX.event_with("UserPromptSubmit", &json!({"prompt": prompt}));
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
    }
}

#[test]
fn sessions_in_which_codex_tidies_its_memory_are_none() {
    let capture = CODEX.capture("SessionStart.startup");
    for (cwd, transcript, is_event) in [
        ("/h/.codex/memories", "/h/.codex/sessions/2026/01/01/rollout-x.jsonl", false),
        ("/else/where/memories/sub", "/else/where/sessions/2026/01/01/rollout-x.jsonl", false),
        ("/h/.codex/memories2", "/h/.codex/sessions/2026/01/01/rollout-x.jsonl", true),
        ("/h/memories", "/h/.codex/sessions/2026/01/01/rollout-x.jsonl", true),
        ("/h/.codex", "/h/.codex/sessions/2026/01/01/rollout-x.jsonl", true),
    ] {
        let payload = json!({"session_id": "s", "cwd": cwd, "transcript_path": transcript}).to_string();
        assert_eq!(capture.parse(payload.as_bytes()).is_some(), is_event, "{cwd}");
    }
}

#[test]
fn a_lost_session_is_found_in_the_transcripts_name() {
    let capture = CODEX.capture("Stop");
    let mut payload: Value = serde_json::from_str(&capture.text).expect("JSON");
    payload.as_object_mut().expect("an object").remove("session_id");
    let event = capture.parse(payload.to_string().as_bytes()).expect("an event");
    assert_eq!(event.session, capture.event().session);
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile = toml::from_str(PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, ADAPTER);
    assert!(profile.ignores("/home/dev/.codex/memories") && !profile.ignores("/home/dev/.codex"));
    assert!(profile.memory.has_tool("memoriessearch") && !profile.memory.has_tool("Bash"));
}
