//! Where a file of an export lies on this machine.

use std::path::PathBuf;

use remora_memory::path::MemoryPath;

use crate::root::Root;

/// Where memories lie on this machine.
pub(crate) struct Places<'a> {
    pub(crate) root: &'a Root,
    /// The folder of a project's memories, which the person may have chosen.
    pub(crate) memory_dir: &'a dyn Fn(&str) -> PathBuf,
}

/// A file's place: a folder that is written by handle, and the path in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A memory, an index or a log.
    Memory { folder: PathBuf, file: String },
    /// A snapshot, or the record of where snapshots came from.
    Snapshot { folder: PathBuf, file: String },
    /// What is known of a project.
    Record { slug: String, folder: PathBuf },
}

impl Places<'_> {
    /// The place of a path, which comes from outside: one that is not plainly inside a folder is an error.
    pub(crate) fn target(&self, path: &str) -> Result<Target, String> {
        MemoryPath::found(path).map_err(|refused| refused.reason.to_owned())?;
        let unknown = || Err("it belongs to no folder of memories".to_owned());
        let (owner, rest) = match path.split_once('/') {
            Some(("user", rest)) => (None, rest),
            Some(("projects", rest)) => match rest.split_once('/') {
                Some((slug, rest)) => (Some(slug), rest),
                None => return unknown(),
            },
            _ => return unknown(),
        };
        if let Some(slug) = owner {
            // Ours are in ASCII and no longer than a name.
            let is_slug = slug.len() <= 255
                && !slug.starts_with('.')
                && slug
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
            if !is_slug {
                return Err("its project's name is none of ours".to_owned());
            }
            if rest == "project.toml" {
                return Ok(Target::Record { slug: slug.to_owned(), folder: self.root.project(slug) });
            }
        }
        let Some((kind, file)) = rest.split_once('/') else { return unknown() };
        let is_hidden = file.split('/').any(|name| name.starts_with('.'));
        let is_markdown = file.to_lowercase().ends_with(".md") && !is_hidden;
        let is_sources = kind == "imported" && file == ".sources.json";
        if !is_markdown && !is_sources {
            return Err("it is no memory".to_owned());
        }
        let file = file.to_owned();
        match (kind, owner) {
            ("memory", None) => Ok(Target::Memory { folder: self.root.user_memory(), file }),
            ("memory", Some(slug)) => Ok(Target::Memory { folder: (self.memory_dir)(slug), file }),
            ("imported", None) => Ok(Target::Snapshot { folder: self.root.user_imported(), file }),
            ("imported", Some(slug)) => {
                Ok(Target::Snapshot { folder: self.root.project(slug).join("imported"), file })
            }
            _ => unknown(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folders_of_memories() {
        let root = Root::new("/data".into()).expect("absolute");
        let memory_dir = |slug: &str| PathBuf::from("/chosen").join(slug);
        let places = Places { root: &root, memory_dir: &memory_dir };
        let memory =
            |folder: &str, file: &str| Ok(Target::Memory { folder: folder.into(), file: file.into() });
        assert_eq!(places.target("user/memory/a/b.md"), memory("/data/user/memory", "a/b.md"));
        assert_eq!(places.target("projects/-p-1/memory/MEMORY.md"), memory("/chosen/-p-1", "MEMORY.md"));
        assert!(matches!(places.target("projects/-p-1/imported/.sources.json"), Ok(Target::Snapshot { .. })));
        for bad in [
            "",
            "/etc/passwd",
            "user/memory/../../../x.md",
            "projects/../memory/x.md",
            "projects/a b/memory/x.md",
            "user/memory/.bashrc",
            "user/memory/.x.md",
            "user/memory/.sources.json",
            "projects/-p/bin/x.md",
            "journal.db",
            "projects/.x/memory/a.md",
            "user/project.toml",
            "user\\memory\\x.md",
            "projects/-p/memory/a\0.md",
        ] {
            assert!(places.target(bad).is_err(), "{bad:?} {:?}", places.target(bad));
        }
    }
}
