//! Waiting for what other processes bring about.

use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Far beyond what anything here takes on a busy machine: only what never comes is waited for this long.
const LIMIT: Duration = Duration::from_mins(1);

/// Waits until something is so. `what` completes "waited for".
pub fn wait_until(what: &str, mut reached: impl FnMut() -> bool) -> Result<()> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(2);
    while !reached() {
        if started.elapsed() > LIMIT {
            return Err(Error::Waited { what: what.to_owned(), waited: LIMIT });
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    Ok(())
}
