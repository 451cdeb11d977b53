//! Walking up from a directory to the root of its project.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

use super::same_place;

/// The largest file of a repository that is read for its identity.
const MAX_READ: u64 = 4096;

/// What is known about the person's machine; nothing of it is read from the environment here.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The person's home folder: the root of nothing below it.
    pub home: Option<PathBuf>,
    /// Temporary folders: roots of nothing below them. `/tmp` and its equals are known anyway.
    pub temporary: Vec<PathBuf>,
    /// Roots that already are projects; a directory without a repository belongs to the nearest one above it.
    pub known: Vec<PathBuf>,
    /// The person's user id; that of this process where it is not given. Unix only.
    pub uid: Option<u32>,
}

/// Where the common part of a repository lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repository {
    /// A git repository, with its common directory (`.git`, or the bare repository itself).
    Git(PathBuf),
    /// A `.git` file that does not lead to a repository of this person, and is not followed.
    Unfollowed,
    /// A jj or Mercurial repository without git beside it.
    Other,
}

/// The root of a project and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRoot {
    /// The canonical root.
    pub root: PathBuf,
    /// The repository, if there is one.
    pub repository: Option<Repository>,
}

impl ProjectRoot {
    /// The root of the project that `directory` belongs to. Always an answer: for a directory that is gone it is made
    /// from its nearest ancestor that is still there.
    pub fn find(directory: &Path, around: &Surroundings) -> Self {
        let real = real_path(directory);
        let mut found = in_repository(&real, around)
            .unwrap_or_else(|| Self { root: nearest_known(&real, around).unwrap_or(real), repository: None });
        if let Some(known) = around.known.iter().find(|known| is_twin(known, &found.root)) {
            found.root.clone_from(known);
        }
        found
    }
}

