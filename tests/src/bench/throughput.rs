//! Events through the engine, each answered after its commit.

use super::measure::Sample;
use super::table::{Figure, Table};
use super::world::World;
use super::{Plan, Result};

const EVENTS: usize = 20_000;
const CLIENTS: usize = 8;
const ROUNDS: u64 = 3;

/// The table of events.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new(
        "Events from eight clients of the socket, each answered after its commit",
        &["round", "events a second", "median reply, ms", "p99 reply"],
    );
    let world = World::new(&plan.dist)?;
    world.start()?;
    world.deliver(400, CLIENTS, 900)?;
    for round in 0..ROUNDS {
        let (spent, waits) = world.deliver(EVENTS, CLIENTS, 1_000 + 100 * round)?;
        let waits: Sample = waits.into_iter().collect();
        #[expect(clippy::cast_precision_loss, reason = "thousands")]
        let rate = EVENTS as f64 / spent.as_secs_f64();
        table.row(
            (round + 1).to_string(),
            [
                Figure::of(rate.round()).at_least(5_000.0),
                Figure::of(waits.median()),
                Figure::of(waits.percentile(99)).at_most(10.0),
            ],
        );
        world.wait_for_index()?;
    }
    table.note(format!("{EVENTS} events a round; clients and engine share the machine."));
    Ok(table)
}
