//! JSON and JSONC.
//!
//! The parser tells where each value stands; the edit itself is a splice of the text. Everything that is not
//! spliced (comments, order, indentation, line ends, trailing commas) is the person's own bytes.

mod document;
pub mod hook_groups;
pub mod member;
mod render;
mod splice;

pub use document::{Document, JsonReader, to_value};

/// A path of member names from the root, for example `["hooks", "Stop"]`. Empty: the root value itself.
pub type MemberPath = Vec<String>;

/// An edited text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// Objects and arrays on the way to what was written that were there before, and empty. An uninstall
    /// leaves them; others that it empties go.
    pub hollow: Vec<MemberPath>,
}
