//! How well each memory matches the units of a query.

use crate::corpus::{Corpus, Counts, Entry, FIELDS};
use crate::head::Asking;
use crate::likeness::Likeness;
use crate::meaning::Meaning;
use crate::outcome::{Field, Through};
use crate::passage::keys_of;
use crate::reading::Key;
use crate::synonyms::Grade;
use crate::units::{Shape, Unit};

/// What a field's words count, in the order of [`Field::ALL`].
const FIELD_WEIGHTS: [f32; FIELDS] = [2.0, 2.0, 1.0, 0.5, 1.0];
/// How much a field's length counts against it (BM25's b).
const LENGTH_PENALTY: [f32; FIELDS] = [0.3, 0.3, 0.3, 0.5, 0.35];
/// How soon repetition stops to count (BM25's k1).
const SATURATION: f32 = 1.5;
/// What a match through equivalents counts against the word itself.
pub(crate) const SYNONYM: f32 = 0.6;
/// What a match through related words counts.
const RELATED: f32 = 0.25;
/// The same within a passage.
const PASSAGE_RELATED: f32 = 0.15;

/// How far commonness in the trade counts in ranking; in confidence it counts fully.
const COMMON: f32 = 0.3;

/// What the best passage counts against the whole memory.
const PASSAGE: f32 = 1.5;

/// What one deviation in likeness of meaning counts.
const MEANING: f32 = 0.6;

/// One unit's match in one memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Match {
    /// The unit's place in the query.
    pub(crate) unit: usize,
    pub(crate) value: f32,
    pub(crate) through: Through,
    /// Where it counts most.
    pub(crate) field: Field,
    /// The term or the group that matched.
    pub(crate) key: u32,
}

/// One memory with what matched.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) slot: u32,
    pub(crate) score: f32,
    pub(crate) matches: Vec<Match>,
    /// What the best passage says of the query.
    pub(crate) passage: f32,
    /// Likeness of meaning, -1 to 1.
    pub(crate) similarity: f32,
    /// By how many deviations the likeness is above the corpus' mean.
    pub(crate) standing_out: f32,
}

/// A query against a corpus: what each unit is worth there.
pub(crate) struct Scorer<'a> {
    pub(crate) corpus: &'a Corpus,
    average: [f32; FIELDS],
    pub(crate) units: Vec<Weighed>,
    /// What passages are asked for: key, unit, worth; by rising key.
    pub(crate) keys: Vec<(Key, usize, f32)>,
    pub(crate) asking: Asking,
    likeness: Likeness,
}

/// A unit with its terms looked up.
pub(crate) struct Weighed {
    pub(crate) unit: Unit,
    /// Term number, share, worth when matched fully.
    literals: Vec<(u32, f32, f32)>,
    /// Group, grade in the query, worth.
    concepts: Vec<(u32, Grade, f32)>,
    /// What the unit is worth at best: weight times rarity.
    pub(crate) importance: f32,
    /// Whether any memory has it, by word or equivalent.
    pub(crate) known: bool,
    /// What a passage must say, and its worth there.
    pub(crate) keys: Vec<(Key, f32)>,
}

impl<'a> Scorer<'a> {
    pub(crate) fn new(corpus: &'a Corpus, units: Vec<Unit>, meaning: Meaning) -> Self {
        let count = corpus.len().max(1);
        #[allow(clippy::cast_precision_loss)]
        let average = corpus.lengths.map(|sum| (sum as f32 / count as f32).max(1.0));
        let asking = Asking::of(&units, &corpus.lexicon);
        let likeness = Likeness::new(corpus, meaning);
        let mut scorer = Self { corpus, average, units: Vec::new(), keys: Vec::new(), asking, likeness };
        scorer.units = units.into_iter().map(|unit| scorer.weigh(unit)).collect();
        scorer.keys = keys_of(&scorer.units);
        scorer
    }

