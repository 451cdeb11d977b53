//! Where files lie: a path with `*`, `**` and names in braces.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

/// A pattern of paths. `{session}`, `{agent}` and `{slug}` stand for a part of one name; the first two say whose
/// transcript it is.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// Whether it begins below the person's home.
    below_home: bool,
    /// Its parts, between the separators.
    parts: Vec<Part>,
    /// What stands for what.
    names: Regex,
    named: Vec<String>,
}

#[derive(Debug, Clone)]
enum Part {
    Plain(String),
    /// Any number of folders.
    AnyFolders,
    Glob(GlobMatcher),
}

/// What may stand in braces.
const NAMES: [&str; 3] = ["session", "agent", "slug"];

/// Folders lie no deeper than this below a `**`.
const DEPTH: usize = 12;

impl Pattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (below_home, rest) = match (text.strip_prefix("~/"), text.strip_prefix('/')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(format!("{text:?} begins neither with ~/ nor with /")),
        };
        let (mut parts, mut expression, mut named) = (Vec::new(), String::from("^"), Vec::new());
        let mut left = rest.split('/').count();
        for written in rest.split('/') {
            left -= 1;
            if matches!(written, "" | "." | "..") {
                return Err(format!("{text:?} has the part {written:?}"));
            }
            if written == "**" {
                parts.push(Part::AnyFolders);
                expression.push_str("(?:[^/]+/)*");
                continue;
            }
            let glob = Self::part(text, written, &mut expression, &mut named)?;
            if left > 0 {
                expression.push('/');
            }
            parts.push(if glob.contains(['*', '?']) {
                let built = GlobBuilder::new(&glob).literal_separator(true).build();
                let built = built.map_err(|error| format!("{text:?} is no pattern ({})", error.kind()))?;
                Part::Glob(built.compile_matcher())
            } else {
                Part::Plain(glob)
            });
        }
        let names = crate::definition::pattern(&format!("{expression}$"))?;
        Ok(Self { below_home, parts, names, named })
    }

    /// One part as a glob, and what of it stands for what.
    fn part(
        text: &str,
        written: &str,
        expression: &mut String,
        named: &mut Vec<String>,
    ) -> Result<String, String> {
        let (mut glob, mut rest) = (String::new(), written);
        while let Some(start) = rest.find(['{', '*', '?', '[']) {
            let (plain, from) = rest.split_at(start);
            glob.push_str(plain);
            expression.push_str(&regex::escape(plain));
            if let Some(name) = from.strip_prefix('{').and_then(|from| from.split('}').next()) {
                if !NAMES.contains(&name) || !from.contains('}') {
                    return Err(format!(
                        "{text:?} has {{{name}}}; allowed are {{session}}, {{agent}}, {{slug}}"
                    ));
                }
                glob.push('*');
                if named.iter().any(|known| known == name) {
                    expression.push_str("[^/]+?");
                } else {
                    expression.push_str(&format!("(?P<{name}>[^/]+?)"));
                    named.push(name.to_owned());
                }
                rest = &from[name.len() + 2..];
            } else if from.starts_with('[') {
                return Err(format!("{text:?} has a bracket; * and ? are what stands for anything"));
            } else {
                glob.push_str(&from[..1]);
                expression.push_str(if from.starts_with('*') { "[^/]*" } else { "[^/]" });
                rest = &from[1..];
            }
        }
        glob.push_str(rest);
        expression.push_str(&regex::escape(rest));
        Ok(glob)
    }

    /// Whether a name stands in it.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.named.iter().any(|known| known == name)
    }

    /// What a path says of itself, if it is one of these: session and agent.
    pub(crate) fn read(&self, path: &Path, home: &Path) -> Option<(Option<String>, Option<String>)> {
        let path =
            if self.below_home { path.strip_prefix(home).ok()? } else { path.strip_prefix("/").ok()? };
        let captures = self.names.captures(path.to_str()?)?;
        let named = |name| captures.name(name).map(|found| found.as_str().to_owned());
        Some((named("session"), named("agent")))
    }

    /// The folder below which all that fits lies.
    pub(crate) fn root(&self, home: &Path) -> PathBuf {
        let start = if self.below_home { home.to_owned() } else { PathBuf::from("/") };
        let folders = self.parts.split_last().map_or(&[][..], |(_, folders)| folders);
        folders.iter().map_while(|part| if let Part::Plain(name) = part { Some(name) } else { None }).fold(
            start,
            |mut root, name| {
                root.push(name);
                root
            },
        )
    }

    /// Hands over every file that fits, without following links, until `take` has enough.
    pub(crate) fn visit(&self, home: &Path, take: &mut dyn FnMut(PathBuf) -> bool) -> bool {
        let start = if self.below_home { home.to_owned() } else { PathBuf::from("/") };
        visit(&start, &self.parts, DEPTH, take)
    }
}

