//! Memory files, their index, the identity of projects and the defence of paths.
//!
//! A memory is one Markdown file with one fact. People read, edit and delete these files, hosts write
//! them too, so everything here reads leniently, says what is odd, and changes no byte that it was not asked to.
//! This crate has no runtime, no database, no network, reads no environment variable and runs no program.

pub mod frontmatter;
mod links;
pub mod memory;
pub mod reader;
mod sentence;
pub mod value;

pub use memory::{By, Flaw, Memory, MemoryKind, Metadata, Problem, Unreadable};
pub use sentence::first_sentence;
