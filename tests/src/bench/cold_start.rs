//! From no engine to the first answer.

use super::measure::Sample;
use super::table::{Figure, Table};
use super::world::World;
use super::{Plan, Result};
use crate::error::Error;

const RUNS: usize = 30;

/// The table of starts.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new(
        "Cold start: a session's start that starts the engine and waits for its answer",
        &["memories", "least, ms", "lower quartile", "median", "p95"],
    );
    for memories in [0, 300, 1_000] {
        let (world, _) = World::with_memories(&plan.dist, memories)?;
        let mut walls = Vec::new();
        for number in 0..RUNS {
            world.stop()?;
            let cost = world.session_start(&format!("bench-cold-{number}"))?;
            if cost.output.is_empty() {
                let problem = "got no answer".to_owned();
                return Err(Error::Program { program: "session-start".to_owned(), problem });
            }
            walls.push(cost.wall);
        }
        let walls: Sample = walls.into_iter().collect();
        table.row(
            memories.to_string(),
            [
                Figure::of(walls.least()),
                Figure::of(walls.quartile()),
                Figure::of(walls.median()).at_most(60.0),
                Figure::of(walls.percentile(95)),
            ],
        );
    }
    table.note(format!("{RUNS} starts each, the hook's own process included."));
    Ok(table)
}
