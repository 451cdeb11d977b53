//! Where memories lie elsewhere, and whose they are.

use std::path::{Path, PathBuf};

use remora_memory::index::is_index_file;
use remora_profile::{HostProfile, MemoryDocument};

use super::folder::Avoid;
use crate::engine::Engine;
use crate::native;
use crate::root::Root;

/// The beginning of the names of snapshots' folders that hold a repository's text.
const REPOSITORY: &str = "repository-";

/// The beginning of those that hold what lay in a folder that the person named.
const FOLDER: &str = "folder-";

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// What a host keeps by itself.
    Native,
    /// A folder that the person named.
    Chosen,
    /// What a repository brought along: somebody else's words.
    Repository,
}

impl Kind {
    /// The word in answers to commands.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Chosen => "folder",
            Self::Repository => "repository",
        }
    }
}

/// How a source is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Every file of a folder is a memory, but those that a host's profile leaves out; or one file alone.
    Folder { leave_out: Vec<String>, only: Option<String> },
    /// One file that holds several.
    Document(MemoryDocument),
}

/// Where memories lie elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The folder, or the document.
    pub(crate) path: PathBuf,
    /// The folder of its snapshots, below `imported/`.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) rules: Rules,
    /// The repository in which it lies, out of which nothing may lead.
    pub(crate) within: Option<PathBuf>,
}

/// Whose snapshots they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A project's.
    Project { slug: String, root: PathBuf },
    /// The person's, in all their projects.
    Person,
}

impl Whose {
    /// The folder of all their snapshots.
    pub(crate) fn imported(&self, root: &Root) -> PathBuf {
        match self {
            Self::Project { slug, .. } => root.project(slug).join("imported"),
            Self::Person => root.user_imported(),
        }
    }

    /// Whether a part of a document is theirs: by the folders that it is about.
    pub(super) fn owns(&self, folders: &[PathBuf]) -> bool {
        match self {
            Self::Project { root, .. } => folders.iter().any(|folder| folder.starts_with(root)),
            Self::Person => folders.is_empty(),
        }
    }
}

impl Source {
    fn folder(path: PathBuf, name: String, kind: Kind, leave_out: Vec<String>) -> Self {
        Self { path, name, kind, rules: Rules::Folder { leave_out, only: None }, within: None }
    }

    /// A folder or a file that the person named, for a project. What lies in the project's work tree is the
    /// repository's text all the same.
    pub(crate) fn chosen(path: &Path, project: &Path, home: Option<&Path>) -> Self {
        let is_file = path.is_file();
        let folder = if is_file { path.parent().unwrap_or(path) } else { path };
        let only = is_file.then(|| super::file_name(path));
        let is_below = |folder: &Path| folder.starts_with(project);
        let is_in_project = is_below(folder) || folder.canonicalize().is_ok_and(|folder| is_below(&folder));
        let within = if is_below(folder) { Some(project.to_owned()) } else { repository_of(folder, home) };
        let kind = if is_in_project { Kind::Repository } else { Kind::Chosen };
        let start = if is_in_project { REPOSITORY } else { FOLDER };
        let name = format!("{start}{}-{}", plain(&super::file_name(folder)), super::short_hash(folder));
        let rules = Rules::Folder { leave_out: Vec::new(), only };
        Self { path: folder.to_owned(), name, kind, rules, within }
    }

    /// Whether it is a folder rather than a document.
    pub(super) fn is_folder(&self) -> bool {
        matches!(self.rules, Rules::Folder { .. })
    }

    /// Whether only one file of the folder is meant.
    pub(super) fn is_one_file(&self) -> bool {
        matches!(&self.rules, Rules::Folder { only: Some(_), .. })
    }

    /// Whether a file of the folder is meant.
    pub(super) fn has(&self, file: &str) -> bool {
        match &self.rules {
            Rules::Folder { only: Some(only), .. } => only == file,
            _ => true,
        }
    }

    /// Whether a file or a sub-folder holds no memories.
    pub(super) fn leaves_out(&self, file: &str) -> bool {
        let Rules::Folder { leave_out, only } = &self.rules else { return false };
        // Of one file nothing else need be looked at; a host's daily logs are no memories.
        only.as_ref().is_some_and(|only| only != file)
            || self.kind == Kind::Native && file == "logs"
            || leave_out.iter().any(|pattern| remora_profile::matches(pattern, file))
    }

    /// Why nothing of it is taken, if so.
    pub(super) fn refused(&self, avoid: &Avoid) -> Option<String> {
        let real = self.path.canonicalize().ok()?;
        if avoid.has(&real) {
            return Some("it is the memory itself".to_owned());
        }
        let within = self.within.as_ref()?.canonicalize().ok()?;
        let is_inside = real.starts_with(&within);
        (!is_inside).then(|| format!("it leads out of the repository {}", within.display()))
    }

    /// How the snapshot of a file is called. Names in a person's own folders are their business, and may need another
    /// one here; what others chose is taken as it is or not at all.
    pub(super) fn snapshot_name(&self, file: &str) -> Result<String, String> {
        let plain_name = super::is_plain(file);
        // The folder `logs` of a memory folder is not read.
        let is_log = file.to_lowercase().starts_with("logs/");
        // Nor is what is called like an index.
        let is_read = !is_log && !is_index_file(file.rsplit('/').next().unwrap_or(file));
        match plain_name {
            Ok(()) if is_read => Ok(file.to_owned()),
            Err(reason) if self.kind == Kind::Repository => Err(reason),
            _ => {
                let stem = plain(file.rsplit_once('.').map_or(file, |(stem, _)| stem));
                Ok(format!("{}-{}.md", stem.to_lowercase(), super::short_hash(Path::new(file))))
            }
        }
    }
}

