//! Real hosts, each run to its end, or watched in a terminal, without a network against the fake model.

mod claude_code;
mod codex;
mod copilot_cli;
mod gemini_family;
mod network;
mod opencode;
mod pi;
mod recipe;
mod required;
mod run;
mod terminal;

pub use recipe::{HostId, Options};
pub use required::{host, required};
pub use run::{Host, Run};
pub use terminal::Terminal;
