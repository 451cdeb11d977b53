//! What holds for every settings file that a person could have written.

use std::fs;

use proptest::prelude::*;
use proptest::sample::select;
use remora_install::edit::json::hook_groups::{self, Wanted};
use serde_json::{Value, json};

use crate::world::World;

/// White space between two tokens; sometimes a comment.
fn gap(comments: bool) -> BoxedStrategy<String> {
    let plain =
        select(vec!["", "", " ", "  ", "\n", "\n  ", "\n\t", "\r\n    ", "\n\n "]).prop_map(str::to_owned);
    let comment = select(vec![" // note, ] }\n", "/* [ { \" */", "\n  // x\n  "]).prop_map(str::to_owned);
    if comments { prop_oneof![6 => plain, 1 => comment].boxed() } else { plain.boxed() }
}

fn leaf() -> impl Strategy<Value = String> {
    select(vec!["1", "-0.5e3", "true", "null", "\"\"", "\"a\\\"b\"", "\"记忆 // {\"", "\"\\u00e9\""])
        .prop_map(str::to_owned)
}

/// A list or object of items, with gaps around each and, where comments are, perhaps a trailing comma. An empty
/// one has nothing between its brackets: white space alone between them is not remembered.
fn container(
    [open, close]: [char; 2],
    items: impl Strategy<Value = Vec<String>> + 'static,
    comments: bool,
) -> BoxedStrategy<String> {
    let trailing = if comments { any::<bool>().boxed() } else { Just(false).boxed() };
    (items, prop::collection::vec((gap(comments), gap(comments)), 8), trailing)
        .prop_map(move |(items, gaps, trailing)| {
            let last = items.len().saturating_sub(1);
            let mut inside = String::new();
            for (index, (item, (before, after))) in items.iter().zip(gaps.iter().cycle()).enumerate() {
                let comma = if index < last || trailing { "," } else { "" };
                inside.extend([before, item, after, comma]);
            }
            let end = if items.is_empty() { "" } else { gaps[7].0.as_str() };
            format!("{open}{inside}{end}{close}")
        })
        .boxed()
}

fn member(
    name: &str,
    value: impl Strategy<Value = String> + 'static,
    comments: bool,
) -> BoxedStrategy<String> {
    let name = name.to_owned();
    (gap(comments), gap(comments), value)
        .prop_map(move |(before, after, value)| format!("\"{name}\"{before}:{after}{value}"))
        .boxed()
}

fn group(comments: bool) -> impl Strategy<Value = String> {
    let handler = prop_oneof![
        Just("{\"type\": \"command\", \"command\": \"other --flag\"}".to_owned()),
        Just("{\"type\":\"http\",\n\"url\":\"http://127.0.0.1\"}".to_owned()),
        leaf(),
    ];
    let handlers = container(['[', ']'], prop::collection::vec(handler, 0..3), comments);
    let matcher = member("matcher", leaf(), comments);
    let hooks = member("hooks", handlers, comments);
    prop_oneof![
        container(['{', '}'], (matcher, hooks.clone()).prop_map(|(a, b)| vec![a, b]), comments),
        container(['{', '}'], hooks.prop_map(|a| vec![a]), comments),
        leaf(),
    ]
}

fn hooks(comments: bool) -> BoxedStrategy<String> {
    let groups = || container(['[', ']'], prop::collection::vec(group(comments), 0..3), comments);
    let events = ["Stop", "SessionStart", "Notification"].map(|event| member(event, groups(), comments));
    let events = prop::sample::subsequence(Vec::from(events), 0..=3).prop_flat_map(|events| events);
    member("hooks", container(['{', '}'], events, comments), comments)
}

/// A settings file.
fn settings(comments: bool) -> impl Strategy<Value = String> {
    let others = ["model", "env", "권한"].map(|name| member(name, leaf(), comments));
    let mut members = Vec::from(others);
    members.insert(1, hooks(comments));
    let members = prop::sample::subsequence(members, 0..=4).prop_flat_map(|members| members);
    (gap(comments), container(['{', '}'], members, comments), gap(comments))
        .prop_map(|(before, object, after)| format!("{before}{object}{after}"))
}

fn wanted(limit: u32) -> Vec<Wanted> {
    ["SessionStart", "PostToolUse", "Stop"]
        .map(|event| Wanted {
            event: event.to_owned(),
            matcher: None,
            handler: json!({"type": "command", "command": "/r/bin/h", "args": ["--root", "/r"], "timeout": limit}),
        })
        .into()
}

fn is_ours(handler: &Value) -> bool {
    handler["command"] == "/r/bin/h"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn taking_out_is_the_inverse_of_putting_in(text in settings(true)) {
        let edited = hook_groups::write(&text, &wanted(5), &is_ours).expect("the text is well formed");
        let ours = hook_groups::present(&edited.text).expect("hooks").into_iter().filter(|e| is_ours(&e.handler));
        prop_assert_eq!(ours.count(), 3);
        let again = hook_groups::write(&edited.text, &wanted(5), &is_ours).expect("it is still well formed");
        prop_assert_eq!(&again.text, &edited.text);
        let upgraded = hook_groups::write(&edited.text, &wanted(9), &is_ours).expect("it is still well formed");
        let left = hook_groups::remove(&upgraded.text, &is_ours, &edited.hollow).expect("it is still well formed");
        prop_assert_eq!(left, text);
    }

    #[test]
    fn strict_text_stays_strict(text in settings(false)) {
        serde_json::from_str::<Value>(&text).expect("the generator writes JSON");
        let edited = hook_groups::write(&text, &wanted(5), &is_ours).expect("the text is well formed");
        serde_json::from_str::<Value>(&edited.text).expect("the edit keeps it JSON");
    }

    #[test]
    fn no_text_makes_the_editor_panic(text in "[\\[\\]{}\",:/*\\n a-c0-9hooksStp\\\\]{0,60}") {
        if let Ok(edited) = hook_groups::write(&text, &wanted(5), &is_ours) {
            hook_groups::remove(&edited.text, &is_ours, &edited.hollow).expect("what was written can be taken out");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn installing_and_uninstalling_is_the_identity_on_bytes(text in settings(true), mark: bool) {
        let world = World::new();
        let bytes = if mark { format!("\u{feff}{text}") } else { text };
        World::write(&world.settings(), &bytes);
        world.install();
        world.uninstall();
        prop_assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), bytes);
    }
}
