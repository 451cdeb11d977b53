//! The memory that an idle engine holds.

use std::thread;
use std::time::Duration;

use super::table::{Figure, Table};
use super::world::World;
use super::{Plan, Result};
use crate::error::Error;

const MEMORIES: usize = 1_000;
const EVENTS: usize = 100_000;

/// The engine brings its write-ahead log in half a second after the last write.
const CALM: Duration = Duration::from_secs(3);

/// The table of memory.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new(
        "An idle engine, 1,000 memories, 100,000 events in the journal",
        &["engine", "anonymous, MiB", "resident, MiB"],
    );
    let (world, about) = World::with_memories(&plan.dist, MEMORIES)?;
    world.fill(EVENTS, 21)?;
    let mut look = |name: &str| -> Result<()> {
        thread::sleep(CALM);
        let (anonymous, resident) = held(&world)?;
        table.row(name, [Figure::of(anonymous).at_most(24.0), Figure::of(resident).at_most(40.0)]);
        Ok(())
    };
    look("after taking all these events in")?;
    world.stop()?;
    world.start()?;
    look("started anew, one session started")?;
    let mut client = world.client()?;
    for words in about.iter().take(50) {
        client.command("recall", serde_json::json!({"query": words}), &world.project())?;
        client.command("search", serde_json::json!({"query": words}), &world.project())?;
    }
    look("after 50 recalls and 50 searches")?;
    Ok(table)
}

/// Anonymous and resident memory of the engine, in MiB.
fn held(world: &World) -> Result<(f64, f64)> {
    let engine = world.engine().ok_or_else(|| Error::Program {
        program: "the engine".to_owned(),
        problem: "does not run".to_owned(),
    })?;
    let file = format!("/proc/{}/smaps_rollup", engine.pid().as_raw_nonzero());
    let path = std::path::Path::new(&file);
    let text = std::fs::read_to_string(path).map_err(Error::file("reading", path))?;
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kib: Option<f64> = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        kib.map_or(f64::NAN, |kib| kib / 1024.0)
    };
    Ok((of("Anonymous:"), of("Rss:")))
}