    fn weigh(&self, mut unit: Unit) -> Weighed {
        unit.weight *= unit.common.powf(COMMON);
        unit.common = unit.common.powf(1.0 - COMMON);
        let literals: Vec<(u32, f32, f32)> = unit
            .literals
            .iter()
            .filter_map(|(term, share)| {
                let (number, postings) = self.corpus.term(term)?;
                Some((number, *share, self.rarity(postings.list.len()) * unit.weight))
            })
            .collect();
        let concepts: Vec<(u32, Grade, f32)> = unit
            .members
            .iter()
            .filter_map(|member| {
                let postings = &self.corpus.concepts[member.group as usize].list;
                let exact = postings.iter().filter(|posting| posting.exact != [0; FIELDS]).count();
                let reached = if member.grade == Grade::Exact { postings.len() } else { exact };
                // Related words make a group look common; its equivalents decide how rare it is.
                let documents = exact + (postings.len() - exact) / 3;
                (reached > 0)
                    .then(|| (member.group, member.grade, self.rarity(documents.max(1)) * unit.weight))
            })
            .collect();
        let literal = literals.iter().map(|(_, _, worth)| *worth).fold(0.0, f32::max);
        let concept = concepts
            .iter()
            .filter(|(_, grade, _)| *grade == Grade::Exact)
            .map(|(_, _, worth)| *worth)
            .fold(0.0, f32::max);
        let known = literal > 0.0 || concept > 0.0;
        let importance = if known { literal.max(concept) } else { unit.weight * self.rarity(0) };
        let mut keys: Vec<(Key, f32)> = Vec::new();
        for &(term, share, _) in &literals {
            let rarity = self.passage_rarity(self.corpus.terms[term as usize].passages);
            keys.push((Key::term(term), share * rarity * unit.weight));
        }
        for member in &unit.members {
            let rarity = self.passage_rarity(self.corpus.concepts[member.group as usize].passages);
            let factor = if member.grade == Grade::Exact { SYNONYM } else { PASSAGE_RELATED };
            keys.push((Key::concept(member.group), factor * rarity * unit.weight));
        }
        Weighed { unit, literals, concepts, importance, known, keys }
    }

