//! `build.sh` and `install.sh`, with a made-up toolchain: what they ask of it, and what they leave where.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::world::{World, write_scripts};

/// What the scripts may use besides the toolchain.
const TOOLS: &[&str] = &[
    "basename", "cat", "chmod", "cp", "dirname", "find", "head", "mkdir", "mv", "printf", "rm", "sed", "sh",
    "sort", "tr", "uname", "wc",
];

/// A source tree with the scripts and two adapters, and a folder that is the whole PATH.
struct Tree {
    folder: TempDir,
}

struct Ran {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Tree {
    fn new() -> Self {
        let tree = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR"));
        for script in ["build.sh", "install.sh"] {
            let text = fs::read_to_string(scripts.join(script)).expect("the script");
            World::write(&tree.path("src tree/install").join(script), text);
        }
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(tree.path("src tree/install/build.sh"), executable).expect("its mode");
        World::write(&tree.path("src tree/Cargo.toml"), "[workspace.package]\nrust-version = \"1.95\"\n");
        for (host, events) in
            [("claude-code", ["session-start", "stop"]), ("codex", ["session-start", "stop"])]
        {
            let bins = events.map(|event| format!("[[bin]]\nname = \"remora-{host}-{event}\"\n\n")).concat();
            let text = format!("[package]\nname = \"remora-{host}\"\n\n{bins}");
            World::write(&tree.path("src tree/adapters").join(host).join("Cargo.toml"), text);
        }
        World::write(
            &tree.path("src tree/adapters/dialect/Cargo.toml"),
            "[package]\nname = \"remora-dialect\"\n",
        );
        fs::create_dir(tree.path("tools")).expect("a folder");
        for tool in TOOLS {
            let real = ["/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(tool));
            let real = real.into_iter().find(|path| path.exists());
            // Some are built into the shell alone.
            if let Some(real) = real {
                symlink(real, tree.path("tools").join(tool)).expect("a link");
            }
        }
        tree.tool("cc", "exit 1");
        tree.tool("rustc", "echo 'rustc 1.97.1 (abc 2026-10-01)'");
        tree.tool("cargo", CARGO);
        tree.has_hosts(&["claude-code"]);
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, name: &str, body: &str) {
        write_scripts(&[self.path("tools").join(name)], body);
    }

    /// What `remora hosts --json` will say is here.
    fn has_hosts(&self, found: &[&str]) {
        let hosts: Vec<_> = ["claude-code", "codex", "gemini-cli"]
            .iter()
            .map(|host| {
                format!(
                    "    {{\n      \"host\": \"{host}\",\n      \"name\": \"A {host}\",\n      \"found\": {},\n      \"events\": []\n    }}",
                    found.contains(host)
                )
            })
            .collect();
        World::write(
            &self.path("hosts.json"),
            format!("{{\n  \"hosts\": [\n{}\n  ]\n}}\n", hosts.join(",\n")),
        );
    }

    fn run(&self, script: &str, args: &[&str]) -> Ran {
        let output = Command::new("/bin/sh")
            .arg(self.path("src tree/install").join(script))
            .args(args)
            .env_clear()
            .env("PATH", self.path("tools"))
            .env("HOME", self.path("home"))
            .env("FOLDER", self.folder.path())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("sh runs");
        let text = |bytes: Vec<u8>| {
            String::from_utf8_lossy(&bytes).replace(&self.folder.path().display().to_string(), "")
        };
        Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// What the toolchain and the command were asked, one line each.
    fn log(&self) -> String {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        log.replace(&self.folder.path().display().to_string(), "")
    }

    fn files_below(&self, name: &str) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(name)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path.strip_prefix(self.path(name)).expect("below").display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

/// Makes executables that say what they were asked.
const CARGO: &str = r#"echo "cargo $*" >>"$FOLDER/log"
case "$*" in
    *'-p remora '*)
        mkdir -p "$CARGO_TARGET_DIR/release"
        cat >"$CARGO_TARGET_DIR/release/remora" <<'END'
#!/bin/sh
echo "remora $*" >>"$FOLDER/log"
case "$*" in *hosts*) while read -r line; do echo "$line"; done <"$FOLDER/hosts.json" ;; esac
case "$*" in *"${REFUSES:-nothing}"*) exit 1 ;; esac
END
        chmod 755 "$CARGO_TARGET_DIR/release/remora"
        ;;
    *)
        mkdir -p "$CARGO_TARGET_DIR/hook"
        for host in claude-code codex; do
            for event in session-start stop; do echo hook >"$CARGO_TARGET_DIR/hook/remora-$host-$event"; done
        done
        ;;
esac"#;

