//! Whether a host is on this machine.

use std::path::PathBuf;

use super::Host;
use crate::Environment;
use crate::environment::is_executable;

/// What was found of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// Its command.
    pub program: Option<PathBuf>,
    /// Its configuration folder, where it exists.
    pub folder: Option<PathBuf>,
}

impl Detection {
    /// Whether there is anything of the host.
    pub fn is_found(&self) -> bool {
        self.program.is_some() || self.folder.is_some()
    }
}

impl Host {
    /// Looks for the host: its command on the `PATH` and in the usual places, and its configuration folder.
    /// Nothing is started.
    pub fn detect(&self, environment: &Environment) -> Detection {
        let usual =
            || self.places.iter().map(|place| environment.home.join(place)).find(|p| is_executable(p));
        let folder = self.config_folder(environment);
        Detection {
            program: environment.find_program(self.program).or_else(usual),
            folder: folder.is_dir().then_some(folder),
        }
    }
}
