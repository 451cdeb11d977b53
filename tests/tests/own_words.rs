//! The project's text speaks of the project: nothing of the machine on which it was written, and no host
//! of a package registry, which are the person's to configure.

use std::path::{Path, PathBuf};

use remora_tests::workspace;

/// Words that must not be, in two halves, so that this file does not hold them itself.
const FORBIDDEN: [(&str, &str); 12] = [
    ("registry.npm", "js"),
    ("npmjs", ".org"),
    ("npmjs", ".com"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("pypi", ".org"),
    ("python", "hosted"),
    ("registry.yarn", "pkg"),
    ("proxy.go", "lang"),
    ("deb.debian", ".org"),
    ("/work", "/shared"),
    ("/work", "/wt"),
];

/// A folder at the root of the file system that no other machine has.
const OWN_FOLDER: (&str, &str) = ("/wo", "rk/");

/// Folders that are made and not written.
const MADE: [&str; 3] = ["target", "node_modules", "dist"];

/// Files whose text is a program's: they name registries by their nature.
const LOCK_FILES: [&str; 3] = ["Cargo.lock", "package-lock.json", "pnpm-lock.yaml"];

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let of_git = name == ".git";
        if path.is_symlink() || of_git || LOCK_FILES.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            if !MADE.contains(&name.as_str()) {
                collect(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}

/// The first forbidden word in a text, with the line that holds it.
fn offence(text: &str) -> Option<String> {
    let words: Vec<String> = FORBIDDEN.iter().map(|(start, end)| format!("{start}{end}")).collect();
    let own = format!("{}{}", OWN_FOLDER.0, OWN_FOLDER.1);
    for (number, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        let word = words.iter().find(|word| lower.contains(word.as_str())).or_else(|| {
            // Within a longer path the name is anybody's.
            let starts_a_path = |at: usize| {
                let before = line[..at].chars().next_back();
                before.is_none_or(|before| !before.is_alphanumeric() && !"/._-~]})>$*".contains(before))
            };
            line.match_indices(&own).any(|(at, _)| starts_a_path(at)).then_some(&own)
        });
        if let Some(word) = word {
            return Some(format!("line {}: {word}", number + 1));
        }
    }
    None
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let mut files = Vec::new();
    collect(workspace::root(), &mut files);
    let mut offences = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file).expect("a readable file");
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        offences.extend(offence(text).map(|offence| format!("{}, {offence}", file.display())));
    }
    assert!(files.len() > 20, "only {} files were looked at", files.len());
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn offences_are_found_and_harmless_paths_are_not() {
    let own = format!("{}{}", OWN_FOLDER.0, OWN_FOLDER.1);
    let registry = format!("{}{}", FORBIDDEN[0].0, FORBIDDEN[0].1);
    for text in [format!("see {own}notes.md"), format!("`{own}x`"), format!("a\nhttps://{registry}.org/x")] {
        assert!(offence(&text).is_some(), "{text}");
    }
    for text in [format!("/home/dev{own}app"), format!("~{own}x"), "framework/x".to_owned()] {
        assert_eq!(offence(&text), None, "{text}");
    }
}
