//! How much of a memory's name and description a query says: the other direction of coverage.
//!
//! A query that says all of a short name is about that memory, even if it says much else.

use std::collections::HashSet;

use crate::document::Document;
use crate::lexicon::Lexicon;
use crate::score::{SYNONYM, Scorer};
use crate::synonyms::{Grade, Synonyms};
use crate::units::{Shape, Unit as Asked, units_of};

/// What the head of a memory says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    name: Said,
    description: Said,
}

/// A row of units, kept flat since every memory has some.
#[derive(Debug, Clone, Default)]
struct Said {
    units: Box<[Unit]>,
    /// The terms of the first unit, its groups, the terms of the second, and so on.
    numbers: Box<[u32]>,
}

#[derive(Debug, Clone, Copy)]
struct Unit {
    terms: u8,
    groups: u8,
    /// How telling it is, before its rarity.
    weight: f32,
}

impl Head {
    pub(crate) fn of(document: &Document, topic: &str, lexicon: &mut Lexicon, synonyms: &Synonyms) -> Self {
        // A slug for a name says the same as the file name; a title says it better.
        let name = if document.name.is_empty() { topic } else { &document.name };
        Self {
            name: Said::of(name, lexicon, synonyms),
            description: Said::of(&document.description, lexicon, synonyms),
        }
    }
}

impl Said {
    fn of(text: &str, lexicon: &mut Lexicon, synonyms: &Synonyms) -> Self {
        let (mut units, mut numbers) = (Vec::new(), Vec::new());
        for unit in units_of(text, synonyms).iter().filter(|unit| unit.shape != Shape::Identifier) {
            let before = numbers.len();
            numbers.extend(unit.literals.iter().map(|(term, _)| lexicon.number(term, term)));
            let terms = numbers.len() - before;
            numbers.extend(exact_groups(unit));
            let groups = numbers.len() - before - terms;
            if let (Ok(terms), Ok(groups)) = (u8::try_from(terms), u8::try_from(groups)) {
                units.push(Unit { terms, groups, weight: unit.weight * unit.common });
            } else {
                numbers.truncate(before);
            }
        }
        Self { units: units.into(), numbers: numbers.into() }
    }
}

fn exact_groups(unit: &Asked) -> impl Iterator<Item = u32> {
    unit.members.iter().filter(|member| member.grade == Grade::Exact).map(|member| member.group)
}

/// What a query says, to look up.
#[derive(Debug, Default)]
pub(crate) struct Asking {
    terms: HashSet<u32>,
    groups: HashSet<u32>,
}

impl Asking {
    pub(crate) fn of(units: &[Asked], lexicon: &Lexicon) -> Self {
        let terms = units.iter().flat_map(|unit| &unit.literals).filter_map(|(term, _)| lexicon.get(term));
        Self { terms: terms.collect(), groups: units.iter().flat_map(exact_groups).collect() }
    }

    /// The share of a unit that the query says.
    fn share(&self, terms: &[u32], groups: &[u32]) -> f32 {
        let said = terms.iter().filter(|term| self.terms.contains(term)).count();
        #[allow(clippy::cast_precision_loss)]
        let literal = said as f32 / terms.len().max(1) as f32;
        let by_synonym = groups.iter().any(|group| self.groups.contains(group));
        literal.max(if by_synonym { SYNONYM } else { 0.0 })
    }
}

impl Scorer<'_> {
    /// The shares of the name and of the description that the query says, each 0 to 1.
    pub(crate) fn head_said(&self, slot: u32) -> (f32, f32) {
        let Some(entry) = self.corpus.entry(slot) else { return (0.0, 0.0) };
        (self.share_said(&entry.head.name), self.share_said(&entry.head.description))
    }

    fn share_said(&self, head: &Said) -> f32 {
        let (mut said, mut all) = (0.0, 0.0);
        let mut rest = &head.numbers[..];
        for unit in &head.units {
            let (terms, after) = rest.split_at(usize::from(unit.terms));
            let (groups, after) = after.split_at(usize::from(unit.groups));
            rest = after;
            let rarities = terms.iter().map(|term| {
                let documents =
                    self.corpus.terms.get(*term as usize).map_or(0, |postings| postings.list.len());
                self.rarity(documents)
            });
            let worth = unit.weight * rarities.fold(0.0, f32::max);
            said += worth * self.asking.share(terms, groups);
            all += worth;
        }
        // A name of common words alone says little when it is said.
        said / f32::max(all, 0.5)
    }
}