/// The path with links resolved as far as it exists, the rest taken as it is written.
fn real_path(path: &Path) -> PathBuf {
    let plain = lexical(path);
    let mut existing = plain.as_path();
    let mut gone = Vec::new();
    loop {
        if let Ok(real) = std::fs::canonicalize(existing) {
            return gone.into_iter().rev().fold(real, |path, name| path.join(name));
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else { return plain };
        gone.push(name.to_owned());
        existing = parent;
    }
}

/// The path without `.`; `..` is undone only below something that does not exist, where nothing can be resolved.
fn lexical(path: &Path) -> PathBuf {
    if std::fs::canonicalize(path).is_ok() {
        return path.to_owned();
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn in_repository(real: &Path, around: &Surroundings) -> Option<ProjectRoot> {
    for folder in real.ancestors() {
        if folder != real && around.is_nobodys_root(folder) {
            return None;
        }
        if let Some(found) = marked(folder, around) {
            return Some(
                if found.root != real && real.starts_with(&found.root) && around.is_nobodys_root(&found.root)
                {
                    ProjectRoot { root: folder.to_owned(), repository: None }
                } else {
                    found
                },
            );
        }
    }
    None
}

/// The project of a folder that carries a mark of a repository.
fn marked(folder: &Path, around: &Surroundings) -> Option<ProjectRoot> {
    let here = |repository| ProjectRoot { root: folder.to_owned(), repository: Some(repository) };
    let dot_git = folder.join(".git");
    match std::fs::symlink_metadata(&dot_git) {
        Ok(meta) if meta.is_file() => {
            return Some(match follow(&dot_git, around) {
                Followed::Worktree { common } => root_of_common(&common),
                Followed::Own { git_dir } => here(Repository::Git(git_dir)),
                Followed::Refused => here(Repository::Unfollowed),
            });
        }
        // A link named `.git` is followed by git; here it only marks a root of its own.
        Ok(meta) if meta.is_symlink() => return Some(here(Repository::Unfollowed)),
        Ok(_) if is_git_dir(&dot_git) => return Some(here(Repository::Git(dot_git))),
        Ok(_) | Err(_) => {}
    }
    if is_git_dir(folder) {
        return Some(root_of_common(folder));
    }
    let other = [".jj", ".hg"].iter().any(|mark| folder.join(mark).is_dir());
    other.then(|| here(Repository::Other))
}

/// A common directory named `.git` belongs to the folder that holds it; another one to the folder whose `.git` file names
/// it, a submodule's or the one right above it; else it is bare and its own root.
fn root_of_common(common: &Path) -> ProjectRoot {
    let parent = common.parent().filter(|parent| is_named_by(common, parent));
    let root = match common.parent() {
        Some(parent) if common.file_name().is_some_and(|name| name == ".git") => parent.to_owned(),
        _ => work_tree_of(common).or(parent.map(Path::to_owned)).unwrap_or_else(|| common.to_owned()),
    };
    ProjectRoot { root, repository: Some(Repository::Git(common.to_owned())) }
}

/// The folder that `core.worktree` names, if it points back.
fn work_tree_of(git_dir: &Path) -> Option<PathBuf> {
    let config = read_small(&git_dir.join("config"))?;
    let named = config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        key.trim().eq_ignore_ascii_case("worktree").then(|| value.trim().trim_matches('"').to_owned())
    })?;
    let folder = std::fs::canonicalize(git_dir.join(named)).ok()?;
    is_named_by(git_dir, &folder).then_some(folder)
}

/// Whether the `.git` file of a folder names this git directory.
fn is_named_by(git_dir: &Path, folder: &Path) -> bool {
    named_git_dir(folder).is_some_and(|named| named == git_dir)
}

/// The git directory that a folder's `.git` file names.
fn named_git_dir(folder: &Path) -> Option<PathBuf> {
    let text = read_small(&folder.join(".git"))?;
    let target = text.trim_end_matches(['\r', '\n']).strip_prefix("gitdir:")?;
    std::fs::canonicalize(folder.join(target.trim())).ok()
}

/// What a directory must have for git to take it as a repository.
fn is_git_dir(folder: &Path) -> bool {
    let head =
        std::fs::symlink_metadata(folder.join("HEAD")).is_ok_and(|meta| meta.is_file() || meta.is_symlink());
    head && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Where a `.git` file leads.
enum Followed {
    /// To a worktree's part of a repository that points back here.
    Worktree { common: PathBuf },
    /// To a git directory of this folder alone, as in a submodule.
    Own { git_dir: PathBuf },
    /// To nothing that may be followed.
    Refused,
}

fn follow(dot_git: &Path, around: &Surroundings) -> Followed {
    let Some(folder) = dot_git.parent() else { return Followed::Refused };
    let Some(git_dir) = named_git_dir(folder) else { return Followed::Refused };
    if !around.owns(dot_git) || !around.owns(&git_dir) {
        return Followed::Refused;
    }
    let Some(common) = read_small(&git_dir.join("commondir")) else {
        // Without a common directory it is no worktree; a submodule's or a separated git directory.
        return if is_git_dir(&git_dir) { Followed::Own { git_dir } } else { Followed::Refused };
    };
    let Ok(common) = std::fs::canonicalize(git_dir.join(common.trim_end_matches(['\r', '\n']))) else {
        return Followed::Refused;
    };
    let registered = git_dir.parent().is_some_and(|worktrees| worktrees == common.join("worktrees"));
    if registered && is_git_dir(&common) && around.owns(&common) && points_back(&git_dir, dot_git) {
        Followed::Worktree { common }
    } else {
        Followed::Refused
    }
}

/// Whether the repository itself says that its worktree lies at this very `.git` file.
fn points_back(git_dir: &Path, dot_git: &Path) -> bool {
    let Some(text) = read_small(&git_dir.join("gitdir")) else { return false };
    let back = git_dir.join(text.trim_end_matches(['\r', '\n']));
    match (std::fs::canonicalize(back), std::fs::canonicalize(dot_git)) {
        (Ok(back), Ok(own)) => back == own,
        _ => false,
    }
}

/// The text of a small ordinary file; nothing for a larger one, a pipe or a link.
fn read_small(path: &Path) -> Option<String> {
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    crate::ordinary::open(path).ok()?.take(MAX_READ + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= MAX_READ).then_some(text)
}

fn nearest_known(real: &Path, around: &Surroundings) -> Option<PathBuf> {
    let mut above = real.ancestors().take_while(|folder| *folder == real || !around.is_nobodys_root(folder));
    above.find(|folder| around.known.iter().any(|known| known == folder)).map(Path::to_owned)
}

/// Whether two spellings of a path (case, composed or decomposed Unicode) are one folder.
fn is_twin(known: &Path, root: &Path) -> bool {
    let fold = |path: &Path| path.to_string_lossy().nfc().collect::<String>().to_lowercase();
    known != root && fold(known) == fold(root) && same_place(known, root)
}

impl Surroundings {
    /// Whether a folder is never the root of anything below it: the home folder, `/`, a temporary folder.
    fn is_nobodys_root(&self, folder: &Path) -> bool {
        const TEMPORARY: [&str; 5] = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm"];
        let is =
            |other: &Path| folder == other || std::fs::canonicalize(other).is_ok_and(|other| folder == other);
        folder.parent().is_none()
            || TEMPORARY.iter().any(|temporary| folder == Path::new(temporary))
            || self.home.as_deref().is_some_and(is)
            || self.temporary.iter().any(|temporary| is(temporary))
    }

    #[cfg(unix)]
    fn owns(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let person = self.uid.unwrap_or_else(|| rustix::process::geteuid().as_raw());
        std::fs::symlink_metadata(path).is_ok_and(|meta| meta.uid() == person)
    }

    #[cfg(not(unix))]
    fn owns(&self, _: &Path) -> bool {
        true
    }
}
