//! Words that mean the same in the software trade: a built-in table, and people's own lines.
//!
//! A group is a concept; a memory that mentions any of its words is indexed under the concept, and
//! a query word finds the memory through it. Equivalents count more than related words, and two
//! words that are merely related to the same third do not find each other.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::analysis::{Token, is_cjk, is_stop_word, leading_stop_word, prefixes, tokens};

const TABLE: &str = include_str!("../data/synonyms.txt");

/// No CJK entry is longer, in characters.
const LONGEST_CJK: usize = 10;

/// What is wrong with a line of synonyms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SynonymsError {
    /// A group needs at least two words, one of them before the `~`.
    #[error("reading synonyms, line {line}: a group needs two words or more, separated by commas")]
    TooFew {
        /// Counted from 1.
        line: usize,
    },
}

/// Whether a word stands for the group or is only related to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Grade {
    Related,
    Exact,
}

/// One word's membership in one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Member {
    pub(crate) group: u32,
    pub(crate) grade: Grade,
}

/// A table of synonym groups.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    /// Stems of a word or a phrase, joined by blanks.
    words: HashMap<String, Vec<Member>>,
    /// For the first stem of each entry, the number of words of the longest that starts with it.
    longest: HashMap<String, usize>,
    /// CJK entries without blanks.
    cjk: HashMap<String, Vec<Member>>,
    groups: u32,
}

impl Synonyms {
    /// The built-in table.
    #[must_use]
    pub fn built_in() -> Self {
        let mut table = Self::default();
        // A test holds that the built-in table has no bad line.
        table.extend_leniently(TABLE);
        table
    }

    /// No synonyms at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds groups in the format of the built-in table: `word, two words, 词 ~ related, related`,
    /// one group a line; `#` starts a comment line, `[...]` a section.
    ///
    /// # Errors
    /// A line that is no group; the lines before it are added.
    pub fn extend(&mut self, lines: &str) -> Result<(), SynonymsError> {
        for (number, line) in lines.lines().enumerate() {
            self.extend_line(line).ok_or(SynonymsError::TooFew { line: number + 1 })?;
        }
        Ok(())
    }

    /// As [`Self::extend`], but a bad line is left out.
    pub fn extend_leniently(&mut self, lines: &str) {
        for line in lines.lines() {
            let _ = self.extend_line(line);
        }
    }

    fn extend_line(&mut self, line: &str) -> Option<()> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with('[') {
            return Some(());
        }
        let (exact, related) = line.split_once('~').unwrap_or((line, ""));
        let words = |text: &str| -> Vec<String> {
            text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let (exact, related) = (words(exact), words(related));
        if exact.is_empty() || exact.len() + related.len() < 2 {
            return None;
        }
        let group = self.groups;
        self.groups += 1;
        for word in exact {
            self.add(&word, Member { group, grade: Grade::Exact });
        }
        for word in related {
            self.add(&word, Member { group, grade: Grade::Related });
        }
        Some(())
    }

    fn add(&mut self, entry: &str, member: Member) {
        let tokens = tokens(entry);
        let linear = linear(&tokens);
        let all_cjk = linear.iter().all(|item| matches!(item, Linear::Cjk { .. }));
        let (map, key) = if all_cjk {
            let text: String = linear.iter().map(Linear::text).collect();
            // One character alone stands for too much in running text.
            if text.chars().count() < 2 {
                return;
            }
            (&mut self.cjk, text)
        } else {
            let stems: Vec<&str> = linear.iter().map(Linear::text).collect();
            if stems.is_empty() || linear.iter().all(Linear::is_stop) {
                return;
            }
            let longest = self.longest.entry(stems[0].to_owned()).or_default();
            *longest = stems.len().max(*longest);
            (&mut self.words, stems.join(" "))
        };
        let members = map.entry(key).or_default();
        match members.iter_mut().find(|known| known.group == member.group) {
            Some(known) => known.grade = known.grade.max(member.grade),
            None => members.push(member),
        }
    }

