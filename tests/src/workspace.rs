//! What cargo knows of the workspace under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::error::{Error, Result};

/// The workspace's packages, without their dependencies.
#[derive(Debug, Clone, Deserialize)]
pub struct Workspace {
    /// The packages.
    pub packages: Vec<Package>,
    /// Cargo's target folder.
    pub target_directory: PathBuf,
    /// The folder of the workspace.
    pub workspace_root: PathBuf,
}

/// One package.
#[derive(Debug, Clone, Deserialize)]
pub struct Package {
    /// Its name, as in `remora-event`.
    pub name: String,
    /// Its manifest.
    pub manifest_path: PathBuf,
    /// What it builds.
    pub targets: Vec<Target>,
}

/// One thing that a package builds.
#[derive(Debug, Clone, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// What it is: `lib`, `bin`, `test`, ...
    pub kind: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    pub fn read() -> Result<Self> {
        let printed = cargo(&["metadata", "--no-deps", "--format-version", "1"])?;
        serde_json::from_slice(&printed).map_err(Error::json("cargo metadata"))
    }

    /// The packages in a folder of the workspace, such as `adapters`.
    pub fn packages_in(&self, folder: &str) -> impl Iterator<Item = &Package> {
        let folder = self.workspace_root.join(folder);
        self.packages.iter().filter(move |package| package.manifest_path.starts_with(&folder))
    }

    /// The package of this name, if the workspace has it yet.
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

impl Package {
    /// The names of its executables.
    pub fn executables(&self) -> impl Iterator<Item = &str> {
        let is_executable = |target: &&Target| target.kind.iter().any(|kind| kind == "bin");
        self.targets.iter().filter(is_executable).map(|target| target.name.as_str())
    }
}

/// The workspace's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"))
}

/// Runs cargo in the workspace and gives what it printed on standard output.
pub fn cargo(arguments: &[&str]) -> Result<Vec<u8>> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    let output = command.output().map_err(Error::run("cargo"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::Program {
        program: format!("cargo {}", arguments.join(" ")),
        problem: format!("failed:\n{said}"),
    })
}
