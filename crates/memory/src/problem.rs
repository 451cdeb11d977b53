//! What can be odd about a memory file, and what makes it unreadable.

use std::fmt;

/// Something odd in a file that was read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line in the file, from 1.
    pub line: usize,
    /// What is odd.
    pub what: Flaw,
}

impl Problem {
    pub(crate) fn new(line: usize, what: Flaw) -> Self {
        Self { line, what }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// The ways in which a readable file can be odd.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// There is no frontmatter.
    NoFrontmatter,
    /// The frontmatter has no closing `---`.
    NotClosed,
    /// Text stands before the frontmatter.
    TextBefore,
    /// A second block of frontmatter follows the first; they were joined.
    BlockTwice,
    /// The frontmatter is no valid YAML and was read line by line.
    NotYaml {
        /// What the parser says.
        reason: String,
    },
    /// YAML reads the value of `key` otherwise than it is meant; it needs quotes.
    SentenceUnquoted {
        /// The key.
        key: String,
    },
    /// A line belongs to the value above, but is not indented.
    WrappedLine,
    /// A line of the frontmatter was not understood.
    LineNotUnderstood {
        /// Its beginning.
        text: String,
    },
    /// A key stands twice; the first one counts.
    KeyTwice {
        /// The key.
        key: String,
        /// The line of the first one, or of the first block.
        first: usize,
    },
    /// A key is written with other capitals.
    KeyInCapitals {
        /// The key as it is written.
        key: String,
    },
    /// The name is missing.
    NoName,
    /// The description is missing.
    NoDescription,
    /// The type is missing.
    NoType,
    /// The type is none of the four.
    UnknownType {
        /// The word that stands there.
        word: String,
    },
    /// `type` and `metadata.type` disagree; the top level counts.
    TypesDisagree,
    /// The value of a known key cannot be used.
    BadValue {
        /// The key.
        key: String,
        /// The value as it is written.
        value: String,
    },
    /// The body is empty.
    NoBody,
    /// A feedback or project memory does not say why.
    NoWhy,
    /// A feedback or project memory does not say how to apply it.
    NoHow,
}

impl Flaw {
    /// Whether it is advice about the writing rather than a fault of the file.
    pub fn is_advice(&self) -> bool {
        matches!(self, Self::NoWhy | Self::NoHow)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFrontmatter => f.write_str("no frontmatter; name, description and type were guessed"),
            Self::NotClosed => f.write_str("the frontmatter has no closing `---`"),
            Self::TextBefore => f.write_str("text before the frontmatter"),
            Self::BlockTwice => f.write_str("a second block of frontmatter; the two were joined"),
            Self::NotYaml { reason } => {
                write!(f, "the frontmatter is not valid YAML, read line by line: {reason}")
            }
            Self::SentenceUnquoted { key } => write!(f, "`{key}` needs quotes: YAML reads it otherwise"),
            Self::WrappedLine => {
                f.write_str("a wrapped line that is not indented; joined to the value above")
            }
            Self::LineNotUnderstood { text } => write!(f, "not understood: {text}"),
            Self::KeyTwice { key, first } => write!(f, "`{key}` again; the one from line {first} counts"),
            Self::KeyInCapitals { key } => write!(f, "`{key}` is written in small letters elsewhere"),
            Self::NoName => f.write_str("no name; taken from the file name"),
            Self::NoDescription => f.write_str("no description; the first sentence was taken"),
            Self::NoType => f.write_str("no type; guessed from the file name, else `project`"),
            Self::UnknownType { word } => {
                write!(f, "the type `{word}` is none of user, feedback, project, reference")
            }
            Self::TypesDisagree => f.write_str("`type` and `metadata.type` disagree; the first counts"),
            Self::BadValue { key, value } => write!(f, "`{key}` cannot be `{value}`"),
            Self::NoBody => f.write_str("the body is empty"),
            Self::NoWhy => f.write_str("does not say why (`**Why:**`)"),
            Self::NoHow => f.write_str("does not say how to apply it (`**How to apply:**`)"),
        }
    }
}

/// A file that could not be read as a memory. It is shown to the person and never rewritten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not read the memory {file}, line {line}: {problem}")]
pub struct Unreadable {
    /// The path relative to its folder.
    pub file: String,
    /// The line, from 1; 1 where no line is to blame.
    pub line: usize,
    /// What is in the way.
    pub problem: String,
}
