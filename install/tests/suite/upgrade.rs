//! Installing over what is there already: an older version, another root, a record that is gone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use remora_install::edit::json::hook_groups;
use remora_install::{Before, Options, install, uninstall};

use crate::world::{World, assert_ours_are_there, hosts, installed_at, parse};

#[test]
fn an_upgrade_replaces_only_ours_in_place() {
    let world = World::new();
    World::write(&world.settings(), "{\n  \"a\": 1\n}\n");
    world.install();
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    // As an older version might have written it: another limit, another argument, an event of old.
    let mut older = installed.replacen("\"timeout\": 10", "\"timeout\": 99", 1).replacen(
        "\"PreCompact\"",
        "\"Notification\"",
        1,
    );
    let end = older.rfind('}').expect("an object");
    older.insert_str(end - 1, ", \"theirs\": true");
    fs::write(world.settings(), &older).expect("the settings");

    world.install();
    let upgraded = fs::read_to_string(world.settings()).expect("the settings");
    assert_ours_are_there(&world, &upgraded, "an upgrade");
    let events: Vec<_> =
        hook_groups::present(&upgraded).expect("hooks").into_iter().map(|entry| entry.event).collect();
    assert_eq!(events.len(), hosts()[0].hooks.len(), "{events:?}");
    assert!(upgraded.contains(", \"theirs\": true"));

    world.uninstall();
    let left = parse(&fs::read_to_string(world.settings()).expect("the settings"));
    assert_eq!(left, serde_json::json!({"a": 1, "theirs": true}));
}

#[test]
fn an_upgrade_of_an_untouched_file_still_remembers_the_first_bytes() {
    let world = World::new();
    let text = "{\"a\" :1}";
    World::write(&world.settings(), text);
    world.install();
    // The record says what an older version wrote; make it so.
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    let older = installed.replacen("\"timeout\": 10", "\"timeout\": 99", 1);
    assert_ne!(older, installed);
    let manifest = fs::read_to_string(world.installation.manifest()).expect("the manifest");
    let digest = |text: &str| {
        use sha2::{Digest as _, Sha256};
        format!("{:x}", Sha256::digest(text.as_bytes()))
    };
    let manifest = manifest.replace(&digest(&installed), &digest(&older));
    fs::write(world.installation.manifest(), manifest).expect("the manifest");
    fs::write(world.settings(), older).expect("the settings");

    world.install();
    assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), installed);
    world.uninstall();
    assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), text);
}

#[test]
fn a_handler_that_the_person_moved_into_their_group_is_renewed_there() {
    let world = World::new();
    let ours = world.installation.executable("claude-code", "stop");
    let text = format!(
        "{{\"hooks\": {{\"Stop\": [{{\"matcher\": \"\", \"hooks\": [{{\"type\": \"command\", \"command\": \"x\"}}, {{\"type\": \"command\", \"command\": {:?}, \"args\": []}}]}}]}}}}",
        ours.display().to_string()
    );
    World::write(&world.settings(), &text);
    world.install();
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    let group = &parse(&installed)["hooks"]["Stop"][0];
    assert_eq!(group["hooks"][0]["command"], "x");
    assert_eq!(group["hooks"][1]["args"][0], "--root");
    assert_eq!(parse(&installed)["hooks"]["Stop"].as_array().expect("a list").len(), 1);
    world.uninstall();
    let left = parse(&fs::read_to_string(world.settings()).expect("the settings"));
    assert_eq!(left["hooks"]["Stop"][0]["hooks"], serde_json::json!([{"type": "command", "command": "x"}]));
}

#[test]
fn an_entry_that_is_there_twice_is_there_once_afterwards() {
    let world = World::new();
    world.install();
    let mut settings = parse(&fs::read_to_string(world.settings()).expect("the settings"));
    let group = settings["hooks"]["Stop"][0].clone();
    settings["hooks"]["Stop"].as_array_mut().expect("a list").push(group);
    fs::write(world.settings(), settings.to_string()).expect("the settings");
    world.install();
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    assert_ours_are_there(&world, &installed, "twice");
}

#[test]
fn two_roots_do_not_know_each_other() {
    let world = World::new();
    let other = installed_at(&world.path().join("other"));
    let text = "{\n  \"a\": 1\n}\n";
    World::write(&world.settings(), text);
    world.install();
    install(&world.environment, &other, &hosts(), &Options::default()).expect("the other installs too");
    let both = fs::read_to_string(world.settings()).expect("the settings");
    assert_eq!(hook_groups::present(&both).expect("hooks").len(), 2 * hosts()[0].hooks.len());

    world.uninstall();
    let left = fs::read_to_string(world.settings()).expect("the settings");
    assert!(!left.contains("记忆"));
    assert_eq!(hook_groups::present(&left).expect("hooks").len(), hosts()[0].hooks.len());
    uninstall(&world.environment, &other, None).expect("the other goes too");
    assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), text);
}

#[test]
fn a_lost_manifest_does_not_make_our_entries_strangers() {
    let world = World::new();
    World::write(&world.settings(), "{\n  \"a\": 1\n}\n");
    world.install();
    fs::remove_file(world.installation.manifest()).expect("the manifest");
    world.install();
    assert_eq!(world.manifest().files[0].before, Before::Unknown);
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    assert_ours_are_there(&world, &installed, "a lost manifest");
    world.uninstall();
    assert!(!fs::read_to_string(world.settings()).expect("the settings").contains("记忆"));
}

#[test]
fn a_moved_installation_still_knows_what_it_wrote() {
    let world = World::new();
    World::write(&world.settings(), "{}");
    world.install();
    let moved = world.path().join("moved");
    fs::rename(world.installation.root(), &moved).expect("a move");
    let moved = installed_at(&moved);
    install(&world.environment, &moved, &hosts(), &Options::default()).expect("it installs again");
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    assert!(!installed.contains("记忆"), "{installed}");
    assert_eq!(hook_groups::present(&installed).expect("hooks").len(), hosts()[0].hooks.len());
}

/// A crash after the record was written, or after the file was given back, leaves this.
#[test]
fn a_record_of_what_is_not_there_does_no_harm() {
    let text = "{\n  \"a\": 1\n}\n";
    for again in [false, true] {
        let world = World::new();
        World::write(&world.settings(), text);
        world.install();
        fs::write(world.settings(), text).expect("the settings");
        if again {
            world.install();
            assert!(matches!(world.manifest().files[0].before, Before::Kept { .. }));
        }
        world.uninstall();
        assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), text);
        assert!(!world.installation.manifest().exists());
    }
}

#[test]
fn a_backup_that_was_tampered_with_is_not_given_back() {
    let world = World::new();
    let text = "{\n  \"a\": 1\n}\n";
    World::write(&world.settings(), text);
    let applied = world.install();
    let mode = fs::metadata(&applied.backups[0]).expect("the copy").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::write(&applied.backups[0], "{\"hooks\": {}}").expect("the copy");
    world.uninstall();
    assert_eq!(fs::read_to_string(world.settings()).expect("the settings"), text);
}
