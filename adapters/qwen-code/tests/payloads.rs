//! Qwen Code's payloads as events, and replies as its output.

use remora_conformance::Adapter;
use remora_event::{EventKind, Outcome, ToolKind};
use remora_qwen_code::{ADAPTER, HOOKS, PROFILE_TOML};
use serde_json::json;

const QWEN: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/qwen-code"),
    // The model goes on after a tool.
    tells_nothing: |payload| payload["prompt"].as_str().is_some_and(|prompt| prompt.trim().is_empty()),
};

#[test]
fn every_capture_is_an_event() {
    QWEN.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in QWEN.captures() {
            insta::assert_json_snapshot!(capture.name.as_str(), capture.event());
        }
    });
}

#[test]
fn any_field_may_be_gone_or_of_another_type() {
    QWEN.check_changed_fields();
}

#[test]
fn a_cut_payload_gives_its_leading_fields() {
    QWEN.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    QWEN.check_changed_bytes();
}

#[test]
fn output_is_what_qwen_code_takes() {
    QWEN.check_outputs();
    QWEN.check_nothing_decides();
    insta::assert_snapshot!(QWEN.outputs(), @r#"
    SessionStart: nothing
    UserPromptSubmit: {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PreToolUse: nothing
    PostToolUse: {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PostToolUseFailure: {"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    SubagentStart: nothing
    SubagentStop: nothing
    PostCompact: nothing
    Stop: nothing
    SessionEnd: nothing
    "#);
}

#[test]
fn a_prompt_without_a_word_is_none_and_one_of_an_agent_that_goes_on_has_no_second_turn() {
    let capture = QWEN.capture("UserPromptSubmit");
    for prompt in ["", " \n"] {
        let payload = json!({"session_id": "s", "cwd": "/w", "prompt": prompt}).to_string();
        assert_eq!(capture.parse(payload.as_bytes()), None, "{prompt:?}");
    }
    let event = QWEN.event_with(
        "UserPromptSubmit",
        &json!({"prompt_id": "s########1", "submitted_prompt": "go on", "prompt": "go on\n\nwith this"}),
    );
    assert_eq!(event.prompt.as_deref(), Some("go on"));
    assert_eq!(event.key.as_deref(), Some("user_prompt:s########1:-"));
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    for (prompt, words) in [
        ("say hello", Some("say hello")),
        ("<system-reminder>\nno\n</system-reminder>\n部署在哪里", Some("部署在哪里")),
        (
            "look at @a.txt\n--- Content from referenced files ---\nContent from /w/a.txt:\nplease remember x\n\n--- End of content ---",
            Some("look at @a.txt"),
        ),
        ("<task-notification>\n<task-id>1</task-id>\n</task-notification>", None),
    ] {
        let event = QWEN.event_with("UserPromptSubmit", &json!({"prompt": prompt}));
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
    }
}

#[test]
fn tools_are_told_apart() {
    for (name, input, kind, query, paths) in [
        (
            "run_shell_command",
            json!({"command": "ls", "directory": "/w/d/sub"}),
            ToolKind::Shell,
            None,
            vec!["/w/d/sub"],
        ),
        (
            "write_file",
            json!({"file_path": "/a/b.md", "content": "c"}),
            ToolKind::Write,
            None,
            vec!["/a/b.md"],
        ),
        ("edit", json!({"file_path": "../b.rs"}), ToolKind::Edit, None, vec!["/w/b.rs"]),
        ("read_file", json!({"file_path": "b.rs"}), ToolKind::Read, None, vec!["/w/d/b.rs"]),
        ("grep_search", json!({"pattern": "x", "path": "src"}), ToolKind::Search, None, vec!["/w/d/src"]),
        ("web_fetch", json!({"url": "u", "prompt": "p"}), ToolKind::Web, None, vec![]),
        ("agent", json!({"prompt": "p"}), ToolKind::Agent, None, vec![]),
        ("todo_write", json!({"todos": []}), ToolKind::Other, None, vec![]),
        ("save_memory", json!({"fact": "f"}), ToolKind::Memory, None, vec![]),
        ("mcp__db__query", json!({"query": "q"}), ToolKind::Mcp, None, vec![]),
        ("mcp__m__memory_search", json!({"query": "端口"}), ToolKind::Memory, Some("端口"), vec![]),
        ("mcp__remora__memory_search", json!({"query": "q"}), ToolKind::Mcp, None, vec![]),
    ] {
        let event =
            QWEN.event_with("PreToolUse.write_file", &json!({"tool_name": name, "tool_input": input}));
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
    let said = |status: &str, output: &str| {
        json!({"llmContent": format!(
            "Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {status}\nSignal: 0\nProcess Group PGID: 7"
        )})
    };
    for (answer, kind, error) in [
        (said("0", "Exit Code: 3"), EventKind::PostToolUse, None),
        (said("3", "no"), EventKind::ToolFailure, Some("exit code 3")),
        (json!({"llmContent": "Command running in background.\n"}), EventKind::PostToolUse, None),
    ] {
        let fields = json!({"tool_name": "run_shell_command", "tool_response": answer});
        let event = QWEN.event_with("PostToolUse.run_shell_command", &fields);
        let told = event.tool.as_ref().and_then(|tool| tool.error.as_deref());
        let outcome = if kind == EventKind::ToolFailure { Outcome::Failed } else { Outcome::Completed };
        assert_eq!((event.event, event.outcome, told), (kind, Some(outcome), error), "{answer}");
    }
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile = toml::from_str(PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, ADAPTER);
    assert!(profile.memory.has_tool("mcp__x__memory_search"));
    let folder = &profile.memory.folders[0];
    let slug = folder.slug.slug("/home/dev/proj").expect("a slug");
    assert_eq!(folder.path.replace("{slug}", &slug), "~/.qwen/projects/-home-dev-proj/memory");
}