    /// 1 for what stands in one memory, towards 0 for what stands in all; a little over 1 for what
    /// stands in none.
    pub(crate) fn rarity(&self, documents: usize) -> f32 {
        #[allow(clippy::cast_precision_loss)]
        let idf = |documents: usize| {
            let (all, with) = (self.corpus.len().max(1) as f32, documents as f32);
            (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
        };
        idf(documents) / idf(1).max(f32::EPSILON)
    }

    /// How large the corpus is, on a logarithmic scale: 0 at 30 memories, 1 at 300, never above 1.5.
    pub(crate) fn size(&self) -> f32 {
        #[allow(clippy::cast_precision_loss)]
        let size = (self.corpus.len().max(1) as f32 / 30.0).log10();
        size.clamp(-1.0, 1.5)
    }

    fn passage_rarity(&self, passages: u32) -> f32 {
        #[allow(clippy::cast_precision_loss)]
        let idf = |with: f32| {
            let all = self.corpus.passages.max(1) as f32;
            (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
        };
        #[allow(clippy::cast_precision_loss)]
        let with = passages as f32;
        (idf(with) / idf(1.0).max(f32::EPSILON)).max(0.0)
    }

    /// The best candidates by score, best first; and how many there were.
    pub(crate) fn candidates(&self, most: usize) -> (Vec<Candidate>, usize) {
        let slots = self.corpus.entries.len();
        let mut totals = vec![0.0_f32; slots];
        let mut of_unit = vec![0.0_f32; slots];
        let mut touched: Vec<u32> = Vec::new();
        for weighed in &self.units {
            touched.clear();
            for &(term, share, worth) in &weighed.literals {
                for posting in &self.corpus.terms[term as usize].list {
                    let value = share * worth * self.saturated(posting.slot, posting.counts);
                    let sum = &mut of_unit[posting.slot as usize];
                    if *sum == 0.0 {
                        touched.push(posting.slot);
                    }
                    *sum += value;
                }
            }
            for &(group, grade, worth) in &weighed.concepts {
                for posting in &self.corpus.concepts[group as usize].list {
                    let value =
                        worth * self.conceptual(posting.slot, grade, posting.exact, posting.related).0;
                    if value <= 0.0 {
                        continue;
                    }
                    let best = &mut of_unit[posting.slot as usize];
                    if *best == 0.0 {
                        touched.push(posting.slot);
                    }
                    *best = best.max(value);
                }
            }
            for &slot in &touched {
                totals[slot as usize] += std::mem::take(&mut of_unit[slot as usize]);
            }
        }
        let mut found: Vec<(u32, f32)> = (0..).zip(totals).filter(|(_, total)| *total > 0.0).collect();
        let offered = found.len();
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then_with(|| self.newer(a.0, b.0));
        if found.len() > most {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        self.add_nearest(&mut found, most / 2);
        found.sort_unstable_by(order);
        let mut candidates: Vec<Candidate> =
            found.into_iter().map(|(slot, score)| self.detail(slot, score)).collect();
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        (candidates, offered)
    }

    /// Adds those nearest in meaning that are not there yet, with a score of zero.
    fn add_nearest(&self, found: &mut Vec<(u32, f32)>, most: usize) {
        for slot in self.likeness.nearest(most) {
            if self.corpus.entry(slot).is_some() && found.iter().all(|(known, _)| *known != slot) {
                found.push((slot, 0.0));
            }
        }
    }

    /// The newer first, then by name.
    fn newer(&self, a: u32, b: u32) -> std::cmp::Ordering {
        let (a, b) = (self.corpus.entry(a), self.corpus.entry(b));
        let day = |entry: Option<&Entry>| entry.map_or(0, |entry| entry.day);
        let id = |entry: Option<&'a Entry>| entry.map_or("", |entry| entry.id.as_str());
        day(b).cmp(&day(a)).then_with(|| id(a).cmp(id(b)))
    }

    fn detail(&self, slot: u32, score: f32) -> Candidate {
        let matches = self
            .units
            .iter()
            .enumerate()
            .filter_map(|(at, weighed)| self.matched(slot, at, weighed))
            .collect();
        let passage = self.best_passage(slot);
        let (similarity, standing_out) = self.likeness.of(slot);
        Candidate {
            slot,
            score: score + PASSAGE * passage + MEANING * standing_out,
            matches,
            passage,
            similarity,
            standing_out,
        }
    }

    /// The best way in which one unit matches one memory.
    fn matched(&self, slot: u32, unit: usize, weighed: &Weighed) -> Option<Match> {
        let mut literal = 0.0;
        let mut best: Option<(f32, u32, Field)> = None;
        for &(term, share, worth) in &weighed.literals {
            let Some(posting) = self.corpus.terms[term as usize].at(slot) else { continue };
            let value = share * worth * self.saturated(slot, posting.counts);
            literal += value;
            if best.is_none_or(|(most, _, _)| value > most) {
                best = Some((value, term, self.best_field(slot, posting.counts)));
            }
        }
        let mut found = best.map(|(_, term, field)| {
            let through = match weighed.unit.shape {
                Shape::Word => Through::Word,
                Shape::Identifier => Through::Identifier,
                Shape::Cjk => Through::Characters,
            };
            Match { unit, value: literal, through, field, key: term }
        });
        for &(group, grade, worth) in &weighed.concepts {
            let Some(posting) = self.corpus.concepts[group as usize].at(slot) else { continue };
            let (factor, exact) = self.conceptual(slot, grade, posting.exact, posting.related);
            let value = worth * factor;
            if value > 0.0 && found.is_none_or(|found| value > found.value) {
                let counts = if exact { posting.exact } else { posting.related };
                let through =
                    if exact && grade == Grade::Exact { Through::Synonym } else { Through::Related };
                found =
                    Some(Match { unit, value, through, field: self.best_field(slot, counts), key: group });
            }
        }
        found
    }

    /// What counts in the fields are worth: BM25F, about 1 for one mention in a body of average
    /// length, at most `1 + SATURATION`.
    fn saturated(&self, slot: u32, counts: Counts) -> f32 {
        let weighted: f32 = self.by_field(slot, counts).iter().sum();
        weighted * (1.0 + SATURATION) / (weighted + SATURATION)
    }

    fn by_field(&self, slot: u32, counts: Counts) -> [f32; FIELDS] {
        let lengths = self.corpus.entry(slot).map_or([0; FIELDS], |entry| entry.lengths);
        std::array::from_fn(|field| {
            if counts[field] == 0 {
                return 0.0;
            }
            #[allow(clippy::cast_precision_loss)]
            let relative = lengths[field] as f32 / self.average[field];
            let penalty = LENGTH_PENALTY[field];
            FIELD_WEIGHTS[field] * f32::from(counts[field]) / (1.0 - penalty + penalty * relative)
        })
    }

    fn best_field(&self, slot: u32, counts: Counts) -> Field {
        let by_field = self.by_field(slot, counts);
        let best = (0..FIELDS).max_by(|&a, &b| by_field[a].total_cmp(&by_field[b]).then(b.cmp(&a)));
        Field::ALL[best.unwrap_or(FIELDS - 1)]
    }

    /// The factor of a match through a group, and whether the memory has one of its equivalents.
    fn conceptual(&self, slot: u32, grade: Grade, exact: Counts, related: Counts) -> (f32, bool) {
        if exact != [0; FIELDS] {
            let factor = if grade == Grade::Exact { SYNONYM } else { RELATED };
            (factor * self.saturated(slot, exact), true)
        } else if grade == Grade::Exact {
            (RELATED * self.saturated(slot, related), false)
        } else {
            (0.0, false)
        }
    }
}
