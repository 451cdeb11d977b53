//! Installing and uninstalling gives the person's file back.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use remora_install::edit::json::hook_groups;

use crate::world::{World, assert_ours_are_there, parse};

/// Settings of all manners that people and programs write. Each is well formed.
const SETTINGS: &[(&str, &str)] = &[
    ("an empty file", ""),
    ("white space", "\n\n"),
    ("an empty object", "{}"),
    ("an empty object with a line end", "{}\n"),
    ("a roomy empty object", "{\n}\n"),
    ("empty hooks", "{\n  \"hooks\": {}\n}\n"),
    ("empty hooks over lines", "{\n  \"hooks\": {\n  }\n}\n"),
    ("an empty event", "{\n  \"hooks\": {\"SessionStart\": []}\n}\n"),
    ("an empty event over lines", "{\n  \"hooks\": {\n    \"SessionStart\": [\n    ]\n  }\n}\n"),
    ("other settings", "{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"b\"}\n}\n"),
    (
        "another tool's hooks",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]\n      }\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
    ),
    (
        "two other tools, one with a matcher",
        "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}, {\"type\": \"http\", \"url\": \"http://127.0.0.1\"}]},\n      {\"matcher\": \"Read\", \"hooks\": []}\n    ]\n  }\n}\n",
    ),
    ("tabs", "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": []}\n\t\t]\n\t},\n\t\"z\": 1\n}\n"),
    ("four spaces", "{\n    \"model\": \"opus\"\n}\n"),
    (
        "one line",
        "{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
    ),
    ("one roomy line", "{ \"model\": \"opus\", \"hooks\": { \"Stop\": [] } }   \n"),
    (
        "Windows line ends",
        "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
    ),
    ("a byte order mark", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
    ("no final line end", "{\n  \"model\": \"opus\"\n}"),
    ("trailing spaces", "{  \n  \"model\": \"opus\"  \n}  \n\n"),
    ("odd indentation", "{\n \"a\": 1,\n      \"hooks\":\n  { \"Stop\":\n[\n {\"hooks\": []}]\n  }\n }"),
    (
        "comments",
        "// mine\n{\n  // the model\n  \"model\": \"opus\", /* best */\n  \"hooks\": {\n    \"Stop\": [\n      // none yet\n    ], // end\n    // more to come\n  },\n}\n// bye\n",
    ),
    ("comments only", "// nothing here"),
    ("a comment before the closing bracket", "{\n  \"a\": 1 // one\n  , \"b\": 2 // two\n}\n"),
    (
        "items side by side",
        "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}, {\n      \"hooks\": []\n    }]\n  }\n}\n",
    ),
    (
        "text of all kinds",
        "{\n  \"名\": \"\\u00e9 \\\\ \\\" { [ // é 🦈\",\n  \"n\": 1e400,\n  \"m\": -0.0\n}\n",
    ),
];

#[test]
fn an_untouched_file_comes_back_byte_for_byte() {
    for (name, text) in SETTINGS {
        let world = World::new();
        World::write(&world.settings(), text);
        fs::set_permissions(world.settings(), fs::Permissions::from_mode(0o640)).expect("its mode");
        let before = world.everything();

        world.install();
        let installed = fs::read_to_string(world.settings()).expect("the settings");
        assert_ours_are_there(&world, &installed, name);
        let mode = fs::metadata(world.settings()).expect("the settings").permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{name}");

        world.uninstall();
        let mut after = world.everything();
        after.remove(&world.installation.root_toml());
        assert_eq!(after, before, "{name}");
    }
}

/// Also when the copy is gone: taking out is the inverse of putting in.
#[test]
fn without_its_copy_a_file_comes_back_too() {
    for (name, text) in SETTINGS {
        let world = World::new();
        World::write(&world.settings(), text);
        world.install();
        fs::remove_dir_all(world.installation.config_backups()).unwrap_or_default();
        world.uninstall();
        let left = fs::read_to_string(world.settings()).expect("the settings");
        let (left, expected) = match *name {
            "an empty file" | "white space" => (left.trim().to_owned(), "{}".to_owned()),
            "comments only" => (left.clone(), format!("{text}\n{{}}\n")),
            // White space alone between brackets is not remembered.
            _ => (without_hollows(&left), without_hollows(text)),
        };
        assert_eq!(left, expected, "{name}");
    }
}

fn without_hollows(text: &str) -> String {
    let mut bare = text.to_owned();
    for [open, close] in [["{", "}"], ["[", "]"]] {
        let mut out = String::new();
        for (index, piece) in bare.split(open).enumerate() {
            if index > 0 {
                out.push_str(open);
            }
            let trimmed = piece.trim_start();
            out.push_str(if trimmed.starts_with(close) { trimmed } else { piece });
        }
        bare = out;
    }
    bare
}

#[test]
fn installing_twice_changes_nothing() {
    for (name, text) in SETTINGS {
        let world = World::new();
        World::write(&world.settings(), text);
        world.install();
        let once = world.everything();
        assert!(world.plan().expect("a plan").is_empty(), "{name}");
        world.install();
        assert_eq!(world.everything(), once, "{name}");
    }
}

