//! What `doctor` finds.

#![expect(clippy::too_many_lines, reason = "a table of faults")]

use std::fs;
use std::path::PathBuf;

use remora_install::host::claude_code::MANAGED_FOLDER;
use remora_install::{HostReport, McpServer, Options, check};

use crate::world::{ROOT, World, hosts, installed_at, write_scripts};

fn report(world: &World) -> HostReport {
    check(&world.environment, &world.installation, &world.manifest(), hosts()[0])
}

fn findings(world: &World) -> Vec<String> {
    let plain = |text: &str| world.plain(text);
    report(world).findings.iter().map(|f| format!("{} -> {}", plain(&f.text), plain(&f.next))).collect()
}

#[test]
fn a_machine_without_the_host() {
    let world = World::new();
    let report = report(&world);
    assert!(!report.found && !report.installed && !report.current);
    assert_eq!(report.findings, []);
}

#[test]
fn a_fresh_installation_is_in_order() {
    let world = World::new();
    world.install();
    let report = report(&world);
    assert!(report.found && report.installed && report.current, "{report:?}");
    assert_eq!((report.trusted, report.mcp), (None, Some(false)));
    assert_eq!(report.findings, []);
}

#[test]
fn the_version_is_what_the_command_says() {
    let cases = [
        ("echo '2.1.332 (Claude Code)'", Some("2.1.332")),
        ("echo 'claude v0.61.0-beta'", Some("0.61.0-beta")),
        ("echo no idea", None),
        ("echo 1.0; exit 1", None),
        ("cat >&2; env", None),
    ];
    for (body, version) in cases {
        let mut world = World::that_runs(ROOT);
        let folder = world.home("some bin");
        write_scripts(&[folder.join("claude")], body);
        let path = std::env::join_paths([folder.as_path(), "/usr/bin".as_ref(), "/bin".as_ref()])
            .expect("a path list");
        world.environment.variables.insert("PATH".into(), path);
        let report = report(&world);
        assert!(report.found, "{body}");
        assert_eq!(report.version.as_deref(), version, "{body}");
    }
}

