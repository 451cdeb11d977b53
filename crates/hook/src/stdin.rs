//! Reading what the host writes, without ever waiting past the deadline.

use std::time::Instant;

/// More input than this is read and dropped.
const MAX_INPUT: usize = 32 * 1024 * 1024;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// The first bytes, at most 32 MiB.
    pub(crate) bytes: Vec<u8>,
    /// Whether more was sent, or the end did not come in time.
    pub(crate) cut: bool,
}

/// Reads until the end or the moment `until`, whichever comes first.
#[cfg(unix)]
pub(crate) fn read(until: Instant) -> Input {
    use rustix::buffer::spare_capacity;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let stdin = rustix::stdio::stdin();
    let mut input = Input { bytes: Vec::with_capacity(64 * 1024), cut: false };
    let mut dropped = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        let timeout =
            Timespec { tv_sec: left.as_secs().try_into().unwrap_or(0), tv_nsec: left.subsec_nanos().into() };
        match poll(&mut ready, Some(&timeout)) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(1..) => {}
            Ok(0) | Err(_) => {
                input.cut = true;
                return input;
            }
        }
        let keeps = input.bytes.len() < MAX_INPUT;
        let target = if keeps { &mut input.bytes } else { &mut dropped };
        if keeps {
            target.reserve(64 * 1024);
        } else {
            target.clear();
            target.reserve(1024 * 1024);
        }
        match rustix::io::read(stdin, spare_capacity(target)) {
            Ok(0) => return input,
            Ok(_) => input.cut |= !keeps,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => {
                input.cut = true;
                return input;
            }
        }
    }
}

/// Reads until the end. There is no waiting with a limit for a pipe here: the watchdog is the limit.
#[cfg(not(unix))]
pub(crate) fn read(_until: Instant) -> Input {
    use std::io::Read as _;

    let mut input = Input::default();
    let mut stdin = std::io::stdin().lock();
    let limit = u64::try_from(MAX_INPUT).unwrap_or(u64::MAX);
    input.cut = stdin.by_ref().take(limit).read_to_end(&mut input.bytes).is_err();
    input.cut |= std::io::copy(&mut stdin, &mut std::io::sink()).map_or(true, |dropped| dropped > 0);
    input
}
