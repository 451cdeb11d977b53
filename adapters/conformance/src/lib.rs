//! What every adapter must do, tried on payloads that its host really sent. For tests alone.
//!
//! Each function that begins with `check` panics, with what went wrong, when the adapter does not hold it.
#![allow(clippy::missing_panics_doc, reason = "panics are how a check says what it found")]

mod captures;
mod changes;
mod outputs;
mod profile;

use remora_hook::Hook;
use serde_json::Value;

pub use captures::Capture;
pub use profile::check_profile;

/// An adapter under test.
#[derive(Debug, Clone, Copy)]
pub struct Adapter {
    /// Its id.
    pub id: &'static str,
    /// Its hooks, with the host's names of their events.
    pub hooks: &'static [(&'static str, &'static Hook)],
    /// The folder of captured payloads, one file each, named `<event>.<variant>.json`. Others in it, of events
    /// without a hook, are left out.
    pub captures: &'static str,
    /// Whether a payload tells nothing, so that no event is made of it.
    pub tells_nothing: fn(&Value) -> bool,
}

impl Adapter {
    /// The hook of an event, by the host's name.
    pub fn hook(&self, event: &str) -> Option<&'static Hook> {
        self.hooks.iter().find(|(name, _)| *name == event).map(|(_, hook)| *hook)
    }
}
