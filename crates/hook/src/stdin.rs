//! Reading what the host writes, without ever waiting past the deadline.

use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use crate::guard;

/// More input than this is read and dropped.
const MAX_INPUT: usize = 32 * 1024 * 1024;

/// So much is asked for at once.
const BLOCK: usize = 64 * 1024;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// The first bytes, at most 32 MiB.
    pub(crate) bytes: Vec<u8>,
    /// Whether there is more, or the end did not come in time.
    pub(crate) cut: bool,
    /// Set while another thread reads and drops the rest.
    rest: Option<JoinHandle<()>>,
}

impl Input {
    /// Waits until the rest is read or the moment `until`: a host does not expect its pipe to break.
    pub(crate) fn wait_for_end(&self, until: Instant) {
        let reading = || self.rest.as_ref().is_some_and(|rest| !rest.is_finished());
        while reading() && Instant::now() < until {
            sleep(Duration::from_millis(1));
        }
    }
}

/// Reads until the end, the limit or the moment `until`, whichever comes first. What is beyond the limit
/// is read and dropped beside what the caller goes on to do.
pub(crate) fn read(until: Instant) -> Input {
    let mut input = Input { bytes: Vec::with_capacity(BLOCK), ..Input::default() };
    loop {
        if input.bytes.len() >= MAX_INPUT {
            input.cut = true;
            input.rest = drop_the_rest(until);
            return input;
        }
        input.bytes.reserve(BLOCK);
        match read_block(&mut input.bytes, until) {
            Block::Some => {}
            Block::End => return input,
            Block::Late => {
                input.cut = true;
                return input;
            }
        }
    }
}

/// A thread that reads and drops until the end or the moment `until`.
fn drop_the_rest(until: Instant) -> Option<JoinHandle<()>> {
    let reader = guard::spawn(Box::new(move || {
        let mut dropped = Vec::with_capacity(BLOCK);
        while matches!(read_block(&mut dropped, until), Block::Some) {
            dropped.clear();
        }
    }));
    reader.ok()
}

/// What came of asking for more.
enum Block {
    Some,
    End,
    /// Nothing came in time, or the input is broken.
    Late,
}

/// Reads what is there into the spare room of `bytes`, or waits for it.
#[cfg(unix)]
fn read_block(bytes: &mut Vec<u8>, until: Instant) -> Block {
    use rustix::buffer::spare_capacity;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    let stdin = rustix::stdio::stdin();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(timeout) = Timespec::try_from(left) else { return Block::Late };
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Block::Late,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return Block::Late,
        }
        match rustix::io::read(stdin, spare_capacity(bytes)) {
            Ok(0) => return Block::End,
            Ok(_) => return Block::Some,
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return Block::Late,
        }
    }
}

/// Reads what is there. Waiting for a pipe has no limit here: the watchdog is the limit.
#[cfg(not(unix))]
fn read_block(bytes: &mut Vec<u8>, _until: Instant) -> Block {
    use std::io::Read as _;

    let mut block = vec![0; BLOCK];
    match std::io::stdin().lock().read(&mut block) {
        Ok(0) => Block::End,
        Ok(read) => {
            bytes.extend_from_slice(&block[..read]);
            Block::Some
        }
        Err(_) => Block::Late,
    }
}