/// Letters and digits of any script, all else one `-`, not too long.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() {
            out.push(character);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let short: String = out.trim_matches('-').chars().take(40).collect();
    if short.is_empty() { "files".to_owned() } else { short }
}

/// The work tree in which a folder lies by its name. The person's home is none, whatever lies in it.
fn repository_of(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_root = |folder: &Path| [".git", ".jj", ".hg"].iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(|above| Some(*above) != home && is_root(above)).map(Path::to_owned)
}

/// How the author of a snapshot is named, by the folder that it lies in.
pub(crate) fn author(name: &str) -> String {
    let without_hash = |name: &str| name.rsplit_once('-').map_or(name, |(start, _)| start).to_owned();
    if let Some(name) = name.strip_prefix(FOLDER) {
        return format!("import from the folder {}", without_hash(name));
    }
    match name.strip_prefix(REPOSITORY) {
        Some(name) => format!("the repository ({name})"),
        None => name.to_owned(),
    }
}

/// Whether a folder of snapshots holds a repository's text.
pub(crate) fn is_repository(name: &str) -> bool {
    name.starts_with(REPOSITORY)
}

impl Engine {
    /// Everything that is taken for a project by itself. Blocks for a moment.
    pub(crate) fn sources_of(&self, root: &Path) -> Vec<Source> {
        let mut hosts: Vec<&HostProfile> = self.profiles().collect();
        hosts.sort_by(|a, b| a.id.cmp(&b.id));
        let mut sources: Vec<Source> =
            hosts.into_iter().flat_map(|profile| self.native_sources(profile, root)).collect();
        let roots = self.watched_roots();
        sources.extend(
            roots
                .iter()
                .filter(|watched| self.is_of(&watched.project, root))
                .map(|watched| Source::chosen(&watched.folder, root, self.home())),
        );
        sources
    }

    /// What a host keeps for a project, and what a repository has for it.
    pub(crate) fn native_sources(&self, profile: &HostProfile, root: &Path) -> Vec<Source> {
        let Some(home) = self.home() else { return Vec::new() };
        let mut sources = Vec::new();
        if let Some((folder, path)) = native::of_project(profile, root, home) {
            sources.push(Source::folder(path, profile.id.clone(), Kind::Native, folder.leave_out.clone()));
        }
        for folder in profile.memory.folders.iter().filter(|folder| folder.is_in_project()) {
            let path = root.join(native::without_agent(&folder.path));
            let name = format!("{REPOSITORY}{}", profile.id);
            let source = Source::folder(path, name, Kind::Repository, folder.leave_out.clone());
            sources.push(Source { within: Some(root.to_owned()), ..source });
        }
        sources.extend(documents(profile, home));
        sources
    }

    /// What a host keeps for the person, in all their projects.
    pub(crate) fn native_sources_of_person(&self, profile: &HostProfile) -> Vec<Source> {
        let Some(home) = self.home() else { return Vec::new() };
        let folders = profile
            .memory
            .folders
            .iter()
            .filter(|folder| folder.path.starts_with("~/") && !folder.path.contains("{slug}"));
        let mut sources: Vec<Source> = folders
            .map(|folder| {
                let path = home.join(native::without_agent(&folder.path).trim_start_matches("~/"));
                Source::folder(path, profile.id.clone(), Kind::Native, folder.leave_out.clone())
            })
            .collect();
        sources.extend(documents(profile, home));
        sources
    }
}

fn documents(profile: &HostProfile, home: &Path) -> Vec<Source> {
    let documents = profile.memory.documents.iter().filter(|document| document.path.starts_with("~/"));
    documents
        .map(|document| Source {
            path: home.join(document.path.trim_start_matches("~/")),
            name: profile.id.clone(),
            kind: Kind::Native,
            rules: Rules::Document(document.clone()),
            within: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_wrote_a_snapshot_is_named_by_its_folder() {
        for (name, author) in [
            ("some-host", "some-host"),
            ("folder-my-notes-0a1b2c3d", "import from the folder my-notes"),
            ("repository-some-host", "the repository (some-host)"),
        ] {
            assert_eq!(super::author(name), author);
        }
    }

    #[test]
    fn names_in_a_person_s_own_folder_may_need_another_and_those_of_others_must_be_plain() {
        let own =
            |file: &str| Source::chosen(Path::new("/n/notes"), Path::new("/p"), None).snapshot_name(file);
        assert_eq!(own("a/端口.md"), Ok("a/端口.md".to_owned()));
        for odd in ["12:30.md", "logs/2026.md", " x.md", "con.md"] {
            let name = own(odd).expect("a name");
            assert!(super::super::is_plain(&name).is_ok() && !name.starts_with("logs/"), "{odd} {name}");
        }
        let repository = Source::chosen(Path::new("/p/docs"), Path::new("/p"), None);
        assert_eq!(repository.kind, Kind::Repository);
        assert!(
            repository.snapshot_name("%2e%2e%2fx.md").is_err() && repository.snapshot_name("a:b.md").is_err()
        );
    }
}
