//! Codex and Gemini CLI: other files, other command forms, the same promises.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use remora_install::host::{Host, codex, gemini_cli};
use remora_install::{
    Error, HostReport, Installation, McpServer, Options, Outcome, ProofOptions, check, install, plan_install,
    prove,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::world::{World, installed_at, write_scripts};

fn options(installation: &Installation) -> Options {
    let server = McpServer { command: installation.command(), args: vec!["mcp".into()] };
    Options { mcp: Some(server), ..Options::default() }
}

fn wire_up(world: &World, host: &'static Host) {
    let options = options(&world.installation);
    install(&world.environment, &world.installation, &[host], &options).expect("the installation succeeds");
    let again = plan_install(&world.environment, &world.installation, &[host], &options).expect("a plan");
    assert!(again.is_empty(), "{}", again.diff());
}

fn report(world: &World, host: &'static Host) -> HostReport {
    check(&world.environment, &world.installation, &world.manifest(), host)
}

fn findings(world: &World, host: &'static Host) -> Vec<String> {
    report(world, host).findings.into_iter().map(|finding| world.plain(&finding.text)).collect()
}

#[test]
fn codex_gets_a_hooks_file_and_a_table_of_its_own() {
    let world = World::with_root("a root");
    let config = world.home(".codex/config.toml");
    let text = "model = \"gpt-5.5\" # mine\r\n\r\n[projects.\"/x\"]\r\ntrust_level = \"trusted\"\r\n";
    World::write(&config, text);
    wire_up(&world, &codex::HOST);

    let hooks = fs::read_to_string(world.home(".codex/hooks.json")).expect("the hooks");
    let end = hooks.find("\"UserPromptSubmit\"").expect("a second event");
    insta::assert_snapshot!(world.plain(&hooks[..end]), @r#"
    {
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/a root/bin/codex/session-start' --root '/a root'",
                "timeout": 10,
                "additionalContextLimit": 10000
              }
            ]
          }
        ],
    "#);
    let written = fs::read_to_string(&config).expect("the configuration");
    insta::assert_snapshot!(world.plain(&written.replace(text, "...\n")), @r#"
    ...

    [mcp_servers.remora]
    command = "/a root/bin/remora"
    args = ["mcp"]
    "#);
    assert_eq!(report(&world, &codex::HOST).mcp, Some(true));

    world.uninstall();
    assert_eq!(fs::read_to_string(&config).expect("the configuration"), text);
    assert!(!world.home(".codex/hooks.json").exists());
}

#[test]
fn codex_hooks_of_others_come_first_and_the_table_goes_from_a_touched_file() {
    let world = World::new();
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}"#;
    World::write(&world.home(".codex/hooks.json"), theirs);
    wire_up(&world, &codex::HOST);
    let hooks: Value =
        serde_json::from_str(&fs::read_to_string(world.home(".codex/hooks.json")).expect("the hooks"))
            .expect("JSON");
    assert_eq!(hooks["hooks"]["Stop"][0]["hooks"][0]["command"], "theirs");
    assert_eq!(hooks["hooks"]["Stop"].as_array().map(Vec::len), Some(2));

    let config = world.home(".codex/config.toml");
    let touched = fs::read_to_string(&config).expect("the configuration") + "\n[tui]\ntheme = \"dark\"\n";
    fs::write(&config, touched).expect("the configuration");
    world.uninstall();
    assert_eq!(fs::read_to_string(&config).expect("the configuration"), "\n[tui]\ntheme = \"dark\"\n");
    assert_eq!(fs::read_to_string(world.home(".codex/hooks.json")).expect("the hooks"), theirs);
}

