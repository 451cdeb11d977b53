//! Verified recall: what a memory names is looked up in the project before the memory is handed over.
//!
//! Paths, lines and targets are looked up at once, names inside the files that the memory names; what that leaves open
//! is looked for in the whole tree while nobody waits. Nothing outside the project is read.

mod claims;
mod tree;

use std::collections::HashSet;
use std::path::Path;

use crate::injection::one_line;
use claims::{Claim, What};
use tree::{Found, Look, Tree, has_word};

/// So many files that a memory names are read for the names that it names.
const FILES_READ: usize = 4;

/// What became of one memory's claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    said: Vec<(String, Verdict)>,
    open: Vec<Claim>,
}

/// What was found of one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    StillThere,
    Gone,
    /// A file of this name lies elsewhere.
    Moved(String),
    /// A file is there and has only so many lines.
    Shorter(usize),
    NotChecked,
}

impl Verdict {
    fn words(&self) -> String {
        match self {
            Self::StillThere => "still there".into(),
            Self::Gone => "not found in this tree (renamed or removed?)".into(),
            Self::Moved(path) => format!("not found in this tree (moved to {path}?)"),
            Self::Shorter(lines) => format!("the file is there and has only {lines} lines"),
            Self::NotChecked => "not checked".into(),
        }
    }
}

impl Checked {
    /// What goes with the memory; nothing where it names nothing.
    pub(crate) fn line(&self) -> Option<String> {
        line_of("Looked up just now", &self.said)
    }

    /// Whether a look through the whole tree could say more.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }
}

fn line_of(start: &str, said: &[(String, Verdict)]) -> Option<String> {
    let said: Vec<String> =
        said.iter().map(|(name, verdict)| format!("{}: {}", one_line(name), verdict.words())).collect();
    (!said.is_empty()).then(|| format!("{start}: {}.", said.join("; ")))
}

/// The files that a text names, as it spells them.
pub(crate) fn files_named(text: &str) -> Vec<String> {
    let path_of = |claim: Claim| match claim.what {
        What::Path { path, .. } => Some(path),
        What::File { name, .. } => Some(name),
        _ => None,
    };
    claims::of(text).into_iter().filter_map(path_of).collect()
}

/// The stretches of a text that are code.
pub(crate) fn code_in(text: &str) -> impl Iterator<Item = &str> {
    claims::stretches(text)
        .filter(|(stretch, is_code)| *is_code && !stretch.trim().is_empty())
        .map(|(code, _)| code)
}

/// Looks up what can be said at once. Blocks for some file accesses.
pub(crate) fn at_once(text: &str, root: &Path) -> Checked {
    let claims = claims::of(text);
    if claims.is_empty() {
        return Checked::default();
    }
    let Ok(tree) = Tree::open(root) else {
        return Checked {
            said: claims.into_iter().map(|c| (c.said, Verdict::NotChecked)).collect(),
            open: vec![],
        };
    };
    let named: Vec<String> =
        claims.iter().filter_map(|claim| existing_file(claim, &tree)).take(FILES_READ).collect();
    let texts: Vec<String> = named.iter().filter_map(|path| tree.read(path)).collect();
    let mut checked = Checked::default();
    for claim in claims {
        let Some((verdict, is_open)) = verdict_at_once(&claim, &tree, &texts) else { continue };
        checked.said.push((claim.said.clone(), verdict));
        if is_open {
            checked.open.push(claim);
        }
    }
    checked
}

/// The path of a claim's file, if it is there.
fn existing_file(claim: &Claim, tree: &Tree) -> Option<String> {
    let path = match &claim.what {
        What::Path { path, .. } => path,
        What::File { name, .. } => name,
        _ => return None,
    };
    (tree.find(path) == Found::File).then(|| path.clone())
}

