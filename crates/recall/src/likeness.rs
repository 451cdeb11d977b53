//! How like in meaning each memory is to a query.

use crate::corpus::Corpus;
use crate::meaning::Meaning;

/// So many memories of no meaning are counted into the mean, for small corpora.
const MEAN_PRIOR: f32 = 3.0;
/// A smaller deviation is not believed.
const LEAST_DEVIATION: f32 = 0.05;

/// Likeness by slot, with its spread over the corpus.
#[derive(Debug, Default)]
pub(crate) struct Likeness {
    /// -1 to 1; 0 for a memory without meaning. Empty where the query has none.
    by_slot: Vec<f32>,
    mean: f32,
    deviation: f32,
}

impl Likeness {
    /// The mean meaning of the corpus is taken out of both sides first: what all memories of a
    /// project have in common tells none from another.
    pub(crate) fn new(corpus: &Corpus, query: Meaning) -> Self {
        if query == Meaning::default() {
            return Self::default();
        }
        #[allow(clippy::cast_precision_loss)]
        let share = -1.0 / (corpus.len() as f32 + MEAN_PRIOR);
        let query = query.plus(&corpus.meaning, share).normal();
        let like = |meaning: &Meaning| {
            if *meaning == Meaning::default() {
                return 0.0;
            }
            query.dot(&meaning.plus(&corpus.meaning, share).normal())
        };
        let by_slot: Vec<f32> = corpus
            .entries
            .iter()
            .map(|entry| entry.as_ref().map_or(0.0, |entry| like(&entry.meaning)))
            .collect();
        let (mean, deviation) = spread(&by_slot);
        Self { by_slot, mean, deviation }
    }

    /// The likeness of a memory, and by how many deviations it is above the mean.
    pub(crate) fn of(&self, slot: u32) -> (f32, f32) {
        let likeness = self.by_slot.get(slot as usize).copied().unwrap_or(0.0);
        if likeness == 0.0 { (0.0, 0.0) } else { (likeness, (likeness - self.mean) / self.deviation) }
    }

    /// The slots above the mean, nearest first.
    pub(crate) fn nearest(&self, most: usize) -> Vec<u32> {
        let mut near: Vec<(u32, f32)> = (0..)
            .zip(self.by_slot.iter().copied())
            .filter(|(_, likeness)| *likeness > self.mean.max(0.0))
            .collect();
        let nearer = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1);
        if near.len() > most {
            near.select_nth_unstable_by(most, nearer);
            near.truncate(most);
        }
        near.sort_unstable_by(nearer);
        near.into_iter().map(|(slot, _)| slot).collect()
    }
}

/// Mean and standard deviation.
fn spread(values: &[f32]) -> (f32, f32) {
    #[allow(clippy::cast_precision_loss)]
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    (mean, variance.sqrt().max(LEAST_DEVIATION))
}
