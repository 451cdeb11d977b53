//! A hook before a tool costs every call that it hears: it hears memory tools alone.

use regex::Regex;
use remora_install::host::{HOSTS, Host};

/// The hooks before tools, by host: no host but these has one.
fn heard(host: &Host) -> Option<Regex> {
    let mut before = host.hooks.iter().filter(|hook| hook.executable.starts_with("pre-tool"));
    let matcher = before.next()?.matcher.expect("a hook before every tool");
    assert_eq!(before.next().map(|hook| hook.event), None, "{}", host.id);
    Some(Regex::new(matcher).expect("a regular expression"))
}

#[test]
fn only_memory_tools_are_heard_before_they_run() {
    for (name, by) in [
        ("mcp__notes__memory_search", &["claude-code", "codex"][..]),
        ("mcp__memory__memory", &["claude-code", "codex"]),
        ("mcp__claude_mem__memory_search", &["claude-code", "codex"]),
        ("mcp__plugin_x_notes__memory_search", &["claude-code", "codex"]),
        ("mcp__research__memory_search", &["claude-code", "codex"]),
        ("mcp__remote__memory_search", &["claude-code", "codex"]),
        ("mcp__remorae__memory_search", &["claude-code", "codex"]),
        ("mcp__記憶__memory_search", &["claude-code", "codex"]),
        ("memoriessearch", &["codex"]),
        ("memoriesread", &["codex"]),
        // Nothing is asked there.
        ("memorieslist", &[]),
        ("memoriesadd_ad_hoc_note", &[]),
        ("mcp__notes__memory_search_all", &[]),
        ("mcp__notes__my_memory_search", &[]),
        ("mcp__notes__read", &[]),
        // Remora's own.
        ("mcp__remora__memory_search", &[]),
        ("mcp__remora__memory_get", &[]),
        // Every other tool.
        ("Bash", &[]),
        ("Read", &[]),
        ("apply_patch", &[]),
        ("", &[]),
    ] {
        let of = |host: &&&Host| heard(host).is_some_and(|heard| heard.is_match(name));
        let hear: Vec<_> = HOSTS.iter().filter(of).map(|host| host.id).collect();
        assert_eq!(hear, by, "{name}");
    }
}