/// The verdict, and whether a look through the tree could say more. Nothing: it is not the project's affair.
fn verdict_at_once(claim: &Claim, tree: &Tree, texts: &[String]) -> Option<(Verdict, bool)> {
    let is_named = |words: &[String]| words.iter().any(|word| texts.iter().any(|text| has_word(text, word)));
    Some(match &claim.what {
        What::Path { path, line, sure } => match tree.find(path) {
            Found::Nothing if !sure && !starts_in_tree(path, tree) => return None,
            Found::Nothing => (Verdict::Gone, *sure),
            Found::Closed => (Verdict::NotChecked, false),
            Found::Folder => (Verdict::StillThere, false),
            Found::File => (of_line(path, *line, tree), false),
        },
        What::File { name, line } => match tree.find(name) {
            Found::File => (of_line(name, *line, tree), false),
            Found::Folder => (Verdict::StillThere, false),
            Found::Nothing | Found::Closed => (Verdict::NotChecked, true),
        },
        What::Make { target } => (make_target(target, tree)?, false),
        What::Script { name } => (script(name, tree)?, false),
        What::Name { word } if is_named(std::slice::from_ref(word)) => (Verdict::StillThere, false),
        What::Name { .. } => (Verdict::NotChecked, true),
        // Most flags are other programs'.
        What::Flag { word } => {
            let spellings = [word.clone(), word.replace('-', "_")];
            if !is_named(&spellings) {
                return None;
            }
            (Verdict::StillThere, false)
        }
    })
}

/// Whether the first part of a path is a folder here: else it is no path of this project at all.
fn starts_in_tree(path: &str, tree: &Tree) -> bool {
    path.split('/').next().is_some_and(|first| tree.find(first) == Found::Folder)
}

fn of_line(path: &str, line: Option<usize>, tree: &Tree) -> Verdict {
    let Some(line) = line else { return Verdict::StillThere };
    match tree.read(path).map(|text| text.lines().count()) {
        Some(lines) if lines < line => Verdict::Shorter(lines),
        Some(_) => Verdict::StillThere,
        None => Verdict::NotChecked,
    }
}

fn make_target(target: &str, tree: &Tree) -> Option<Verdict> {
    let texts: Vec<String> =
        ["GNUmakefile", "makefile", "Makefile"].iter().filter_map(|name| tree.read(name)).take(1).collect();
    let text = texts.first()?;
    let is_rule = |line: &str| {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        !line.starts_with(['\t', '#', ' '])
            && !rest.starts_with('=')
            && targets.split_whitespace().any(|t| t == target)
    };
    if text.lines().any(is_rule) {
        return Some(Verdict::StillThere);
    }
    // A rule may stand in another file, or be made by a pattern.
    let is_elsewhere = |line: &str| {
        line.starts_with("include")
            || line.starts_with("-include")
            || line.starts_with('%')
            || line.contains("$(eval")
    };
    Some(if text.lines().any(is_elsewhere) { Verdict::NotChecked } else { Verdict::Gone })
}

fn script(name: &str, tree: &Tree) -> Option<Verdict> {
    let text = tree.read("package.json")?;
    let Ok(package) = serde_json::from_str::<serde_json::Value>(&text) else {
        return Some(Verdict::NotChecked);
    };
    Some(if package["scripts"].get(name).is_some() { Verdict::StillThere } else { Verdict::Gone })
}

/// Looks through the whole tree for what one look left open; what is to be said of each, if anything: only what is not
/// there, or elsewhere. Blocks, within its bounds.
pub(crate) fn in_whole_tree(checked: &[&Checked], root: &Path) -> Vec<Option<String>> {
    said_later(checked, root, tree::Bounds::default())
}

