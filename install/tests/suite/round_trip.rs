//! Installing and uninstalling gives the person's file back.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use remora_install::edit::json::{Document, hook_groups};
use remora_install::{Before, Error, McpServer, Options, install, uninstall};
use serde_json::Value;

use crate::world::{World, hosts, installed_at};

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
fn an_upgrade_replaces_only_ours_in_place() {
    let world = World::new();
    World::write(&world.settings(), "{\n  \"a\": 1\n}\n");
    world.install();
    let installed = fs::read_to_string(world.settings()).expect("the settings");
    // As an older version might have written it: another limit, another argument, an event of old.
    let mut older = installed.replacen("\"timeout\": 10", "\"timeout\": 99", 1).replacen(
        "\"PreCompact\"",
        "\"PreToolUse\"",
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

#[test]
fn a_newer_manifest_is_not_touched() {
    let world = World::new();
    World::write(&world.installation.manifest(), "{\"format\": 2, \"shape\": \"unknown\"}");
    assert!(matches!(world.plan(), Err(Error::NewerManifest { format: 2, known: 1, .. })));
    assert!(matches!(world.plan_removal(), Err(Error::NewerManifest { .. })));
}

#[test]
fn an_mcp_server_is_registered_only_when_asked_and_goes_again() {
    let world = World::new();
    let state = world.home(".claude.json");
    let text = "{\"numStartups\":12,\"projects\":{\"/x\":{\"mcpServers\":{}}},\"mcpServers\":{\"other\":{\"command\":\"o\"}}}";
    World::write(&state, text);
    world.install();
    assert_eq!(fs::read_to_string(&state).expect("the state"), text);

    let server = McpServer { command: world.installation.command(), args: vec!["mcp".into()] };
    let options = Options { mcp: Some(server), ..Options::default() };
    world.install_with(&options);
    let value = parse(&fs::read_to_string(&state).expect("the state"));
    assert_eq!(value["mcpServers"]["remora"]["args"], serde_json::json!(["mcp"]));
    assert_eq!(value["mcpServers"]["other"]["command"], "o");
    assert_eq!(value["projects"]["/x"]["mcpServers"], serde_json::json!({}));

    // The host writes its file all the time.
    let written = fs::read_to_string(&state).expect("the state").replacen("12", "13", 1);
    fs::write(&state, written).expect("the state");
    world.uninstall();
    assert_eq!(fs::read_to_string(&state).expect("the state"), text.replacen("12", "13", 1));
}

#[test]
fn another_server_of_our_name_is_left_alone() {
    let world = World::new();
    let text = "{\"mcpServers\": {\"remora\": {\"command\": \"/usr/bin/other-remora\"}}}";
    World::write(&world.home(".claude.json"), text);
    let server = McpServer { command: world.installation.command(), args: vec![] };
    let options = Options { mcp: Some(server), ..Options::default() };
    let plan = remora_install::plan_install(&world.environment, &world.installation, &hosts(), &options)
        .expect("a plan");
    assert!(plan.notes().iter().any(|note| note.text.contains("another MCP server called remora")));
    world.install_with(&options);
    world.uninstall();
    assert_eq!(fs::read_to_string(world.home(".claude.json")).expect("the state"), text);
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

fn parse(text: &str) -> Value {
    Document::parse(text.trim_start_matches('\u{feff}')).expect("JSON").value().expect("a value")
}

/// Every hook is there once, starts its executable with the root, and stands last in its event.
fn assert_ours_are_there(world: &World, text: &str, name: &str) {
    let entries = hook_groups::present(text.trim_start_matches('\u{feff}')).expect("hooks");
    for hook in hosts()[0].hooks {
        let of_event: Vec<_> = entries.iter().filter(|entry| entry.event == hook.event).collect();
        let executable = world.installation.executable("claude-code", hook.executable);
        let last = of_event.last().expect("an entry");
        assert_eq!(last.handler["command"], executable.to_str().expect("Unicode"), "{name}: {}", hook.event);
        assert_eq!(last.handler["args"][1], world.installation.root().to_str().expect("Unicode"), "{name}");
        let ours = of_event.iter().filter(|entry| entry.handler == last.handler).count();
        assert_eq!(ours, 1, "{name}: {}", hook.event);
    }
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
