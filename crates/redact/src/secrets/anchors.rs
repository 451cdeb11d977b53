//! Where to look: one pass over the text for all beginnings and words at once.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

use super::command::{self, COMMANDS, Command};
use super::key_block::{self, KeyBlocks};
use super::name::Kind;
use super::shapes::{SHAPES, Shape};
use super::span::Found;
use super::{assignment, dotted, header, token, url};

/// What to do where an anchor was found.
#[derive(Debug, Clone, Copy)]
enum Check {
    Shape(&'static Shape),
    Command(usize, &'static Command),
    Label(Kind),
    Word,
    KeyBlock,
    Other(fn(&[u8], Range<usize>, &mut Found)),
}

/// Words that occur in names of secrets.
const WORDS: &[&str] = &[
    "pass", "pw", "secret", "token", "key", "auth", "cred", "bearer", "jwt", "_pat", "mnemonic", "phrase",
    "kennwort",
];

const OTHERS: &[(&str, fn(&[u8], Range<usize>, &mut Found))] = &[
    ("sk-", token::check_sk),
    (":aa", token::check_telegram),
    ("q~", token::check_azure),
    ("eyj", dotted::check_jwt),
    ("://", url::check),
    ("bearer", header::check_bearer),
    ("basic", header::check_basic),
    ("private-lines:", key_block::check_putty),
];

struct Anchors {
    automaton: AhoCorasick,
    checks: Vec<Check>,
}

static ANCHORS: LazyLock<Option<Anchors>> = LazyLock::new(build);

fn build() -> Option<Anchors> {
    let mut anchors: Vec<(&str, Check)> = Vec::with_capacity(192);
    anchors.extend(SHAPES.iter().map(|shape| (shape.prefix, Check::Shape(shape))));
    anchors.extend(WORDS.iter().map(|word| (*word, Check::Word)));
    anchors.extend(OTHERS.iter().map(|(anchor, check)| (*anchor, Check::Other(*check))));
    anchors.extend(assignment::LABELS.iter().map(|(label, kind)| (*label, Check::Label(*kind))));
    anchors.extend(
        COMMANDS.iter().enumerate().map(|(at, command)| (command.program, Check::Command(at, command))),
    );
    anchors.push(("private key", Check::KeyBlock));
    let automaton = AhoCorasickBuilder::new()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(anchors.iter().map(|(anchor, _)| anchor))
        .ok()?;
    Some(Anchors { automaton, checks: anchors.into_iter().map(|(_, check)| check).collect() })
}

/// Checks every anchor of a text.
pub(super) fn scan(text: &[u8], found: &mut Found) {
    let Some(anchors) = &*ANCHORS else { return };
    let mut keys = KeyBlocks::default();
    let mut looked = [0; COMMANDS.len()];
    for hit in anchors.automaton.find_overlapping_iter(text) {
        let at = hit.start()..hit.end();
        match anchors.checks[hit.pattern().as_usize()] {
            Check::Shape(shape) => token::check(text, at, shape, found),
            Check::Word => assignment::check(text, at, found),
            Check::Label(kind) => assignment::check_label(text, at, kind, found),
            Check::KeyBlock => keys.check(text, at, found),
            Check::Command(index, command) => {
                if at.start >= looked[index] {
                    looked[index] = command::check(text, at, command, found);
                }
            }
            Check::Other(check) => check(text, at, found),
        }
    }
    keys.finish(text, found);
    dotted::scan_discord(text, found);
}
