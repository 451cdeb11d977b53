//! The executables under test, built by the tests themselves and laid out as an installation is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::process;
use crate::workspace::{self, Workspace, cargo};

/// How long an executable may take to say which build it is.
const ANSWER: Duration = Duration::from_secs(30);

/// A folder with `bin/remora` and `bin/<host>/<event>`, all of this workspace's build.
#[derive(Debug, Clone)]
pub struct Installation {
    folder: PathBuf,
    hooks: Vec<HookProgram>,
}

/// One hook executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookProgram {
    /// The host's id.
    pub host: String,
    /// The host's event, or `hook` where one executable serves all events of a host.
    pub event: String,
    /// The file.
    pub path: PathBuf,
}

/// What cargo says of each thing that it built.
#[derive(Deserialize)]
struct Artifact {
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    target: Option<workspace::Target>,
}

impl Installation {
    /// The installation of this run of the tests. The first to ask builds it; runs at the same time
    /// wait for each other. An executable of another build is an error.
    pub fn get() -> Result<&'static Self> {
        static BUILT: OnceLock<Result<Installation, String>> = OnceLock::new();
        let built = BUILT.get_or_init(|| Self::build().map_err(|error| error.to_string()));
        built.as_ref().map_err(|problem| Error::Program {
            program: "the installation under test".to_owned(),
            problem: format!("cannot be used: {problem}"),
        })
    }

    fn build() -> Result<Self> {
        let workspace = Workspace::read()?;
        let folder = workspace.target_directory.join("remora-tests");
        fs::create_dir_all(&folder).map_err(Error::file("making", &folder))?;
        let lock_path = folder.join("lock");
        let lock = File::create(&lock_path).map_err(Error::file("opening", &lock_path))?;
        lock.lock().map_err(Error::file("locking", &lock_path))?;

        let mut installation = Self { folder: folder.join("dist"), hooks: Vec::new() };
        for (name, executable) in build_executables(&workspace)? {
            installation.put(&workspace, &name, &executable)?;
        }
        installation.hooks.sort_by(|one, other| one.path.cmp(&other.path));
        installation.check_builds()?;
        Ok(installation)
    }

    /// Puts one executable in its place.
    fn put(&mut self, workspace: &Workspace, name: &str, executable: &Path) -> Result<()> {
        let bin = self.folder.join("bin");
        let Some((host, event)) = host_and_event(workspace, name) else {
            return link(executable, &bin.join(name));
        };
        let path = bin.join(&host).join(&event);
        link(executable, &path)?;
        self.hooks.push(HookProgram { host, event, path });
        Ok(())
    }

    /// Every executable says that it is of the build that the sources make now.
    fn check_builds(&self) -> Result<()> {
        let sources = workspace::root();
        let build = remora_build_id::compute(sources).map_err(Error::file("hashing", sources))?;
        let remora = self.folder.join("bin/remora");
        let command = remora.exists().then_some(&remora);
        for path in self.hooks.iter().map(|hook| &hook.path).chain(command) {
            let program = path.display().to_string();
            let said =
                process::run(Command::new(path).arg("--build-id"), b"", ANSWER)?.expect_ok(&program)?;
            if said.out().trim() != build.id {
                let problem = format!("is of build {:?}, the sources of {:?}", said.out().trim(), build.id);
                return Err(Error::Program { program, problem });
            }
        }
        Ok(())
    }

    /// The folder that holds `bin`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The `remora` command.
    pub fn remora(&self) -> PathBuf {
        self.folder.join("bin").join("remora")
    }

    /// All hook executables, by host and event.
    pub fn hooks(&self) -> &[HookProgram] {
        &self.hooks
    }

    /// The hook executable of a host's event.
    pub fn hook(&self, host: &str, event: &str) -> Result<&HookProgram> {
        let found = self.hooks.iter().find(|hook| hook.host == host && hook.event == event);
        found.ok_or_else(|| Error::Program {
            program: format!("{host}/{event}"),
            problem: "is not among the workspace's executables".to_owned(),
        })
    }

    /// A copy of this installation below another folder, as `<folder>/bin/...`, that may be removed or
    /// broken.
    pub fn copy_to(&self, folder: &Path) -> Result<Self> {
        let mut copy = Self { folder: folder.to_owned(), hooks: Vec::new() };
        let bin = folder.join("bin");
        if self.remora().exists() {
            link(&self.remora(), &copy.remora())?;
        }
        for hook in &self.hooks {
            let path = bin.join(&hook.host).join(&hook.event);
            link(&hook.path, &path)?;
            copy.hooks.push(HookProgram { path, ..hook.clone() });
        }
        Ok(copy)
    }
}

/// Builds the command and every adapter's executables; gives their names and files.
fn build_executables(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let command = workspace.package("remora");
    let packages = workspace.packages_in("adapters").chain(command);
    let mut arguments = vec!["build", "--bins", "--message-format", "json-render-diagnostics"];
    for package in packages.filter(|package| package.executables().next().is_some()) {
        arguments.extend(["-p", &package.name]);
    }
    let printed = cargo(&arguments)?;
    let mut built = Vec::new();
    for line in printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let artifact: Artifact = serde_json::from_slice(line).map_err(Error::json("cargo build"))?;
        if let (Some(executable), Some(target)) = (artifact.executable, artifact.target) {
            built.push((target.name, executable));
        }
    }
    Ok(built)
}

/// Takes `remora-<host>-<event>` apart; nothing for an executable that no adapter owns. A plugin host's
/// only executable has no event in its name.
fn host_and_event(workspace: &Workspace, name: &str) -> Option<(String, String)> {
    let owner = workspace
        .packages_in("adapters")
        .find(|package| package.executables().any(|executable| executable == name))?;
    let host = owner.name.strip_prefix("remora-")?.to_owned();
    let event = name.strip_prefix(&owner.name)?.trim_start_matches('-');
    Some((host, if event.is_empty() { "hook".to_owned() } else { event.to_owned() }))
}

/// Makes `place` the same file as `source`, or a copy where the two lie on different file systems. It is
/// renamed into place: a running program keeps its file.
fn link(source: &Path, place: &Path) -> Result<()> {
    let folder = place.parent().unwrap_or(place);
    fs::create_dir_all(folder).map_err(Error::file("making", folder))?;
    let new = folder.join(format!(".new-{}", std::process::id()));
    let _ = fs::remove_file(&new);
    if fs::hard_link(source, &new).is_err() {
        fs::copy(source, &new).map_err(Error::file("copying", source))?;
    }
    fs::rename(&new, place).map_err(Error::file("writing", place))?;
    // Renaming one name of a file over another of the same file leaves both.
    let _ = fs::remove_file(&new);
    Ok(())
}
