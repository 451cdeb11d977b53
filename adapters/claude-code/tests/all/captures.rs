//! Every captured payload as an event.

use std::path::{Path, PathBuf};

use remora_claude_code::{HOOKS, parse};
use remora_event::{Event, EventKind};
use remora_hook::Payload;

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The captured payloads of Claude Code itself, with their names, in order.
pub(crate) fn captures() -> Vec<(String, String)> {
    let mut captures: Vec<(String, String)> = std::fs::read_dir(fixtures())
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a fixture"))
        })
        .collect();
    captures.sort();
    captures
}

/// The event that a capture's name begins with.
pub(crate) fn kind_of(capture: &str) -> EventKind {
    let name = capture.split('.').next().unwrap_or_default();
    HOOKS.iter().find(|(event, _)| *event == name).map(|(_, hook)| hook.event).expect("a known event")
}

pub(crate) fn event_of(capture: &str, text: &str) -> Option<Event> {
    parse(kind_of(capture), &mut Payload::read(text.as_bytes())?)
}

#[test]
fn every_capture_is_an_event() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        for (name, text) in captures() {
            let event = event_of(&name, &text).unwrap_or_else(|| panic!("{name} is no event"));
            assert_eq!(event.event, kind_of(&name), "{name}");
            insta::assert_json_snapshot!(name, event);
        }
    });
}

#[test]
fn every_hook_has_a_capture() {
    let captures = captures();
    for (event, _) in HOOKS {
        assert!(captures.iter().any(|(name, _)| name.split('.').next() == Some(event)), "{event}");
    }
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
        let text = std::fs::read_to_string(fixtures().join(format!("{name}.json"))).expect("a fixture");
        assert_eq!(event_of(name, &text).and_then(|event| event.key).as_deref(), Some(key), "{name}");
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
