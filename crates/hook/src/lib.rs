//! What every hook executable shares.
//!
//! A host runs a small program at one moment of its life. This crate is that program but for two
//! functions that an adapter gives: one that reads the host's payload, one that writes the host's output.
//! Whatever happens, the program leaves with status 0 and says nothing that the host did not ask for.
//!
//! Synchronous, without a runtime, and without generic functions: nothing here is compiled again for
//! each of the many executables.

mod arguments;
mod clean;
mod client;
mod guard;
mod hook;
mod lenient;
mod log;
mod payload;
mod root;
mod slow;
mod spawn;
mod spool;
mod start;
mod stdin;

pub use client::{Client, ClientError};
pub use hook::{Elsewhere, Hook, run, run_named, switched_off};
pub use payload::Payload;
pub use root::DataRoot;
pub use spawn::Starting;
pub use start::{Attempt, failed as start_failed, forget_attempts, start_engine, start_engine_now};

/// The [`Build`](remora_event::wire::Build) of the executable that expands this, from what its build script
/// found out with `remora-build-id`.
#[macro_export]
macro_rules! build {
    () => {
        $crate::build_from(env!("CARGO_PKG_VERSION"), env!("REMORA_BUILT_AT"), env!("REMORA_BUILD_ID"))
    };
}

/// What [`build!`] expands to.
pub fn build_from(version: &str, built_at: &str, id: &str) -> remora_event::wire::Build {
    remora_event::wire::Build {
        version: version.to_owned(),
        built_at: built_at.parse().unwrap_or(0),
        id: id.to_owned(),
    }
}