    /// How many groups there are; concepts are numbered below it.
    pub(crate) fn groups(&self) -> usize {
        self.groups as usize
    }

    /// Where a text mentions the words of groups, longest first, without overlap.
    pub(crate) fn mentions(&self, linear: &[Linear<'_>]) -> Vec<Mention<'_>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < linear.len() {
            match &linear[at] {
                Linear::Cjk { .. } => {
                    self.mentions_in_cjk(linear, at, &mut found);
                    at += 1;
                }
                Linear::Word { .. } => match self.phrase_at(linear, at) {
                    Some((length, members)) => {
                        let suffix = self.phrase_suffix(&linear[at..at + length]);
                        found.push(Mention { item: at, items: length, from: 0, to: 0, members, suffix });
                        at += length;
                    }
                    None => at += 1,
                },
            }
        }
        found
    }

    fn phrase_at(&self, linear: &[Linear<'_>], at: usize) -> Option<(usize, &[Member])> {
        let longest = *self.longest.get(linear[at].text())?;
        let longest = linear[at..]
            .windows(2)
            .take(longest - 1)
            .take_while(|pair| pair[1].position() == pair[0].position() + 1 && pair[1].is_word())
            .count()
            + 1;
        (1..=longest).rev().find_map(|length| {
            let key = linear[at..at + length].iter().map(Linear::text).collect::<Vec<_>>().join(" ");
            self.words.get(&key).map(|members| (length, members.as_slice()))
        })
    }

    /// Entries inside one CJK run: the longest at each place, unless it lies inside another or a
    /// function word there is at least as long.
    fn mentions_in_cjk<'a>(&'a self, linear: &[Linear<'_>], at: usize, found: &mut Vec<Mention<'a>>) {
        let run = linear[at].text();
        let mut from = 0;
        let mut covered = 0;
        while from < run.len() {
            let entry = prefixes(&run[from..], LONGEST_CJK)
                .into_iter()
                .rev()
                .find_map(|prefix| self.cjk.get(prefix).map(|members| (prefix.len(), members)));
            let stop = leading_stop_word(&run[from..]);
            let length = entry.map_or(0, |(length, _)| length);
            if stop >= length.max(1) {
                from += stop;
                continue;
            }
            if let Some((length, members)) = entry
                && from + length > covered
            {
                covered = from + length;
                let suffix = self.cjk_suffix(&run[from..covered]);
                found.push(Mention { item: at, items: 1, from, to: covered, members, suffix });
            }
            from += run[from..].chars().next().map_or(1, char::len_utf8);
        }
    }

    /// The members of the longest entry that a longer one ends with: its head noun, as 权限 in
    /// 没有权限.
    fn cjk_suffix(&self, entry: &str) -> &[Member] {
        let mut starts = entry.char_indices().skip(1).map(|(at, _)| &entry[at..]);
        starts.find_map(|suffix| self.cjk.get(suffix)).map_or(&[], Vec::as_slice)
    }

    /// The same for a phrase: *tests* in *unit tests*.
    fn phrase_suffix(&self, words: &[Linear<'_>]) -> &[Member] {
        let mut suffixes = (1..words.len())
            .map(|start| words[start..].iter().map(Linear::text).collect::<Vec<_>>().join(" "));
        suffixes.find_map(|suffix| self.words.get(&suffix)).map_or(&[], Vec::as_slice)
    }
}

/// Where a group's word stands.
#[derive(Debug, Clone)]
pub(crate) struct Mention<'a> {
    /// The first item of the linear text.
    pub(crate) item: usize,
    /// How many items.
    pub(crate) items: usize,
    /// For a CJK item: bytes within it.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) members: &'a [Member],
    /// What its last word alone is a member of.
    pub(crate) suffix: &'a [Member],
}

impl Mention<'_> {
    /// The groups that the mention stands for; its last word alone is only related.
    pub(crate) fn all_members(&self) -> Vec<Member> {
        let mut members = self.members.to_vec();
        for member in self.suffix {
            if members.iter().all(|known| known.group != member.group) {
                members.push(Member { group: member.group, grade: Grade::Related });
            }
        }
        members
    }
}

/// Text as a flat row of stems and CJK runs, in which phrases are looked for.
#[derive(Debug, Clone)]
pub(crate) enum Linear<'a> {
    Word { stem: &'a str, surface: &'a str, stop: bool, position: u32 },
    Cjk { text: Cow<'a, str>, position: u32 },
}

impl Linear<'_> {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Word { stem, .. } => stem,
            Self::Cjk { text, .. } => text,
        }
    }

    pub(crate) fn position(&self) -> u32 {
        match self {
            Self::Word { position, .. } | Self::Cjk { position, .. } => *position,
        }
    }

    fn is_word(&self) -> bool {
        matches!(self, Self::Word { .. })
    }

    fn is_stop(&self) -> bool {
        matches!(self, Self::Word { stop: true, .. })
    }
}

