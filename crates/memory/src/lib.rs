//! Memory files, their index, the identity of projects and the defence of paths.
//!
//! A memory is one Markdown file with one fact. People read, edit and delete these files, hosts write
//! them too, so everything here reads leniently, says what is odd, and changes no byte that it was not asked to.
//! This crate has no runtime, no database, no network, reads no environment variable and runs no program.

pub mod dates;
pub mod edit;
mod error;
pub mod explicit;
pub mod folder;
pub mod frontmatter;
pub mod index;
mod links;
pub mod memory;
pub mod new_memory;
pub mod ordinary;
pub mod path;
pub mod problem;
pub mod project;
pub mod reader;
mod sentence;
pub mod value;
pub mod write;
mod yaml_text;

pub use error::Error;
pub use folder::{Folder, Scan};
pub use index::Index;
pub use memory::{By, Memory, MemoryKind, Metadata};
pub use path::{MemoryPath, Refused};
pub use problem::{Flaw, Problem, Unreadable};
pub use project::{ProjectId, ProjectRecord, ProjectRoot, Surroundings};
pub use sentence::first_sentence;
pub use write::{Digest, Links, MemoryDir, Replaced, Trashed};
