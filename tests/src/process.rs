//! Running a program to its end: input, output, time, and nothing left behind.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::error::{Error, Result};

/// How long the rest of a program's process group may go on after the program itself ended.
const GROUP_GRACE: Duration = Duration::from_secs(2);
/// How long output may still come after the program ended, from a child that holds the pipe.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);

/// A program that ended, or was ended.
#[derive(Debug, Clone)]
#[must_use]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote on standard output.
    pub stdout: Vec<u8>,
    /// What it wrote on standard error.
    pub stderr: Vec<u8>,
    /// From its start to its end.
    pub elapsed: Duration,
    /// It did not end by itself and was killed.
    pub timed_out: bool,
    /// A process that it left behind kept its output open, for which many hosts would wait.
    pub output_held: bool,
}

impl Finished {
    /// Standard output as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Whether it ended by itself with status 0.
    pub fn ok(&self) -> bool {
        self.status.success() && !self.timed_out
    }

    /// Itself if it ended well, else an error that shows what it printed.
    pub fn expect_ok(self, program: &str) -> Result<Self> {
        if self.ok() {
            return Ok(self);
        }
        Err(Error::Program { program: program.to_owned(), problem: self.describe() })
    }

    /// How it ended and what it printed, for the message of a failed test.
    pub fn describe(&self) -> String {
        let ended = if self.timed_out { "did not end in time".to_owned() } else { self.status.to_string() };
        format!("{ended}\n--- standard output\n{}\n--- standard error\n{}", self.out(), self.err())
    }
}

/// Runs a program in a process group of its own, feeds it `stdin` and collects what it prints. After
/// `limit` the whole group is killed; so is what is left of the group when the program has ended.
pub fn run(command: &mut Command, stdin: &[u8], limit: Duration) -> Result<Finished> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let started = Instant::now();
    let mut child = command.spawn().map_err(Error::run(&program))?;
    let pid = Pid::from_child(&child);

    let input = child.stdin.take();
    let output = collect(child.stdout.take());
    let errors = collect(child.stderr.take());
    let ended = notice_end(pid);
    let timed_out = thread::scope(|scope| {
        // A program may end without reading its input, which breaks the pipe: that is its right.
        scope.spawn(move || input.map(|mut pipe| pipe.write_all(stdin)));
        let timed_out = ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if timed_out {
            kill_group(pid);
        }
        timed_out
    });
    let elapsed = started.elapsed();
    let status = child.wait().map_err(Error::run(&program))?;

    let deadline = Instant::now() + OUTPUT_GRACE;
    let (stdout, stdout_held) = received(&output, deadline);
    let (stderr, stderr_held) = received(&errors, deadline);
    end_rest_of_group(pid);
    Ok(Finished { status, stdout, stderr, elapsed, timed_out, output_held: stdout_held || stderr_held })
}

/// Tells when the program has ended, without taking its status: while nobody does, its number cannot
/// be given to another process, so that killing its group stays safe.
fn notice_end(pid: Pid) -> Receiver<()> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let _ = send.send(());
    });
    receive
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive): (Sender<Vec<u8>>, _) = channel();
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(count) = pipe.read(&mut chunk) {
            if count == 0 || send.send(chunk[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receive
}

/// Everything that was read, and whether the pipe was still open at the deadline.
fn received(pieces: &Receiver<Vec<u8>>, deadline: Instant) -> (Vec<u8>, bool) {
    let mut all = Vec::new();
    loop {
        match pieces.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(piece) => all.extend(piece),
            Err(error) => return (all, error == RecvTimeoutError::Timeout),
        }
    }
}

fn kill_group(leader: Pid) {
    // It may have ended by itself in the meantime.
    let _ = rustix::process::kill_process_group(leader, Signal::KILL);
}

/// Gives the leader's children a moment, then kills them. As long as one lives, the group's number is
/// not given to others; once none does, there is nothing to kill.
fn end_rest_of_group(leader: Pid) {
    let deadline = Instant::now() + GROUP_GRACE;
    while rustix::process::test_kill_process_group(leader).is_ok() {
        if Instant::now() > deadline {
            return kill_group(leader);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, stdin: &[u8], limit: Duration) -> Finished {
        run(Command::new("sh").args(["-c", script]), stdin, limit).expect("a shell")
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn input_output_and_status_come_through() {
        let big = vec![b'x'; 3_000_000];
        let done = shell("cat; echo no >&2; exit 3", &big, LONG);
        assert_eq!(
            (done.stdout.len(), done.err().as_str(), done.status.code()),
            (big.len(), "no\n", Some(3))
        );
        assert!(!done.timed_out && !done.output_held);
    }

    #[test]
    fn a_program_that_ignores_its_input_is_no_error() {
        assert!(shell("exit 0", &vec![b'x'; 3_000_000], LONG).ok());
    }

    #[test]
    fn a_hanging_program_and_its_children_are_killed() {
        let done = shell("sleep 1000 & echo $!; wait", b"", Duration::from_millis(300));
        assert!(done.timed_out);
        let child = done.out().trim().parse().ok().and_then(Pid::from_raw).expect("a pid");
        rustix::process::test_kill_process(child).expect_err("the child is gone");
    }

    #[test]
    fn a_child_that_holds_the_output_is_noticed() {
        let done = shell("sleep 1000 & echo hello", b"", LONG);
        assert!(done.output_held);
        assert_eq!(done.out(), "hello\n");
    }
}
