//! Folders in which hosts keep memory by themselves, as their profiles describe them.

use std::path::{Path, PathBuf};

use remora_profile::{ConfiguredFolder, HostProfile, MemoryFolder, Registry};

/// A setting's file is read up to this size.
const LARGEST_SETTINGS: u64 = 1024 * 1024;

/// The folder that a host keeps for a project, whether or not it exists. Only folders of which there is one
/// for each project count.
pub(crate) fn folder_of(profile: &HostProfile, root: &Path, home: &Path) -> Option<PathBuf> {
    of_project(profile, root, home).map(|(_, path)| path)
}

/// The same with what its profile says of it.
pub(crate) fn of_project<'a>(
    profile: &'a HostProfile,
    root: &Path,
    home: &Path,
) -> Option<(&'a MemoryFolder, PathBuf)> {
    let folder = profile.memory.folders.iter().find(|folder| folder.path.contains("{slug}"))?;
    let configured = folder.configured_by.iter().find_map(|setting| configured(setting, home));
    Some((folder, configured.or_else(|| expanded(folder, root, home))?))
}

/// Whether a rule makes the folder's name from the project's path: then it can be told before the host made it.
pub(crate) fn is_made_by_rule(profile: &HostProfile) -> bool {
    let of_project = profile.memory.folders.iter().find(|folder| folder.path.contains("{slug}"));
    of_project.is_some_and(|folder| folder.registry.is_none())
}

/// A folder's path up to where agents' names begin: what each keeps lies in a folder of its name.
pub(crate) fn without_agent(path: &str) -> &str {
    path.split("{agent}").next().unwrap_or(path).trim_end_matches('/')
}

/// All folders in which a host keeps memory, as far as they can be told for a project. Without one only those
/// that belong to none.
pub(crate) fn folders_of(profile: &HostProfile, root: Option<&Path>, home: &Path) -> Vec<PathBuf> {
    let of_project = root.and_then(|root| folder_of(profile, root, home));
    let others = profile.memory.folders.iter().filter_map(|folder| {
        let path = without_agent(&folder.path);
        if path.contains("{slug}") {
            return None;
        }
        let is_of_project = !path.starts_with("~/") && Path::new(path).is_relative();
        if is_of_project { Some(root?.join(path)) } else { below_home(path, home) }
    });
    of_project.into_iter().chain(others).collect()
}

fn expanded(folder: &MemoryFolder, root: &Path, home: &Path) -> Option<PathBuf> {
    let slug = match &folder.registry {
        Some(registry) => registered(registry, root, home)?,
        None => folder.slug.slug(root.to_str()?)?,
    };
    below_home(&folder.path.replace("{slug}", &slug), home)
}

/// How a host calls a project. A name that leads anywhere else is none.
fn registered(registry: &Registry, root: &Path, home: &Path) -> Option<String> {
    let names = value_in(&registry.file, &registry.key, home)?;
    let name = names.get(root.to_str()?)?.as_str()?;
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    is_plain.then(|| name.to_owned())
}

/// The projects that a host lists by their folders.
pub(crate) fn listed_projects(profile: &HostProfile, home: &Path) -> Vec<String> {
    let registries = profile.memory.folders.iter().filter_map(|folder| folder.registry.as_ref());
    let lists = registries.filter_map(|registry| value_in(&registry.file, &registry.key, home));
    lists.filter_map(|list| Some(list.as_object()?.keys().cloned().collect::<Vec<_>>())).flatten().collect()
}

/// The folder that a setting names. Profiles list only files outside repositories.
fn configured(setting: &ConfiguredFolder, home: &Path) -> Option<PathBuf> {
    below_home(value_in(&setting.file, &setting.key, home)?.as_str()?, home)
}

/// A value in a JSON file of a host's.
fn value_in(file: &str, key: &str, home: &Path) -> Option<serde_json::Value> {
    use std::io::Read as _;
    let file = below_home(file, home)?;
    let mut text = String::new();
    remora_memory::ordinary::open(&file).ok()?.take(LARGEST_SETTINGS).read_to_string(&mut text).ok()?;
    let settings: serde_json::Value = serde_json::from_str(&text).ok()?;
    key.split('.').try_fold(&settings, |value, key| value.get(key)).cloned()
}

/// An absolute path; `~` is the person's home.
fn below_home(path: &str, home: &Path) -> Option<PathBuf> {
    let path = match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => PathBuf::from(path),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> HostProfile {
        let text = r#"
            id = "some-host"
            [[memory.folders]]
            path = "~/.some/projects/{slug}/memory"
            slug = "dashes"
            project = "main_checkout"
            configured_by = [{ file = "~/.some/settings.json", key = "memory.folder" }]
        "#;
        toml::from_str(text).expect("a profile")
    }

    #[test]
    fn a_folder_is_made_of_the_project_s_path_unless_a_setting_names_one() {
        let home = tempfile::tempdir().expect("a folder");
        let root = Path::new("/home/dev/my proj");
        let expected = home.path().join(".some/projects/-home-dev-my-proj/memory");
        assert_eq!(folder_of(&profile(), root, home.path()), Some(expected));

        std::fs::create_dir(home.path().join(".some")).expect("a folder");
        std::fs::write(home.path().join(".some/settings.json"), r#"{"memory": {"folder": "~/elsewhere"}}"#)
            .expect("written");
        assert_eq!(folder_of(&profile(), root, home.path()), Some(home.path().join("elsewhere")));
    }

    #[test]
    fn a_registry_names_the_folder_and_no_other_place() {
        let home = tempfile::tempdir().expect("a folder");
        let text = r#"
            id = "some-host"
            [[memory.folders]]
            path = "~/.some/tmp/{slug}/memory"
            registry = { file = "~/.some/projects.json", key = "projects" }
        "#;
        let profile: HostProfile = toml::from_str(text).expect("a profile");
        assert!(!is_made_by_rule(&profile));
        assert_eq!(folder_of(&profile, Path::new("/p/a"), home.path()), None);
        std::fs::create_dir(home.path().join(".some")).expect("a folder");
        let names = r#"{"projects": {"/p/a": "a-1", "/p/b": "../../.ssh", "/p/c": ""}}"#;
        std::fs::write(home.path().join(".some/projects.json"), names).expect("written");
        let found = |root: &str| folder_of(&profile, Path::new(root), home.path());
        assert_eq!(found("/p/a"), Some(home.path().join(".some/tmp/a-1/memory")));
        for root in ["/p/b", "/p/c", "/p/d"] {
            assert_eq!(found(root), None, "{root}");
        }
    }

    #[test]
    fn a_host_without_folders_has_none() {
        assert_eq!(folder_of(&HostProfile::plain("x"), Path::new("/p"), Path::new("/h")), None);
    }
}
