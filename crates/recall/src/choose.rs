//! Which candidates are shown: as many as are expected to help, often none.

use crate::confidence::{Model, features};
use crate::corpus::Corpus;
use crate::outcome::{Hit, Outcome, Reason, Through};
use crate::query::Query;
use crate::score::{Candidate, Match, Scorer};
use crate::units::units;

/// This many candidates are looked at closely.
pub(crate) const CANDIDATES: usize = 24;

/// How to recall.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// At most so many are returned.
    pub limit: usize,
    /// Whether to return nothing when nothing is sure enough; without it, the best are returned up
    /// to the limit whatever they are worth.
    pub abstain: bool,
    /// Whether to fill [`Hit::why`].
    pub explain: bool,
}

impl Default for Options {
    /// Five at most, with abstention, without explanation.
    fn default() -> Self {
        Self { limit: 5, abstain: true, explain: false }
    }
}

impl Options {
    /// The best `limit` whatever they are worth: for search, and to see what abstention hides.
    #[must_use]
    pub fn no_abstention(limit: usize) -> Self {
        Self { limit, abstain: false, explain: false }
    }
}

impl Corpus {
    /// The memories that help with a request.
    #[must_use]
    pub fn recall(&self, query: &Query, options: &Options) -> Outcome {
        self.recall_with(query, options, &Model::default())
    }

    /// As [`Self::recall`], with another confidence model than the built-in one.
    #[must_use]
    pub fn recall_with(&self, query: &Query, options: &Options, model: &Model) -> Outcome {
        let scorer = Scorer::new(self, units(query, &self.synonyms), query.meaning());
        let (mut candidates, offered) = scorer.candidates(CANDIDATES.max(options.limit));
        candidates
            .retain(|candidate| self.entry(candidate.slot).is_some_and(|entry| !query.is_shown(&entry.id)));
        let mut sure: Vec<(usize, f32)> = (0..candidates.len())
            .map(|rank| (rank, model.confidence(&features(&scorer, &candidates, rank))))
            .collect();
        // The model was fitted to memories; a plain search may be among anything.
        if options.abstain {
            sure.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        let hits: Vec<Hit> = sure
            .iter()
            .take(options.limit.saturating_mul(2))
            .map(|&(rank, confidence)| self.hit(&scorer, &candidates[rank], confidence, options.explain))
            .collect();
        let confidences: Vec<f32> = hits.iter().map(|hit| hit.confidence).collect();
        let take = if options.abstain { expected_best(&confidences, options.limit) } else { options.limit };
        let mut ranked = hits;
        let left_out = ranked.split_off(take.min(ranked.len()));
        let abstained = ranked.is_empty() && !left_out.is_empty();
        Outcome { ranked, left_out: left_out.into_iter().take(options.limit).collect(), offered, abstained }
    }

    fn hit(&self, scorer: &Scorer<'_>, candidate: &Candidate, confidence: f32, explain: bool) -> Hit {
        let id = self.entry(candidate.slot).map(|entry| entry.id.clone()).unwrap_or_default();
        let mut why: Vec<Reason> = if explain {
            candidate.matches.iter().map(|found| self.reason(scorer, candidate.slot, found)).collect()
        } else {
            Vec::new()
        };
        why.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        Hit { id, score: candidate.score, confidence, why }
    }

    fn reason(&self, scorer: &Scorer<'_>, slot: u32, found: &Match) -> Reason {
        let memory = match found.through {
            Through::Synonym | Through::Related => {
                let posting = self.concepts[found.key as usize].at(slot);
                posting.map(|posting| self.mentions.text(posting.surface).to_owned()).unwrap_or_default()
            }
            _ => self.lexicon.surface(found.key).to_owned(),
        };
        Reason {
            query: scorer.units[found.unit].unit.surface.clone(),
            memory,
            field: found.field,
            through: found.through,
            weight: found.value,
        }
    }
}

/// How much more useful a choice must be than silence: a wrong memory spoils an answer.
const CAUTION: f32 = 1.1;

/// How many of the most confident to return so that the expected usefulness is greatest: F1 of
/// what is returned against what is right, and 1 for returning nothing where nothing is right.
/// Confidences are taken as independent probabilities, best first.
fn expected_best(confidences: &[f32], limit: usize) -> usize {
    let none_right: f32 = confidences.iter().map(|p| 1.0 - p).product();
    let mut best = (0, none_right * CAUTION);
    for take in 1..=limit.min(confidences.len()) {
        let expected = expected_f1(confidences, take);
        if expected > best.1 {
            best = (take, expected);
        }
    }
    best.0
}

/// The expected F1 of the first `take`: the sum over how many right ones are inside and outside.
fn expected_f1(confidences: &[f32], take: usize) -> f32 {
    let inside = distribution(&confidences[..take]);
    let outside = distribution(&confidences[take..]);
    let mut expected = 0.0;
    for (right, chance) in inside.iter().enumerate().skip(1) {
        for (missed, chance_missed) in outside.iter().enumerate() {
            #[allow(clippy::cast_precision_loss)]
            let f1 = 2.0 * right as f32 / (take + right + missed) as f32;
            expected += chance * chance_missed * f1;
        }
    }
    expected
}

/// The chance of each number of successes among independent ones.
fn distribution(chances: &[f32]) -> Vec<f32> {
    let mut distribution = vec![1.0];
    for chance in chances {
        distribution.push(0.0);
        for at in (0..distribution.len()).rev() {
            let before = if at > 0 { distribution[at - 1] } else { 0.0 };
            distribution[at] = distribution[at] * (1.0 - chance) + before * chance;
        }
    }
    distribution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_shown_follows_the_confidences() {
        for (confidences, expected) in [
            (vec![], 0),
            (vec![0.1, 0.05], 0),
            (vec![0.9, 0.05, 0.02], 1),
            (vec![0.9, 0.85, 0.05], 2),
            (vec![0.9, 0.85, 0.8, 0.1], 3),
        ] {
            assert_eq!(expected_best(&confidences, 5), expected, "{confidences:?}");
        }
        assert_eq!(expected_best(&[0.9, 0.9, 0.9], 2), 2, "never more than the limit");
    }
}
