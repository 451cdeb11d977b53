//! Collecting what was found.

use std::ops::Range;

use super::Finding;

/// How sure a check is of the kind it names. Where two overlap, the surer one names the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sureness {
    /// By the name that it is given to.
    Named,
    /// By the place where it stands: a header, an URL, a command.
    Placed,
    /// By its own shape.
    Shaped,
    /// A block with a beginning and an end.
    Block,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    spans: Vec<(Range<usize>, &'static str, Sureness)>,
    /// The finding of each sureness that reaches furthest. A check that starts inside has nothing new to
    /// find: without this, a long secret full of anchors would be read again from each.
    furthest: [(usize, usize); 4],
}

impl Found {
    pub(super) fn add(&mut self, range: Range<usize>, kind: &'static str, sureness: Sureness) {
        let furthest = &mut self.furthest[sureness as usize];
        if range.end > furthest.1 {
            *furthest = (range.start, range.end);
        }
        self.spans.push((range, kind, sureness));
    }

    /// Whether `at` lies inside a finding that is as sure or surer.
    pub(super) fn covers(&self, at: usize, sureness: Sureness) -> bool {
        self.furthest[sureness as usize..].iter().any(|&(start, end)| (start..end).contains(&at))
    }

    pub(super) fn into_findings(mut self, text: &str) -> Vec<Finding> {
        self.spans.sort_by_key(|(range, ..)| range.start);
        let mut findings: Vec<(Finding, Sureness)> = Vec::with_capacity(self.spans.len());
        for (range, kind, sureness) in self.spans {
            let range = text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
            match findings.last_mut() {
                Some((last, best)) if range.start < last.range.end => {
                    last.range.end = last.range.end.max(range.end);
                    if sureness > *best {
                        (last.kind, *best) = (kind, sureness);
                    }
                }
                _ => findings.push((Finding { kind, range }, sureness)),
            }
        }
        findings.into_iter().map(|(finding, _)| finding).collect()
    }
}
