//! A stuck engine is felt once: after one missed answer hooks wait but a moment, until it answers again.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::ClientError;
use crate::root::{DataRoot, create_private_folder, write_private};

/// How long a hook waits for an engine that did not answer the last time.
const MOMENT: Duration = Duration::from_millis(20);

/// How long a hook waits for the engine.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Until when.
    pub(crate) until: Instant,
    /// Whether the engine missed its last answer.
    slow: bool,
    /// Whether a missed answer would be the engine's fault: it was given a moment at least.
    fair: bool,
}

impl Patience {
    /// The whole time until `until`, or a moment after the engine missed its last answer.
    pub(crate) fn of(root: &DataRoot, until: Instant) -> Self {
        let moment = Instant::now() + MOMENT;
        let slow = stamp(root).exists();
        Self { until: if slow { until.min(moment) } else { until }, slow, fair: until >= moment }
    }

    /// The milliseconds that are left.
    pub(crate) fn millis(&self) -> u64 {
        u64::try_from(self.until.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u64::MAX)
    }

    /// Remembers an engine that did not answer, forgets one that is not there.
    pub(crate) fn note(&self, root: &DataRoot, error: &ClientError) {
        match error {
            ClientError::Late if self.fair => {
                let _ = create_private_folder(&root.run());
                let _ = write_private(&stamp(root), "");
            }
            ClientError::Absent(_) if self.slow => forget(root),
            _ => {}
        }
    }

    /// Forgets: the engine answered.
    pub(crate) fn was_answered(&self, root: &DataRoot) {
        if self.slow {
            forget(root);
        }
    }
}

fn stamp(root: &DataRoot) -> PathBuf {
    root.run().join("slow")
}

fn forget(root: &DataRoot) {
    let _ = fs::remove_file(stamp(root));
}
