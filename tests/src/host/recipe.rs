//! What must be known of a host to run it, as data.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{claude_code, codex, copilot_cli, gemini_family, opencode, pi};
use crate::error::Result;
use crate::faults::MountFault;
use crate::test_home::TestHome;

/// A host that the tests can run. Its name is the id that Remora uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostId {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// `OpenCode`.
    OpenCode,
    /// Qwen Code.
    QwenCode,
    /// GitHub Copilot CLI.
    CopilotCli,
    /// pi.
    Pi,
}

/// How one run of a host differs from the plainest one.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Go on with the last session of this home and project.
    pub resume: bool,
    /// The model's name, where it matters to the host (Codex offers other tools to models that it
    /// knows); else one that fits the recipe.
    pub model: Option<String>,
    /// Run hooks that nobody approved. Codex alone asks for an approval.
    pub skip_hook_trust: bool,
    /// Where the host runs; the home's project if absent.
    pub cwd: Option<PathBuf>,
    /// Variables on top of the host's recipe.
    pub env: Vec<(String, String)>,
    /// Arguments on top of the host's recipe, before the prompt.
    pub args: Vec<String>,
    /// After this the host is killed; two minutes if absent.
    pub limit: Option<Duration>,
    /// A fault of the file system under which the host, its hooks and what they start run.
    pub fault: Option<Arc<MountFault>>,
}

/// A command line and environment for one run.
#[derive(Debug, Default)]
pub(super) struct Invocation {
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(String, OsString)>,
}

impl HostId {
    /// All hosts, those first that must not be missing where all is tested.
    pub const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::OpenCode,
        Self::QwenCode,
        Self::CopilotCli,
        Self::Pi,
    ];

    /// The id as Remora spells it.
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
            Self::QwenCode => "qwen-code",
            Self::CopilotCli => "copilot-cli",
            Self::Pi => "pi",
        }
    }

    /// The name of the executable in the folder that npm makes for it.
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini",
            Self::OpenCode => "opencode",
            Self::QwenCode => "qwen",
            Self::CopilotCli => "copilot",
            Self::Pi => "pi",
        }
    }

    /// The tool that runs a shell command, and the name of its argument.
    pub fn shell_tool(self) -> (&'static str, &'static str) {
        match self {
            Self::ClaudeCode => ("Bash", "command"),
            Self::Codex => ("exec_command", "cmd"),
            Self::GeminiCli | Self::QwenCode => ("run_shell_command", "command"),
            Self::OpenCode | Self::CopilotCli | Self::Pi => ("bash", "command"),
        }
    }

    /// Writes what a person has who has used the host before, where a run cannot do without it: call
    /// it before anything else that writes the host's files, such as `remora install`. Files that are
    /// there stay as they are.
    pub fn prepare(self, home: &TestHome) -> Result<()> {
        match self {
            Self::GeminiCli => gemini_family::prepare_gemini(home),
            _ => Ok(()),
        }
    }

    /// Writes what a person has whom the host asks nothing when it starts in a terminal: call it before
    /// `remora install`. Only Claude Code can be watched in a terminal so far.
    pub fn prepare_terminal(self, home: &TestHome) -> Result<()> {
        match self {
            Self::ClaudeCode => claude_code::prepare_terminal(home),
            _ => Ok(()),
        }
    }

    pub(super) fn invocation_in_terminal(
        self,
        model: &str,
        prompt: &str,
        options: &Options,
    ) -> Option<Invocation> {
        match self {
            Self::ClaudeCode => Some(claude_code::in_terminal(model, prompt, options)),
            _ => None,
        }
    }

    pub(super) fn invocation(
        self,
        home: &TestHome,
        model: &str,
        prompt: &str,
        options: &Options,
    ) -> Result<Invocation> {
        match self {
            Self::ClaudeCode => Ok(claude_code::invocation(model, prompt, options)),
            Self::Codex => Ok(codex::invocation(model, prompt, options)),
            Self::GeminiCli => Ok(gemini_family::gemini(model, prompt, options)),
            Self::OpenCode => opencode::invocation(home, model, prompt, options),
            Self::QwenCode => gemini_family::qwen(home, model, prompt, options),
            Self::CopilotCli => Ok(copilot_cli::invocation(model, prompt, options)),
            Self::Pi => pi::invocation(home, model, prompt, options),
        }
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Invocation {
    pub(super) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(super) fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }
}
