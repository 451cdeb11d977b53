//! Writing: whole or not at all, a person's edit wins, nothing leaves the folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use remora_memory::edit::{self, NewValue};
use remora_memory::{Digest, Error, Links, MemoryDir, MemoryPath, Replaced, reader};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn path(text: &str) -> MemoryPath {
    MemoryPath::parse(text).expect("a good path")
}

fn open(root: &Path) -> MemoryDir {
    MemoryDir::open(root, Links::Inside).expect("opens")
}

fn text_of(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).expect("readable")
}

fn names(root: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root)
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_created_whole_and_never_over_another() {
    let root = folder();
    let dir = open(root.path());
    dir.create_new(&path("sub/a.md"), b"one").expect("created");
    assert_eq!(text_of(root.path().join("sub/a.md")), "one");
    for taken in ["sub/a.md", "sub/A.md"] {
        let refused = dir.create_new(&path(taken), b"two").expect_err("exists");
        assert!(matches!(refused, Error::Exists { .. }), "{refused}");
    }
    assert_eq!(text_of(root.path().join("sub/a.md")), "one");
    assert_eq!(names(&root.path().join("sub")), ["a.md"], "no temporary file is left");
}

#[test]
fn a_replacement_needs_what_was_read() {
    let root = folder();
    let dir = open(root.path());
    let file = path("a.md");
    dir.create_new(&file, b"one").expect("created");
    let (_, read) = dir.read(&file).expect("read");
    assert_eq!(dir.replace_if_unchanged(&file, &read, b"two").expect("replaced"), Replaced::Written);
    assert_eq!(dir.replace_if_unchanged(&file, &read, b"three").expect("compared"), Replaced::Changed);
    assert_eq!(text_of(root.path().join("a.md")), "two");

    std::fs::remove_file(root.path().join("a.md")).expect("removed");
    let gone = dir.replace_if_unchanged(&file, &Digest::of(b"two"), b"three").expect("compared");
    assert_eq!(gone, Replaced::Changed, "a deleted file is a decision");
    assert_eq!(names(root.path()), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn the_mode_is_kept_and_new_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let root = folder();
    let dir = open(root.path());
    let file = path("a.md");
    let mode = || std::fs::metadata(root.path().join("a.md")).expect("there").permissions().mode() & 0o777;
    dir.create_new(&file, b"one").expect("created");
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(root.path().join("a.md"), std::fs::Permissions::from_mode(0o644)).expect("set");
    dir.replace_if_unchanged(&file, &Digest::of(b"one"), b"two").expect("replaced");
    assert_eq!(mode(), 0o644);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_only_or_not_at_all() {
    use std::os::unix::fs::symlink;
    let (root, outside) = (folder(), folder());
    std::fs::write(outside.path().join("secret.md"), "secret").expect("written");
    std::fs::write(root.path().join("real.md"), "one").expect("written");
    std::fs::create_dir(root.path().join("sub")).expect("made");
    symlink("real.md", root.path().join("inner.md")).expect("linked");
    symlink(outside.path().join("secret.md"), root.path().join("out.md")).expect("linked");
    symlink(outside.path(), root.path().join("away")).expect("linked");
    symlink(outside.path().join("new.md"), root.path().join("dangling.md")).expect("linked");
    symlink("sub", root.path().join("alias")).expect("linked");

    let lenient = open(root.path());
    let digest = Digest::of(b"one");
    assert_eq!(
        lenient.replace_if_unchanged(&path("inner.md"), &digest, b"two").expect("followed"),
        Replaced::Written
    );
    assert_eq!(text_of(root.path().join("real.md")), "two");
    assert!(std::fs::symlink_metadata(root.path().join("inner.md")).expect("there").is_symlink());

    let strict = MemoryDir::open(root.path(), Links::Refuse).expect("opens");
    for (dir, file) in [
        (&lenient, "out.md"),
        (&lenient, "away/secret.md"),
        (&lenient, "dangling.md"),
        (&strict, "inner.md"),
        (&strict, "out.md"),
        (&strict, "away/secret.md"),
        (&strict, "alias/x.md"),
    ] {
        assert!(dir.read(&path(file)).is_err(), "{file} was read");
        assert!(
            dir.replace_if_unchanged(&path(file), &Digest::of(b"secret"), b"x").is_err(),
            "{file} was replaced"
        );
    }
    for (dir, file) in [
        (&lenient, "away/new.md"),
        (&lenient, "away/deep/new.md"),
        (&lenient, "dangling.md"),
        (&strict, "alias/new.md"),
        (&strict, "away/new.md"),
    ] {
        assert!(dir.create_new(&path(file), b"x").is_err(), "{file} was created");
    }
    assert_eq!(names(outside.path()), ["secret.md"]);
    assert_eq!(text_of(outside.path().join("secret.md")), "secret");
    assert_eq!(names(&root.path().join("sub")), Vec::<String>::new());
}

/// A folder that is exchanged for a link to another place while files are written into it: never is anything
/// written there.
#[cfg(unix)]
#[test]
fn a_link_that_appears_meanwhile_leads_nowhere() {
    use std::os::unix::fs::symlink;
    let (root, outside) = (folder(), folder());
    let (sub, aside) = (root.path().join("sub"), root.path().join("aside"));
    std::fs::create_dir(&sub).expect("made");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = std::fs::rename(&sub, &aside);
                let _ = symlink(outside.path(), &sub);
                let _ = std::fs::remove_file(&sub);
                let _ = std::fs::rename(&aside, &sub);
            }
        });
        let dir = MemoryDir::open(root.path(), Links::Refuse).expect("opens");
        for nth in 0..500 {
            let _ = dir.create_new(&path(&format!("sub/{nth}.md")), b"x");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(names(outside.path()), Vec::<String>::new());
}

