//! Running a program with a time limit.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What is kept of each stream; the rest is read and dropped.
const MAX_OUTPUT: u64 = 1024 * 1024;

/// How long a stream may stay open after its process has ended.
const GRACE: Duration = Duration::from_secs(1);

/// How often a process is asked whether it has ended: at first this often, so that a quick one is timed well...
const FIRST_TICK: Duration = Duration::from_micros(100);

/// ... later this often, so that a slow one is not disturbed.
const LAST_TICK: Duration = Duration::from_millis(5);

/// A program that ran.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended; nothing: it was ended at its time limit.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// From its start to its end.
    pub(crate) elapsed: Duration,
    /// A process that it left behind keeps its output open.
    pub(crate) output_is_held: bool,
}

/// Runs a program with `input` on its standard input, and ends it, with what it started in its process
/// group, at the time limit.
pub(crate) fn run(mut command: Command, input: &[u8], limit: Duration) -> io::Result<Finished> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A program that does not read its input is no reason to wait.
        thread::spawn(move || stdin.write_all(&input));
    }
    let stdout = child.stdout.take().map(read_aside);
    let stderr = child.stderr.take().map(read_aside);

    let status = wait(&mut child, start, limit)?;
    let elapsed = start.elapsed();
    let patience = Instant::now() + GRACE;
    let mut output_is_held = false;
    let mut collect = |stream: Option<Receiver<Vec<u8>>>| {
        let left = patience.saturating_duration_since(Instant::now());
        match stream.map(|stream| stream.recv_timeout(left)) {
            Some(Ok(bytes)) => bytes,
            Some(Err(RecvTimeoutError::Timeout)) => {
                output_is_held = true;
                Vec::new()
            }
            Some(Err(RecvTimeoutError::Disconnected)) | None => Vec::new(),
        }
    };
    let (stdout, stderr) = (collect(stdout), collect(stderr));
    Ok(Finished { status, stdout, stderr, elapsed, output_is_held })
}

fn wait(child: &mut Child, start: Instant, limit: Duration) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let elapsed = start.elapsed();
        if elapsed >= limit {
            end(child);
            child.wait()?;
            return Ok(None);
        }
        thread::sleep((elapsed / 20).clamp(FIRST_TICK, LAST_TICK));
    }
}

/// Ends a process that leads a group, with everything that is in the group.
pub(crate) fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

fn read_aside(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stream = stream;
        let mut kept = Vec::new();
        let _ = stream.by_ref().take(MAX_OUTPUT).read_to_end(&mut kept);
        let _ = io::copy(&mut stream, &mut io::sink());
        let _ = sender.send(kept);
    });
    receiver
}
