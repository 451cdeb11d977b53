//! A person's home with a built installation, an engine that can be started and stopped, and as many memories
//! and events as are asked for.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use remora_event::wire::Response;
use serde_json::{Value, json};

use super::client::{Client, unexpected};
use super::events::{Events, payload};
use super::measure::{self, Cost, millis};
use super::memories;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::test_home::TestHome;
use crate::wait::wait_until;

/// The host whose hooks are measured.
const HOST: &str = "claude-code";

/// Hooks wait as long as they need to: one that gave up would be quick.
const PATIENCE: [&str; 2] = ["--deadline-ms", "60000"];

/// A home with an installation.
#[derive(Debug)]
pub struct World {
    home: TestHome,
    /// The folder with `bin`.
    dist: PathBuf,
}

impl World {
    /// A new home whose hooks and engine are those of `dist`.
    pub fn new(dist: &Path) -> Result<Self> {
        let home = TestHome::named("remora-bench-")?;
        let record = format!("home = {:?}\n", home.home().display().to_string());
        home.write(".local/share/remora/root.toml", record)?;
        Ok(Self { home, dist: dist.to_owned() })
    }

    /// The same, with `count` memories in the project; gives some words of each.
    pub fn with_memories(dist: &Path, count: usize) -> Result<(Self, Vec<String>)> {
        let world = Self::new(dist)?;
        // The engine says what it calls the project.
        world.start()?;
        let status = world.client()?.command("status", Value::Null, &world.project())?;
        let Some(slug) = status["project"]["slug"].as_str() else {
            let problem = format!("knows no project: {status}");
            return Err(Error::Program { program: "the engine".to_owned(), problem });
        };
        let folder = world.root().join("projects").join(slug).join("memory");
        let about = memories::write(&folder, count, 1)?;
        let found = world.client()?.command("status", Value::Null, &world.project())?;
        if found["memories"]["total"] != json!(count) {
            let problem = format!("found other memories than the {count} that are there: {found}");
            return Err(Error::Program { program: "the engine".to_owned(), problem });
        }
        Ok((world, about))
    }

    /// The data root.
    pub fn root(&self) -> PathBuf {
        self.home.root()
    }

    /// The project's folder.
    pub fn project(&self) -> PathBuf {
        self.home.project()
    }

    /// The person's home folder.
    pub fn person(&self) -> PathBuf {
        self.home.home()
    }

    /// The command as a person runs it.
    pub fn remora(&self, arguments: &[&str]) -> Command {
        let program = self.dist.join("bin").join("remora");
        self.home.launch(program).arg("--root").arg(self.root()).args(arguments.iter().copied()).command()
    }

    /// A hook executable as a host runs it.
    pub fn hook(&self, event: &str) -> Command {
        self.hook_of(&self.dist, event)
    }

    /// A hook executable of another installation.
    pub fn hook_of(&self, dist: &Path, event: &str) -> Command {
        let program = dist.join("bin").join(HOST).join(event);
        self.home.launch(program).arg("--root").arg(self.root()).args(PATIENCE).command()
    }

    /// A program that does nothing, run as a hook is.
    pub fn floor(&self) -> Command {
        self.home.launch("/bin/true").command()
    }

    /// Runs the hook of a session's start, which starts the engine where none runs.
    pub fn session_start(&self, session: &str) -> Result<Cost> {
        let input = payload("SessionStart", session, &self.project(), json!({"source": "startup"}));
        measure::once(&mut self.hook("session-start"), &input)
    }

    /// Makes sure that an engine runs.
    pub fn start(&self) -> Result<()> {
        self.session_start("bench-start")?;
        self.client().map(drop)
    }

    /// A connection to the engine.
    pub fn client(&self) -> Result<Client> {
        Client::connect(&self.root())
    }

    /// The engine's process.
    pub fn engine(&self) -> Option<Engine> {
        Engine::all_of(&self.root()).into_iter().next()
    }

    /// Stops the engine and waits until it is gone.
    pub fn stop(&self) -> Result<()> {
        self.client()?.command("stop", Value::Null, &self.project())?;
        wait_until("the engine to leave", || self.engine().is_none())
    }

    /// Brings events to the engine from so many clients at once, and gives how long that took and how long
    /// each waited for its answer, in milliseconds. The events are made before the clock starts.
    pub fn deliver(&self, events: usize, clients: usize, seed: u64) -> Result<(Duration, Vec<f64>)> {
        let rows: Vec<Vec<Vec<u8>>> = (0..clients)
            .map(|client| {
                let mut source = Events::new(seed + client as u64, &self.project());
                (0..events / clients).map(|_| source.next_frame()).collect::<Result<_>>()
            })
            .collect::<Result<_>>()?;
        let started = Instant::now();
        let waits = thread::scope(|scope| {
            let threads: Vec<_> =
                rows.iter().map(|frames| scope.spawn(move || deliver_row(self.client()?, frames))).collect();
            threads.into_iter().map(joined).collect::<Result<Vec<_>>>()
        })?;
        Ok((started.elapsed(), waits.concat()))
    }

    /// Fills the journal with so many events, and waits until all of them can be found.
    pub fn fill(&self, events: usize, seed: u64) -> Result<()> {
        const AT_ONCE: usize = 8_000;
        let done = AtomicUsize::new(0);
        while done.load(Ordering::Relaxed) < events {
            let now = done.load(Ordering::Relaxed);
            self.deliver(AT_ONCE.min(events - now), 8, seed + now as u64)?;
            done.store(now + AT_ONCE, Ordering::Relaxed);
        }
        self.wait_for_index()
    }

    /// Waits until the search knows all that happened.
    pub fn wait_for_index(&self) -> Result<()> {
        const LONGEST: Duration = Duration::from_hours(1);
        let started = Instant::now();
        let mut client = self.client()?;
        loop {
            let found = client.command("search", json!({"query": "index"}), &self.project())?;
            if found.get("not_indexed_yet").is_none() {
                return Ok(());
            }
            if started.elapsed() > LONGEST {
                return Err(Error::Waited { what: "the index".to_owned(), waited: LONGEST });
            }
        }
    }
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| {
        Err(Error::Program { program: "a client".to_owned(), problem: "panicked".to_owned() })
    })
}

fn deliver_row(mut client: Client, frames: &[Vec<u8>]) -> Result<Vec<f64>> {
    let mut waits = Vec::with_capacity(frames.len());
    for frame in frames {
        let started = Instant::now();
        match client.ask(frame)? {
            Response::Reply(_) => waits.push(millis(started.elapsed())),
            other => return Err(unexpected(&other)),
        }
    }
    Ok(waits)
}