#[test]
fn codex_must_be_told_to_trust() {
    let world = World::with_root("r");
    wire_up(&world, &codex::HOST);
    assert_eq!(report(&world, &codex::HOST).trusted, Some(false));
    assert_eq!(
        findings(&world, &codex::HOST),
        ["Codex was not told yet to trust these hooks, and passes them over"]
    );

    // What Codex writes when the person trusts: a table for each handler, by place, with a digest.
    let path = world.home(".codex/hooks.json");
    let bin = world.path().join("r/bin/codex");
    let root = world.path().join("r");
    let limit = "\"additionalContextLimit\":10000,";
    let mut states = String::new();
    for hook in codex::HOST.hooks {
        let snake = hook.executable.replace('-', "_");
        let command = format!("{}/{} --root {}", bin.display(), hook.executable, root.display());
        let limit = if hook.takes_context { limit } else { "" };
        let matcher = hook.matcher.map(|matcher| format!(",\"matcher\":\"{matcher}\"")).unwrap_or_default();
        let identity = format!(
            "{{\"event_name\":\"{snake}\",\"hooks\":[{{{limit}\"async\":false,\"command\":\"{command}\",\"timeout\":{},\"type\":\"command\"}}]{matcher}}}",
            hook.timeout
        );
        let digest = Sha256::digest(identity);
        let key = format!("{}:{snake}:0:0", path.display());
        writeln!(states, "[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:{digest:x}\"\n")
            .expect("a string grows");
    }
    let config = world.home(".codex/config.toml");
    let before = fs::read_to_string(&config).expect("the configuration");
    fs::write(&config, format!("{before}\n{states}")).expect("the configuration");
    assert_eq!(report(&world, &codex::HOST).trusted, Some(true));
    assert_eq!(findings(&world, &codex::HOST), [""; 0]);

    let distrusted =
        format!("{before}\n{}", states.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1));
    fs::write(&config, distrusted).expect("the configuration");
    assert_eq!(report(&world, &codex::HOST).trusted, Some(false));
}

#[test]
fn codex_settings_that_silence_hooks_are_found() {
    let world = World::with_root("r");
    let config = world.home(".codex/config.toml");
    World::write(&config, "[features]\nhooks = false\n");
    wire_up(&world, &codex::HOST);
    assert!(findings(&world, &codex::HOST).iter().any(|text| text.contains("`features.hooks` is off")));
    fs::write(&config, "[features\n").expect("the configuration");
    assert!(
        findings(&world, &codex::HOST).iter().any(|text| text.contains("config.toml:1:10 does not parse"))
    );
}

#[test]
fn gemini_has_hooks_and_server_in_one_file_with_comments() {
    let world = World::with_root("a root");
    let settings = world.home(".gemini/settings.json");
    let text = "{\n  // my theme\n  \"ui\": {\"theme\": \"Ayu\"}\n}\n";
    World::write(&settings, text);
    wire_up(&world, &gemini_cli::HOST);
    let written = fs::read_to_string(&settings).expect("the settings");
    let start = written.find("\"SessionEnd\"").expect("the last event");
    insta::assert_snapshot!(world.plain(&written[start..]), @r#"
    "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "[ -x '/a root/bin/gemini-cli/session-end' ] && '/a root/bin/gemini-cli/session-end' --root '/a root' || true",
                "timeout": 5000
              }
            ]
          }
        ]
      },
      "mcpServers": {
        "remora": {
          "command": "/a root/bin/remora",
          "args": ["mcp"]
        }
      }
    }
    "#);
    assert_eq!(report(&world, &gemini_cli::HOST).mcp, Some(true));
    assert_eq!(findings(&world, &gemini_cli::HOST), [""; 0]);

    let touched = written.replacen("Ayu", "Dracula", 1);
    fs::write(&settings, &touched).expect("the settings");
    world.uninstall();
    assert_eq!(fs::read_to_string(&settings).expect("the settings"), text.replace("Ayu", "Dracula"));

    fs::write(&settings, text).expect("the settings");
    wire_up(&world, &gemini_cli::HOST);
    world.uninstall();
    assert_eq!(fs::read_to_string(&settings).expect("the settings"), text);
}

#[test]
fn a_comma_that_gemini_does_not_take_is_named_before_and_after() {
    let world = World::new();
    let settings = world.home(".gemini/settings.json");
    World::write(&settings, "{\n  \"ui\": {},\n}\n");
    let options = Options::default();
    let plan = plan_install(&world.environment, &world.installation, &[&gemini_cli::HOST], &options)
        .expect("a plan");
    let notes: Vec<_> = plan.notes().iter().map(|note| world.plain(&note.text)).collect();
    assert!(
        notes[0].ends_with("trailing commas are not allowed, so Gemini CLI does not read this file"),
        "{notes:?}"
    );
    wire_up(&world, &gemini_cli::HOST);
    assert!(findings(&world, &gemini_cli::HOST)[0].contains("trailing commas are not allowed"));
}

