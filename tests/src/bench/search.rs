//! Searching the journal, with prompts as queries.

use std::time::Instant;

use serde_json::json;

use super::measure::{Sample, millis};
use super::table::{Figure, Table};
use super::text::Text;
use super::world::World;
use super::{Plan, Result};

const QUERIES: usize = 300;

/// The table of searches.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new(
        "Searching the journal with prompts",
        &["events", "median, ms", "p95", "p99", "journal, MiB", "common words only"],
    );
    let world = World::new(&plan.dist)?;
    world.start()?;
    let mut filled = 0;
    let sizes: &[usize] = if plan.large { &[10_000, 100_000, 1_000_000] } else { &[10_000, 100_000] };
    for &size in sizes {
        world.fill(size - filled, 31 + filled as u64)?;
        filled = size;
        let mut text = Text::new(32);
        let mut client = world.client()?;
        let (mut waits, mut limited) = (Vec::new(), 0_u64);
        for number in 0..QUERIES + 20 {
            let query = json!({"query": text.prompt()});
            let started = Instant::now();
            let found = client.command("search", query, &world.project())?;
            if number >= 20 {
                waits.push(millis(started.elapsed()));
                limited += u64::from(found.get("limited").is_some());
            }
        }
        let waits: Sample = waits.into_iter().collect();
        let status = client.command("status", serde_json::Value::Null, &world.project())?;
        let bytes = status["journal"]["bytes"].as_f64().unwrap_or(f64::NAN);
        table.row(
            Figure::count(size as u64).to_string(),
            [
                Figure::of(waits.median()).at_most(20.0),
                Figure::of(waits.percentile(95)),
                Figure::of(waits.percentile(99)).at_most(80.0),
                Figure::of((bytes / 1_048_576.0).round()),
                Figure::count(limited),
            ],
        );
    }
    table.note(format!(
        "{QUERIES} prompts of all lengths, over the socket. The targets are those of a million events."
    ));
    Ok(table)
}
