//! Writes, checks and removes the hook configuration of each agent host.
//!
//! This crate knows hosts' configuration files: not memory, not the engine. The `remora` command calls it.
//!
//! The way of an installation: [`Host::detect`](host::Host::detect) finds a host, [`plan_install`] reads the
//! person's files and works out every edit without writing anything, [`Plan::diff`] shows it, and
//! [`Plan::apply`] writes all of it or nothing. [`plan_uninstall`] goes the way back with the help of the
//! [`Manifest`], which says what was written where and keeps the bytes that were there before.

mod backup;
mod check;
mod command;
mod draft;
pub mod edit;
mod environment;
mod error;
pub mod host;
mod install;
mod installation;
mod manifest;
mod mcp;
mod ownership;
mod plan;
mod plugin;
mod prove;
mod root_toml;
mod run;
mod transaction;
mod trust;
mod uninstall;

pub use check::{Finding, HostReport, check};
pub use environment::Environment;
pub use error::Error;
pub use host::{HOSTS, Host};
pub use install::{ClaudeMemory, Options, Scope, install, plan_install};
pub use installation::Installation;
pub use manifest::{Before, EntryKind, EntryRecord, FileRecord, Manifest};
pub use mcp::McpServer;
pub use plan::{Applied, Note, Plan};
pub use prove::{Outcome, Proof, ProofOptions, prove};
pub use root_toml::PersonPaths;
pub use transaction::{FileEdit, Step};
pub use trust::{Listed, Trust, Untrusted, is_trusted, untrusted};
pub use uninstall::{plan_uninstall, uninstall};
