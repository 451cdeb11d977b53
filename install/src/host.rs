//! The hosts: what must be known of each to find it and to wire it up, as data.

pub mod claude_code;
pub mod codex;
pub mod copilot_cli;
pub(crate) mod detect;
pub mod gemini_cli;
pub mod opencode;
pub mod pi;
pub mod qwen_code;

use std::path::{Path, PathBuf};

pub use detect::Detection;

use crate::check::Finding;
pub use crate::command::{CommandForm, TimeoutUnit};
use crate::edit::Problem;
use crate::edit::json::JsonReader;
use crate::edit::json::hook_groups::{self, Present};
use crate::trust::Trust;
use crate::{Environment, plugin};

/// Every host that can be wired up, in the order in which a person sees them: those that have an adapter.
pub static HOSTS: &[&Host] = &[
    &claude_code::HOST,
    &codex::HOST,
    &gemini_cli::HOST,
    &opencode::HOST,
    &qwen_code::HOST,
    &copilot_cli::HOST,
    &pi::HOST,
];

/// One host.
#[derive(Debug)]
pub struct Host {
    /// The id, for example `claude-code`.
    pub id: &'static str,
    /// The name that people know.
    pub name: &'static str,
    /// Its command's name.
    pub program: &'static str,
    /// Places where its command lies when it is not on the `PATH`: absolute, or below the home folder.
    pub places: &'static [&'static str],
    /// Its configuration folder.
    pub folder: Folder,
    /// What the file of its hooks is.
    pub shape: Shape,
    /// The file of its hooks, in the configuration folder.
    pub hooks_file: &'static str,
    /// The file of one project's hooks, below the project's root: the one that is the person's own, where the
    /// host has such a file.
    pub project_hooks_file: &'static str,
    /// How its entries name an executable.
    pub form: CommandForm,
    /// Whether the host puts a variable's value for `$NAME` into its settings, also inside quotes.
    pub expands_variables: bool,
    /// The unit of its time limits.
    pub timeout_unit: TimeoutUnit,
    /// What else the file of its hooks must say, at its top.
    pub heading: &'static [(&'static str, u32)],
    /// What the host takes of the file of its hooks.
    pub json: JsonReader,
    /// The hooks that are registered by default, in the order in which a session meets them.
    pub hooks: &'static [Hook],
    /// Where it keeps its MCP servers.
    pub mcp: Option<McpFile>,
    /// What the host itself still wants from the person.
    pub wants: &'static [&'static str],
    /// How the host keeps and takes the person's trust in hooks, where it asks for that.
    pub trust: Option<Trust>,
    /// Files that spare the person a download, with their texts, in the configuration folder. They are written where
    /// nothing of their first folders and none of `unless` is there.
    pub beside: Beside,
    /// What in the host's own settings keeps hooks from running, or memory from working well.
    pub inspect: fn(&Inspection<'_>) -> Vec<Finding>,
    /// A made-up payload of an event, as the host would send it.
    pub probe_payload: fn(&Probing<'_>, &Hook) -> serde_json::Value,
    /// The variables that the host gives its hooks.
    pub probe_variables: fn(&Probing<'_>) -> Vec<(&'static str, String)>,
}

/// What the file of a host's hooks is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// JSON with groups of hooks for each event, which others write into as well.
    Groups,
    /// A plugin of ours, alone in its file: what all plugins have, and this text.
    Plugin(&'static str),
}

/// Files that a host's configuration folder gets besides.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// Names below the configuration folder, with what is written into them.
    pub files: &'static [(&'static str, &'static str)],
    /// Where one of these is in the folder, the host has what it wants, and nothing is written.
    pub unless: &'static [&'static str],
}

impl Beside {
    /// No such files.
    pub const NONE: Self = Self { files: &[], unless: &[] };
}

/// What a host's settings are judged by.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// The person's machine.
    pub environment: &'a Environment,
    /// The value of the file that holds the hooks.
    pub settings: &'a serde_json::Value,
}

/// What a made-up session looks like.
#[derive(Debug)]
pub struct Probing<'a> {
    /// The session's id. It begins with [`PROBE_SESSION`], which tells everyone that it is none.
    pub session: &'a str,
    /// Where the session would stand.
    pub cwd: &'a str,
    /// The host's configuration folder.
    pub folder: &'a str,
}

pub use remora_event::PROBE_SESSION;

/// A configuration folder.
#[derive(Debug)]
pub struct Folder {
    /// The variable that moves it.
    pub variable: &'static str,
    /// What the host appends to the variable's value.
    pub below_variable: &'static str,
    /// Where it is otherwise, below the home folder.
    pub below_home: &'static str,
}