/// Flattens tokens; Hangul runs that only a blank separates become one, since Korean phrases are
/// written with blanks.
pub(crate) fn linear(tokens: &[Token]) -> Vec<Linear<'_>> {
    let mut flat: Vec<Linear<'_>> = Vec::new();
    for token in tokens {
        match token {
            Token::Word { pieces, .. } => flat.extend(pieces.iter().map(|piece| Linear::Word {
                stem: &piece.stem,
                surface: &piece.text,
                stop: is_stop_word(&piece.text),
                position: piece.position,
            })),
            Token::Cjk { text, position } => {
                if let Some(Linear::Cjk { text: before, position: start }) = flat.last_mut() {
                    let length = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
                    if start.saturating_add(length) == *position
                        && before.chars().chain(text.chars()).all(is_hangul)
                    {
                        before.to_mut().push_str(text);
                        continue;
                    }
                }
                flat.push(Linear::Cjk { text: Cow::Borrowed(text), position: *position });
            }
        }
    }
    flat
}

fn is_hangul(character: char) -> bool {
    is_cjk(character) && matches!(u32::from(character), 0xac00..=0xd7af)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(table: &Synonyms, text: &str) -> Vec<u32> {
        let tokens = tokens(text);
        let linear = linear(&tokens);
        let mut groups: Vec<u32> =
            table.mentions(&linear).iter().flat_map(|m| m.members.iter().map(|m| m.group)).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    #[test]
    fn the_built_in_table_is_well_formed_and_broad() {
        let mut table = Synonyms::none();
        table.extend(TABLE).expect("the built-in table has no bad line");
        assert!(table.groups() > 700, "{}", table.groups());
    }

    #[test]
    fn words_of_one_group_share_a_concept() {
        let table = Synonyms::built_in();
        for (one, other) in [
            ("deployed yesterday", "部署"),
            ("open a pull request", "a PR"),
            ("docker-compose file", "docker compose"),
            ("端口被占用", "the port"),
            ("数据库迁移", "migrations"),
            ("부하 테스트", "load tests"),
            ("デプロイする", "deployment"),
        ] {
            let (a, b) = (groups_of(&table, one), groups_of(&table, other));
            assert!(a.iter().any(|group| b.contains(group)), "{one} / {other}: {a:?} {b:?}");
        }
    }

    #[test]
    fn peoples_own_lines_extend_it() {
        let mut table = Synonyms::none();
        table.extend("# ours\nzeus, the big box ~ olympus").expect("a good line");
        assert_eq!(groups_of(&table, "reboot the big box"), groups_of(&table, "Zeus"));
        assert_eq!(table.extend("a\n"), Err(SynonymsError::TooFew { line: 1 }));
    }
}