#[test]
fn what_is_thrown_away_comes_back() {
    let (root, trash) = (folder(), folder());
    let trash = trash.path().join("trash/project");
    let dir = open(root.path());
    let file = path("sub/a.md");
    dir.create_new(&file, b"one").expect("created");
    let first = dir.move_to_trash(&file, &trash).expect("moved");
    assert!(!dir.exists(&file));
    dir.create_new(&file, b"two").expect("created again");
    let second = dir.move_to_trash(&file, &trash).expect("moved");
    assert_ne!(first.at, second.at);
    assert_eq!(names(&trash), ["a-2.md", "a.md"]);

    dir.restore(&first).expect("restored");
    assert_eq!(text_of(root.path().join("sub/a.md")), "one");
    let refused = dir.restore(&second).expect_err("its name is taken");
    assert!(matches!(refused, Error::Exists { .. }), "{refused}");
    assert_eq!(text_of(&second.at), "two");
    assert!(dir.move_to_trash(&path("none.md"), &trash).is_err());
}

#[test]
fn leftovers_of_a_killed_process_go() {
    let root = folder();
    std::fs::write(root.path().join(".remora-1-2.tmp"), "half").expect("written");
    std::fs::write(root.path().join(".other.tmp"), "mine").expect("written");
    assert_eq!(open(root.path()).remove_leftovers().expect("listed"), 1);
    assert_eq!(names(root.path()), [".other.tmp"]);
}

/// How an editor saves.
#[derive(Clone, Copy)]
enum Saves {
    /// By writing a new file and renaming it.
    Renaming,
    /// By emptying the file and writing it.
    InPlace,
}

/// Whether the editor's line is in the file, now or a moment later: while the engine finds out that a person saved, its
/// own text stands there for an instant.
fn comes_back(target: &Path, nth: usize) -> bool {
    (0..10_000).any(|_| {
        std::thread::yield_now();
        text_of(target).contains(&format!("line {nth}."))
    })
}

/// An editor saves its own line again and again while the engine writes another value a thousand times. What the editor
/// saved is there until the editor saves again.
fn race(editor: Saves) {
    let root = folder();
    let target = root.path().join("a.md");
    let page = |nth: usize| {
        format!(
            "---\nname: a\ndescription: b\ntype: user\nmetadata:\n  updated: 0\n---\nThe person's line {nth}.\n"
        )
    };
    std::fs::write(&target, page(0)).expect("written");
    let done = AtomicBool::new(false);
    let saved = AtomicUsize::new(0);
    let (written, changed) = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut nth = 0;
            while !done.load(Ordering::Relaxed) {
                nth += 1;
                match editor {
                    Saves::Renaming => {
                        let swap: PathBuf = root.path().join(".a.md.swp");
                        std::fs::write(&swap, page(nth)).expect("written");
                        std::fs::rename(&swap, &target).expect("renamed");
                    }
                    Saves::InPlace => std::fs::write(&target, page(nth)).expect("written"),
                }
                saved.store(nth, Ordering::Relaxed);
                // Long enough for several of the engine's writes to fall before the next save.
                for _ in 0..nth % 7 {
                    assert!(comes_back(&target, nth), "save {nth} was lost: {:?}", text_of(&target));
                    std::thread::sleep(std::time::Duration::from_micros(300));
                }
            }
        });
        let dir = open(root.path());
        let file = path("a.md");
        let (mut written, mut changed) = (0, 0);
        // On a busy machine the editor may be in the middle of a save at every look: then further ones follow.
        for nth in 0..100_000 {
            if nth >= 1_000 && written > 0 {
                break;
            }
            let Ok((bytes, digest)) = dir.read(&file) else { continue };
            let text = String::from_utf8(bytes).expect("text");
            let Ok(new) = edit::set("a.md", &text, "metadata.updated", NewValue::Text(&format!("{nth}x")))
            else {
                std::thread::yield_now();
                continue;
            };
            match dir.replace_if_unchanged(&file, &digest, new.as_bytes()).expect("compared") {
                Replaced::Written => written += 1,
                Replaced::Changed => changed += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
        (written, changed)
    });
    let last = text_of(&target);
    let nth = saved.load(Ordering::Relaxed);
    assert!(last.contains(&format!("line {nth}.")), "the last save {nth} was lost: {last:?}");
    assert!(reader::read_text("a.md", &last).is_ok());
    assert!(written > 0, "the engine wrote nothing, {changed} were refused");
    assert_eq!(names(root.path()), ["a.md"], "no temporary file is left");
}

#[test]
fn no_edit_is_lost_to_an_editor_that_renames() {
    race(Saves::Renaming);
}

#[test]
fn no_edit_is_lost_to_an_editor_that_writes_in_place() {
    race(Saves::InPlace);
}
