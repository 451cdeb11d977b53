//! How sure a match is: a logistic model over what a query and a memory share.

use crate::outcome::{Field, Through};
use crate::score::{Candidate, Match, Scorer};

/// How many features the model weighs.
pub const FEATURES: usize = 21;

/// What is known of one candidate, each about 0 to 1; see [`NAMES`].
pub type Features = [f32; FEATURES];

/// What each feature is.
pub const NAMES: [&str; FEATURES] = [
    "coverage: share of what is asked that the memory has",
    "evidence: how much it has, saturating",
    "rarest: the rarest word that matches literally",
    "second: the second rarest",
    "breadth: how many telling words match",
    "head: evidence in name and description",
    "identifier: a whole identifier matches",
    "synonyms: evidence through equivalents",
    "related: evidence through related words",
    "passage: share of what is asked in the best passage",
    "lead: distance to the next best, for the best",
    "behind: distance to the best",
    "asked: how much is asked, saturating",
    "unknown: share of what is asked that no memory has",
    "cjk: share of evidence in characters",
    "similarity: likeness of meaning",
    "standing out: deviations above the corpus' mean likeness",
    "nearest: lead in likeness, for the nearest",
    "size: how many memories there are, on a logarithmic scale; 0 at 30, 1 at 300",
    "name: share of the memory's name that the query says",
    "description: share of its description that the query says",
];

/// The weights of a logistic model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What is added whatever the features are.
    pub bias: f32,
    /// One for each feature.
    pub weights: Features,
}

/// Fitted by `examples/calibrate.rs` (ridge 4) to the 211 queries of a benchmark of five invented
/// projects, each asked of its own 31 memories and of corpora of up to 156. With each project left
/// out of the fit in turn the model does as well there as on its own queries (utility 0.60 and 0.61
/// among its own memories), so it is about evidence in general and not about those projects.
#[cfg(feature = "meaning")]
const FITTED: Model = Model {
    bias: -4.750,
    weights: [
        0.716,  // coverage
        1.128,  // evidence
        -0.155, // rarest
        0.942,  // second
        0.989,  // breadth
        1.188,  // head
        -0.124, // identifier
        1.393,  // synonyms
        0.259,  // related
        1.632,  // passage
        1.223,  // lead
        -1.602, // behind
        0.531,  // asked
        0.836,  // unknown
        0.123,  // cjk
        0.530,  // similarity
        0.793,  // standing out
        0.099,  // nearest
        -1.127, // size
        1.282,  // name
        1.422,  // description
    ],
};

/// The same without the table of word vectors.
#[cfg(not(feature = "meaning"))]
const FITTED: Model = Model {
    bias: -4.817,
    weights: [
        0.473,  // coverage
        1.490,  // evidence
        -0.176, // rarest
        0.894,  // second
        0.920,  // breadth
        1.589,  // head
        -0.105, // identifier
        1.152,  // synonyms
        0.499,  // related
        1.867,  // passage
        1.569,  // lead
        -1.732, // behind
        0.629,  // asked
        0.595,  // unknown
        0.235,  // cjk
        0.000,  // similarity
        0.000,  // standing out
        -0.144, // nearest
        -0.905, // size
        1.610,  // name
        1.813,  // description
    ],
};

impl Default for Model {
    /// The model that was fitted beforehand.
    fn default() -> Self {
        FITTED
    }
}

impl Model {
    /// The probability that a candidate with these features helps.
    #[must_use]
    pub fn confidence(&self, features: &Features) -> f32 {
        let sum: f32 = features.iter().zip(self.weights).map(|(feature, weight)| feature * weight).sum();
        1.0 / (1.0 + (-self.bias - sum).exp())
    }
}

/// The features of the candidate at `rank`.
pub(crate) fn features(scorer: &Scorer<'_>, candidates: &[Candidate], rank: usize) -> Features {
    let candidate = &candidates[rank];
    let telling = |at: usize| scorer.units[at].importance * scorer.units[at].unit.common;
    let asked: f32 = (0..scorer.units.len()).map(telling).sum();
    let unknown: f32 = (0..scorer.units.len()).filter(|&at| !scorer.units[at].known).map(telling).sum();
    // Evidence of one match: what the unit tells, less where the match is weak.
    let evidence = |m: &Match| {
        let unit = &scorer.units[m.unit];
        m.value.min(unit.importance) * unit.unit.common
    };
    let sum = |keep: &dyn Fn(&Match) -> bool| -> f32 {
        candidate.matches.iter().filter(|m| keep(m)).map(evidence).sum()
    };
    let is_literal = |m: &Match| !matches!(m.through, Through::Synonym | Through::Related);
    let all = sum(&|_| true);
    let mut literal: Vec<f32> = candidate.matches.iter().filter(|m| is_literal(m)).map(evidence).collect();
    literal.sort_by(|a, b| b.total_cmp(a));
    let breadth = candidate.matches.iter().filter(|m| evidence(m) > 0.3).count();
    let top = candidates.first().map_or(0.0, |first| first.score).max(f32::EPSILON);
    let next = candidates.get(1).map_or(0.0, |next| next.score);
    let others =
        candidates.iter().enumerate().filter(|(at, _)| *at != rank).map(|(_, other)| other.similarity);
    let nearest = (candidate.similarity - others.fold(-1.0, f32::max)).clamp(0.0, 1.0);
    let (name, description) = scorer.head_said(candidate.slot);
    let asked_at_least = asked.max(1.0);
    let saturate = |x: f32| x / (x + 1.0);
    #[allow(clippy::cast_precision_loss)]
    let breadth = (breadth as f32 / 4.0).min(1.0);
    [
        all / asked_at_least,
        saturate(all),
        literal.first().copied().unwrap_or(0.0),
        literal.get(1).copied().unwrap_or(0.0),
        breadth,
        saturate(sum(&|m| matches!(m.field, Field::Name | Field::Description))),
        if candidate.matches.iter().any(|m| m.through == Through::Identifier) { 1.0 } else { 0.0 },
        saturate(sum(&|m| m.through == Through::Synonym)),
        saturate(sum(&|m| m.through == Through::Related)),
        candidate.passage / asked_at_least,
        if rank == 0 { (top - next) / top } else { 0.0 },
        1.0 - candidate.score / top,
        saturate(asked / 3.0),
        unknown / asked_at_least,
        sum(&|m| m.through == Through::Characters) / all.max(0.1),
        candidate.similarity,
        candidate.standing_out / 3.0,
        nearest,
        scorer.size(),
        name,
        description,
    ]
}
