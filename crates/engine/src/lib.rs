//! The one memory engine: it handles events, keeps the journal and the memory files, and answers commands.
//!
//! One process per user and data root, started by the first hook or command that needs it. It knows no host
//! by name: what a call can take travels with the call, and what must be known of a host outside a call is a
//! [`HostProfile`](remora_profile::HostProfile), plain data.

mod archive;
mod bridge;
mod changes;
mod clock;
mod command;
mod command_line;
mod config;
mod doubts;
mod engine;
mod error;
pub mod eval;
mod exclusion;
mod faults;
mod file_keeper;
mod heap;
mod history;
mod index_keeper;
mod injection;
mod journal;
mod ledger;
mod lock;
mod memories;
mod model;
mod models;
mod native;
mod off;
mod pause;
mod recording;
mod redaction;
mod reinforcement;
mod retention;
mod review;
mod root;
mod selector;
mod server;
mod socket;
mod sources;
mod spool;
mod texts;
mod touched;
mod trash;
mod turn;
mod verify;
mod watch;
mod when;
mod wishes;
mod written;

pub use config::{Config, KEYS, Key, Span, nearest};
pub use engine::Engine;
pub use error::EngineError;
pub use faults::Fault;
pub use injection::Wrapper;
pub use model::{
    Answered, Asking, KeySource, Model, ModelError, ModelSettings, OpenModel, ProviderKind, Question, Spent,
};
pub use remora_memory::ordinary;
pub use root::{Root, RootRecord};
pub use server::{Exit, run};
