//! How sure a match is: a logistic model over what a query and a memory share.

use crate::outcome::{Field, Through};
use crate::score::{Candidate, Scorer};

/// How many features the model weighs.
pub(crate) const FEATURES: usize = 8;

/// What is known of one candidate, each about 0 to 1.
pub(crate) type Features = [f32; FEATURES];

const WEIGHTS: Features = [3.0, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0, -0.5];
const BIAS: f32 = -4.0;

/// The features of the candidate at `rank`.
pub(crate) fn features(scorer: &Scorer<'_>, candidates: &[Candidate], rank: usize) -> Features {
    let candidate = &candidates[rank];
    let asked: f32 = scorer.units.iter().map(|unit| unit.importance).sum();
    let importance = |at: usize| scorer.units[at].importance;
    let covered: f32 = candidate.matches.iter().map(|m| importance(m.unit).min(m.value)).sum();
    let literal = |m: &&crate::score::Match| !matches!(m.through, Through::Synonym | Through::Related);
    let rarest = candidate.matches.iter().filter(literal).map(|m| importance(m.unit)).fold(0.0, f32::max);
    let identifier =
        candidate.matches.iter().any(|m| m.through == Through::Identifier && importance(m.unit) > 0.5);
    let in_head: f32 = candidate
        .matches
        .iter()
        .filter(|m| matches!(m.field, Field::Name | Field::Description))
        .map(|m| importance(m.unit).min(m.value))
        .sum();
    let top = candidates.first().map_or(0.0, |first| first.score).max(f32::EPSILON);
    let next = candidates.get(rank + 1).map_or(0.0, |next| next.score);
    [
        covered / asked.max(0.5),
        rarest,
        (candidate.score / 3.0).min(1.5),
        (in_head / 2.0).min(1.0),
        if identifier { 1.0 } else { 0.0 },
        candidate.score / top,
        (candidate.score - next) / top,
        (asked / 5.0).min(2.0),
    ]
}

/// From features to a probability.
pub(crate) fn confidence(features: &Features) -> f32 {
    let sum: f32 = BIAS + features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum::<f32>();
    1.0 / (1.0 + (-sum).exp())
}
