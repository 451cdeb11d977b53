//! The engine of a test's home: which process it is, and its end.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::test_home::TestHome;

const ANSWER: Duration = Duration::from_secs(20);
const END: Duration = Duration::from_secs(10);

/// A running engine that belongs to one test's home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Engine {
    pid: Pid,
}

impl Engine {
    /// The home's engine as `remora engine status --json` names it, if one runs.
    pub fn of(home: &TestHome) -> Result<Option<Self>> {
        let status = home.remora(&["engine", "status", "--json"])?.limit(ANSWER).run()?;
        let Ok(status) = serde_json::from_slice::<Value>(&status.stdout) else { return Ok(None) };
        // An engine that does not run has no number, and a number that is not ours is left alone.
        let pid = status["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        Ok(pid.filter(|pid| serves(*pid, &home.root())).map(|pid| Self { pid }))
    }

    /// The home's engine once it runs, waited for until `limit`.
    pub fn wait_for(home: &TestHome, limit: Duration) -> Result<Self> {
        let started = Instant::now();
        loop {
            if let Some(engine) = Self::of(home)? {
                return Ok(engine);
            }
            if started.elapsed() > limit {
                return Err(Error::Waited { what: "the engine".to_owned(), waited: limit });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The process' number.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Whether the process is there.
    pub fn runs(&self) -> bool {
        lives(self.pid)
    }

    /// Asks the engine to leave, and kills it if it does not.
    pub fn stop(&self) {
        for signal in [Signal::CONT, Signal::TERM, Signal::KILL] {
            if rustix::process::kill_process(self.pid, signal).is_err() {
                return;
            }
            let deadline = Instant::now() + if signal == Signal::CONT { Duration::ZERO } else { END };
            while Instant::now() < deadline {
                if !lives(self.pid) {
                    return;
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// Whether a process runs; one that ended and that nobody has waited for does not.
pub(crate) fn lives(pid: Pid) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// The state letter of a process: `R`, `S`, `T` stopped, `Z` ended, ...; nothing if there is none.
pub(crate) fn state(pid: Pid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The second field is the program's name in brackets, which may hold anything.
    stat.rsplit(')').next()?.trim_start().chars().next()
}

/// Whether the process is a `remora` that was told this data root, by argument or by variable.
fn serves(pid: Pid, root: &Path) -> bool {
    let read = |name: &str| {
        let bytes = std::fs::read(format!("/proc/{}/{name}", pid.as_raw_nonzero())).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let line = read("cmdline");
    let is_remora = line.split('\0').next().is_some_and(|program| program.ends_with("remora"));
    let root = root.to_string_lossy();
    is_remora && (line.contains(&*root) || read("environ").contains(&*root))
}
