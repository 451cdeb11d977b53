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
    /// Every process of this machine that was started to be this data root's engine: one that works, one
    /// that stands still, one that found another there and is about to leave.
    pub fn all_of(root: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let pids = numbers.filter_map(Pid::from_raw).filter(|pid| lives(*pid) && serves(*pid, root));
        pids.map(|pid| Self { pid }).collect()
    }

    /// The home's engine as `remora engine status --json` names it, if one answers.
    pub fn of(home: &TestHome) -> Result<Option<Self>> {
        let status = home.remora(&["engine", "status", "--json"])?.limit(ANSWER).run()?;
        Ok(Self::named_in(&status.stdout, &home.root()))
    }

    /// The engine that a status names. One that does not run has no number, and a number that is not this
    /// root's is left alone.
    fn named_in(status: &[u8], root: &Path) -> Option<Self> {
        let status: Value = serde_json::from_slice(status).ok()?;
        // Numbers below 1 mean groups of processes, or all of them.
        let number = status["pid"].as_i64().filter(|number| *number > 0)?;
        let pid = i32::try_from(number).ok().and_then(Pid::from_raw)?;
        (lives(pid) && serves(pid, root)).then_some(Self { pid })
    }

    /// The home's engine once it answers, waited for until `limit`.
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

/// Whether a process runs; one that ended and that nobody has waited for does not. A process whose first
/// thread has ended lives on, with its files and sockets, as long as another thread does.
pub(crate) fn lives(pid: Pid) -> bool {
    match state(pid) {
        None => false,
        Some('Z' | 'X') => threads(pid) > 1,
        Some(_) => true,
    }
}

fn threads(pid: Pid) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).map_or(0, Iterator::count)
}

/// The state letter of a process: `R`, `S`, `T` stopped, `Z` ended, ...; nothing if there is none.
pub(crate) fn state(pid: Pid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The second field is the program's name in brackets, which may hold anything.
    stat.rsplit(')').next()?.trim_start().chars().next()
}

/// Whether the process is a `remora engine run` of this data root, told by argument or by variable.
fn serves(pid: Pid, root: &Path) -> bool {
    let words = words(pid, "cmdline");
    let is_remora = words.first().is_some_and(|program| program.ends_with("remora"));
    let runs_engine = words.windows(2).any(|pair| pair == ["engine", "run"]);
    let root = root.to_string_lossy();
    let told = |words: &[String]| words.iter().any(|word| *word == root);
    let variable = format!("REMORA_HOME={root}");
    is_remora && runs_engine && (told(&words) || self::words(pid, "environ").contains(&variable))
}

/// The words of a process' command line or environment.
fn words(pid: Pid, file: &str) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{}/{file}", pid.as_raw_nonzero())).unwrap_or_default();
    bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    /// A process that looks like the engine of a root: a shell by another name.
    struct StandIn(Child);

    impl StandIn {
        fn new(home: &TestHome, name: &str) -> Self {
            let program = home.folder().join(name);
            std::os::unix::fs::symlink("/bin/sh", &program).expect("a link to the shell");
            let script = "while :; do sleep 0.1; done";
            let mut command = Command::new(&program);
            command.args(["-c", script, "engine", "run", "--root"]).arg(home.root());
            Self(command.spawn().expect("a process"))
        }

        fn pid(&self) -> Pid {
            Pid::from_child(&self.0)
        }

        fn status(&self) -> Vec<u8> {
            format!(r#"{{"pid": {}, "running": true}}"#, self.0.id()).into_bytes()
        }
    }

    impl Drop for StandIn {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn only_this_roots_engine_is_ours_to_stop() {
        let home = TestHome::new().expect("a home");
        let (remora, other) = (StandIn::new(&home, "remora"), StandIn::new(&home, "something"));
        assert_eq!(Engine::named_in(&remora.status(), Path::new("/another/root")), None);
        assert_eq!(Engine::all_of(&home.folder().join("home")), []);
        assert_eq!(Engine::named_in(&other.status(), &home.root()), None);
        for nothing in
            ["", "{}", r#"{"pid": null}"#, r#"{"pid": 0}"#, r#"{"pid": -1}"#, r#"{"pid": 99999999999}"#]
        {
            assert_eq!(Engine::named_in(nothing.as_bytes(), &home.root()), None, "{nothing}");
        }
        let engine = Engine::named_in(&remora.status(), &home.root()).expect("an engine of this root");
        assert_eq!(engine.pid(), remora.pid());
        assert_eq!(Engine::all_of(&home.root()), [engine]);
        engine.stop();
        assert!(!engine.runs() && lives(other.pid()));
    }

    #[test]
    fn an_engine_that_stands_still_is_stopped_too() {
        let home = TestHome::new().expect("a home");
        let remora = StandIn::new(&home, "remora");
        rustix::process::kill_process(remora.pid(), Signal::STOP).expect("a signal");
        Engine { pid: remora.pid() }.stop();
        assert!(!lives(remora.pid()));
    }
}
