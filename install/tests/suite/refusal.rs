//! What is not as it should be is left alone, and named.

use std::fs;

use remora_install::Error;

use crate::world::World;

#[test]
fn a_file_that_does_not_parse_is_left_alone() {
    let cases = [
        ("{\n  \"a\": 1,\n  \"hooks\": {\n", "3:12"),
        ("{\n  'a': 1\n}\n", "2:3"),
        ("{\n  a: 1\n}\n", "2:3"),
        ("{\n  \"é\": 1 \"b\": 2\n}\n", "2:9"),
        ("[]x", "1:3"),
    ];
    for (text, place) in cases {
        let world = World::new();
        World::write(&world.settings(), text);
        let before = world.everything();
        let error = world.plan().expect_err("the file does not parse");
        let Error::Parse { path, line, column, .. } = &error else { panic!("{text:?}: {error}") };
        assert_eq!(
            (path, format!("{line}:{column}").as_str()),
            (&world.settings(), place),
            "{text:?}: {error}"
        );
        assert!(error.hint().expect("a hint").contains("run the command again"));
        assert_eq!(world.everything(), before);
    }
}

#[test]
fn odd_shapes_are_refused_with_their_place() {
    let cases = [
        ("[]", "1:1 has an unexpected shape: the file's value is not an object"),
        ("{\n  \"hooks\": []\n}", "2:12 has an unexpected shape: \"hooks\" is not an object"),
        ("{\"hooks\": null}", "1:11 has an unexpected shape: \"hooks\" is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "1:20 has an unexpected shape: the hooks of \"Stop\" are not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "1:15 has an unexpected shape: \"hooks\" is there twice"),
        (
            "{\"hooks\": {\"Stop\": [], \"Stop\": []}}",
            "1:24 has an unexpected shape: \"Stop\" is there twice",
        ),
    ];
    for (text, message) in cases {
        let world = World::new();
        World::write(&world.settings(), text);
        let error = world.plan().expect_err("the shape is odd").to_string();
        assert_eq!(error, format!("{}:{message}", world.settings().display()));
    }
}

#[test]
fn odd_things_that_do_not_concern_us_stay() {
    let text = "{\n  \"hooks\": {\n    \"Notification\": 7,\n    \"Stop\": [\"x\", {\"hooks\": {}}, {}, null, {\"hooks\": [1]}]\n  }\n}\n";
    let world = World::new();
    World::write(&world.settings(), text);
    world.install();
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    assert!(
        installed.contains("\"Notification\": 7") && installed.contains("[\"x\", {\"hooks\": {}}, {}, null,")
    );
    world.uninstall();
    assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), text);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let world = World::new();
    World::write(&world.settings(), b"\xff\xfe{\0}\0");
    assert!(matches!(world.plan(), Err(Error::NotText(_))));
}

#[test]
fn a_newer_manifest_is_not_touched() {
    let world = World::new();
    World::write(&world.installation.manifest(), "{\"format\": 2, \"shape\": \"unknown\"}");
    assert!(matches!(world.plan(), Err(Error::NewerManifest { format: 2, known: 1, .. })));
    assert!(matches!(world.plan_removal(), Err(Error::NewerManifest { .. })));
}
