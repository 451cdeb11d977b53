//! What stays in sight: ACT-R base-level strength with a power law of forgetting.
//!
//! `strength = ln(1 + age_created^-d + alpha * sum(age_k^-d))`, ages in whole days, at least 1. A
//! confirmation is the world saying the fact again; being recalled is none. Nothing is deleted by
//! being weak: what is not shown can still be found.

/// Only the newest confirmations count, one a day.
const CONFIRMATIONS: usize = 10;
/// How many times the slots are looked at.
const POOL_FACTOR: usize = 5;
/// The pool is never larger.
const LARGEST_POOL: usize = 500;
/// One slot of so many is kept for the newest.
const NEWEST_SHARE: usize = 4;

/// When a memory was made and when it was confirmed, in days since 1970-01-01.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Life {
    /// The day it was made.
    pub created: i32,
    /// Days on which it was observed, saved or said again; any order, repeats are allowed.
    pub confirmed: Vec<i32>,
}

/// How fast memories fade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decay {
    /// The exponent of the power law.
    pub exponent: f64,
    /// How much a confirmation counts against the making; 0 gives plain newest-first.
    pub alpha: f64,
}

impl Default for Decay {
    /// Exponent 0.5 (ACT-R's own), a confirmation counting as much as the making.
    fn default() -> Self {
        Self { exponent: 0.5, alpha: 1.0 }
    }
}

/// How strong a memory is on a day. A day in the future counts as today.
#[must_use]
pub fn strength(life: &Life, today: i32, decay: Decay) -> f64 {
    let faded = |day: i32| f64::from(today.saturating_sub(day).max(1)).powf(-decay.exponent);
    let confirmed: f64 = confirmations(life).into_iter().map(faded).sum();
    (faded(life.created) + decay.alpha * confirmed).ln_1p()
}

/// The days that count: distinct, not the day of the making, the newest ten, newest first.
fn confirmations(life: &Life) -> Vec<i32> {
    let mut days = life.confirmed.clone();
    days.retain(|day| *day != life.created);
    days.sort_unstable_by(|a, b| b.cmp(a));
    days.dedup();
    days.truncate(CONFIRMATIONS);
    days
}

/// Which memories get the `slots`, as indices into `lives`, newest first.
///
/// The pool is the five times as many (at most 500) that were made or confirmed last; the newest
/// quarter of the slots is always in, the others go by strength. Ties go to the newer, then to the
/// one that stands first.
#[must_use]
pub fn select(lives: &[Life], slots: usize, today: i32, decay: Decay) -> Vec<usize> {
    let mut newest: Vec<usize> = (0..lives.len()).collect();
    newest.sort_by_key(|&at| std::cmp::Reverse(lives[at].created));
    if lives.len() <= slots {
        return newest;
    }
    let mut chosen: Vec<usize> = newest.iter().copied().take(slots.div_ceil(NEWEST_SHARE)).collect();

    let mut pool: Vec<usize> = newest.iter().copied().filter(|at| !chosen.contains(at)).collect();
    let last_touched =
        |at: usize| lives[at].confirmed.iter().copied().max().unwrap_or(i32::MIN).max(lives[at].created);
    pool.sort_by_key(|&at| std::cmp::Reverse(last_touched(at)));
    pool.truncate(slots.saturating_mul(POOL_FACTOR).min(LARGEST_POOL.max(slots)));

    let mut strongest: Vec<(f64, usize)> =
        pool.into_iter().map(|at| (strength(&lives[at], today, decay), at)).collect();
    strongest.sort_by(|a, b| {
        b.0.total_cmp(&a.0).then(lives[b.1].created.cmp(&lives[a.1].created)).then(a.1.cmp(&b.1))
    });
    chosen.extend(strongest.into_iter().map(|(_, at)| at).take(slots - chosen.len()));
    chosen.sort_by_key(|&at| (std::cmp::Reverse(lives[at].created), at));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(created: i32, confirmed: &[i32]) -> Life {
        Life { created, confirmed: confirmed.to_vec() }
    }

    #[test]
    fn strength_follows_the_power_law() {
        let decay = Decay::default();
        for (life, expected) in [
            (life(96, &[]), 0.5_f64),        // 4 days: 4^-0.5
            (life(100, &[]), 1.0),           // today counts as one day
            (life(120, &[]), 1.0),           // so does the future
            (life(0, &[96, 96]), 0.1 + 0.5), // one confirmation a day
            (life(96, &[96]), 0.5),          // the making is no confirmation of itself
        ] {
            let found = strength(&life, 100, decay);
            assert!((found - expected.ln_1p()).abs() < 1e-9, "{life:?}: {found}");
        }
        let many: Vec<i32> = (0..50).collect();
        let ten: Vec<i32> = (40..50).collect();
        assert!(
            (strength(&life(-9, &many), 100, decay) - strength(&life(-9, &ten), 100, decay)).abs() < 1e-12
        );
    }

    #[test]
    fn without_alpha_the_newest_are_shown() {
        let lives: Vec<Life> = (0..40).map(|day| life(day, &[90, 91])).collect();
        let plain = Decay { alpha: 0.0, ..Decay::default() };
        assert_eq!(select(&lives, 8, 100, plain), (32..40).rev().collect::<Vec<_>>());
    }

    #[test]
    fn what_is_confirmed_stays_and_the_newest_quarter_too() {
        let mut lives: Vec<Life> = (0..40).map(|day| life(day, &[])).collect();
        for old in [1, 2, 3, 4, 5, 6, 7] {
            lives[old].confirmed = vec![97, 98, 99];
        }
        let chosen = select(&lives, 8, 100, Decay::default());
        assert_eq!(chosen.len(), 8);
        assert!(chosen.contains(&39) && chosen.contains(&38), "the newest quarter: {chosen:?}");
        assert_eq!(chosen.iter().filter(|at| (1..=7).contains(*at)).count(), 6, "{chosen:?}");
        assert!(chosen.windows(2).all(|pair| lives[pair[0]].created >= lives[pair[1]].created), "{chosen:?}");
    }

    #[test]
    fn everything_is_shown_where_there_is_room() {
        let lives = vec![life(1, &[]), life(3, &[]), life(2, &[])];
        assert_eq!(select(&lives, 5, 10, Decay::default()), [1, 2, 0]);
        assert!(select(&lives, 0, 10, Decay::default()).is_empty());
    }
}
