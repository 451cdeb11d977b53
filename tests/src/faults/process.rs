//! Processes that hang or die, by their number.

use rustix::process::{Pid, Signal};

use crate::engine::{lives, state};
use crate::error::{Error, Result};
use crate::wait::wait_until;

/// A process that is stopped where it stands; it goes on when this is dropped.
#[derive(Debug)]
pub struct Paused {
    pid: Pid,
}

impl Paused {
    /// Stops a process with SIGSTOP and sees that it stands still.
    pub fn new(pid: Pid) -> Result<Self> {
        signal(pid, Signal::STOP)?;
        let paused = Self { pid };
        wait_until("the process to stand still", || state(pid) == Some('T'))?;
        Ok(paused)
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(self.pid, Signal::CONT);
    }
}

/// Kills a process with SIGKILL and sees that it is gone.
pub fn kill(pid: Pid) -> Result<()> {
    signal(pid, Signal::KILL)?;
    wait_until("the process to be gone", || !lives(pid))
}

fn signal(pid: Pid, signal: Signal) -> Result<()> {
    rustix::process::kill_process(pid, signal)
        .map_err(|error| Error::Toothless(format!("no signal reaches process {pid:?}: {error}")))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_stands_still_goes_on_and_dies() {
        let mut child = Command::new("sleep").arg("1000").spawn().expect("a process");
        let pid = Pid::from_child(&child);
        let paused = Paused::new(pid).expect("a process that stands still");
        assert_eq!(state(pid), Some('T'));
        drop(paused);
        wait_until("the process to go on", || state(pid) != Some('T')).expect("a process that goes on");
        kill(pid).expect("a process that dies");
        child.wait().expect("its status");
        kill(pid).expect_err("there is nobody to kill");
    }
}