#[test]
fn everything_is_built_installed_wired_up_and_proved() {
    let tree = Tree::new();
    let ran = tree.run("install.sh", &["--yes", "--root", "my data/记忆"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert_eq!(
        tree.files_below("my data/记忆"),
        ["bin/claude-code/session-start", "bin/claude-code/stop", "bin/remora"]
    );
    let mode = fs::metadata(tree.path("my data/记忆")).expect("the root").mode();
    assert_eq!(mode & 0o777, 0o700);
    insta::assert_snapshot!(tree.log(), @r#"
    cargo build --locked --release -p remora --bin remora
    remora --root /my data/记忆 hosts --json
    cargo build --locked --bins -p remora-claude-code --profile hook
    remora --root /my data/记忆 install --yes claude-code
    remora --root /my data/记忆 doctor --prove
    "#);
    insta::assert_snapshot!(ran.stdout, @r#"
    Building the command. The first time takes 2 to 5 minutes on two cores, later times seconds.
    Building the hooks of: claude-code. This takes up to a minute.


    Installed in /my data/记忆
      To type `remora`: ln -s '/my data/记忆/bin/remora' ~/.local/bin/remora (or another folder of your PATH)
      Wired up: claude-code. The next session you start there remembers.
      `remora status` shows what it knows, `remora uninstall` takes it out again.
    "#);
}

#[test]
fn a_machine_without_hosts_gets_the_demo() {
    let tree = Tree::new();
    tree.has_hosts(&[]);
    let ran = tree.run("install.sh", &["--yes", "--root", "r"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert_eq!(tree.files_below("r").len(), 5);
    assert!(ran.stdout.contains("`remora demo`"), "{}", ran.stdout);
    assert!(!tree.log().contains(" install "), "{}", tree.log());
}

#[test]
fn a_host_without_an_adapter_is_said_and_passed_over() {
    let tree = Tree::new();
    tree.has_hosts(&["codex", "gemini-cli"]);
    let ran = tree.run("install.sh", &["--yes", "--root", "r", "--no-start"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("gemini-cli is here, but this version has no adapter for it yet."));
    assert!(tree.log().contains("remora --root /r install --yes codex\nremora --root /r engine stop\n"));
    assert!(!tree.log().contains("doctor"));
}

#[test]
fn a_dry_run_writes_nothing() {
    let tree = Tree::new();
    let ran = tree.run("install.sh", &["--dry-run", "--root", "r"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(!tree.path("r").exists());
    assert!(tree.log().ends_with("remora --root /r install --dry-run claude-code\n"), "{}", tree.log());
}

#[test]
fn what_is_missing_is_said_before_anything_is_built() {
    type Fault = fn(&Tree);
    let cases: [(&[&str], Fault, i32, &str); 7] = [
        (
            &["--yes"],
            |tree| fs::remove_file(tree.path("tools/cargo")).expect("cargo"),
            1,
            "install.sh: cargo was not found, and building needs it\n  install Rust, for example from https://rustup.rs, then run this again\n",
        ),
        (
            &["--yes"],
            |tree| tree.tool("rustc", "echo 'rustc 1.9.0 (abc 2016-05-18)'"),
            1,
            "install.sh: Rust 1.9 is too old: Remora needs 1.95\n  run `rustup update`, then run this again\n",
        ),
        (
            &["--yes"],
            |tree| tree.tool("rustc", "exit 1"),
            1,
            "install.sh: rustc does not run, and building needs it\n  run `rustc --version` to see why\n",
        ),
        (
            &["--yes"],
            |tree| fs::remove_file(tree.path("tools/cc")).expect("cc"),
            1,
            "install.sh: a C compiler was not found, and the database needs one\n  Debian and Ubuntu: apt install build-essential\n  Fedora: dnf install gcc\n  macOS: xcode-select --install\n",
        ),
        (
            &[],
            |_| {},
            2,
            "install.sh: this changes files, and there is no terminal to ask at\n  --yes does it, --dry-run shows it\n",
        ),
        (&["--yes", "--root"], |_| {}, 2, "install.sh: --root needs a folder\n"),
        (&["--frobnicate"], |_| {}, 2, "install.sh: unknown option --frobnicate\n"),
    ];
    for (args, fault, status, message) in cases {
        let tree = Tree::new();
        fault(&tree);
        let ran = tree.run("install.sh", args);
        assert_eq!(ran.status, Some(status), "{message}");
        assert!(ran.stderr.ends_with(message), "{}", ran.stderr);
        assert_eq!(tree.log(), "", "{message}");
        assert!(!tree.path("home").exists(), "{message}");
    }
}

#[test]
fn a_program_that_runs_is_replaced_and_not_written_to() {
    let tree = Tree::new();
    tree.run("install.sh", &["--yes", "--root", "r"]);
    let installed = tree.path("r/bin/claude-code/stop");
    let running = tree.path("running");
    fs::hard_link(&installed, &running).expect("a second name");
    fs::write(&installed, "old").expect("the program");
    World::write(&tree.path("r/bin/claude-code/of-old"), "old");

    let ran = tree.run("install.sh", &["--yes", "--root", "r"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&running).expect("the running program"), "old");
    assert_eq!(fs::read_to_string(&installed).expect("the new program"), "hook\n");
    assert!(!tree.path("r/bin/claude-code/of-old").exists());
}

#[test]
fn a_refusal_is_passed_on() {
    let tree = Tree::new();
    let refusing = CARGO.replace("${REFUSES:-nothing}", " install ");
    tree.tool("cargo", &refusing);
    let ran = tree.run("install.sh", &["--yes", "--root", "r"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("the hosts were not wired up"), "{}", ran.stderr);
    assert!(!tree.log().contains("doctor"));
}

#[test]
fn a_complete_installation_is_put_together() {
    let tree = Tree::new();
    let ran = tree.run("build.sh", &["--all", "--sizes"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert_eq!(
        tree.files_below("src tree/target/dist"),
        [
            "bin/claude-code/session-start",
            "bin/claude-code/stop",
            "bin/codex/session-start",
            "bin/codex/stop",
            "bin/remora"
        ]
    );
    assert!(ran.stdout.contains("         5  bin/codex/stop\n"), "{}", ran.stdout);
    assert!(
        tree.log()
            .contains("cargo build --locked --bins -p remora-claude-code -p remora-codex --profile hook\n")
    );

    World::write(&tree.path("src tree/target/dist/bin/codex/of-old"), "");
    tree.run("build.sh", &["--hooks", "codex"]);
    assert!(!tree.path("src tree/target/dist/bin/codex/of-old").exists());

    let ran = tree.run("build.sh", &["nonesuch"]);
    assert_eq!(ran.status, Some(2));
    assert_eq!(ran.stderr, "build.sh: there is no adapter for nonesuch; there are: claude-code codex\n");
}
