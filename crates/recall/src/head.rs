//! How much of a memory's name and description a query says: the other direction of coverage.
//!
//! A query that says all of a short name is about that memory, even if it says much else.

use std::collections::HashSet;

use crate::document::Document;
use crate::lexicon::Lexicon;
use crate::score::{SYNONYM, Scorer};
use crate::synonyms::{Grade, Synonyms};
use crate::units::{Shape, Unit, units_of};

/// One thing that a name or a description says.
#[derive(Debug, Clone)]
pub(crate) struct HeadUnit {
    terms: Box<[u32]>,
    /// Synonym groups that it stands for.
    groups: Box<[u32]>,
    /// How telling it is, before its rarity.
    weight: f32,
}

/// What the head of a memory says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    name: Box<[HeadUnit]>,
    description: Box<[HeadUnit]>,
}

impl Head {
    pub(crate) fn of(document: &Document, topic: &str, lexicon: &mut Lexicon, synonyms: &Synonyms) -> Self {
        // A slug for a name says the same as the file name; a title says it better.
        let name = if document.name.is_empty() { topic } else { &document.name };
        Self {
            name: head_units(name, lexicon, synonyms),
            description: head_units(&document.description, lexicon, synonyms),
        }
    }
}

fn head_units(text: &str, lexicon: &mut Lexicon, synonyms: &Synonyms) -> Box<[HeadUnit]> {
    let units = units_of(text, synonyms).into_iter().filter(|unit| unit.shape != Shape::Identifier);
    units.map(|unit| head_unit(&unit, lexicon)).collect()
}

fn head_unit(unit: &Unit, lexicon: &mut Lexicon) -> HeadUnit {
    let exact = unit.members.iter().filter(|member| member.grade == Grade::Exact);
    HeadUnit {
        terms: unit.literals.iter().map(|(term, _)| lexicon.number(term, term)).collect(),
        groups: exact.map(|member| member.group).collect(),
        weight: unit.weight * unit.common,
    }
}

/// What a query says, to look up.
#[derive(Debug, Default)]
pub(crate) struct Said {
    terms: HashSet<u32>,
    groups: HashSet<u32>,
}

impl Said {
    pub(crate) fn of(units: &[Unit], lexicon: &Lexicon) -> Self {
        let mut said = Self::default();
        for unit in units {
            said.terms.extend(unit.literals.iter().filter_map(|(term, _)| lexicon.get(term)));
            let exact = unit.members.iter().filter(|member| member.grade == Grade::Exact);
            said.groups.extend(exact.map(|member| member.group));
        }
        said
    }

    /// The share of a unit that is said.
    fn share(&self, unit: &HeadUnit) -> f32 {
        let said = unit.terms.iter().filter(|term| self.terms.contains(term)).count();
        #[allow(clippy::cast_precision_loss)]
        let literal = said as f32 / unit.terms.len().max(1) as f32;
        let by_synonym = unit.groups.iter().any(|group| self.groups.contains(group));
        literal.max(if by_synonym { SYNONYM } else { 0.0 })
    }
}

impl Scorer<'_> {
    /// The shares of the name and of the description that the query says, each 0 to 1.
    pub(crate) fn head_said(&self, slot: u32) -> (f32, f32) {
        let Some(entry) = self.corpus.entry(slot) else { return (0.0, 0.0) };
        (self.share_said(&entry.head.name), self.share_said(&entry.head.description))
    }

    fn share_said(&self, units: &[HeadUnit]) -> f32 {
        let (mut said, mut all) = (0.0, 0.0);
        for unit in units {
            let rarities = unit.terms.iter().map(|term| {
                let documents =
                    self.corpus.terms.get(*term as usize).map_or(0, |postings| postings.list.len());
                self.rarity(documents)
            });
            let worth = unit.weight * rarities.fold(0.0, f32::max);
            said += worth * self.said.share(unit);
            all += worth;
        }
        // A name of common words alone says little when it is said.
        said / f32::max(all, 0.5)
    }
}
