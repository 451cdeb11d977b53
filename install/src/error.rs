//! What can go wrong, and what the person can do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why an installation could not be planned, written, checked or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration file is not in the format that its host reads.
    #[error("{path}:{line}:{column} does not parse: {problem}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser said.
        problem: String,
    },
    /// A configuration file is well formed, but not shaped as its host reads it.
    #[error("{path}:{line}:{column} has an unexpected shape: {problem}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is odd.
        problem: String,
    },
    /// A configuration file is not UTF-8 text.
    #[error("{0} is not UTF-8 text")]
    NotText(PathBuf),
    /// An edit would have changed something that is not ours. It is a fault of this program.
    #[error("editing {0} would have changed more than our entries, so it was left alone")]
    NotOurs(PathBuf),
    /// A file was written by somebody else between reading and writing it.
    #[error("{0} was changed by another program while it was being edited")]
    Changed(PathBuf),
    /// What should be a file is something else.
    #[error("{0} is not a regular file")]
    NotAFile(PathBuf),
    /// The file belongs to another user, and writing it would change that.
    #[error("{0} belongs to another user")]
    OtherOwner(PathBuf),
    /// A symbolic link in a project leads out of it.
    #[error("{path} leads out of the project, to {target}")]
    LeavesProject {
        /// The path inside the project.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A path cannot be written into a configuration file.
    #[error("the path {0} cannot be written into a configuration file")]
    UnwritablePath(PathBuf),
    /// A path must be absolute.
    #[error("{0} is not an absolute path")]
    RelativePath(PathBuf),
    /// Hook executables of a host are not in the installation.
    #[error("{host} needs executables that are not installed: {}", list(.missing))]
    MissingExecutables {
        /// The host's id.
        host: String,
        /// What is missing.
        missing: Vec<PathBuf>,
    },
    /// The manifest was written by a newer version.
    #[error("{path} has format {format}, and this version knows formats up to {known}")]
    NewerManifest {
        /// The manifest.
        path: PathBuf,
        /// Its format.
        format: u32,
        /// The newest format known here.
        known: u32,
    },
    /// The manifest cannot be read.
    #[error("the installation's record {path} does not parse: {source}")]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A host's command is not on this machine.
    #[error("{host} itself was not found, so it cannot be asked")]
    NoProgram {
        /// The host's name.
        host: &'static str,
    },
    /// A host did not do what it was asked.
    #[error("asking {host} {doing}: {problem}")]
    Host {
        /// The host's name.
        host: &'static str,
        /// What it was asked.
        doing: &'static str,
        /// What it said, or did not.
        problem: String,
    },
    /// The file system refused.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was being done, for example `read`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Writing failed half-way, and what had been written was put back.
    #[error("{source}; {}", put_back(.stuck))]
    RolledBack {
        /// What failed.
        source: Box<Error>,
        /// Files that could not be put back, each with the reason. Empty when all is as before.
        stuck: Vec<(PathBuf, String)>,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// One sentence on what the person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Parse { path, .. } | Self::NotText(path) | Self::Shape { path, .. } => Some(format!(
                "fix {} or move it away, then run the command again; it was left as it is",
                path.display()
            )),
            Self::Changed(path) => {
                Some(format!("close the program that writes {}, then run the command again", path.display()))
            }
            Self::OtherOwner(path) => Some(format!("run the command as the owner of {}", path.display())),
            Self::LeavesProject { path, .. } => {
                Some(format!("replace the link {} by a file of the project", path.display()))
            }
            Self::UnwritablePath(_) => {
                Some("choose a data root whose path is plain Unicode text with `--root DIR`".into())
            }
            Self::RelativePath(_) => Some("give the whole path".into()),
            Self::MissingExecutables { host, .. } => {
                Some(format!("build them with `install/build.sh {host}` or run `install/install.sh`"))
            }
            Self::NewerManifest { .. } => Some("use the newer `remora` to change this installation".into()),
            Self::BadManifest { path, .. } => Some(format!(
                "move {} away and run `remora install` again: it recognises its entries by their paths",
                path.display()
            )),
            Self::RolledBack { source, stuck } => {
                if stuck.is_empty() {
                    source.hint()
                } else {
                    Some("copies of the files lie in `backups/config` of the data root".into())
                }
            }
            Self::NoProgram { host } => Some(format!("put {host}'s command on the `PATH`")),
            Self::Host { host, .. } => Some(format!("start {host} and trust the hooks there, with `/hooks`")),
            Self::Io { path, source, .. }
                if matches!(
                    source.kind(),
                    io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
                ) =>
            {
                let folder = path.parent().unwrap_or(path).display();
                Some(format!(
                    "make {folder} writable for you, or name only the other hosts: `remora install HOST`"
                ))
            }
            Self::NotOurs(_) | Self::NotAFile(_) | Self::Io { .. } => None,
        }
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn put_back(stuck: &[(PathBuf, String)]) -> String {
    if stuck.is_empty() {
        return "everything was put back as it was".into();
    }
    let each: Vec<_> = stuck.iter().map(|(path, why)| format!("{} ({why})", path.display())).collect();
    format!("could not be put back: {}", each.join(", "))
}
