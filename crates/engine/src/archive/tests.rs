//! What goes out comes in again to the byte, whatever it is.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::root::Root;

/// A data root with files in it, by their paths in an export.
struct Home {
    temp: tempfile::TempDir,
    root: Root,
}

impl Home {
    fn new() -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let root = Root::new(temp.path().join("data")).expect("absolute");
        Self { temp, root }
    }

    fn restore(&self, files: &[ArchivedFile]) -> Vec<Became> {
        let memory_dir = |slug: &str| self.root.project(slug).join("memory");
        let places = Places { root: &self.root, memory_dir: &memory_dir };
        let mut restorer = Restorer::new(places, HashSet::new(), false);
        let became = files.iter().map(|file| restorer.take(file).expect("taken")).collect();
        restorer.finish().expect("finished");
        became
    }

    fn gather(&self) -> Vec<ArchivedFile> {
        let (files, left_out) = files_of(self.root.path());
        assert_eq!(left_out, vec![]);
        files
            .into_iter()
            .map(|path| archived(path.clone(), &self.root.path().join(&path)).expect("read"))
            .collect()
    }

    fn write(&self, format: &str, files: &[ArchivedFile]) -> PathBuf {
        let to = self.temp.path().join(format);
        let mut writer: Box<dyn Writer> = match format {
            "json" => Box::new(JsonWriter::new(&to).expect("new")),
            _ => Box::new(FolderWriter::new(&to).expect("new")),
        };
        for file in files {
            assert_eq!(writer.file(file).expect("written"), Written::Done);
        }
        writer.journal(r#"{"event": {}}"#).expect("a line");
        writer.finish().expect("finished");
        to
    }
}

fn read(from: &Path) -> Vec<ArchivedFile> {
    if from.is_dir() {
        let mut files = Vec::new();
        read_folder(from, |file| {
            files.push(file);
            Ok(())
        })
        .expect("read");
        return files;
    }
    read_json(from).expect("read").0
}

/// Names as people and agents give them, none of them the same on a system that ignores case.
fn file() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec![
        "user/memory/",
        "user/memory/deep/er/",
        "user/imported/some-host/",
        "projects/-p-app-0a1b2c3d/memory/",
        "projects/-p-app-0a1b2c3d/memory/logs/2026/01/",
        "projects/-q-1/imported/folder-notes-00ff00ff/",
    ]);
    let name =
        prop::sample::select(vec!["a", "feedback_real_db", "端口", "with space", "MEMORY", "x.y", "Ünï"]);
    (folder, name).prop_map(|(folder, name)| format!("{folder}{name}.md"))
}

fn files() -> impl Strategy<Value = BTreeMap<String, (String, u64)>> {
    prop::collection::btree_map(
        file(),
        (any::<String>(), 1_000_000_000_000_000_000..1_800_000_000_000_000_000_u64),
        0..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_goes_out_comes_in_again_to_the_byte(files in files()) {
        let archived: Vec<ArchivedFile> = files
            .into_iter()
            .map(|(path, (text, nanos))| ArchivedFile {
                path,
                bytes: text.into_bytes(),
                modified: SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos),
            })
            .collect();
        let home = Home::new();
        let new = home.restore(&archived);
        prop_assert!(new.iter().all(|became| *became == Became::New), "{new:?}");
        prop_assert_eq!(&home.gather(), &archived);
        for format in ["folder", "json"] {
            let from = home.write(format, &home.gather());
            let other = Home::new();
            other.restore(&read(&from));
            prop_assert_eq!(&other.gather(), &archived, "{}", format);
            let again = other.restore(&read(&from));
            prop_assert!(again.iter().all(|became| *became == Became::Same), "{again:?}");
            prop_assert_eq!(&other.gather(), &archived);
            // Nothing is written over.
            prop_assert!(FolderWriter::new(&from).is_err() && JsonWriter::new(&from).is_err());
        }
    }
}

#[test]
fn an_export_that_ends_in_the_middle_leaves_nothing() {
    let home = Home::new();
    let to = home.temp.path().join("out");
    let file =
        ArchivedFile { path: "user/memory/a.md".into(), bytes: b"x".to_vec(), modified: SystemTime::now() };
    for is_folder in [true, false] {
        let mut writer: Box<dyn Writer> = if is_folder {
            Box::new(FolderWriter::new(&to).expect("new"))
        } else {
            Box::new(JsonWriter::new(&to).expect("new"))
        };
        writer.file(&file).expect("written");
        drop(writer);
        assert_eq!(std::fs::read_dir(home.temp.path()).expect("listed").count(), 0);
    }
}

#[test]
fn an_index_that_is_there_gets_the_lines_of_what_is_new() {
    let home = Home::new();
    let file = |path: &str, text: &str| ArchivedFile {
        path: path.into(),
        bytes: text.as_bytes().to_vec(),
        modified: SystemTime::now(),
    };
    let memory = |name: &str| {
        format!("---\nname: {name}\ndescription: About {name}\ntype: project\n---\nIt is {name}.\n")
    };
    home.restore(&[
        file("user/memory/mine.md", &memory("mine")),
        file("user/memory/MEMORY.md", "# My own\n- [Mine](mine.md) — mine\n"),
    ]);
    let became = home.restore(&[
        file("user/memory/MEMORY.md", "- [Mine](mine.md) — mine\n- [Theirs](theirs.md) — what they say\n"),
        file("user/memory/theirs.md", &memory("theirs")),
    ]);
    assert_eq!(became, [Became::Kept, Became::New]);
    let index = std::fs::read_to_string(home.root.user_memory().join("MEMORY.md")).expect("there");
    assert_eq!(index, "# My own\n- [Mine](mine.md) — mine\n- [Theirs](theirs.md) — what they say\n");
}
