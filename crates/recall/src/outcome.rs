//! What recall answers, with the evidence a person can read.

use std::fmt;

/// A part of a memory that can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The name, and the words of the file name.
    Name,
    /// The description.
    Description,
    /// The hook of the index.
    Hook,
    /// Names of linked memories.
    Links,
    /// The body.
    Body,
}

impl Field {
    /// All fields, in the order of their index.
    pub(crate) const ALL: [Self; 5] = [Self::Name, Self::Description, Self::Hook, Self::Links, Self::Body];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Hook => "index hook",
            Self::Links => "links",
            Self::Body => "body",
        })
    }
}

/// How a word of the query found a word of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Through {
    /// The same word, or one with the same stem.
    Word,
    /// An identifier as a whole.
    Identifier,
    /// Chinese, Japanese or Korean characters.
    Characters,
    /// A word of the same group of synonyms.
    Synonym,
    /// A related word of a group of synonyms.
    Related,
}

/// One piece of evidence for a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// What the query says.
    pub query: String,
    /// What the memory says.
    pub memory: String,
    /// Where.
    pub field: Field,
    /// How the one led to the other.
    pub through: Through,
    /// Its share of the score; reasons are listed by falling weight.
    pub weight: f32,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { query, memory, field, .. } = self;
        match self.through {
            Through::Word if query == memory => write!(f, "{query:?} in the {field}"),
            Through::Word => write!(f, "{query:?} has the stem of {memory:?} in the {field}"),
            Through::Identifier => write!(f, "the identifier {query:?} in the {field}"),
            Through::Characters => write!(f, "{query:?} as {memory:?} in the {field}"),
            Through::Synonym => write!(f, "{query:?} means {memory:?} in the {field}"),
            Through::Related => write!(f, "{query:?} is related to {memory:?} in the {field}"),
        }
    }
}

/// A memory that recall considered.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The document's id.
    pub id: String,
    /// The lexical score; compares only within one outcome.
    pub score: f32,
    /// How sure recall is that the memory helps with this request, 0 to 1.
    pub confidence: f32,
    /// The evidence, strongest first.
    pub why: Vec<Reason>,
}

/// The answer to one query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// What is to be shown, best first; empty when nothing is sure enough.
    pub ranked: Vec<Hit>,
    /// The best of what was not chosen, for explanations; at most as many as the limit.
    pub left_out: Vec<Hit>,
    /// How many memories shared anything with the query.
    pub offered: usize,
    /// Whether there were candidates and none was sure enough.
    pub abstained: bool,
}
