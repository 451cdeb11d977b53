//! A made-up machine: a home folder, a data root with executables, an environment of its own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use remora_install::edit::json::{Document, hook_groups};
use remora_install::{
    Applied, Environment, Error, HOSTS, Host, Installation, Manifest, Options, Plan, install, plan_install,
    plan_uninstall, uninstall,
};
use serde_json::Value;
use tempfile::TempDir;

/// A data root that quoting has to cope with.
pub(crate) const ROOT: &str = "data root/记忆";

pub(crate) struct World {
    folder: TempDir,
    pub(crate) environment: Environment,
    pub(crate) installation: Installation,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_root(ROOT)
    }

    /// In memory where the system has such a place: what is synced to a disk takes its time. Programs may not
    /// be run from there.
    pub(crate) fn with_root(root: &str) -> Self {
        let memory = tempfile::tempdir_in("/dev/shm");
        Self::in_folder(memory.or_else(|_| tempfile::tempdir()).expect("a temporary folder"), root)
    }

    /// Where programs can be run.
    pub(crate) fn that_runs(root: &str) -> Self {
        Self::in_folder(tempfile::tempdir().expect("a temporary folder"), root)
    }

    fn in_folder(folder: TempDir, root: &str) -> Self {
        let home = folder.path().join("home");
        fs::create_dir(&home).expect("a home folder");
        let environment = Environment {
            config: home.join(".config/remora"),
            system: folder.path().join("etc"),
            variables: BTreeMap::new(),
            now: SystemTime::UNIX_EPOCH + Duration::from_hours(490_000),
            home,
        };
        let installation = installed_at(&folder.path().join(root));
        Self { folder, environment, installation }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self, file: &str) -> PathBuf {
        self.environment.home.join(file)
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.home(".claude/settings.json")
    }

    pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }

    pub(crate) fn plan(&self) -> Result<Plan, Error> {
        plan_install(&self.environment, &self.installation, &hosts(), &Options::default())
    }

    pub(crate) fn plan_removal(&self) -> Result<Plan, Error> {
        plan_uninstall(&self.environment, &self.installation, None)
    }

    pub(crate) fn install(&self) -> Applied {
        self.install_with(&Options::default())
    }

    pub(crate) fn install_with(&self, options: &Options) -> Applied {
        install(&self.environment, &self.installation, &hosts(), options).expect("the installation succeeds")
    }

    pub(crate) fn uninstall(&self) -> Applied {
        uninstall(&self.environment, &self.installation, None).expect("the removal succeeds")
    }

    pub(crate) fn manifest(&self) -> Manifest {
        Manifest::read(&self.installation).expect("the manifest reads")
    }

    /// Every file and link below the made-up machine, but not the backups, with mode and content.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, (u32, String)> {
        let mut all = BTreeMap::new();
        walk(self.path(), &mut all);
        all.retain(|path, _| !path.starts_with(self.installation.root().join("backups")));
        all
    }

    /// A text with this machine's paths taken out.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&self.path().display().to_string(), "")
    }
}

/// An installation with every executable of every host.
pub(crate) fn installed_at(root: &Path) -> Installation {
    let installation = Installation::new(root).expect("an absolute root");
    let hooks = HOSTS.iter().flat_map(|host| host.hooks.iter().map(|hook| (host.id, hook.executable)));
    let paths: Vec<_> = hooks.map(|(host, hook)| installation.executable(host, hook)).collect();
    write_scripts(&paths, "cat >/dev/null");
    installation
}

/// Writes executables. A program of its own does it, so that no thread of this one holds such a file open
/// for writing while another starts it.
pub(crate) fn write_scripts(paths: &[PathBuf], body: &str) {
    for folder in paths.iter().filter_map(|path| path.parent()) {
        fs::create_dir_all(folder).expect("folders");
    }
    let script = r#"body=$1; shift; for f; do printf '#!/bin/sh\n%s\n' "$body" >"$f"; done; chmod 755 "$@""#;
    let written = Command::new("/bin/sh").args(["-c", script, "sh", body]).args(paths).status();
    assert!(written.expect("sh runs").success());
}

pub(crate) fn hosts() -> Vec<&'static Host> {
    vec![Host::by_id("claude-code").expect("the host is known")]
}

fn walk(folder: &Path, all: &mut BTreeMap<PathBuf, (u32, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let found = fs::symlink_metadata(&path).expect("an entry");
        let mode = found.permissions().mode() & 0o7777;
        if found.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            all.insert(path, (mode, format!("-> {}", target.display())));
        } else if found.is_dir() {
            walk(&path, all);
            all.insert(path, (mode, "folder".into()));
        } else {
            let bytes = fs::read(&path).expect("a file");
            all.insert(path, (mode, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}

/// The value of a text that may have comments.
pub(crate) fn parse(text: &str) -> Value {
    Document::parse(text.trim_start_matches('\u{feff}')).expect("JSON").value().expect("a value")
}

/// Every hook is there once, starts its executable with the root, and stands last in its event.
pub(crate) fn assert_ours_are_there(world: &World, text: &str, name: &str) {
    let entries = hook_groups::present(text.trim_start_matches('\u{feff}')).expect("hooks");
    for hook in hosts()[0].hooks {
        let of_event: Vec<_> = entries.iter().filter(|entry| entry.event == hook.event).collect();
        let executable = world.installation.executable("claude-code", hook.executable);
        let last = of_event.last().expect("an entry");
        assert_eq!(last.handler["command"], executable.to_str().expect("Unicode"), "{name}: {}", hook.event);
        assert_eq!(last.handler["args"][1], world.installation.root().to_str().expect("Unicode"), "{name}");
        let ours = of_event.iter().filter(|entry| entry.handler == last.handler).count();
        assert_eq!(ours, 1, "{name}: {}", hook.event);
    }
}
