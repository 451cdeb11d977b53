//! A memory folder: what is read, what is not, and how little is read again.

use std::path::Path;
use std::time::{Duration, SystemTime};

use remora_memory::folder::MAX_FILES;
use remora_memory::{Folder, Scan, reader};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn memory(name: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: user\n---\nText of {name}.\n")
}

fn write(root: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = root.join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

fn files(scan: &Scan) -> Vec<&str> {
    scan.memories.iter().map(|memory| memory.file.as_str()).collect()
}

fn unreadable(scan: &Scan) -> Vec<(&str, &str)> {
    scan.unreadable.iter().map(|unreadable| (unreadable.file.as_str(), unreadable.problem.as_str())).collect()
}

#[test]
fn memories_are_found_and_all_else_is_left_out() {
    let root = folder();
    for file in ["b.md", "a.md", "sub/c.md", "sub/deep/d.MD", "team/t.md"] {
        write(root.path(), file, memory("x"));
    }
    for file in [
        "MEMORY-more.md",
        "sub/MEMORY.md",
        ".hidden.md",
        ".git/x.md",
        "logs/2026/11/2026-11-29.md",
        "notes.txt",
        "script.sh",
        ".md",
        "picture.png",
        ".remora-1-1.tmp",
    ] {
        write(root.path(), file, memory("no"));
    }
    write(root.path(), "MEMORY.md", "- [A](a.md) — one\n");
    let scan = Folder::scan(root.path()).expect("scanned");
    assert_eq!(files(&scan), ["a.md", "b.md", "sub/c.md", "sub/deep/d.MD", "team/t.md"]);
    assert_eq!(unreadable(&scan), []);
    assert_eq!(scan.index.as_ref().map(|index| index.entries().len()), Some(1));
    assert!(scan.memory("sub/c.md").is_some() && scan.memory("c.md").is_none());
    assert!(scan.memories.iter().all(|memory| memory.mtime.is_some()));

    let without = Folder::open(root.path()).expect("opens").leaving_out("team").rescan().expect("scanned");
    assert_eq!(files(&without), ["a.md", "b.md", "sub/c.md", "sub/deep/d.MD"]);
}

#[test]
fn what_cannot_be_read_is_listed() {
    let root = folder();
    write(root.path(), "a.md", memory("a"));
    write(root.path(), "bad.md", b"---\nname: \xff\n---\n");
    write(root.path(), "big.md", vec![b'x'; (1 << 20) + 1]);
    write(root.path(), "MEMORY.md", b"- \xff\n");
    std::fs::create_dir(root.path().join("folder.md")).expect("made");
    write(root.path(), "1/2/3/4/5/6/7/ok.md", memory("deep"));
    write(root.path(), "1/2/3/4/5/6/7/8/too-deep.md", memory("deeper"));
    let scan = Folder::scan(root.path()).expect("scanned");
    assert_eq!(files(&scan), ["1/2/3/4/5/6/7/ok.md", "a.md"]);
    assert_eq!(
        unreadable(&scan),
        [
            ("bad.md", "not valid UTF-8"),
            ("big.md", "larger than 1 MiB (1048577 bytes)"),
            ("1/2/3/4/5/6/7/8", "deeper than folders are read"),
            ("MEMORY.md", "not valid UTF-8"),
        ]
    );
    assert_eq!(scan.unreadable[0].line, 2);
    assert!(Folder::scan(&root.path().join("none")).is_err());
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (root, outside) = (folder(), folder());
    write(outside.path(), "secret.md", memory("secret"));
    write(root.path(), "real.md", memory("real"));
    symlink("real.md", root.path().join("inner.md")).expect("linked");
    symlink(outside.path().join("secret.md"), root.path().join("out.md")).expect("linked");
    symlink("nowhere.md", root.path().join("dangling.md")).expect("linked");
    symlink(outside.path(), root.path().join("away")).expect("linked");
    symlink(".", root.path().join("circle")).expect("linked");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.path().join("pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .expect("a pipe");
    symlink("pipe.md", root.path().join("to-pipe.md")).expect("linked");
    let scan = Folder::scan(root.path()).expect("scanned");
    assert_eq!(files(&scan), ["inner.md", "real.md"]);
    let out = "a symbolic link that leads out of the folder, or nowhere";
    assert_eq!(
        unreadable(&scan),
        [
            ("dangling.md", out),
            ("out.md", out),
            ("pipe.md", "not an ordinary file"),
            ("to-pipe.md", "not an ordinary file"),
        ]
    );
}

#[test]
fn only_what_changed_is_read_again() {
    let root = folder();
    for file in ["a.md", "b.md", "c.md"] {
        write(root.path(), file, memory(file));
    }
    write(root.path(), "MEMORY.md", "- [A](a.md)\n");
    let mut held = Folder::open(root.path()).expect("opens");
    let first = held.rescan().expect("scanned");
    assert_eq!(first.changed, ["a.md", "b.md", "c.md"]);

    let second = held.rescan().expect("scanned");
    assert_eq!((second.changed.len(), second.removed.len()), (0, 0));
    for (one, other) in first.memories.iter().zip(&second.memories) {
        assert!(std::sync::Arc::ptr_eq(one, other), "{} was read again", one.file);
    }
    assert!(std::sync::Arc::ptr_eq(
        first.index.as_ref().expect("an index"),
        second.index.as_ref().expect("an index")
    ));

    // A text of equal length at another time, a file that goes, one that comes, an index that changes.
    write(root.path(), "a.md", memory("z.md"));
    let later = SystemTime::now() + Duration::from_secs(5);
    std::fs::File::options()
        .write(true)
        .open(root.path().join("a.md"))
        .and_then(|file| file.set_modified(later))
        .expect("set");
    std::fs::remove_file(root.path().join("b.md")).expect("removed");
    write(root.path(), "d.md", memory("d"));
    write(root.path(), "MEMORY.md", "- [A](a.md)\n- [D](d.md)\n");
    let third = held.rescan().expect("scanned");
    assert_eq!(
        (third.changed, third.removed),
        (vec!["a.md".to_owned(), "d.md".to_owned()], vec!["b.md".to_owned()])
    );
    assert_eq!(third.memories[0].name, "z.md");
    assert_eq!(third.index.map(|index| index.entries().len()), Some(2));

    // The same time and size, but another file in its place, as an atomic save leaves it.
    let same = std::fs::metadata(root.path().join("c.md")).and_then(|meta| meta.modified()).expect("a time");
    write(root.path(), "c.tmp", memory("y.md"));
    std::fs::File::options()
        .write(true)
        .open(root.path().join("c.tmp"))
        .and_then(|file| file.set_modified(same))
        .expect("set");
    std::fs::rename(root.path().join("c.tmp"), root.path().join("c.md")).expect("renamed");
    assert_eq!(held.rescan().expect("scanned").changed, ["c.md"]);
}

#[test]
fn too_many_files_are_said() {
    let root = folder();
    for nth in 0..MAX_FILES + 10 {
        write(root.path(), &format!("{nth:05}.md"), "x");
    }
    let scan = Folder::scan(root.path()).expect("scanned");
    assert!(scan.too_many);
    assert_eq!(scan.memories.len(), MAX_FILES);
}

#[test]
fn a_head_is_enough_for_the_frontmatter() {
    let root = folder();
    let body = "A line of the body that goes on.\n".repeat(3000);
    let doubled = format!("{}\n{}{body}", "---\nname: a\ndescription: b\ntype: user\n---\n", memory("a"));
    let long =
        format!("---\nname: long\ndescription: >\n{}type: user\n---\n{body}", "  word word\n".repeat(60));
    let chinese = format!("---\nname: 中\ndescription: 文\ntype: user\n---\n{}", "正文很长。\n".repeat(9000));
    for (file, text, name) in
        [("doubled.md", doubled, "a"), ("long.md", long, "long"), ("zh.md", chinese, "中")]
    {
        write(root.path(), file, &text);
        let head = reader::read_head(file, &root.path().join(file)).expect("read");
        let whole = reader::read_file(file, &root.path().join(file)).expect("read");
        assert!(head.is_head && !whole.is_head);
        assert_eq!(head.name, name);
        assert_eq!(
            (&head.description, head.kind, head.body_line),
            (&whole.description, whole.kind, whole.body_line)
        );
        assert!(head.body.len() < 2000 && whole.body.starts_with(&head.body), "{file}: {}", head.body.len());
    }
    write(root.path(), "short.md", memory("short"));
    let head = reader::read_head("short.md", &root.path().join("short.md")).expect("read");
    assert!(!head.is_head);
    write(root.path(), "bad.md", b"---\nname: \xff\n---\n");
    assert!(reader::read_head("bad.md", &root.path().join("bad.md")).is_err());
}
