//! The person's machine, as the command that they typed sees it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What planning may look at besides the files themselves. It is handed in, so that nothing here depends on
/// the process's own environment.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The person's home folder.
    pub home: PathBuf,
    /// Remora's configuration folder, for example `~/.config/remora`.
    pub config: PathBuf,
    /// The folder of system-wide configuration: `/etc`, on macOS `/Library/Application Support`.
    pub system: PathBuf,
    /// The variables of the person's shell: `PATH`, `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, ...
    pub variables: BTreeMap<OsString, OsString>,
    /// The time now: it names backups.
    pub now: SystemTime,
}

impl Environment {
    /// The environment of this process. `config` is Remora's configuration folder, which the caller knows.
    /// Nothing when the person has no home folder.
    pub fn of_process(config: PathBuf) -> Option<Self> {
        Some(Self {
            home: std::env::home_dir().filter(|home| home.is_absolute())?,
            config,
            system: PathBuf::from(if cfg!(target_os = "macos") {
                "/Library/Application Support"
            } else {
                "/etc"
            }),
            variables: std::env::vars_os().collect(),
            now: SystemTime::now(),
        })
    }

    /// A variable's value, unless it is empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// An absolute path in a variable. A relative one depends on where the host is started, so it is no
    /// answer; `~/` is taken as the home folder.
    pub fn path_variable(&self, name: &str) -> Option<PathBuf> {
        let value = Path::new(self.variable(name)?);
        let path = value.strip_prefix("~").map_or_else(|_| value.to_owned(), |rest| self.home.join(rest));
        path.is_absolute().then(|| path.components().collect())
    }

    /// The first executable of that name on the person's `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let path = self.variable("PATH")?;
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&file))
            .find(|candidate| is_executable(candidate))
    }
}

/// Whether a path is a file that may be executed.
pub(crate) fn is_executable(path: &Path) -> bool {
    let Ok(found) = std::fs::metadata(path) else { return false };
    #[cfg(unix)]
    let allowed = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let allowed = true;
    found.is_file() && allowed
}
