//! A person's home that nobody else knows of.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::error::{Error, Result};

/// A temporary home with a project in it and an environment that holds nothing of the machine's own.
/// All of it goes when it is dropped.
#[derive(Debug)]
pub struct TestHome {
    folder: TempDir,
}

impl TestHome {
    /// A new home with an empty project that looks like a git checkout.
    pub fn new() -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("remora-")
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

    /// The project in which hosts run unless told otherwise.
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

    /// Writes a file below the home, with its folders.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        write_with_folders(&self.home().join(path), content.as_ref())
    }

    /// Writes a file below the project, with its folders.
    pub fn write_in_project(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        write_with_folders(&self.project().join(path), content.as_ref())
    }

    /// Writes a file beside the home, where no program looks by itself.
    pub fn write_beside(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        write_with_folders(&self.folder().join(path), content.as_ref())
    }

    /// A command that runs as this person: in the project, with a cleared environment.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().envs(self.environment()).current_dir(self.project());
        command
    }

    /// The environment of this person's programs.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("HOME", self.home()),
            ("TMPDIR", self.temp()),
            ("PATH", PathBuf::from("/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")),
            ("LANG", PathBuf::from("C.UTF-8")),
            ("TZ", PathBuf::from("UTC")),
        ]
    }
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
