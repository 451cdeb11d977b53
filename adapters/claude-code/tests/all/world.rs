//! A data root of its own for every test, and the real executables run in it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use remora_event::Event;
use tempfile::TempDir;

/// The executables, by what a host calls them.
const EXECUTABLES: [(&str, &str); 11] = [
    ("session-start", env!("CARGO_BIN_EXE_remora-claude-code-session-start")),
    ("user-prompt-submit", env!("CARGO_BIN_EXE_remora-claude-code-user-prompt-submit")),
    ("pre-tool-use", env!("CARGO_BIN_EXE_remora-claude-code-pre-tool-use")),
    ("post-tool-use", env!("CARGO_BIN_EXE_remora-claude-code-post-tool-use")),
    ("post-tool-use-failure", env!("CARGO_BIN_EXE_remora-claude-code-post-tool-use-failure")),
    ("subagent-start", env!("CARGO_BIN_EXE_remora-claude-code-subagent-start")),
    ("subagent-stop", env!("CARGO_BIN_EXE_remora-claude-code-subagent-stop")),
    ("pre-compact", env!("CARGO_BIN_EXE_remora-claude-code-pre-compact")),
    ("post-compact", env!("CARGO_BIN_EXE_remora-claude-code-post-compact")),
    ("stop", env!("CARGO_BIN_EXE_remora-claude-code-stop")),
    ("session-end", env!("CARGO_BIN_EXE_remora-claude-code-session-end")),
];

pub(crate) const PROMPT: &str = r#"{"session_id":"s1","cwd":"/w","prompt_id":"p1","prompt":"my own words"}"#;
pub(crate) const TOOL: &str = r#"{"session_id":"s1","cwd":"/w","prompt_id":"p1","tool_name":"Bash",
    "tool_use_id":"t1","tool_input":{"command":"ls"},"tool_response":{"stdout":"a b"}}"#;
pub(crate) const START: &str = r#"{"session_id":"s1","cwd":"/w","source":"startup"}"#;

/// Arguments that give a hook more time than it ever needs.
pub(crate) const AT_EASE: [&str; 2] = ["--deadline-ms", "20000"];

/// What a host sees of a hook.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) struct Seen {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Seen {
    pub(crate) fn of(child: Child) -> Self {
        let output = child.wait_with_output().expect("the hook ends");
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// The hook said nothing, and nothing went wrong.
    pub(crate) fn nothing() -> Self {
        Self { status: Some(0), stdout: String::new(), stderr: String::new() }
    }

    pub(crate) fn printed(text: &str) -> Self {
        Self { stdout: text.to_owned(), ..Self::nothing() }
    }
}

/// One data root, and an installation that has no engine unless a test puts one there.
pub(crate) struct World {
    folder: TempDir,
    data: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        // In the build's folder, so that executables can be linked instead of copied.
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        // Elsewhere, since a socket's path has room for a hundred bytes.
        Self { folder, data: TempDir::new().expect("a temporary folder") }
    }

    /// The data root.
    pub(crate) fn root(&self) -> PathBuf {
        self.data.path().join("r")
    }

    /// A path in the installation's folder, where hooks run.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An executable as it lies in an installation: `bin/claude-code/<event>`.
    pub(crate) fn executable(&self, event: &str) -> PathBuf {
        let built = EXECUTABLES.iter().find(|(name, _)| *name == event).expect("a known event").1;
        let folder = self.path("bin/claude-code");
        fs::create_dir_all(&folder).expect("a folder");
        let installed = folder.join(event);
        if !installed.exists() {
            link(Path::new(built), &installed);
        }
        installed
    }

    /// Puts a script in the place of the engine's program.
    pub(crate) fn install_engine(&self, script: &str) {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/engines");
        fs::create_dir_all(self.path("bin")).expect("a folder");
        link(&scripts.join(script), &self.path("bin/remora"));
    }

    /// A command that runs a hook with an empty environment and no input yet.
    pub(crate) fn command(&self, event: &str) -> Command {
        self.command_for(event, &self.root())
    }

    /// The same with another root.
    pub(crate) fn command_for(&self, event: &str, root: &Path) -> Command {
        let mut command = Command::new(self.executable(event));
        command.arg("--root").arg(root).env_clear().current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a hook with this input, and with the deadline that it has by itself.
    pub(crate) fn run(&self, event: &str, input: &[u8]) -> Seen {
        run(&mut self.command(event), input)
    }

    /// Runs a hook that has all the time it needs, since how fast this machine is is not the question.
    pub(crate) fn run_at_ease(&self, event: &str, input: &[u8]) -> Seen {
        run(self.command(event).args(AT_EASE), input)
    }

    /// The events in the spool, in the order of their files.
    pub(crate) fn spooled(&self) -> Vec<Event> {
        let Ok(entries) = fs::read_dir(self.root().join("spool")) else { return Vec::new() };
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        let read =
            |file: &PathBuf| serde_json::from_slice(&fs::read(file).expect("a file")).expect("an event");
        files.iter().map(read).collect()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.root().join("logs/hooks.log")).unwrap_or_default()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.root().join(name).exists()
    }
}

pub(crate) fn run(command: &mut Command, input: &[u8]) -> Seen {
    let mut child = command.spawn().expect("the hook runs");
    // A hook that leaves early breaks the pipe; what it did is looked at afterwards.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    Seen::of(child)
}

/// A second name rather than a copy: a file that was just written may still be open in a process that
/// another test is starting, and is then no program yet.
fn link(from: &Path, to: &Path) {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).expect("a copy");
    }
}
