//! Which memories name which files and which commands: what counts at the moment at which one of these is touched.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::command_line;
use crate::verify;

/// What more memories name is no sign of any of them.
const SPECIFIC: usize = 3;

/// Files of which every project has many.
const EVERYWHERE: [&str; 16] = [
    "mod.rs",
    "lib.rs",
    "main.rs",
    "index.ts",
    "index.js",
    "index.tsx",
    "index.html",
    "__init__.py",
    "main.py",
    "main.go",
    "README.md",
    "package.json",
    "Cargo.toml",
    "Makefile",
    "Dockerfile",
    "config.json",
];

/// What one memory names.
#[derive(Debug, Default)]
struct Named {
    files: Vec<String>,
    commands: Vec<String>,
}

/// A memory as far as it counts here.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    pub(super) id: &'a str,
    pub(super) digest: &'a str,
    pub(super) texts: [&'a str; 2],
}

/// What each memory names, by the digest of its file.
type ByDigest = HashMap<String, Arc<Named>>;

/// Which memories name what, by the ids of a shelf.
#[derive(Debug, Default)]
pub(crate) struct Points {
    named: Arc<ByDigest>,
    by_file: HashMap<String, Vec<(String, String)>>,
    by_command: HashMap<String, Vec<String>>,
}

impl Points {
    /// Of these memories, the texts of each apart. `before`: where what did not change is known already.
    pub(super) fn of<'a>(memories: impl Iterator<Item = Memory<'a>>, before: &Self) -> Self {
        let (mut named, mut points) = (ByDigest::new(), Self::default());
        for Memory { id, digest, texts } in memories {
            let names = match before.named.get(digest) {
                Some(known) => Arc::clone(known),
                None => Arc::new(Named::of(&texts.join("\n"))),
            };
            for file in &names.files {
                let name = file.rsplit('/').next().unwrap_or(file);
                points.by_file.entry(name.to_owned()).or_default().push((file.clone(), id.to_owned()));
            }
            for command in &names.commands {
                points.by_command.entry(command.clone()).or_default().push(id.to_owned());
            }
            named.insert(digest.to_owned(), names);
        }
        points.named = Arc::new(named);
        points
    }

    /// What is known of single memories, for the next of its kind.
    pub(super) fn known(&self) -> Self {
        Self { named: Arc::clone(&self.named), ..Self::default() }
    }

    /// The memories that name this very file; none where many do.
    pub(crate) fn about_file(&self, path: &Path) -> Vec<&str> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let named = self.by_file.get(name).map(Vec::as_slice).unwrap_or_default();
        specific(named.iter().filter(|(said, _)| path.ends_with(said)).map(|(_, id)| id.as_str()).collect())
    }

    /// The memories that name this command; none where many do.
    pub(crate) fn about_command(&self, name: &str) -> Vec<&str> {
        specific(self.by_command.get(name).into_iter().flatten().map(String::as_str).collect())
    }
}

impl Named {
    fn of(text: &str) -> Self {
        let files = verify::files_named(text);
        let files = files.into_iter().filter(|file| !EVERYWHERE.contains(&file.as_str())).collect();
        let mut commands: Vec<String> = verify::code_in(text).filter_map(command_line::name).collect();
        // A single word in code is a name of something, seldom a command to run.
        commands.retain(|command| command.contains([' ', '.']));
        commands.sort();
        commands.dedup();
        Self { files, commands }
    }
}

fn specific(mut ids: Vec<&str>) -> Vec<&str> {
    ids.sort_unstable();
    ids.dedup();
    if ids.len() > SPECIFIC { Vec::new() } else { ids }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(texts: &[(&'static str, &'static str)]) -> Points {
        let memories = texts.iter().map(|(id, text)| Memory { id, digest: text, texts: ["", text] });
        Points::of(memories, &Points::default())
    }

    #[test]
    fn a_memory_is_about_the_files_and_commands_that_it_names() {
        let points = points(&[
            ("pool", "The retries of src/db/pool.rs are there because the proxy drops idle connections."),
            ("build", "Use `npm run build:ci`, never `npm run build`. It reads `vite.config.ts`."),
            ("main", "main.rs is the entry, `cargo` builds it"),
        ]);
        let file = |path: &str| points.about_file(Path::new(path));
        assert_eq!(file("/w/p/src/db/pool.rs"), ["pool"]);
        assert_eq!(file("/w/p/src/web/pool.rs"), [""; 0]);
        assert_eq!(file("/w/p/web/vite.config.ts"), ["build"]);
        assert_eq!(file("/w/p/src/main.rs"), [""; 0]);
        assert_eq!(points.about_command("npm run build"), ["build"]);
        assert_eq!(points.about_command("cargo build"), [""; 0]);
    }

    #[test]
    fn what_many_memories_name_is_no_sign_of_any() {
        let points = points(&[
            ("a", "`make lint` 1"),
            ("b", "`make lint` 2"),
            ("c", "`make lint`"),
            ("d", "`make lint` 4"),
        ]);
        assert_eq!(points.about_command("make lint"), [""; 0]);
    }
}
