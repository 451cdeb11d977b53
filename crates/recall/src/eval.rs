//! How good recall is: pure scoring of what was returned against what is right.

use std::collections::BTreeMap;

/// Only so many returned entries count.
const CUT: usize = 5;

/// One query of a benchmark and what was returned for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// The kind of query, a label to group by.
    pub kind: String,
    /// What is right; empty where nothing is.
    pub relevant: Vec<String>,
    /// Also sensible: taken out before anything is counted.
    pub neutral: Vec<String>,
    /// Replaced by one of the relevant: wrong above it, or without it.
    pub stale: Vec<String>,
    /// What was returned, best first.
    pub returned: Vec<String>,
}

/// The scores of one query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scored {
    /// How many were returned, at most five.
    pub returned: usize,
    /// How many of them are right.
    pub right: usize,
    /// Whether the first is right; `None` where nothing is right.
    pub recall_at_1: Option<f64>,
    /// Right ones among five, of those that could be.
    pub recall_at_5: Option<f64>,
    /// One over the rank of the first right one.
    pub reciprocal_rank: Option<f64>,
    /// 1 if anything was returned where nothing is right; `None` where something is.
    pub false_positive: Option<f64>,
    /// F1 of what was returned; where nothing is right, 1 for returning nothing, else 0.
    pub utility: f64,
    /// 1 if a replaced one was returned above the right one, or without it.
    pub stale: Option<f64>,
}

/// Means over queries; `None` where no query has the measure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// How many queries.
    pub queries: usize,
    /// Mean of [`Scored::recall_at_1`].
    pub recall_at_1: Option<f64>,
    /// Mean of [`Scored::recall_at_5`].
    pub recall_at_5: Option<f64>,
    /// Mean of [`Scored::reciprocal_rank`].
    pub mrr: Option<f64>,
    /// Mean of [`Scored::false_positive`].
    pub false_positive: Option<f64>,
    /// Right ones returned of all returned, over all queries.
    pub precision: Option<f64>,
    /// Mean of [`Scored::utility`].
    pub utility: Option<f64>,
    /// How many are returned on average.
    pub size: Option<f64>,
    /// Mean of [`Scored::stale`].
    pub stale: Option<f64>,
}

/// A mean with the interval that holds the middle 95 % of resampled means.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// 2.5 %.
    pub low: f64,
    /// 97.5 %.
    pub high: f64,
    /// The standard error: deviation of the resampled means.
    pub error: f64,
}

/// Scores one query.
#[must_use]
pub fn score(judged: &Judged) -> Scored {
    let mut kept: Vec<&String> = Vec::new();
    for id in &judged.returned {
        if !judged.neutral.contains(id) && !kept.contains(&id) && kept.len() < CUT {
            kept.push(id);
        }
    }
    let hits: Vec<bool> = kept.iter().map(|id| judged.relevant.contains(id)).collect();
    let right = hits.iter().filter(|hit| **hit).count();
    let mut scored = Scored { returned: kept.len(), right, ..Scored::default() };
    if judged.relevant.is_empty() {
        let returned_any = !kept.is_empty();
        scored.false_positive = Some(f64::from(u8::from(returned_any)));
        scored.utility = f64::from(u8::from(!returned_any));
        return scored;
    }
    let first = hits.iter().position(|hit| *hit);
    scored.recall_at_1 = Some(f64::from(u8::from(first == Some(0))));
    scored.recall_at_5 = Some(ratio(right, judged.relevant.len().min(CUT)));
    scored.reciprocal_rank = Some(first.map_or(0.0, |at| ratio(1, at + 1)));
    scored.utility = ratio(2 * right, kept.len() + judged.relevant.len());
    if !judged.stale.is_empty() {
        let replaced = kept.iter().position(|id| judged.stale.contains(id));
        let wrong = replaced.is_some_and(|at| first.is_none_or(|first| at < first));
        scored.stale = Some(f64::from(u8::from(wrong)));
    }
    scored
}

/// Means over scored queries.
#[must_use]
pub fn summary(scored: &[Scored]) -> Summary {
    let mean_of =
        |measure: fn(&Scored) -> Option<f64>| mean(&scored.iter().filter_map(measure).collect::<Vec<_>>());
    let returned: usize = scored.iter().map(|s| s.returned).sum();
    let right: usize = scored.iter().map(|s| s.right).sum();
    Summary {
        queries: scored.len(),
        recall_at_1: mean_of(|s| s.recall_at_1),
        recall_at_5: mean_of(|s| s.recall_at_5),
        mrr: mean_of(|s| s.reciprocal_rank),
        false_positive: mean_of(|s| s.false_positive),
        precision: (returned > 0).then(|| ratio(right, returned)),
        utility: mean_of(|s| Some(s.utility)),
        size: (!scored.is_empty()).then(|| ratio(returned, scored.len())),
        stale: mean_of(|s| s.stale),
    }
}

