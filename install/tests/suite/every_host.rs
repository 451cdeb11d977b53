//! All hosts in one home: what each had before it has afterwards, whatever became of the others.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use remora_install::host::{CommandForm, Host};
use remora_install::{
    Error, FileRecord, HOSTS, McpServer, Options, Plan, check, install, plan_install, plan_uninstall,
    uninstall,
};

use crate::world::World;

/// A file of a person's.
struct Theirs {
    host: &'static str,
    file: &'static str,
    text: &'static str,
}

/// What people and other tools have in the files that are written: hooks of others, comments where the host takes
/// them, servers of others.
const THEIRS: &[Theirs] = &[
    Theirs {
        host: "claude-code",
        file: ".claude/settings.json",
        text: "{\n  \"model\": \"opus\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n}\n",
    },
    Theirs {
        host: "claude-code",
        file: ".claude.json",
        text: "{\"mcpServers\":{\"db\":{\"command\":\"db\"}},\"numStartups\":3}",
    },
    Theirs {
        host: "codex",
        file: ".codex/hooks.json",
        text: "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}}",
    },
    Theirs {
        host: "codex",
        file: ".codex/config.toml",
        text: "# mine\nmodel = \"gpt-5.5\" # best\n\n[mcp_servers.db]\ncommand = \"db\"\n",
    },
    Theirs {
        host: "gemini-cli",
        file: ".gemini/settings.json",
        text: "{\n  // signed in\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}\n}\n",
    },
    Theirs {
        host: "qwen-code",
        file: ".qwen/settings.json",
        text: "{\n\t// mine\n\t\"hooks\": {\n\t\t\"UserPromptSubmit\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say\", \"timeout\": 900}]}\n\t\t]\n\t},\n\t\"mcpServers\": {\"db\": {\"command\": \"db\"}}\n}\n",
    },
    Theirs {
        host: "opencode",
        file: ".config/opencode/opencode.jsonc",
        text: "{\n  // mine\n  \"model\": \"x/y\",\n  \"mcp\": {\n    \"db\": {\"type\": \"local\", \"command\": [\"db\"]} // the best\n  }\n}\n",
    },
    // Nobody has a file of this name, but somebody may have put a hook of theirs into it.
    Theirs {
        host: "copilot-cli",
        file: ".copilot/hooks/remora.json",
        text: "{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [{\"type\": \"command\", \"bash\": \"say hello\"}]\n  }\n}\n",
    },
    Theirs {
        host: "copilot-cli",
        file: ".copilot/mcp-config.json",
        text: "{\n  \"mcpServers\": {\n    \"db\": {\"type\": \"local\", \"command\": \"db\", \"args\": [], \"tools\": [\"*\"]}\n  }\n}\n",
    },
];

/// How a text is written.
type Manner = fn(&str) -> String;

/// How else people's editors write a text.
const MANNERS: &[(&str, Manner)] = &[
    ("as it is", str::to_owned),
    ("Windows line ends", |text| text.replace('\n', "\r\n")),
    ("a byte order mark", |text| format!("\u{feff}{text}")),
    ("no final line end", |text| text.trim_end().to_owned()),
];

fn all() -> Vec<&'static Host> {
    HOSTS.to_vec()
}

fn options(world: &World) -> Options {
    let server = McpServer { command: world.installation.command(), args: vec!["mcp".into()] };
    Options { mcp: Some(server), ..Options::default() }
}

fn plan(world: &World) -> Result<Plan, Error> {
    plan_install(&world.environment, &world.installation, &all(), &options(world))
}

fn wire_up(world: &World) {
    install(&world.environment, &world.installation, &all(), &options(world)).expect("the installation");
}

fn with_files(manner: Manner) -> World {
    let world = World::new();
    for theirs in THEIRS {
        World::write(&world.home(theirs.file), manner(theirs.text));
    }
    world
}

fn assert_as_before(world: &World, before: &std::collections::BTreeMap<PathBuf, (u32, String)>, name: &str) {
    let mut after = world.everything();
    after.remove(&world.installation.root_toml());
    assert_eq!(after, *before, "{name}");
}

#[test]
fn every_file_comes_back_byte_for_byte() {
    for (name, manner) in MANNERS {
        let world = with_files(*manner);
        let before = world.everything();
        wire_up(&world);
        for theirs in THEIRS {
            let text = fs::read_to_string(world.home(theirs.file)).expect("a file");
            assert_ne!(text, manner(theirs.text), "{name}: {}", theirs.file);
        }
        for host in HOSTS {
            let report = check(&world.environment, &world.installation, &world.manifest(), host);
            assert!(report.installed && report.current, "{name}: {report:#?}");
            assert_eq!(report.mcp, host.mcp.as_ref().map(|_| true), "{name}: {}", host.id);
        }
        let again = plan(&world).expect("a plan");
        assert!(again.is_empty(), "{name}: {}", again.diff());
        world.uninstall();
        assert_as_before(&world, &before, name);
    }
}

