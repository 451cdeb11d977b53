//! What stays in sight by strength against newest first, on simulated years of memories.
//!
//! A share of the facts is lasting: the world confirms them again and again, at random intervals
//! that differ from fact to fact; the others are of a week's interest. Each day some fact is needed,
//! in proportion to how often it is confirmed. Counted is how often what is needed was in the list.
//!
//! `cargo run --release -p remora-recall --example strength`
#![allow(clippy::print_stdout, missing_docs)]

use remora_recall::strength::{Decay, Life, select};

const DAYS: i32 = 720;
const SLOTS: usize = 60;
/// New memories a day.
const NEW: u64 = 2;

fn main() {
    println!("| lasting facts | newest first | alpha 0.5 | alpha 1 | alpha 2 |");
    println!("|---|---|---|---|---|");
    for lasting in [0, 10, 30, 50] {
        let shares: Vec<String> = [0.0, 0.5, 1.0, 2.0]
            .into_iter()
            .map(|alpha| format!("{:.3}", in_sight(lasting, Decay { alpha, ..Decay::default() })))
            .collect();
        println!("| {lasting} % | {} |", shares.join(" | "));
    }
}

struct Fact {
    life: Life,
    /// Mean days between two occasions.
    interval: u64,
    /// The last day on which it matters.
    until: i32,
}

/// The share of needs whose fact was in the list, over the second half of the time.
fn in_sight(lasting_percent: u64, decay: Decay) -> f64 {
    let mut random = Random(7);
    let mut facts: Vec<Fact> = Vec::new();
    let (mut needed, mut seen) = (0_u32, 0_u32);
    for day in 1..=DAYS {
        for _ in 0..NEW {
            let lasting = random.below(100) < lasting_percent;
            facts.push(Fact {
                life: Life { created: day, confirmed: Vec::new() },
                interval: if lasting { 7 + random.below(60) } else { 3 },
                until: if lasting { DAYS } else { day + 7 },
            });
        }
        let lives: Vec<Life> = facts.iter().map(|fact| fact.life.clone()).collect();
        let chosen = if day > DAYS / 2 { select(&lives, SLOTS, day, decay) } else { Vec::new() };
        for (at, fact) in facts.iter_mut().enumerate() {
            if day <= fact.life.created || day > fact.until || random.below(fact.interval) > 0 {
                continue;
            }
            if day > DAYS / 2 {
                needed += 1;
                seen += u32::from(chosen.contains(&at));
            }
            fact.life.confirmed.push(day);
        }
    }
    f64::from(seen) / f64::from(needed.max(1))
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
