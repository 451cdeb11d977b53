//! Benchmarks: what Remora costs, beside what it may cost. Nothing here fails because something took long.

pub mod client;
pub mod events;
pub mod measure;
pub mod memories;
pub mod table;
pub mod text;
pub mod world;

mod cold_start;
mod footprint;
mod history;
mod hooks;
mod search;
mod sizes;
mod throughput;

use std::path::PathBuf;

pub use crate::error::Result;
use table::Table;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// An installation: the folder that holds `bin`.
    pub dist: PathBuf,
    /// How often each hook is run.
    pub runs: usize,
    /// A million events, too, which takes many minutes and gigabytes.
    pub large: bool,
}

/// One benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Bench {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it measures, in a few words.
    pub about: &'static str,
    /// Measures.
    pub run: fn(&Plan) -> Result<Table>,
}

/// All benchmarks, in the order in which they run.
pub const ALL: &[Bench] = &[
    Bench { name: "sizes", about: "what an installation takes on the disk", run: sizes::run },
    Bench { name: "hooks", about: "what each hook costs its host", run: hooks::run },
    Bench { name: "cold-start", about: "from no engine to the first answer", run: cold_start::run },
    Bench { name: "events", about: "events through the engine, from eight clients", run: throughput::run },
    Bench { name: "memory", about: "what an idle engine holds", run: footprint::run },
    Bench { name: "search", about: "searching the journal", run: search::run },
    Bench { name: "history", about: "importing what a host wrote down", run: history::run },
];

/// The machine, as far as it says.
pub fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let model =
        read("/proc/cpuinfo").lines().find_map(|line| Some(line.strip_prefix("model name")?.to_owned()));
    let model = model
        .as_deref()
        .and_then(|line| line.split_once(':'))
        .map_or("unknown", |(_, name)| name.trim())
        .to_owned();
    let kernel = read("/proc/sys/kernel/osrelease").trim().to_owned();
    let load = read("/proc/loadavg");
    let load: Vec<&str> = load.split(' ').take(3).collect();
    format!("{processors} processors ({model}), Linux {kernel}, load {}", load.join(" "))
}