#[test]
fn in_an_empty_home_nothing_is_left() {
    let world = World::new();
    let before = world.everything();
    wire_up(&world);
    for host in HOSTS {
        assert!(host.hooks_path(&world.environment).is_file(), "{}", host.id);
    }
    world.uninstall();
    assert_as_before(&world, &before, "an empty home");
}

#[test]
fn each_goes_alone_and_the_others_stay() {
    for gone in HOSTS {
        let world = with_files(str::to_owned);
        wire_up(&world);
        let only = [gone.id.to_owned()];
        uninstall(&world.environment, &world.installation, Some(&only)).expect("a removal");
        for host in HOSTS {
            let report = check(&world.environment, &world.installation, &world.manifest(), host);
            assert_eq!(report.installed, host.id != gone.id, "{} without {}", host.id, gone.id);
        }
        for theirs in THEIRS.iter().filter(|theirs| theirs.host == gone.id) {
            assert_eq!(fs::read_to_string(world.home(theirs.file)).expect("a file"), theirs.text);
        }
    }
}

#[test]
fn of_files_that_were_touched_since_only_ours_go() {
    let world = with_files(str::to_owned);
    wire_up(&world);
    for theirs in THEIRS {
        let text = fs::read_to_string(world.home(theirs.file)).expect("a file");
        fs::write(world.home(theirs.file), format!("{text}\n")).expect("a file");
    }
    fs::remove_dir_all(world.installation.config_backups()).unwrap_or_default();
    world.uninstall();
    for theirs in THEIRS {
        let text = fs::read_to_string(world.home(theirs.file)).expect("a file");
        assert_eq!(text.trim_end(), theirs.text.trim_end(), "{}", theirs.file);
    }
}

#[test]
fn one_file_that_does_not_parse_stops_everything_and_is_named() {
    for theirs in THEIRS {
        let world = with_files(str::to_owned);
        World::write(&world.home(theirs.file), "{ = [");
        let before = world.everything();
        let error = plan(&world).expect_err("the file does not parse").to_string();
        assert!(error.contains(theirs.file), "{}: {error}", theirs.file);
        assert_eq!(world.everything(), before, "{}", theirs.file);
    }
}

#[test]
fn a_failure_at_any_step_puts_everything_back() {
    let world = with_files(str::to_owned);
    let before = world.everything();
    let mut failed = 0;
    loop {
        let mut step = 0;
        let result = plan(&world).expect("a plan").apply_watched(&mut |_| {
            step += 1;
            if step > failed { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
        });
        if result.is_ok() {
            break;
        }
        assert_eq!(world.everything(), before, "step {failed}");
        failed += 1;
    }
    assert!(failed > THEIRS.len() * 2, "only {failed} steps");
}

#[test]
fn entries_of_another_version_are_replaced_and_nothing_else() {
    let world = with_files(str::to_owned);
    let before = world.everything();
    wire_up(&world);
    let current = world.everything();
    for host in HOSTS {
        let path = host.hooks_path(&world.environment);
        let text = fs::read_to_string(&path).expect("a file");
        let root = "--root";
        assert!(text.contains(root), "{}: {text}", host.id);
        fs::write(&path, text.replace(root, "--old --root")).expect("a file");
        let report = check(&world.environment, &world.installation, &world.manifest(), host);
        assert!(report.installed && !report.current, "{report:#?}");
    }
    wire_up(&world);
    let mut again = world.everything();
    let mut expected = current;
    // What is recorded of the files is not what it was.
    again.remove(&world.installation.manifest());
    expected.remove(&world.installation.manifest());
    assert_eq!(again, expected);
    world.uninstall();
    assert_as_before(&world, &before, "upgraded");
}

/// The programs go last, but a host may run while they go.
#[test]
fn a_guarded_entry_survives_its_missing_program() {
    let world = World::new();
    wire_up(&world);
    fs::remove_dir_all(world.installation.bin()).expect("the executables");
    let mut guarded = 0;
    for host in HOSTS.iter().filter(|host| host.form == CommandForm::Guarded) {
        for entry in world.manifest().of_host(host.id).flat_map(FileRecord::hooks) {
            let output = Command::new("/bin/sh").args(["-c", &entry.command]).output().expect("sh runs");
            assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
            guarded += 1;
        }
    }
    assert!(guarded > 4);
}

#[test]
fn a_file_of_our_own_says_what_its_host_wants_and_goes_when_nothing_else_is_in_it() {
    let world = World::with_root("r");
    wire_up(&world);
    let path = world.home(".copilot/hooks/remora.json");
    let text = fs::read_to_string(&path).expect("the hooks");
    let end = text.find("\"UserPromptSubmit\"").expect("a second event");
    insta::assert_snapshot!(world.plain(&text[..end]), @r#"
    {
      "version": 1,
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "[ -x /r/bin/copilot-cli/session-start ] && /r/bin/copilot-cli/session-start --root /r || true",
                "timeout": 10
              }
            ]
          }
        ],
    "#);
    let servers = fs::read_to_string(world.home(".copilot/mcp-config.json")).expect("the servers");
    insta::assert_snapshot!(world.plain(&servers), @r#"
    {
      "mcpServers": {
        "remora": {
          "type": "local",
          "command": "/r/bin/remora",
          "args": ["mcp"],
          "tools": ["*"]
        }
      }
    }
    "#);
    // Also where it was touched, and what was before is not known any more.
    fs::write(&path, text.replacen('{', "{ ", 1)).expect("the hooks");
    world.uninstall();
    assert!(!path.exists());
    assert!(!world.home(".copilot").exists());
}