/// A summary for each kind, and one for all under the empty name.
#[must_use]
pub fn by_kind(judged: &[Judged]) -> BTreeMap<String, Summary> {
    let mut groups: BTreeMap<String, Vec<Scored>> = BTreeMap::new();
    for one in judged {
        let scored = score(one);
        groups.entry(one.kind.clone()).or_default().push(scored);
        groups.entry(String::new()).or_default().push(scored);
    }
    groups.into_iter().map(|(kind, scored)| (kind, summary(&scored))).collect()
}

/// A mean with its bootstrap interval: `rounds` resamplings with replacement, always the same ones
/// for the same input.
#[must_use]
pub fn bootstrap(values: &[f64], rounds: usize) -> Option<Interval> {
    let all = mean(values)?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut means: Vec<f64> = (0..rounds.max(1))
        .map(|_| {
            let sum: f64 = (0..values.len()).map(|_| values[random.below(values.len())]).sum();
            sum / to_f64(values.len())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let last = means.len() - 1;
    let center = mean(&means)?;
    let variance = mean(&means.iter().map(|m| (m - center).powi(2)).collect::<Vec<_>>())?;
    Some(Interval {
        mean: all,
        low: means[last * 25 / 1000],
        high: means[last * 975 / 1000],
        error: variance.sqrt(),
    })
}

/// Whether any of the right ones is among the first `k` returned: 1 or 0.
#[must_use]
pub fn any_hit(returned: &[String], relevant: &[String], k: usize) -> f64 {
    f64::from(u8::from(returned.iter().take(k).any(|id| relevant.contains(id))))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / to_f64(values.len()))
}

fn ratio(part: usize, whole: usize) -> f64 {
    to_f64(part) / to_f64(whole)
}

#[allow(clippy::cast_precision_loss)]
fn to_f64(count: usize) -> f64 {
    count as f64
}

/// A small generator (xorshift64*), so that intervals do not change from run to run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(word).unwrap_or(0) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(relevant: &[&str], neutral: &[&str], stale: &[&str], returned: &[&str]) -> Judged {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Judged {
            kind: "k".into(),
            relevant: owned(relevant),
            neutral: owned(neutral),
            stale: owned(stale),
            returned: owned(returned),
        }
    }

    #[test]
    fn a_query_is_scored_by_what_it_returns() {
        for (one, utility, at_5, false_positive) in [
            (judged(&["a"], &[], &[], &["a"]), 1.0, Some(1.0), None),
            (judged(&["a"], &["n"], &[], &["n", "a"]), 1.0, Some(1.0), None),
            (judged(&["a", "b"], &[], &[], &["a", "x"]), 0.5, Some(0.5), None),
            (judged(&["a"], &[], &[], &[]), 0.0, Some(0.0), None),
            (judged(&[], &[], &[], &[]), 1.0, None, Some(0.0)),
            (judged(&[], &[], &[], &["x"]), 0.0, None, Some(1.0)),
        ] {
            let scored = score(&one);
            assert!((scored.utility - utility).abs() < 1e-9, "{one:?}");
            assert_eq!(scored.recall_at_5, at_5, "{one:?}");
            assert_eq!(scored.false_positive, false_positive, "{one:?}");
        }
    }

    #[test]
    fn a_replaced_memory_is_wrong_above_the_right_one_or_without_it() {
        for (returned, expected) in
            [(vec!["a", "s"], 0.0), (vec!["s", "a"], 1.0), (vec!["s"], 1.0), (vec![], 0.0)]
        {
            assert_eq!(score(&judged(&["a"], &[], &["s"], &returned)).stale, Some(expected), "{returned:?}");
        }
    }

    #[test]
    fn an_interval_holds_the_mean() {
        let values: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
        let interval = bootstrap(&values, 500).expect("there are values");
        assert!(
            interval.low < 0.5 && 0.5 < interval.high && (0.03..0.07).contains(&interval.error),
            "{interval:?}"
        );
        assert_eq!(bootstrap(&[], 10), None);
    }
}
