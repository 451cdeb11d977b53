//! One run of one host.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::network::{fake_model_program, unshare_arguments};
use super::recipe::{HostId, Invocation, Options};
use super::terminal::Terminal;
use crate::error::{Error, Result};
use crate::fake_model::{Recording, Script};
use crate::launch::Launch;
use crate::process::Finished;
use crate::test_home::TestHome;

/// Free in every new network, so that configuration files can name it.
const MODEL_PORT: u16 = 8650;
const VERSIONS: &str = include_str!("../../hosts/versions.txt");
const LIMIT: Duration = Duration::from_mins(2);

/// A host that is installed in the folder of real hosts.
#[derive(Debug, Clone)]
pub struct Host {
    id: HostId,
    program: PathBuf,
    version: String,
}

/// What came of a run.
#[derive(Debug, Clone)]
#[must_use]
pub struct Run {
    /// The host's process.
    pub process: Finished,
    /// What the host asked of the model.
    pub model: Recording,
}

impl Host {
    /// The host in `$REMORA_TEST_HOSTS`, else in the user's cache folder. The error is the reason why
    /// it cannot be run here.
    pub fn find(id: HostId) -> Result<Self, String> {
        if unshare_arguments().is_none() {
            return Err("no network namespace can be made here".to_owned());
        }
        let folder = hosts_folder().ok_or("neither REMORA_TEST_HOSTS nor HOME is set")?.join(id.id());
        let program = folder.join("node_modules/.bin").join(id.program());
        if !program.exists() {
            return Err(format!("not in {}; tests/hosts/install.sh {id} puts it there", folder.display()));
        }
        let package = std::fs::read_to_string(folder.join("version")).unwrap_or_default();
        let version = package.trim().rsplit('@').next().unwrap_or_default().to_owned();
        let pinned = pinned_version(id).unwrap_or_default();
        if version != pinned {
            return Err(format!("{version:?} is in {}, {pinned} is wanted", folder.display()));
        }
        Ok(Self { id, program, version })
    }

    /// Which host it is.
    pub fn id(&self) -> HostId {
        self.id
    }

    /// The version that is installed.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs the host non-interactively with one prompt, in a network of its own in which a fake model
    /// plays `script`. It gets fake keys and nothing of the machine's environment.
    pub fn run(&self, home: &TestHome, script: &Script, prompt: &str, options: &Options) -> Result<Run> {
        self.id.prepare(home)?;
        let model = format!("http://127.0.0.1:{MODEL_PORT}");
        let invocation = self.id.invocation(home, &model, prompt, options)?;
        let (launch, record) = self.launch(home, script, invocation, options)?;
        let process = launch.limit(options.limit.unwrap_or(LIMIT)).run()?;
        Ok(Run { process, model: Recording::read(record.path())? })
    }

    /// Runs the host in a terminal, with a first prompt, until what it shows is enough. Gives what it showed.
    pub fn watch(
        &self,
        home: &TestHome,
        script: &Script,
        prompt: &str,
        options: &Options,
        enough: impl Fn(&str) -> bool,
    ) -> Result<String> {
        let model = format!("http://127.0.0.1:{MODEL_PORT}");
        let invocation = self.id.invocation_in_terminal(&model, prompt, options);
        let invocation = invocation.ok_or_else(|| Error::Program {
            program: self.id.to_string(),
            problem: "cannot be watched in a terminal yet".to_owned(),
        })?;
        let (launch, _record) = self.launch(home, script, invocation, options)?;
        Terminal::new()?.run_until(launch, options.limit.unwrap_or(LIMIT), enough)
    }

    /// The host about to run in a network of its own, and the folder that its requests are written into.
    fn launch(
        &self,
        home: &TestHome,
        script: &Script,
        invocation: Invocation,
        options: &Options,
    ) -> Result<(Launch, TempDir)> {
        let record = tempfile::Builder::new()
            .prefix("model-")
            .tempdir_in(home.folder())
            .map_err(Error::file("making a folder in", home.folder()))?;
        let script_file = record.path().join("script.json");
        script.write(&script_file)?;

        let mut launch = self.in_own_network(home, &script_file, record.path())?;
        launch = launch.arg("--").arg(&self.program).args(invocation.args);
        for (name, value) in invocation.env {
            launch = launch.env(name, value);
        }
        for (name, value) in &options.env {
            launch = launch.env(name, value);
        }
        if let Some(cwd) = &options.cwd {
            launch = launch.cwd(cwd);
        }
        if let Some(fault) = &options.fault {
            launch = fault.inside(launch);
        }
        Ok((launch, record))
    }

    /// A program that finds this host's command on its search path, as a person's does; without a network.
    pub fn beside(&self, launch: Launch) -> Result<Launch> {
        let folder = self.program.parent().unwrap_or(&self.program);
        let path = format!("{}:{}", folder.display(), self.path()?);
        let unshare = unshare_arguments().unwrap_or_default();
        Ok(launch.env("PATH", path).through(["unshare"].iter().chain(unshare).chain(&["--"])))
    }

    fn in_own_network(&self, home: &TestHome, script: &Path, record: &Path) -> Result<Launch> {
        let unshare = unshare_arguments().unwrap_or_default();
        let fake_model = fake_model_program().ok_or_else(|| Error::Program {
            program: "remora-fake-model".to_owned(),
            problem: "is not beside the tests; cargo builds it for this package's integration tests"
                .to_owned(),
        })?;
        let launch = home
            .launch("unshare")
            .args(unshare)
            .arg("--")
            .arg(fake_model)
            .args(["--port", &MODEL_PORT.to_string(), "--loopback"])
            .arg("--script")
            .arg(script)
            .arg("--record")
            .arg(record);
        Ok(launch.env("PATH", self.path()?))
    }

    /// The search path: the folder of Node.js, which most hosts are scripts of, then the system's.
    fn path(&self) -> Result<String> {
        let system = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
        let search = std::env::var_os("PATH").unwrap_or_default();
        let node = std::env::split_paths(&search).find(|folder| folder.join("node").is_file());
        let node = node.ok_or_else(|| Error::Program {
            program: self.id.to_string(),
            problem: "needs Node.js, which is not on the PATH".to_owned(),
        })?;
        Ok(format!("{}:{system}", node.display()))
    }
}

impl Run {
    /// Itself if the host ended well, else an error that shows what it printed and asked.
    pub fn expect_ok(self, host: &Host) -> Result<Self> {
        if self.process.ok() {
            return Ok(self);
        }
        let problem = format!("{}\n--- requests\n{}", self.process.describe(), self.model.outline());
        Err(Error::Program { program: host.id.to_string(), problem })
    }
}

/// The version of a host that the tests are written for.
pub(super) fn pinned_version(id: HostId) -> Option<&'static str> {
    let line = VERSIONS.lines().find(|line| line.split_whitespace().next() == Some(id.id()))?;
    line.split_whitespace().nth(2)
}

/// Where real hosts are looked for.
fn hosts_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("REMORA_TEST_HOSTS").or_else(|| {
        let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        cache.map(|cache| cache.join("remora-test-hosts"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_its_version_and_every_version_its_host() {
        for id in HostId::ALL {
            let version = pinned_version(id).unwrap_or_else(|| panic!("{id} has no version"));
            assert_eq!(version.split('.').count(), 3, "{id} {version}");
        }
        let lines = VERSIONS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        assert_eq!(lines.count(), HostId::ALL.len());
    }
}