#[test]
fn hooks_that_are_switched_off_in_general_are_found() {
    let world = World::new();
    World::write(&world.home(".copilot/settings.json"), "{\n  // for now\n  \"disableAllHooks\": true\n}\n");
    World::write(&world.home(".qwen/settings.json"), "{\"disableAllHooks\": true}");
    wire_up(&world);
    for (host, file) in [("copilot-cli", ".copilot/settings.json"), ("qwen-code", "settings.json")] {
        let host = Host::by_id(host).expect("a host");
        let report = check(&world.environment, &world.installation, &world.manifest(), host);
        let said: Vec<_> = report.findings.iter().map(|finding| world.plain(&finding.text)).collect();
        assert!(
            said.len() == 1 && said[0].starts_with("`disableAllHooks` is on in ") && said[0].contains(file),
            "{said:?}"
        );
    }
}

#[test]
fn taking_out_is_planned_for_all_at_once() {
    let world = with_files(str::to_owned);
    wire_up(&world);
    let removal = plan_uninstall(&world.environment, &world.installation, None).expect("a plan");
    for theirs in THEIRS {
        let path = world.home(theirs.file);
        assert!(removal.edits().iter().any(|edit| edit.path == path), "{}", theirs.file);
    }
}

#[test]
fn a_plugin_is_a_file_of_ours_alone() {
    let world = World::with_root("a root");
    let before = world.everything();
    wire_up(&world);
    let path = world.home(".config/opencode/plugin/remora.js");
    let text = fs::read_to_string(&path).expect("the plugin");
    let line = text.lines().find(|line| line.starts_with("const REMORA")).expect("its line");
    insta::assert_snapshot!(world.plain(line), @r#"const REMORA = {"program":"/a root/bin/opencode/hook","arguments":["--root","/a root"],"patience":2000}"#);
    let servers = fs::read_to_string(world.home(".config/opencode/opencode.json")).expect("the servers");
    insta::assert_snapshot!(world.plain(&servers), @r#"
    {
      "mcp": {
        "remora": {
          "type": "local",
          "command": ["/a root/bin/remora", "mcp"],
          "enabled": true
        }
      }
    }
    "#);
    // Also where somebody changed it: it is ours, and a copy stays.
    fs::write(&path, text.clone() + "// mine\n").expect("the plugin");
    world.uninstall();
    assert_as_before(&world, &before, "a touched plugin");
    let copies = fs::read_dir(world.installation.config_backups()).expect("backups").count();
    assert!(copies > 0);
}

#[test]
fn a_plugin_of_somebody_else_is_left_alone() {
    let world = World::new();
    let path = world.home(".config/opencode/plugin/remora.js");
    World::write(&path, "export const Fish = async () => ({})\n");
    let before = world.everything();
    let error = plan(&world).expect_err("it is not ours").to_string();
    assert!(error.contains("plugin/remora.js") && error.contains("it is not Remora's plugin"), "{error}");
    assert_eq!(world.everything(), before);
}

#[test]
fn what_spares_a_download_is_written_only_where_nothing_of_it_is() {
    for there in ["package.json", "package-lock.json", "node_modules/zod/index.js"] {
        let world = World::new();
        World::write(&world.home(".config/opencode").join(there), "{}");
        wire_up(&world);
        let made = world.manifest().of_host("opencode").filter(|record| record.entries.is_empty()).count();
        assert_eq!(made, 0, "{there}");
    }
    let world = World::new();
    wire_up(&world);
    let lock = world.home(".config/opencode/package-lock.json");
    assert!(lock.is_file() && world.home(".config/opencode/node_modules").is_dir());
    // What became of it since is the host's.
    fs::write(&lock, "{\"packages\": {}}").expect("the lock");
    let again = plan(&world).expect("a plan");
    assert!(again.is_empty(), "{}", again.diff());
    world.uninstall();
    assert_eq!(fs::read_to_string(&lock).expect("the lock"), "{\"packages\": {}}");
    assert!(!world.home(".config/opencode/node_modules").exists());
}