/// One hook.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    /// The host's name of the event.
    pub event: &'static str,
    /// Our executable's name, for example `session-start`.
    pub executable: &'static str,
    /// The host's time limit, in seconds. It is far above the executable's own deadline: it only has to end
    /// a process that hangs.
    pub timeout: u32,
    /// The matcher, where the event shall not be heard in full.
    pub matcher: Option<&'static str>,
    /// Whether the host takes context for the model in reply. Where it does not, the executable prints
    /// nothing.
    pub takes_context: bool,
    /// Whether it belongs into the person's own file alone, and never into a project's: another host that reads the
    /// latter denies a tool whose hook fails.
    pub own_file_only: bool,
    /// More keys of the entry, each with a number.
    pub more: &'static [(&'static str, u32)],
}

/// Tools of a server's memory, and no other: a hook before a tool costs every call that it hears. Remora's own are left
/// out, and with them a server whose name is `remora` cut short or drawn out; what such a memory is asked is answered
/// after its tool. JavaScript and Rust read it alike, so that it looks nowhere ahead.
macro_rules! memory_of_servers {
    () => {
        "mcp__([^r]|r[^e]|re[^m]|rem[^o]|remo[^r]|remor[^a]|remora[^_]).*__memory(_search)?"
    };
}
pub(crate) use memory_of_servers;

impl Hook {
    /// A hook whose context the host takes.
    const fn context(event: &'static str, executable: &'static str, timeout: u32) -> Self {
        Self {
            event,
            executable,
            timeout,
            matcher: None,
            takes_context: true,
            own_file_only: false,
            more: &[],
        }
    }

    /// A hook that tells nothing.
    const fn silent(event: &'static str, executable: &'static str, timeout: u32) -> Self {
        Self { takes_context: false, ..Self::context(event, executable, timeout) }
    }

    /// The same, heard of these alone.
    const fn of(self, matcher: &'static str) -> Self {
        Self { matcher: Some(matcher), ..self }
    }

    /// The same, in the person's own file alone.
    const fn in_own_file(self) -> Self {
        Self { own_file_only: true, ..self }
    }

    /// The same, with more keys in its entry.
    const fn with(self, more: &'static [(&'static str, u32)]) -> Self {
        Self { more, ..self }
    }
}

/// The file in which a host keeps its MCP servers.
#[derive(Debug)]
pub struct McpFile {
    /// Its format.
    pub format: McpFormat,
    /// The file where the folder's variable is set, below that folder.
    pub below_variable: &'static str,
    /// The file otherwise, below the home folder.
    pub below_home: &'static str,
    /// Another ending that the same file may have.
    pub or_ending: Option<&'static str>,
}

impl McpFile {
    /// The file, whether it exists or not.
    pub fn path(&self, host: &Host, environment: &Environment) -> PathBuf {
        let path = match environment.path_variable(host.folder.variable) {
            Some(moved) => moved.join(self.below_variable),
            None => environment.home.join(self.below_home),
        };
        let other = self.or_ending.map(|ending| path.with_extension(ending));
        other.filter(|other| other.is_file()).unwrap_or(path)
    }
}

/// How MCP servers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpFormat {
    /// `{"mcpServers": {NAME: {"command", "args"}}}`.
    Json,
    /// The same with `tools`, without which the model is shown none of them.
    JsonWithTools,
    /// `{"mcp": {NAME: {"type", "command", "enabled"}}}`, where `command` is the whole line.
    JsonLine,
    /// `[mcp_servers.NAME]` with `command` and `args`, in TOML.
    Toml,
}

impl Host {
    /// The host with that id, among those that have an adapter.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        HOSTS.iter().copied().find(|host| host.id == id)
    }

    /// The host's configuration folder, whether it exists or not.
    pub fn config_folder(&self, environment: &Environment) -> PathBuf {
        match environment.path_variable(self.folder.variable) {
            Some(moved) => moved.join(self.folder.below_variable),
            None => environment.home.join(self.folder.below_home),
        }
    }

    /// The file of the person's hooks, whether it exists or not.
    pub fn hooks_path(&self, environment: &Environment) -> PathBuf {
        self.config_folder(environment).join(self.hooks_file)
    }

    /// The handlers in a text of the file of its hooks.
    pub(crate) fn present(&self, text: &str) -> Result<Vec<Present>, Problem> {
        match self.shape {
            Shape::Groups => hook_groups::present(text),
            Shape::Plugin(_) => Ok(plugin::present(self, text)),
        }
    }

    /// The file of one project's hooks.
    pub fn project_hooks_path(&self, project: &Path) -> PathBuf {
        project.join(self.project_hooks_file)
    }
}

/// Adds the members of one object to another.
fn merged(object: &mut serde_json::Value, more: serde_json::Value) {
    if let (Some(object), serde_json::Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}