fn visit(folder: &Path, parts: &[Part], depth: usize, take: &mut dyn FnMut(PathBuf) -> bool) -> bool {
    let Some((part, rest)) = parts.split_first() else { return false };
    match part {
        Part::Plain(name) => step(folder.join(name), rest, depth, take),
        Part::AnyFolders => {
            if visit(folder, rest, depth, take) {
                return true;
            }
            depth > 0
                && names_in(folder)
                    .into_iter()
                    .map(|name| folder.join(name))
                    .any(|path| is_folder(&path) && visit(&path, parts, depth - 1, take))
        }
        Part::Glob(glob) => names_in(folder)
            .into_iter()
            .filter(|name| glob.is_match(name))
            .any(|name| step(folder.join(name), rest, depth, take)),
    }
}

fn step(path: PathBuf, rest: &[Part], depth: usize, take: &mut dyn FnMut(PathBuf) -> bool) -> bool {
    if rest.is_empty() {
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        return is_file && take(path);
    }
    visit(&path, rest, depth, take)
}

/// The names in a folder, in their order.
fn names_in(folder: &Path) -> Vec<std::ffi::OsString> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_whose_it_is() {
        let home = Path::new("/home/dev");
        for (pattern, path, read) in [
            ("~/.a/*/{session}.jsonl", "/home/dev/.a/p/s1.jsonl", Some((Some("s1"), None))),
            ("~/.a/*/{session}.jsonl", "/home/dev/.a/p/q/s1.jsonl", None),
            (
                "~/.a/{slug}/{session}/sub/agent-{agent}.jsonl",
                "/home/dev/.a/p/s/sub/agent-7.jsonl",
                Some((Some("s"), Some("7"))),
            ),
            ("~/.a/**/r-*-{session}.jsonl", "/home/dev/.a/r-1-s.jsonl", Some((Some("s"), None))),
            ("~/.a/**/r-*-{session}.jsonl", "/home/dev/.a/2026/11/r-1-s.jsonl", Some((Some("s"), None))),
            ("/srv/x.db", "/srv/x.db", Some((None, None))),
            ("~/.a/{session}.jsonl", "/home/other/.a/s.jsonl", None),
        ] {
            let pattern = Pattern::parse(pattern).expect("a pattern");
            let expected =
                read.map(|(s, a): (Option<&str>, Option<&str>)| (s.map(str::to_owned), a.map(str::to_owned)));
            assert_eq!(pattern.read(Path::new(path), home), expected, "{path}");
        }
    }

    #[test]
    fn all_that_fits_lies_below_one_folder() {
        for (pattern, root) in [
            ("~/.a/b/*/{session}.jsonl", "/home/dev/.a/b"),
            ("~/.a/{slug}/b/{session}.jsonl", "/home/dev/.a"),
            ("~/.a/**/{session}.jsonl", "/home/dev/.a"),
            ("~/.a/x.db", "/home/dev/.a"),
            ("~/*.jsonl", "/home/dev"),
            ("/srv/t/{session}.jsonl", "/srv/t"),
        ] {
            let pattern = Pattern::parse(pattern).expect("a pattern");
            assert_eq!(pattern.root(Path::new("/home/dev")), Path::new(root));
        }
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        for pattern in ["a/b", "~/a/../b", "~/{project}/x", "~/{session", "~/a//b", "~/a[0-9]"] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn files_are_found_in_order_and_links_are_not_followed() {
        let home = tempfile::tempdir().expect("a folder");
        for file in ["t/b/2.jsonl", "t/a/1.jsonl", "t/a/deep/3.jsonl", "t/a/other.txt"] {
            let path = home.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, "x").expect("written");
        }
        std::os::unix::fs::symlink(home.path().join("t/a/1.jsonl"), home.path().join("t/b/link.jsonl"))
            .expect("a link");
        let found = |pattern: &str| {
            let mut found = Vec::new();
            Pattern::parse(pattern).expect("a pattern").visit(home.path(), &mut |path| {
                found.push(path.strip_prefix(home.path()).expect("below").display().to_string());
                false
            });
            found
        };
        assert_eq!(found("~/t/*/{session}.jsonl"), ["t/a/1.jsonl", "t/b/2.jsonl"]);
        assert_eq!(found("~/t/**/{session}.jsonl"), ["t/a/1.jsonl", "t/a/deep/3.jsonl", "t/b/2.jsonl"]);
    }
}
