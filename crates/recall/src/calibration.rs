//! Fitting the confidence model to judged queries.

use crate::choose::{CANDIDATES, Options};
use crate::confidence::features;
use crate::corpus::Corpus;
use crate::query::Query;
use crate::score::Scorer;
use crate::units::units;

pub use crate::confidence::{FEATURES, Features, Model, NAMES};

/// One candidate of one query, and whether it was right.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What was known of it.
    pub features: Features,
    /// Whether it helps.
    pub right: bool,
}

impl Corpus {
    /// The candidates of a query by id, best score first, with their features.
    #[must_use]
    pub fn observe(&self, query: &Query) -> Vec<(String, Features)> {
        let scorer = Scorer::new(self, units(query, &self.synonyms), query.meaning());
        let (candidates, _) = scorer.candidates(CANDIDATES.max(Options::default().limit));
        (0..candidates.len())
            .filter_map(|rank| {
                let entry = self.entry(candidates[rank].slot)?;
                Some((entry.id.clone(), features(&scorer, &candidates, rank)))
            })
            .collect()
    }
}

impl Model {
    /// The model under which the observations are most likely, weights held small by `ridge` (a
    /// penalty of `ridge / 2` times the sum of their squares; the bias is free). Newton's method;
    /// `None` if it meets a singular system.
    #[must_use]
    pub fn fit(observations: &[Observation], ridge: f64) -> Option<Self> {
        const SIZE: usize = FEATURES + 1;
        let mut weights = [0.0_f64; SIZE];
        for _ in 0..30 {
            let mut gradient = [0.0_f64; SIZE];
            let mut curvature = [[0.0_f64; SIZE]; SIZE];
            for at in 0..SIZE {
                let penalty = if at == FEATURES { 1e-6 } else { ridge };
                gradient[at] = -penalty * weights[at];
                curvature[at][at] = penalty;
            }
            for observation in observations {
                let row = row(&observation.features);
                let sum: f64 = row.iter().zip(weights).map(|(x, w)| x * w).sum();
                let chance = 1.0 / (1.0 + (-sum).exp());
                let miss = f64::from(u8::from(observation.right)) - chance;
                for i in 0..SIZE {
                    gradient[i] += miss * row[i];
                    for j in 0..SIZE {
                        curvature[i][j] += chance * (1.0 - chance) * row[i] * row[j];
                    }
                }
            }
            let step = solve(curvature, gradient)?;
            let mut largest = 0.0_f64;
            for (weight, step) in weights.iter_mut().zip(step) {
                *weight += step;
                largest = largest.max(step.abs());
            }
            if largest < 1e-8 {
                break;
            }
        }
        #[allow(clippy::cast_possible_truncation)]
        let model =
            Self { bias: weights[FEATURES] as f32, weights: std::array::from_fn(|at| weights[at] as f32) };
        Some(model)
    }
}

fn row(features: &Features) -> [f64; FEATURES + 1] {
    std::array::from_fn(|at| features.get(at).map_or(1.0, |feature| f64::from(*feature)))
}

/// Gaussian elimination with the largest pivot.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot =
            (column..N).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for below in column + 1..N {
            let factor = matrix[below][column] / matrix[column][column];
            let above = matrix[column];
            for (value, above) in matrix[below].iter_mut().zip(above).skip(column) {
                *value -= factor * above;
            }
            right[below] -= factor * right[column];
        }
    }
    for column in (0..N).rev() {
        let known: f64 = (column + 1..N).map(|at| matrix[column][at] * right[at]).sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_learns_which_feature_tells() {
        let observation = |first: f32, second: f32, right: bool| {
            let mut features = [0.0; FEATURES];
            features[0] = first;
            features[1] = second;
            Observation { features, right }
        };
        let observations: Vec<Observation> = (0..200_u16)
            .map(|n| {
                let (first, second) = (f32::from(n % 10) / 10.0, f32::from(n % 7) / 7.0);
                observation(first, second, first > 0.55)
            })
            .collect();
        let model = Model::fit(&observations, 0.1).expect("the system can be solved");
        let sure = model.confidence(&observation(0.9, 0.1, true).features);
        let unsure = model.confidence(&observation(0.1, 0.9, false).features);
        assert!(sure > 0.9 && unsure < 0.1, "{sure} {unsure}");
    }
}
