//! How much of a query one passage of a memory says: words that stand together tell more.

use crate::reading::{Key, Passage};
use crate::score::{Scorer, Weighed};

/// What the passages beside the best one count, and those one further away.
const NEAR: f32 = 0.3;
const FAR: f32 = 0.25;
/// What the second best passage counts.
const SECOND: f32 = 0.5;

/// The keys of all units, sorted, each with its unit and worth.
pub(crate) fn keys_of(units: &[Weighed]) -> Vec<(Key, usize, f32)> {
    let mut keys: Vec<(Key, usize, f32)> = Vec::new();
    for (at, weighed) in units.iter().enumerate() {
        keys.extend(weighed.keys.iter().map(|&(key, worth)| (key, at, worth)));
    }
    keys.sort_unstable_by_key(|&(key, unit, _)| (key, unit));
    keys
}

impl Scorer<'_> {
    /// What the best passage of an entry says, its neighbours counting in part.
    pub(crate) fn best_passage(&self, slot: u32) -> f32 {
        let Some(entry) = self.corpus.entry(slot) else { return 0.0 };
        let units = self.units.len();
        let mut rows = vec![0.0_f32; units * entry.passages.len()];
        for (row, passage) in rows.chunks_mut(units.max(1)).zip(&entry.passages) {
            self.say(passage, row);
        }
        let row = |at: Option<usize>| at.and_then(|at| rows.get(at * units..(at + 1) * units));
        let (mut best, mut second) = (0.0_f32, 0.0_f32);
        for at in 0..entry.passages.len() {
            let around = [
                (row(Some(at)), 1.0),
                (row(at.checked_sub(1)), NEAR),
                (row(at.checked_add(1)), NEAR),
                (row(at.checked_sub(2)), FAR),
                (row(at.checked_add(2)), FAR),
            ];
            let says = |unit: usize| {
                around
                    .iter()
                    .map(|(row, factor)| row.map_or(0.0, |row| factor * row[unit]))
                    .fold(0.0, f32::max)
            };
            let sum: f32 = (0..units).map(says).sum();
            if sum > best {
                (best, second) = (sum, best);
            } else {
                second = second.max(sum);
            }
        }
        best + SECOND * second
    }

    /// What a passage says of each unit: its own words added up, or its best synonym if that is
    /// worth more.
    fn say(&self, passage: &Passage, row: &mut [f32]) {
        let mut keys = self.keys.iter().peekable();
        for said in passage {
            while let Some(&&(key, unit, worth)) = keys.peek() {
                if key > *said {
                    break;
                }
                keys.next();
                if key < *said {
                    continue;
                }
                // Terms sort before groups.
                row[unit] = if key.resolve().is_ok() { row[unit] + worth } else { row[unit].max(worth) };
            }
        }
    }
}
