//! The index as a session is given it: what stays, what is cut, what is said.

use remora_memory::Index;
use remora_memory::index::{Budget, SessionIndex, Unit};

fn bytes(amount: usize) -> Budget {
    Budget { amount, unit: Unit::Bytes }
}

fn index(count: usize, hook: &str) -> Index {
    let entries = (0..count).map(|nth| format!("- [Memory {nth}](m{nth:03}.md) — {hook}\n"));
    Index::parse(&format!("# Memory Index\n\n{}", entries.collect::<String>()))
}

fn files(range: impl Iterator<Item = usize>) -> Vec<String> {
    range.map(|nth| format!("m{nth:03}.md")).collect()
}

fn shown_files(shown: &SessionIndex) -> Vec<String> {
    Index::parse(&shown.text).entries().iter().map(|entry| entry.file.clone()).collect()
}

#[test]
fn an_index_that_fits_is_shown_as_it_is() {
    let text = "# Memory Index\n\nPointers.\n\n- [A](a.md) — one\n- ~~[B](b.md)~~\n";
    let shown = Index::parse(text).for_session(bytes(9000), &[], &[]);
    assert_eq!(shown, SessionIndex { text: text.to_owned(), shown: 1, left_out: 0, cut: 0 });
    let long = format!("- [A](a.md) — {}\n", "word ".repeat(80));
    let shown = Index::parse(&long).for_session(bytes(9000), &[], &[]);
    assert_eq!((shown.cut, shown.text.len()), (0, long.trim_end().len() + 1), "a long line alone is not cut");
}

#[test]
fn long_lines_are_cut_before_an_entry_is_left_out() {
    let index = index(100, &"word ".repeat(100));
    let shown = index.for_session(bytes(24_000), &[], &[]);
    assert_eq!((shown.shown, shown.left_out, shown.cut), (100, 0, 100));
    assert!(shown.text.lines().all(|line| line.chars().count() <= 200));
    assert_eq!(shown_files(&shown), files(0..100));
}

#[test]
fn two_hundred_lines_are_the_most() {
    let index = index(300, "hook");
    let strongest = files((0..300).rev());
    let shown = index.for_session(bytes(100_000), &strongest, &[]);
    assert_eq!(shown.text.lines().count(), 200);
    assert_eq!((shown.shown, shown.left_out), (198, 102));
    assert_eq!(shown_files(&shown), files(102..300), "the strongest stay, in the order of the file");
    assert!(shown.text.starts_with("# Memory Index\n"));
}

#[test]
fn twenty_five_thousand_bytes_are_the_most() {
    let index = index(190, &"字".repeat(60));
    let shown = index.for_session(Budget { amount: 100_000, unit: Unit::Utf16 }, &[], &[]);
    assert!(shown.text.len() <= 25_000 && shown.left_out > 0);
    assert_eq!(shown.shown + shown.left_out, 190);
}

#[test]
fn the_newest_quarter_always_stays() {
    let index = index(100, "a hook of some length, so that not all of them fit");
    let strongest = files(0..100);
    let newest = files((0..100).rev());
    let shown = index.for_session(bytes(2_000), &strongest, &newest);
    let stays = shown_files(&shown);
    assert_eq!(stays.len(), shown.shown);
    let quarter = shown.shown.div_ceil(4);
    let old: Vec<String> = stays.iter().take(shown.shown - quarter).cloned().collect();
    assert_eq!(old, files(0..shown.shown - quarter), "the strongest fill the rest");
    assert_eq!(
        stays[shown.shown - quarter..],
        files(100 - quarter..100),
        "the newest are there, weak as they are"
    );
}

#[test]
fn the_last_line_says_what_is_not_shown() {
    let shown = index(100, "a hook of some length").for_session(bytes(900), &[], &[]);
    insta::assert_snapshot!(shown.text, @r"
    # Memory Index
    - [Memory 0](m000.md) — a hook of some length
    - [Memory 1](m001.md) — a hook of some length
    - [Memory 2](m002.md) — a hook of some length
    - [Memory 3](m003.md) — a hook of some length
    - [Memory 4](m004.md) — a hook of some length
    - [Memory 5](m005.md) — a hook of some length
    - [Memory 6](m006.md) — a hook of some length
    - [Memory 7](m007.md) — a hook of some length
    - [Memory 8](m008.md) — a hook of some length
    - [Memory 9](m009.md) — a hook of some length
    - [Memory 10](m010.md) — a hook of some length
    - [Memory 11](m011.md) — a hook of some length
    - [Memory 12](m012.md) — a hook of some length
    - [Memory 13](m013.md) — a hook of some length
    (86 more entries are not shown; search still finds them. To see more here: one line of about 200 characters per memory, detail into its file, or consolidate with `remora dream`.)
    ");
    assert_eq!((shown.shown, shown.left_out), (14, 86));
}

#[test]
fn sections_keep_their_headings_and_prose_goes_first() {
    let mut text = String::from("# Memory Index\n\nProse that explains.\n\n");
    for section in ["User", "Feedback"] {
        text.extend(["## ", section, "\n\n"]);
        let entries = (0..20)
            .map(|nth| format!("- [{section} {nth}](m{nth:03}_{section}.md) — a hook of some length\n"));
        text.extend(entries);
    }
    let index = Index::parse(&text);
    let shown =
        index.for_session(bytes(700), &["m019_Feedback.md".to_owned(), "m000_User.md".to_owned()], &[]);
    assert!(
        shown.text.contains("## User\n- [User 0]") && shown.text.contains("## Feedback\n- [Feedback 19]")
    );
    assert!(!shown.text.contains("Prose"));
}

#[test]
fn no_room_is_no_text() {
    let shown = index(10, "hook").for_session(bytes(40), &[], &[]);
    assert_eq!(shown, SessionIndex { text: String::new(), shown: 0, left_out: 10, cut: 0 });
}
