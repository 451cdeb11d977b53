//! Whether a host is on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::Host;
use crate::Environment;
use crate::environment::is_executable;
use crate::run::run;

/// How long a host may take to say its version. Some take five seconds on a busy machine.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// A package's description lies at most so many folders above its command.
const PACKAGE_DEPTH: usize = 4;

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

/// The version of a host's command: as its package says, else as it says itself.
pub(crate) fn version(environment: &Environment, program: &Path) -> Option<String> {
    packaged_version(program).or_else(|| spoken_version(environment, program))
}

/// The version in the `package.json` that the command belongs to. Starting the command takes a thousand times
/// longer.
fn packaged_version(program: &Path) -> Option<String> {
    let name = program.file_stem()?.to_str()?;
    let real = std::fs::canonicalize(program).ok()?;
    real.ancestors().skip(1).take(PACKAGE_DEPTH).find_map(|folder| {
        let package: Value =
            serde_json::from_slice(&std::fs::read(folder.join("package.json")).ok()?).ok()?;
        package["bin"].get(name)?;
        package["version"].as_str().map(str::to_owned)
    })
}

fn spoken_version(environment: &Environment, program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().env("HOME", &environment.home);
    for name in ["PATH", "LANG"] {
        command.envs(environment.variable(name).map(|value| (name, value)));
    }
    let finished = run(command, b"", VERSION_LIMIT).ok()?;
    finished.status?.success().then_some(())?;
    let output = String::from_utf8_lossy(&finished.stdout);
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    output.split_whitespace().map(|word| word.trim_start_matches('v')).find(is_version).map(str::to_owned)
}