#[test]
fn the_version_of_a_package_needs_no_start() {
    let mut world = World::new();
    let package = world.home("lib/node_modules/@anthropic-ai/claude-code");
    write_scripts(&[package.join("bin/claude.exe")], "echo 9.9.9");
    World::write(
        &package.join("package.json"),
        r#"{"bin": {"claude": "bin/claude.exe"}, "version": "2.1.332"}"#,
    );
    World::write(&package.join("bin/package.json"), r#"{"bin": {"other": "x"}, "version": "0.0.1"}"#);
    let link = world.home("bin/claude");
    fs::create_dir_all(world.home("bin")).expect("a folder");
    std::os::unix::fs::symlink(package.join("bin/claude.exe"), &link).expect("a link");
    world.environment.variables.insert("PATH".into(), world.home("bin").into());
    assert_eq!(report(&world).version.as_deref(), Some("2.1.332"));
}

#[test]
fn a_command_outside_the_path_is_found_in_its_usual_place() {
    let world = World::that_runs(ROOT);
    write_scripts(&[world.home(".local/bin/claude")], "echo 2.0.1");
    assert_eq!(report(&world).version.as_deref(), Some("2.0.1"));
}

#[test]
fn a_registered_server_is_seen() {
    let world = World::new();
    let server = McpServer { command: world.installation.command(), args: vec!["mcp".into()] };
    world.install_with(&Options { mcp: Some(server), ..Options::default() });
    assert_eq!(report(&world).mcp, Some(true));
}

#[test]
fn each_fault_is_named_with_what_to_do() {
    type Fault = fn(&mut World);
    let cases: [(Fault, &str); 15] = [
        (
            |world| {
                change(world, "\"Stop\"", "\"Halt\"");
                change(world, "\"PreCompact\"", "\"Notification\"");
            },
            "hooks are missing: PreCompact, Stop -> run `remora install claude-code`\n\
             hooks are there that are not needed: Halt, Notification -> run `remora install claude-code`",
        ),
        (
            |world| change(world, "\"timeout\": 10", "\"timeout\": 600"),
            "hooks are of another version: SessionStart -> run `remora install claude-code`",
        ),
        (
            |world| change(world, "\"matcher\": \"^mcp__", "\"matcher\": \"^.*mcp__"),
            "hooks are of another version: PreToolUse -> run `remora install claude-code`",
        ),
        (
            |world| {
                let text = fs::read_to_string(world.settings()).expect("the settings");
                let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                let group = value["hooks"]["Stop"][0].clone();
                value["hooks"]["Stop"].as_array_mut().expect("a list").push(group);
                fs::write(world.settings(), value.to_string()).expect("the settings");
            },
            "hooks are there twice: Stop -> run `remora install claude-code`",
        ),
        (
            |world| {
                fs::remove_file(world.installation.executable("claude-code", "stop")).expect("an executable");
            },
            "executables are missing: /data root/记忆/bin/claude-code/stop -> build them with `install/build.sh claude-code` or run `install/install.sh`",
        ),
        (
            |world| fs::write(world.settings(), "{}").expect("the settings"),
            "the hooks that were written into /home/.claude/settings.json are gone -> run `remora install claude-code`",
        ),
        (
            |world| fs::write(world.settings(), "{").expect("the settings"),
            "/home/.claude/settings.json:1:1 does not parse: unterminated object -> fix /home/.claude/settings.json or move it away, then run the command again; it was left as it is",
        ),
        (
            |world| change(world, "{", "{\n  // mine\n  \"disableAllHooks\": true,"),
            "`disableAllHooks` is set in settings.json, so no hook runs -> take it out to use Remora with Claude Code\n\
             /home/.claude/settings.json:2:3: comments are not allowed, so Claude Code does not read this file -> take it out",
        ),
        (
            |world| {
                let file = managed(world).join("managed-settings.d/10-hooks.json");
                World::write(&file, "{\"allowManagedHooksOnly\": true}");
                World::write(&file.with_extension("txt"), "{\"disableAllHooks\": true}");
            },
            "`allowManagedHooksOnly` is set in /etc/MANAGED/managed-settings.d/10-hooks.json, so hooks of yours do not run -> ask who manages this machine",
        ),
        (
            |world| {
                World::write(&managed(world).join("managed-settings.json"), "{\"disableAllHooks\": true}");
            },
            "`disableAllHooks` is set in /etc/MANAGED/managed-settings.json, so hooks of yours do not run -> ask who manages this machine",
        ),
        (
            |world| {
                world.environment.variables.insert("CLAUDE_CODE_SAFE_MODE".into(), "1".into());
            },
            "CLAUDE_CODE_SAFE_MODE is set in this shell, and Claude Code runs no hooks then -> unset CLAUDE_CODE_SAFE_MODE",
        ),
        (
            |world| change(world, "{", "{\"autoMemoryEnabled\": false,"),
            "Claude Code's own memory is switched off -> keep it on: Remora works beside it",
        ),
        (
            |world| {
                let other = installed_at(&world.path().join("other"));
                remora_install::install(&world.environment, &other, &hosts(), &Options::default())
                    .expect("it installs");
            },
            "another installation, /other, has hooks for Claude Code too -> run `/other/bin/remora uninstall claude-code` if it is not needed",
        ),
        (
            |world| {
                let other = installed_at(&world.path().join("other"));
                remora_install::install(&world.environment, &other, &hosts(), &Options::default())
                    .expect("it installs");
                fs::remove_dir_all(other.root()).expect("a folder");
            },
            "hooks of an installation that is gone, /other, are still there -> take these entries out of the file",
        ),
        (
            |world| {
                let moved = world.path().join("elsewhere");
                let settings = fs::read(world.settings()).expect("the settings");
                World::write(&moved.join("settings.json"), settings);
                fs::remove_dir_all(&moved).expect("a folder");
                world.environment.variables.insert("CLAUDE_CONFIG_DIR".into(), moved.into());
            },
            "the hooks that were written into /elsewhere/settings.json are gone -> run `remora install claude-code`",
        ),
    ];
    for (fault, expected) in cases {
        let mut world = World::new();
        world.install();
        fault(&mut world);
        assert_eq!(findings(&world).join("\n"), expected.replace("MANAGED", MANAGED_FOLDER));
    }
}

fn managed(world: &World) -> PathBuf {
    world.environment.system.join(MANAGED_FOLDER)
}

fn change(world: &World, from: &str, to: &str) {
    let text = fs::read_to_string(world.settings()).expect("the settings");
    assert!(text.contains(from), "{from}");
    fs::write(world.settings(), text.replacen(from, to, 1)).expect("the settings");
}
