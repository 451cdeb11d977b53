//! The shared event format (version 1) and the wire between hooks, commands and the engine.
//!
//! Types and pure functions only: this crate does no I/O, knows no host by name, and depends on no
//! other crate of the workspace. `docs/event-format.md` describes the format for people who write an
//! adapter in another language; its JSON Schema is generated from the types here and kept by a test.

mod address;
mod event;
mod own;
mod path;
mod reply;
#[cfg(test)]
mod schema;
pub mod wire;

pub use address::SocketAddress;
pub use event::{
    Agent, Budget, Event, EventKind, Outcome, Tool, ToolKind, Unit, Via, Want, key_for_prompt, key_for_tool,
};
pub use own::{OWN_SERVER, OWN_TOOLS, is_own_server, is_own_tool};
pub use path::absolute;
pub use reply::{ErrorBody, Reply};

/// The version of the event format that this crate writes.
pub const EVENT_VERSION: u32 = 1;

/// A session whose id begins so is made up to try an installation out: its events are answered and not kept.
pub const PROBE_SESSION: &str = "remora-probe-";
