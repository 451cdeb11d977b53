//! Gemini CLI's payloads as events, and replies as its output.

use remora_conformance::Adapter;
use remora_event::{EventKind, Outcome, ToolKind};
use remora_gemini_cli::{ADAPTER, HOOKS, PROFILE_TOML};
use serde_json::json;

const GEMINI: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/gemini-cli"),
    tells_nothing: |_| false,
};

#[test]
fn every_capture_is_an_event() {
    GEMINI.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in GEMINI.captures() {
            insta::assert_json_snapshot!(capture.name.as_str(), capture.event());
        }
    });
}

#[test]
fn any_field_may_be_gone_or_of_another_type() {
    GEMINI.check_changed_fields();
}

#[test]
fn a_cut_payload_gives_its_leading_fields() {
    GEMINI.check_cut_payloads();
}

#[test]
fn no_bytes_do_harm() {
    GEMINI.check_changed_bytes();
}

#[test]
fn output_is_what_gemini_cli_takes() {
    GEMINI.check_outputs();
    GEMINI.check_nothing_decides();
    insta::assert_snapshot!(GEMINI.outputs(), @r#"
    SessionStart: nothing
    BeforeAgent: {"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    BeforeTool: nothing
    AfterTool: {"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    AfterAgent: nothing
    SessionEnd: nothing
    "#);
}

#[test]
fn tools_are_told_apart() {
    let none = json!({});
    for (name, input, context, kind, query, paths) in [
        (
            "run_shell_command",
            json!({"command": "ls", "dir_path": "sub"}),
            &none,
            ToolKind::Shell,
            None,
            vec!["/w/d/sub"],
        ),
        (
            "write_file",
            json!({"file_path": "/a/b.md", "content": "c"}),
            &none,
            ToolKind::Write,
            None,
            vec!["/a/b.md"],
        ),
        ("replace", json!({"file_path": "../b.rs"}), &none, ToolKind::Edit, None, vec!["/w/b.rs"]),
        ("read_file", json!({"file_path": "b.rs"}), &none, ToolKind::Read, None, vec!["/w/d/b.rs"]),
        (
            "read_many_files",
            json!({"paths": ["a", "b"]}),
            &none,
            ToolKind::Read,
            None,
            vec!["/w/d/a", "/w/d/b"],
        ),
        (
            "grep_search",
            json!({"pattern": "x", "dir_path": "src"}),
            &none,
            ToolKind::Search,
            None,
            vec!["/w/d/src"],
        ),
        ("google_web_search", json!({"query": "q"}), &none, ToolKind::Web, None, vec![]),
        ("invoke_agent", json!({"prompt": "p"}), &none, ToolKind::Agent, None, vec![]),
        ("write_todos", json!({"todos": []}), &none, ToolKind::Other, None, vec![]),
        ("mcp_db_query", json!({"query": "q"}), &none, ToolKind::Mcp, None, vec![]),
        ("mcp_m_memory_search", json!({"query": "端口"}), &none, ToolKind::Memory, Some("端口"), vec![]),
        (
            "mcp_my_notes_memory_search",
            json!({"query": "q"}),
            &json!({"server_name": "my_notes", "tool_name": "memory_search"}),
            ToolKind::Memory,
            Some("q"),
            vec![],
        ),
        ("mcp_remora_memory_search", json!({"query": "q"}), &none, ToolKind::Mcp, None, vec![]),
    ] {
        let event = GEMINI.event_with(
            "BeforeTool.write_file",
            &json!({"tool_name": name, "tool_input": input, "mcp_context": context}),
        );
        let tool = event.tool.expect("a tool");
        assert_eq!(
            (tool.kind, event.memory_query.as_deref(), tool.paths),
            (kind, query, paths.into_iter().map(str::to_owned).collect()),
            "{name}"
        );
    }
}

#[test]
fn an_outcome_is_what_the_answer_tells() {
    use EventKind::{PostToolUse, ToolFailure};
    let shell = |lines: &str| json!({"llmContent": format!("<untrusted_context>\n{lines}\n</untrusted_context>"), "returnDisplay": "x"});
    for (name, answer, kind, error) in [
        ("run_shell_command", shell("Output: ok\nProcess Group PGID: 7"), PostToolUse, None),
        (
            "run_shell_command",
            shell("Output: no\nExit Code: 3\nProcess Group PGID: 7"),
            ToolFailure,
            Some("exit code 3"),
        ),
        ("run_shell_command", shell("Output: Exit Code: 3\nbye\nProcess Group PGID: 7"), PostToolUse, None),
        (
            "read_file",
            json!({"llmContent": "File not found: x", "returnDisplay": "no", "error": {"message": "File not found: x", "type": "file_not_found"}}),
            ToolFailure,
            Some("File not found: x"),
        ),
    ] {
        let event =
            GEMINI.event_with("AfterTool.write_file", &json!({"tool_name": name, "tool_response": answer}));
        let told = event.tool.as_ref().and_then(|tool| tool.error.as_deref());
        let outcome = if kind == ToolFailure { Outcome::Failed } else { Outcome::Completed };
        assert_eq!((event.event, event.outcome, told), (kind, Some(outcome), error), "{name} {answer}");
    }
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    for (prompt, words) in [
        ("say hello", Some("say hello")),
        ("<hook_context>&lt;remora-memory&gt; x</hook_context>\n\n部署在哪里", Some("部署在哪里")),
        (
            "<session_context>\nToday\n</session_context><hook_context>a</hook_context>\n\nhi<hook_context>b</hook_context>",
            Some("hi"),
        ),
        ("<hook_context>a</hook_context>", None),
        (
            "look at @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\nplease remember x\n--- End of content ---",
            Some("look at @a.txt"),
        ),
    ] {
        let event = GEMINI.event_with("BeforeAgent", &json!({"prompt": prompt}));
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
    }
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile = toml::from_str(PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, ADAPTER);
    assert!(profile.memory.has_tool("mcp_x_memory_search"));
}
