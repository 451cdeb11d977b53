//! Folders of the person's own that are watched for a project, as the configuration names them.

use std::path::{Path, PathBuf};

use remora_memory::project::{ProjectId, Surroundings};

use crate::config::Config;
use crate::engine::Engine;

/// So many folders are watched.
const MOST: usize = 32;

/// A folder of the person's own whose Markdown files are taken for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchRoot {
    pub(crate) folder: PathBuf,
    /// Any folder of the project.
    pub(crate) project: PathBuf,
}

/// The folders that can be watched, and what is wrong with the others.
pub(crate) fn watch_roots(
    config: &Config,
    home: Option<&Path>,
    data_root: &Path,
) -> (Vec<WatchRoot>, Vec<String>) {
    let (mut roots, mut problems): (Vec<WatchRoot>, Vec<String>) = (Vec::new(), Vec::new());
    for watched in &config.watch {
        let said = watched.folder.display();
        let whole = |path: &Path, what: &str| match expanded(path, home) {
            Some(path) => Ok(path),
            None => Err(format!(
                "watch: the {what} {:?} is not a whole path: write it from / or ~/ on",
                path.display().to_string()
            )),
        };
        let root = match (whole(&watched.folder, "folder"), whole(&watched.project, "project")) {
            (Ok(folder), Ok(project)) => WatchRoot { folder, project },
            (Err(problem), _) | (_, Err(problem)) => {
                problems.push(problem);
                continue;
            }
        };
        if root.folder.starts_with(data_root) {
            problems.push(format!("watch: {said} lies in Remora's own folder and is not watched"));
        } else if Some(root.folder.as_path()) == home || root.folder.parent().is_none() {
            problems.push(format!("watch: {said} is too much: name the folder with your notes"));
        } else if roots.contains(&root) {
            problems.push(format!("watch: {said} is named twice for the same project"));
        } else if roots.len() >= MOST {
            problems.push(format!("watch: only {MOST} folders are watched; {said} is not"));
        } else {
            roots.push(root);
        }
    }
    (roots, problems)
}

/// An absolute path without `.` and `..`; `~` is the person's home.
fn expanded(path: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let path = match path.strip_prefix("~") {
        Ok(below) => home?.join(below),
        Err(_) => path.to_owned(),
    };
    let is_plain = |path: &Path| {
        use std::path::Component;
        path.components()
            .all(|part| matches!(part, Component::RootDir | Component::Normal(_) | Component::Prefix(_)))
    };
    (path.is_absolute() && is_plain(&path)).then(|| path.components().collect())
}

impl Engine {
    /// Whether a folder belongs to the project with this root. Blocks for a moment.
    pub(crate) fn is_of(&self, folder: &Path, root: &Path) -> bool {
        folder == root || self.project_at(folder).root == root
    }

    /// The project of a folder. Blocks for a moment.
    pub(crate) fn project_at(&self, folder: &Path) -> ProjectId {
        let around = Surroundings {
            home: self.home().map(Path::to_owned),
            known: self.memories().known_projects(),
            ..Surroundings::default()
        };
        let mut project = ProjectId::of(folder, &around);
        // A root that an earlier project was joined to has that project's folder.
        if let Some(slug) = self.memories().slug_of(&project.root) {
            project.slug = slug;
        }
        project
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_paths_outside_our_own_folder_are_watched() {
        let text = r#"
            watch = [
              { folder = "~/notes", project = "/p" },
              { folder = "/n/all/", project = "~/src/app" },
              { folder = "notes", project = "/p" },
              { folder = "/n/../etc", project = "/p" },
              { folder = "/n", project = "app" },
              { folder = "/data/projects", project = "/p" },
              { folder = "~", project = "/p" },
              { folder = "~/notes/", project = "/p" },
            ]
        "#;
        let (config, unknown) = Config::parse(text).expect("it parses");
        assert_eq!(unknown, Vec::<String>::new());
        let (roots, problems) = watch_roots(&config, Some(Path::new("/h")), Path::new("/data"));
        let folders: Vec<&Path> = roots.iter().map(|root| root.folder.as_path()).collect();
        assert_eq!(folders, [Path::new("/h/notes"), Path::new("/n/all")]);
        assert_eq!(roots[1].project, Path::new("/h/src/app"));
        insta::assert_snapshot!(problems.join("\n"), @r#"
        watch: the folder "notes" is not a whole path: write it from / or ~/ on
        watch: the folder "/n/../etc" is not a whole path: write it from / or ~/ on
        watch: the project "app" is not a whole path: write it from / or ~/ on
        watch: /data/projects lies in Remora's own folder and is not watched
        watch: ~ is too much: name the folder with your notes
        watch: ~/notes/ is named twice for the same project
        "#);
    }
}
