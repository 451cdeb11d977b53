//! The data root: where everything of one person lies, and what it is called there.

use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The data root and the names of what lies in it.
#[derive(Debug, Clone)]
pub struct Root {
    path: PathBuf,
}

/// What the installer (or the command that first starts an engine) wrote down about the person's machine.
/// It is the only place from which the engine learns these paths: no variable of a hook's environment,
/// which a repository can set, reaches it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RootRecord {
    /// The person's home folder: never the root of a project below it.
    pub home: Option<PathBuf>,
    /// The person's configuration file.
    pub config: Option<PathBuf>,
    /// The folder of the person's own host profiles.
    pub profiles: Option<PathBuf>,
}

impl Root {
    /// The root at `path`, which must be absolute. Nothing is created.
    pub fn new(path: PathBuf) -> io::Result<Self> {
        if path.is_absolute() {
            return Ok(Self { path });
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the data root {} is not an absolute path", path.display()),
        ))
    }

    /// Makes the folders that the engine needs, private to the person.
    pub fn create(&self) -> io::Result<()> {
        for folder in [self.path(), &self.run(), &self.spool(), &self.spool_bad(), &self.logs()] {
            create_private(folder)?;
        }
        Ok(())
    }

    /// The root folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Locks, the socket and stamps: nothing in it outlives a restart of the machine.
    pub fn run(&self) -> PathBuf {
        self.path.join("run")
    }

    /// The lock that makes a process the engine.
    pub fn engine_lock(&self) -> PathBuf {
        self.run().join("engine.lock")
    }

    /// The stamp with which hooks remember that the engine was stuck.
    pub fn slow_stamp(&self) -> PathBuf {
        self.run().join("slow")
    }

    /// The stamp with which hooks remember that they tried to start the engine.
    pub fn start_stamp(&self) -> PathBuf {
        self.run().join("start")
    }

    /// Why the engine could not be started, as a hook wrote it down.
    pub fn start_failure(&self) -> PathBuf {
        self.run().join("start-failure")
    }

    /// Why the last engine did not begin, as it wrote it down itself: a sentence, and a line with what to do.
    pub fn refusal(&self) -> PathBuf {
        self.run().join("refusal")
    }

    /// Events that no engine has taken yet.
    pub fn spool(&self) -> PathBuf {
        self.path.join("spool")
    }

    /// Spool files that could not be read.
    pub fn spool_bad(&self) -> PathBuf {
        self.spool().join("bad")
    }

    /// The log files.
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// The journal's database.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.db")
    }

    /// Copies taken before something is changed for good.
    pub fn backups(&self) -> PathBuf {
        self.path.join("backups")
    }

    /// Memories that were forgotten and can be brought back.
    pub fn trash(&self) -> PathBuf {
        self.path.join("trash")
    }

    /// Memories that wait for the person's word.
    pub fn review(&self) -> PathBuf {
        self.path.join("review")
    }

    /// What a person deleted, so that nothing brings it back.
    pub fn tombstones(&self) -> PathBuf {
        self.path.join("tombstones.jsonl")
    }

    /// The folder of memories about the person, shared by all projects.
    pub fn user_memory(&self) -> PathBuf {
        self.path.join("user").join("memory")
    }

    /// Snapshots of what hosts keep for the person in all their projects.
    pub fn user_imported(&self) -> PathBuf {
        self.path.join("user").join("imported")
    }

    /// The folder of all projects.
    pub fn projects(&self) -> PathBuf {
        self.path.join("projects")
    }

    /// Everything of one project.
    pub fn project(&self, slug: &str) -> PathBuf {
        self.projects().join(slug)
    }

    /// What the installer wrote down, or nothing where it did not.
    pub fn record(&self) -> io::Result<RootRecord> {
        let path = self.path.join("root.toml");
        let text = match remora_memory::ordinary::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(RootRecord::default()),
            Err(e) => return Err(e),
        };
        toml::from_str(&text).map_err(|e| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{} does not parse: {e}", path.display()))
        })
    }
}

/// Creates a folder and its missing parents with mode 0700, and takes group and other bits off an
/// existing one.
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => {
            let mode = found.permissions().mode();
            if mode & 0o077 != 0 {
                fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
            }
            Ok(())
        }
        _ => std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|e| {
            io::Error::new(e.kind(), format!("failed to create the folder {}: {e}", folder.display()))
        }),
    }
}
