//! The hosts: what must be known of each to find it and to wire it up, as data.

pub mod claude_code;
mod detect;

use std::path::{Path, PathBuf};

pub use detect::Detection;

use crate::Environment;
pub use crate::command::{CommandForm, TimeoutUnit};

/// Every host that can be wired up, in the order in which a person sees them.
pub static HOSTS: &[&Host] = &[&claude_code::HOST];

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
    /// The file of its hooks, in the configuration folder.
    pub hooks_file: &'static str,
    /// The file of one project's hooks that is the person's own, below the project's root.
    pub project_hooks_file: &'static str,
    /// How its entries name an executable.
    pub form: CommandForm,
    /// The unit of its time limits.
    pub timeout_unit: TimeoutUnit,
    /// Whether the host reads its file as strict JSON and drops it when there is a comment in it.
    pub strict_json: bool,
    /// The hooks that are registered by default, in the order in which a session meets them.
    pub hooks: &'static [Hook],
    /// Where it keeps its MCP servers, when it does so in a JSON file of its own.
    pub mcp: Option<McpFile>,
    /// What the host itself still wants from the person.
    pub wants: &'static [&'static str],
}

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
}

/// A JSON file of MCP servers, `{"mcpServers": {NAME: {"command", "args"}}}`.
#[derive(Debug)]
pub struct McpFile {
    /// The file where the folder's variable is set, below that folder.
    pub below_variable: &'static str,
    /// The file otherwise, below the home folder.
    pub below_home: &'static str,
}

impl Host {
    /// The host with that id.
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

    /// The file of one project's hooks.
    pub fn project_hooks_path(&self, project: &Path) -> PathBuf {
        project.join(self.project_hooks_file)
    }

    /// The file of the person's MCP servers.
    pub fn mcp_path(&self, environment: &Environment) -> Option<PathBuf> {
        let file = self.mcp.as_ref()?;
        Some(match environment.path_variable(self.folder.variable) {
            Some(moved) => moved.join(file.below_variable),
            None => environment.home.join(file.below_home),
        })
    }
}
