//! Every captured payload as an event.

use remora_claude_code::{ADAPTER, HOOKS};
use remora_conformance::Adapter;

pub(crate) const CLAUDE: Adapter = Adapter {
    id: ADAPTER,
    hooks: &HOOKS,
    captures: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"),
    tells_nothing: |_| false,
};

#[test]
fn every_capture_is_an_event() {
    CLAUDE.check_captures();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for capture in CLAUDE.captures() {
            insta::assert_json_snapshot!(capture.name.as_str(), capture.event());
        }
    });
}

#[test]
fn a_call_has_one_key_before_and_after_and_in_whatever_agent() {
    for (name, key) in [
        ("PreToolUse.Bash", "pre_tool_use:toolu_f1ee4f8e8b5f4e70936d:-"),
        ("PostToolUse.Bash", "post_tool_use:toolu_f1ee4f8e8b5f4e70936d:-"),
        ("PostToolUseFailure.Read", "post_tool_use:toolu_ed6c1dddd75641998b45:-"),
        ("PostToolUse.Bash.in_subagent", "post_tool_use:toolu_85bc54c51d974c19af19:a58a93c7f16bf4761"),
        ("UserPromptSubmit", "user_prompt:f53791ff-e147-4b67-bf2b-a28c8f7940fe:-"),
    ] {
        assert_eq!(CLAUDE.capture(name).event().key.as_deref(), Some(key), "{name}");
    }
}

#[test]
fn only_the_persons_words_are_kept_of_a_prompt() {
    let capture = CLAUDE.capture("UserPromptSubmit");
    for (prompt, words) in [
        ("  你好 <b>fett</b> a < b  ", Some("你好 <b>fett</b> a < b")),
        ("<system-reminder>\nno\n</system-reminder>\nyes", Some("yes")),
        ("one <ide_selection>lines 1 to 3 of a.rs</ide_selection>two", Some("one two")),
        ("<remora-memory>\nold\n</remora-memory>\nwhat now?", Some("what now?")),
        ("<hook_context>x</hook_context>", None),
        (
            "<command-message>foo is running</command-message>\n<command-name>/foo</command-name>\n<command-args>bar baz</command-args>",
            Some("/foo bar baz"),
        ),
        ("<command-name>clear</command-name>", Some("/clear")),
        ("<local-command-stdout>ok</local-command-stdout>", None),
        ("[Request interrupted by user for tool use]", None),
        ("what is <task-notification>?", Some("what is <task-notification>?")),
    ] {
        let payload = serde_json::json!({"session_id": "s", "prompt": prompt}).to_string();
        let event = capture.parse(payload.as_bytes()).expect("an event");
        assert_eq!(event.prompt.as_deref(), words, "{prompt}");
    }
}

#[test]
fn the_profile_is_readable_and_names_this_adapter() {
    let profile: remora_profile::HostProfile =
        toml::from_str(remora_claude_code::PROFILE_TOML).expect("a profile");
    assert_eq!(profile.id, remora_claude_code::ADAPTER);
    let folder = &profile.memory.folders[0];
    let slug = folder.slug.slug("/home/dev/proj").expect("a slug");
    assert_eq!(folder.path.replace("{slug}", &slug), "~/.claude/projects/-home-dev-proj/memory");
    assert!(profile.prompts.is_synthetic("<task-notification>x"));
    assert!(profile.memory.has_tool("mcp__x__memory_search"));
}
