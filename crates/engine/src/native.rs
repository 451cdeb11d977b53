//! Folders in which hosts keep memory by themselves, as their profiles describe them.

use std::path::{Path, PathBuf};

use remora_profile::{ConfiguredFolder, HostProfile, MemoryFolder};

/// A setting's file is read up to this size.
const LARGEST_SETTINGS: u64 = 1024 * 1024;

/// The folder that a host keeps for a project, whether or not it exists. Only folders of which there is one
/// for each project count.
pub(crate) fn folder_of(profile: &HostProfile, root: &Path, home: &Path) -> Option<PathBuf> {
    let folder = profile.memory.folders.iter().find(|folder| folder.path.contains("{slug}"))?;
    if let Some(configured) = folder.configured_by.iter().find_map(|setting| configured(setting, home)) {
        return Some(configured);
    }
    expanded(folder, root, home)
}

/// All folders in which a host keeps memory, as far as they can be told for a project. Without one only those
/// that belong to none.
pub(crate) fn folders_of(profile: &HostProfile, root: Option<&Path>, home: &Path) -> Vec<PathBuf> {
    let of_project = root.and_then(|root| folder_of(profile, root, home));
    let others = profile.memory.folders.iter().filter_map(|folder| {
        // What agents keep lies in folders of their names: all of them count.
        let path = folder.path.split("{agent}").next()?.trim_end_matches('/');
        if path.contains("{slug}") {
            return None;
        }
        let is_of_project = !path.starts_with("~/") && Path::new(path).is_relative();
        if is_of_project { Some(root?.join(path)) } else { below_home(path, home) }
    });
    of_project.into_iter().chain(others).collect()
}

fn expanded(folder: &MemoryFolder, root: &Path, home: &Path) -> Option<PathBuf> {
    let slug = folder.slug.slug(root.to_str()?)?;
    below_home(&folder.path.replace("{slug}", &slug), home)
}

/// The folder that a setting names. Profiles list only files outside repositories.
fn configured(setting: &ConfiguredFolder, home: &Path) -> Option<PathBuf> {
    use std::io::Read as _;
    let file = below_home(&setting.file, home)?;
    let mut text = String::new();
    std::fs::File::open(file).ok()?.take(LARGEST_SETTINGS).read_to_string(&mut text).ok()?;
    let settings: serde_json::Value = serde_json::from_str(&text).ok()?;
    let value = setting.key.split('.').try_fold(&settings, |value, key| value.get(key))?;
    below_home(value.as_str()?, home)
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
    fn a_host_without_folders_has_none() {
        assert_eq!(folder_of(&HostProfile::plain("x"), Path::new("/p"), Path::new("/h")), None);
    }
}