#[test]
fn what_did_not_exist_goes_again() {
    let world = World::new();
    let before = world.everything();
    let applied = world.install();
    assert!(applied.made_folders.contains(&world.home(".claude")), "{applied:?}");
    let mode = fs::metadata(world.settings()).expect("the settings").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let applied = world.uninstall();
    assert_eq!(applied.removed_folders, [world.home(".claude")]);
    let mut after = world.everything();
    after.remove(&world.installation.root_toml());
    assert_eq!(after, before);
}

#[test]
fn a_folder_of_ours_that_others_use_by_now_stays() {
    let world = World::new();
    world.install();
    World::write(&world.home(".claude/CLAUDE.md"), "mine");
    world.uninstall();
    assert!(!world.settings().exists());
    assert!(world.home(".claude/CLAUDE.md").exists());
}

#[test]
fn a_link_stays_a_link_and_its_target_is_edited() {
    let world = World::new();
    let target = world.home("dotfiles/claude.json");
    World::write(&target, "{\n  \"a\": 1\n}\n");
    fs::create_dir_all(world.home(".claude")).expect("a folder");
    symlink("../dotfiles/claude.json", world.settings()).expect("a link");
    let before = world.everything();

    world.install();
    assert!(fs::symlink_metadata(world.settings()).expect("the link").is_symlink());
    assert_ours_are_there(&world, &fs::read_to_string(&target).expect("the target"), "a link");
    world.uninstall();
    let mut after = world.everything();
    after.remove(&world.installation.root_toml());
    assert_eq!(after, before);
}

#[test]
fn a_link_to_nowhere_gets_its_target_and_loses_it_again() {
    let world = World::new();
    fs::create_dir_all(world.home(".claude")).expect("a folder");
    symlink(world.home("dotfiles.json"), world.settings()).expect("a link");
    world.install();
    assert!(world.home("dotfiles.json").is_file());
    world.uninstall();
    assert!(!world.home("dotfiles.json").exists());
    assert!(fs::symlink_metadata(world.settings()).expect("the link").is_symlink());
}

#[test]
fn of_a_file_that_was_touched_since_only_ours_go() {
    for (name, text) in SETTINGS {
        let world = World::new();
        World::write(&world.settings(), text);
        world.install();
        let installed = fs::read_to_string(world.settings()).expect("the settings");
        // Somebody adds a hook of their own behind ours, and a setting before everything.
        let extra = |text: &str| {
            let end = text.rfind(']').expect("a list");
            let mut touched = text.to_owned();
            touched.insert_str(end, ", {\"hooks\": [{\"type\": \"command\", \"command\": \"later\"}]}");
            let start = touched.find('{').expect("an object");
            touched.insert_str(start + 1, "\"later\": true, ");
            touched
        };
        let touched = extra(&installed);
        fs::write(world.settings(), &touched).expect("the settings");

        world.uninstall();
        let left = fs::read_to_string(world.settings()).expect("the settings");
        assert!(!left.contains("remora") && !left.contains("记忆"), "{name}: {left}");
        assert_eq!(parse(&left)["later"], true, "{name}");
        assert!(left.contains("\"command\": \"later\""), "{name}");
        let count =
            |text: &str| hook_groups::present(text.trim_start_matches('\u{feff}')).expect("hooks").len();
        assert_eq!(count(&left), count(text) + 1, "{name}");
    }
}

#[test]
fn hooks_of_others_keep_their_order_around_ours() {
    let world = World::new();
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "first"}]}]}}"#;
    World::write(&world.settings(), theirs);
    world.install();
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    let stop: Vec<_> = hook_groups::present(&installed)
        .expect("hooks")
        .into_iter()
        .filter(|entry| entry.event == "Stop")
        .map(|entry| entry.handler["command"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(stop[0], "first");
    assert!(stop[1].ends_with("/bin/claude-code/stop"), "{stop:?}");
}

#[test]
fn a_moved_configuration_folder_is_found() {
    let mut world = World::new();
    let folder = world.path().join("elsewhere");
    world.environment.variables.insert("CLAUDE_CONFIG_DIR".into(), folder.clone().into());
    world.install();
    assert!(folder.join("settings.json").is_file());
    assert!(!world.settings().exists());
}

#[test]
fn the_owner_of_a_file_stays() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let world = World::new();
    World::write(&world.settings(), "{}");
    // Only the superuser can give files away; for anyone else the group is what can be kept.
    let owner = chown(world.settings(), Some(12_345), Some(23_456))
        .map_or((None, None), |()| (Some(12_345), Some(23_456)));
    let before = fs::metadata(world.settings()).expect("the settings");
    world.install();
    let after = fs::metadata(world.settings()).expect("the settings");
    assert_ne!(after.ino(), before.ino());
    assert_eq!(
        (after.uid(), after.gid()),
        (owner.0.unwrap_or(before.uid()), owner.1.unwrap_or(before.gid()))
    );
}