#[test]
fn a_server_that_is_not_asked_for_again_is_still_ours() {
    let world = World::new();
    wire_up(&world, &gemini_cli::HOST);
    install(&world.environment, &world.installation, &[&gemini_cli::HOST], &Options::default())
        .expect("again");
    assert_eq!(report(&world, &gemini_cli::HOST).mcp, Some(true));
    world.uninstall();
    assert!(!world.home(".gemini").exists());
}

#[test]
fn gemini_entries_survive_a_missing_executable() {
    let world = World::new();
    wire_up(&world, &gemini_cli::HOST);
    fs::remove_dir_all(world.installation.bin()).expect("the executables");
    for record in &world.manifest().files {
        for entry in record.hooks() {
            let output = Command::new("/bin/sh").args(["-c", &entry.command]).output().expect("sh runs");
            assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
        }
    }
}

#[test]
fn gemini_settings_that_silence_hooks_are_found() {
    let world = World::new();
    World::write(&world.home(".gemini/settings.json"), "{\"hooksConfig\": {\"enabled\": false}}");
    wire_up(&world, &gemini_cli::HOST);
    assert_eq!(
        findings(&world, &gemini_cli::HOST),
        ["`hooksConfig.enabled` is off in settings.json, so no hook runs"]
    );
}

#[test]
fn a_root_that_gemini_would_expand_is_refused() {
    let world = World::new();
    let installation = installed_at(&world.path().join("of $HOME"));
    let result = plan_install(&world.environment, &installation, &[&gemini_cli::HOST], &Options::default());
    assert!(matches!(result, Err(Error::UnwritablePath(_))));
}

#[test]
fn shell_entries_are_proved_through_the_shell() {
    let world = World::that_runs("it's a \"root\"/记忆 & more");
    let seen = world.path().join("seen");
    for host in [&codex::HOST, &gemini_cli::HOST] {
        wire_up(&world, host);
        let executables: Vec<_> =
            host.hooks.iter().map(|hook| world.installation.executable(host.id, hook.executable)).collect();
        write_scripts(&executables, &format!("cat >/dev/null; printf '%s\\n' \"$@\" >>'{}'", seen.display()));
        let options = ProofOptions { cwd: world.path().to_owned(), limit: Duration::from_mins(1) };
        let proofs = prove(&world.environment, &world.installation, &world.manifest(), &[host], &options);
        assert_eq!(proofs.len(), host.hooks.len());
        assert!(proofs.iter().all(|proof| matches!(proof.outcome, Outcome::Passed { .. })), "{proofs:?}");
        let seen_text = fs::read_to_string(&seen).expect("what the hooks saw");
        let expected = format!("--root\n{}\n", world.installation.root().display()).repeat(host.hooks.len());
        assert_eq!(seen_text, expected);
        fs::remove_file(&seen).expect("the file");
    }
}

/// A shell line that only begins like ours could do anything.
#[test]
fn a_shell_line_that_goes_on_is_not_run() {
    let world = World::with_root("r");
    wire_up(&world, &codex::HOST);
    let trap = world.path().join("sprung");
    let more = format!("{} ; touch {}", "--root", trap.display());
    for file in [world.home(".codex/hooks.json"), world.installation.manifest()] {
        let text = fs::read_to_string(&file).expect("a file");
        fs::write(&file, text.replace("--root", &more)).expect("a file");
    }
    let options = ProofOptions { cwd: Path::new("/").to_owned(), limit: Duration::from_mins(1) };
    let proofs = prove(&world.environment, &world.installation, &world.manifest(), &[&codex::HOST], &options);
    assert!(proofs.iter().all(|proof| {
        proof.outcome == Outcome::NotRun { why: "it is not what this version writes".into() }
    }));
    assert!(!trap.exists());
}
