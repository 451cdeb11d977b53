//! What the hooks of several hosts share.
//!
//! Many hosts took over one form of hooks: a flat JSON object comes in, and an object with
//! `hookSpecificOutput` goes out. They differ in names: of fields, of tools, of events, of what they put into
//! a prompt. A [`Dialect`] holds these names as plain data, and reads and writes by them. No host is known
//! here; each adapter gives its own data, and does by itself what is its host's alone.

mod dialect;
mod fields;
mod for_model;
mod hooks;
mod memory_tools;
mod output;
mod paths;
mod response;
mod tools;

pub use dialect::Dialect;
pub use fields::{Fields, folder, stem};
pub use for_model::ForModel;
pub use hooks::Hooks;
pub use memory_tools::{MemoryTool, Question};
pub use output::{Form, Output};
pub use remora_redact::{Attachment, Preamble};
pub use response::{ExitCode, FailureSigns};
pub use tools::{McpNames, Tools};

/// How an adapter tells a host's own words in a prompt from the person's.
pub type Prompts = remora_redact::Prompts<'static>;
