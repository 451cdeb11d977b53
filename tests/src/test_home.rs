//! A person's home that nobody else knows of.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::launch::Launch;

/// A temporary home with a project in it and an environment that holds nothing of the machine's own.
/// When it is dropped, its engines are stopped and all of it goes.
#[derive(Debug)]
pub struct TestHome {
    folder: TempDir,
}

impl TestHome {
    /// A new home with an empty project that looks like a git checkout.
    pub fn new() -> Result<Self> {
        Self::named("remora-")
    }

    /// The same in a folder whose name starts so: people have spaces and letters of every script in
    /// their paths.
    pub fn named(start: &str) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(start)
            .tempdir()
            .map_err(Error::file("making a folder in", &std::env::temp_dir()))?;
        let home = Self { folder };
        for folder in [home.home(), home.project(), home.temp()] {
            make_folder(&folder)?;
        }
        make_checkout(&home.project())?;
        Ok(home)
    }

    /// The folder that holds everything else.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The person's home.
    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    /// The project in which programs run unless told otherwise.
    pub fn project(&self) -> PathBuf {
        self.folder().join("project")
    }

    /// What programs get as their folder for temporary files.
    pub fn temp(&self) -> PathBuf {
        self.folder().join("tmp")
    }

    /// Where Remora keeps its data for this person, by the platform's own rule.
    pub fn root(&self) -> PathBuf {
        self.home().join(".local").join("share").join("remora")
    }

    /// Where Remora's configuration of this person lies, by the platform's own rule.
    pub fn config(&self) -> PathBuf {
        self.home().join(".config").join("remora")
    }

    /// Writes a file below the home, with its folders.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        write_with_folders(&self.home().join(path), content.as_ref())
    }

    /// Writes a file below the home as if that had been an hour ago: nobody is writing it any more.
    pub fn write_long_ago(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.write(path, content)?;
        let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60 * 60);
        let set = || std::fs::File::options().write(true).open(&path)?.set_modified(hour_ago);
        set().map_err(Error::file("changing the time of", &path))?;
        Ok(path)
    }

    /// Writes a file below the project, with its folders.
    pub fn write_in_project(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        write_with_folders(&self.project().join(path), content.as_ref())
    }

    /// Writes a file beside the home, where no program looks by itself.
    pub fn write_beside(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        write_with_folders(&self.folder().join(path), content.as_ref())
    }

    /// A program that runs as this person: in the project, with a cleared environment.
    pub fn launch(&self, program: impl AsRef<Path>) -> Launch {
        Launch::new(program.as_ref(), self.environment(), self.project())
    }

    /// The `remora` command with these arguments, as the person types it.
    pub fn remora(&self, arguments: &[&str]) -> Result<Launch> {
        let remora = Installation::get()?.remora();
        if !remora.exists() {
            let problem = "is not among the workspace's executables".to_owned();
            return Err(Error::Program { program: "remora".to_owned(), problem });
        }
        // The executables lie elsewhere than the data; a person has them under one roof.
        Ok(self.launch(remora).args(arguments.iter().copied()).env("REMORA_HOME", self.root()))
    }

    /// A hook executable as an installed entry calls it, with this home's data root.
    pub fn hook(&self, host: &str, event: &str) -> Result<Launch> {
        let hook = Installation::get()?.hook(host, event)?;
        Ok(self.launch(&hook.path).arg("--root").arg(self.root()))
    }

    /// This home's engine, if one answers.
    pub fn engine(&self) -> Result<Option<Engine>> {
        Engine::of(self)
    }

    /// The processes that were started to be this home's engine.
    pub fn engines(&self) -> Vec<Engine> {
        Engine::all_of(&self.root())
    }

    /// The environment of this person's programs.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let variables = [
            ("HOME", self.home()),
            ("TMPDIR", self.temp()),
            ("PATH", PathBuf::from("/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")),
            ("LANG", PathBuf::from("C.UTF-8")),
            ("TZ", PathBuf::from("UTC")),
        ];
        variables.map(|(name, value)| (name.into(), value.into())).into()
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        // One may be on its way out while another comes up.
        for engine in Engine::all_of(&self.root()) {
            engine.stop();
        }
    }
}

/// The least that makes a folder a git checkout, written by hand: no test needs the git program.
pub fn make_checkout(folder: &Path) -> Result<()> {
    let git = folder.join(".git");
    for inner in ["objects", "refs/heads", "refs/tags"] {
        make_folder(&git.join(inner))?;
    }
    write_with_folders(&git.join("HEAD"), b"ref: refs/heads/main\n")?;
    write_with_folders(&git.join("config"), b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n")?;
    Ok(())
}

fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(Error::file("making", folder))
}

fn write_with_folders(path: &Path, content: &[u8]) -> Result<PathBuf> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    std::fs::write(path, content).map_err(Error::file("writing", path))?;
    Ok(path.to_owned())
}
