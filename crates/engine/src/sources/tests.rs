//! Whatever happens to sources and snapshots, the person's words stay, nothing is there twice, and what was deleted
//! does not come back.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use proptest::prelude::*;

use super::snapshots::{Became, Item, Snapshots, fingerprint};
use crate::review::Waiting;

/// What may happen between two looks.
#[derive(Debug, Clone)]
enum Step {
    /// A source says something now, or is deleted.
    Source(u8, u8, Option<u8>),
    /// The person changes a snapshot: the first, the second, ...
    Edit(u8),
    /// The person deletes one.
    Delete(u8),
    Take,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..2_u8, 0..3_u8, prop::option::of(0..4_u8)).prop_map(|(folder, file, text)| Step::Source(folder, file, text)),
        1 => (0..4_u8).prop_map(Step::Edit),
        1 => (0..4_u8).prop_map(Step::Delete),
        4 => Just(Step::Take),
    ]
}

/// The snapshots on the disk, by their paths below `imported`.
fn on_disk(imported: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in ["one", "two"] {
        for entry in std::fs::read_dir(imported.join(name)).into_iter().flatten().flatten() {
            let file = entry.file_name().into_string().expect("a name");
            found.insert(format!("{name}/{file}"), std::fs::read_to_string(entry.path()).expect("a text"));
        }
    }
    found
}

/// One look at all sources: a second one right after it finds nothing to do.
fn take(imported: &Path, sources: &BTreeMap<(u8, u8), u8>, dry_run: bool) -> (Vec<Became>, bool) {
    let nothing = HashSet::new;
    let not_buried = |_: &Path| false;
    let waiting = Waiting::default();
    let mut snapshots =
        Snapshots::open(imported.to_owned(), &nothing, &not_buried, &waiting, dry_run).expect("opened");
    let mut became = Vec::new();
    for ((folder, file), text) in sources {
        let name = ["one", "two"][usize::from(*folder)];
        let item = Item {
            path: PathBuf::from(format!("/nowhere/{name}/{file}.md")),
            part: None,
            stamp: format!("{text}"),
            text: format!("The pier has number {text}.\n"),
            file: format!("{file}.md"),
            modified: SystemTime::UNIX_EPOCH,
        };
        became.push(snapshots.take(name, &item).expect("taken"));
    }
    (became, snapshots.close().expect("closed"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_persons_words_stay_and_nothing_is_there_twice(steps in prop::collection::vec(step(), 1..24)) {
        let temp = tempfile::tempdir().expect("a folder");
        let imported = temp.path().join("imported");
        let mut sources: BTreeMap<(u8, u8), u8> = BTreeMap::new();
        let mut mine: BTreeMap<String, String> = BTreeMap::new();
        let mut deleted: HashSet<String> = HashSet::new();
        let mut edits = 0;
        for step in steps {
            match step {
                Step::Source(folder, file, Some(text)) => drop(sources.insert((folder, file), text)),
                Step::Source(folder, file, None) => drop(sources.remove(&(folder, file))),
                Step::Edit(nth) => {
                    if let Some((key, _)) = on_disk(&imported).into_iter().nth(usize::from(nth)) {
                        edits += 1;
                        let text = format!("My own words, {edits}.\n");
                        std::fs::write(imported.join(&key), &text).expect("written");
                        mine.insert(key, text);
                    }
                }
                Step::Delete(nth) => {
                    if let Some((key, text)) = on_disk(&imported).into_iter().nth(usize::from(nth)) {
                        std::fs::remove_file(imported.join(&key)).expect("removed");
                        if mine.remove(&key).is_none() {
                            deleted.insert(text);
                        }
                    }
                }
                Step::Take => {
                    take(&imported, &sources, true);
                    let before = on_disk(&imported);
                    take(&imported, &sources, false);
                    let after = on_disk(&imported);
                    let (again, changed) = take(&imported, &sources, false);
                    prop_assert!(!changed, "a second look found {again:?}");
                    prop_assert_eq!(&on_disk(&imported), &after, "a second look wrote something");
                    let still = |key: &String| before.contains_key(key);
                    for (key, text) in &mine {
                        prop_assert_eq!(after.get(key), Some(text), "the person's words in {}", key);
                    }
                    let theirs: Vec<&String> =
                        after.iter().filter(|(key, _)| !mine.contains_key(*key)).map(|(_, text)| text).collect();
                    let said: HashSet<String> =
                        theirs.iter().filter_map(|text| fingerprint("x.md", text).ok().flatten()).collect();
                    prop_assert_eq!(said.len(), theirs.len(), "twice: {:?}", theirs);
                    for (key, text) in after.iter().filter(|(key, _)| !still(key)) {
                        prop_assert!(!deleted.contains(text), "{} came back", key);
                    }
                }
            }
        }
    }
}