fn said_later(checked: &[&Checked], root: &Path, bounds: tree::Bounds) -> Vec<Option<String>> {
    let Ok(tree) = Tree::open(root) else { return Vec::new() };
    let (mut names, mut words) = (HashSet::new(), HashSet::new());
    for claim in checked.iter().flat_map(|one| &one.open) {
        match &claim.what {
            What::File { name, .. } => _ = names.insert(name.clone()),
            What::Path { path, .. } => _ = names.insert(last_part(path).to_owned()),
            What::Name { word } => _ = words.insert(word.clone()),
            _ => {}
        }
    }
    let look = tree.look(&names, &words, bounds);
    checked.iter().map(|one| line_of("Looked up since", &verdicts(&one.open, &look))).collect()
}

/// What a look says of claims, where it says something new.
fn verdicts(open: &[Claim], look: &Look) -> Vec<(String, Verdict)> {
    let elsewhere =
        |name: &str| look.files.iter().find(|(found, _)| found == name).map(|(_, path)| path.clone());
    let mut said = Vec::new();
    for claim in open {
        let verdict = match &claim.what {
            // It was said already that it is not where the memory says.
            What::Path { path, .. } => elsewhere(last_part(path)).map(Verdict::Moved),
            What::File { name, .. } => (elsewhere(name).is_none() && look.is_whole).then_some(Verdict::Gone),
            What::Name { word } => {
                let is_found = look.words.iter().any(|(found, _)| found == word);
                (!is_found && look.is_whole).then_some(Verdict::Gone)
            }
            _ => None,
        };
        said.extend(verdict.map(|verdict| (claim.said.clone(), verdict)));
    }
    said
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use tree::Bounds;

    fn later(checked: &Checked, root: &Path) -> Option<String> {
        in_whole_tree(&[checked], root).remove(0)
    }

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
            std::fs::write(file, text).expect("written");
        }
        folder
    }

    #[test]
    fn what_a_memory_names_is_looked_up_and_said() {
        let project = project(&[
            ("src/auth/session.rs", "pub struct SessionStore;\nfn renew() {}\nconst TTL_SECONDS: u32 = 9;\n"),
            ("src/auth/moved/token.rs", "fn issue_token() {}\n"),
            ("src/flags.rs", "dry_run: bool\n"),
            ("Makefile", "lint: build\n\tcargo clippy\nVAR := x\n"),
            ("package.json", "{\"scripts\": {\"build\": \"tsc\"}}"),
            ("node_modules/x/hidden.rs", "fn only_in_dependencies() {}\n"),
        ]);
        for (text, at_once, since) in [
            ("Nothing is named here.", None, None),
            (
                "Sessions live in `src/auth/session.rs:2`, in SessionStore.",
                Some("Looked up just now: src/auth/session.rs:2: still there."),
                None,
            ),
            (
                "`src/auth/session.rs:900` has `SessionStore` and `AuthService`.",
                Some(
                    "Looked up just now: src/auth/session.rs:900: the file is there and has only 3 lines; SessionStore: still \
                     there; AuthService: not checked.",
                ),
                Some("Looked up since: AuthService: not found in this tree (renamed or removed?)."),
            ),
            (
                "Tokens are made in src/auth/token.rs by issue_token().",
                Some(
                    "Looked up just now: src/auth/token.rs: not found in this tree (renamed or removed?); issue_token: not \
                     checked.",
                ),
                Some(
                    "Looked up since: src/auth/token.rs: not found in this tree (moved to src/auth/moved/token.rs?).",
                ),
            ),
            (
                "see gone.rs and token.rs and `only_in_dependencies`",
                Some(
                    "Looked up just now: gone.rs: not checked; token.rs: not checked; only_in_dependencies: not checked.",
                ),
                Some(
                    "Looked up since: gone.rs: not found in this tree (renamed or removed?); only_in_dependencies: not found \
                     in this tree (renamed or removed?).",
                ),
            ),
            (
                "Run `make lint`, `make VAR`, `make deploy`, `npm run build` and `npm run e2e`.",
                Some(
                    "Looked up just now: make lint: still there; make VAR: not found in this tree (renamed or removed?); make \
                     deploy: not found in this tree (renamed or removed?); npm run build: still there; npm run e2e: not found \
                     in this tree (renamed or removed?).",
                ),
                None,
            ),
            (
                "src/flags.rs knows --dry-run, git knows --force; branch `feature/login`, folder `src/nothing`",
                Some(
                    "Looked up just now: src/flags.rs: still there; --dry-run: still there; src/nothing: not found in this \
                     tree (renamed or removed?).",
                ),
                None,
            ),
        ] {
            let checked = super::at_once(text, project.path());
            assert_eq!(checked.line().as_deref(), at_once, "{text}");
            assert_eq!(later(&checked, project.path()).as_deref(), since, "{text}");
        }
    }

    #[test]
    fn nothing_outside_the_project_is_looked_at() {
        let outside = project(&[("secret.rs", "fn secret_name() {}\n"), ("deep/inner.rs", "")]);
        let inside = project(&[("src/a.rs", "")]);
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(outside.path().join(to), inside.path().join(name)).expect("a link");
        };
        link("secret.rs", "linked.rs");
        link("deep", "folder");
        let text = "linked.rs, folder/inner.rs, `secret_name` and ../secret.rs";
        let checked = super::at_once(text, inside.path());
        assert_eq!(
            checked.line().as_deref(),
            Some(
                "Looked up just now: linked.rs: not checked; folder/inner.rs: not checked; secret_name: not checked."
            )
        );
        assert_eq!(
            later(&checked, inside.path()).as_deref(),
            Some(
                "Looked up since: linked.rs: not found in this tree (renamed or removed?); secret_name: not found in this tree \
                 (renamed or removed?)."
            )
        );
    }

    #[test]
    fn a_pipe_holds_nobody_up() {
        let inside = project(&[("src/a.rs", "")]);
        let pipe = inside.path().join("pipe.rs");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        let checked = super::at_once("pipe.rs:7 and `some_name`", inside.path());
        assert_eq!(
            checked.line().as_deref(),
            Some("Looked up just now: pipe.rs:7: not checked; some_name: not checked.")
        );
        assert!(later(&checked, inside.path()).is_some());
    }

    #[test]
    fn a_look_ends_at_its_bounds_and_then_claims_nothing() {
        let files: Vec<(String, String)> =
            (0..50).map(|n| (format!("d{}/f{n}.rs", n % 5), "x ".repeat(1000))).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let project = project(&files);
        let checked = super::at_once("`some_name` and other.rs", project.path());
        let wide = Bounds::default();
        assert!(said_later(&[&checked], project.path(), wide)[0].is_some());
        for bounds in [Bounds { entries: 10, ..wide }, Bounds { time: Duration::ZERO, ..wide }] {
            assert_eq!(said_later(&[&checked], project.path(), bounds), [None], "{bounds:?}");
        }
        let names: HashSet<String> = HashSet::new();
        let words: HashSet<String> = ["some_name".to_owned()].into();
        let look =
            Tree::open(project.path()).expect("a tree").look(&names, &words, Bounds { bytes: 5_000, ..wide });
        assert!(!look.is_whole, "no more is read than may be");
    }

    #[test]
    fn a_tree_of_a_hundred_thousand_files_is_not_looked_through_further() {
        let project = tempfile::tempdir().expect("a folder");
        for folder in 0..101 {
            let folder = project.path().join(format!("d{folder}"));
            std::fs::create_dir(&folder).expect("a folder");
            let first = folder.join("0.txt");
            std::fs::write(&first, "").expect("written");
            // A link costs less than a file and is listed like one.
            (1..1_000)
                .for_each(|n| std::fs::hard_link(&first, folder.join(format!("{n}.txt"))).expect("a link"));
        }
        let checked = super::at_once("d7/3.txt and missing.rs", project.path());
        assert_eq!(
            checked.line().as_deref(),
            Some("Looked up just now: d7/3.txt: still there; missing.rs: not checked.")
        );
        assert_eq!(later(&checked, project.path()), None, "not all of it was looked at");
    }
}
