//! What is ranked: one memory, as far as recall needs to know it.

/// The four types of memory, and what has none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Who the person is.
    User,
    /// How to work.
    Feedback,
    /// What is going on.
    Project,
    /// Where to look.
    Reference,
    /// Anything else that can be ranked: a session, a note, a digest. It may be about many things,
    /// so it is ranked by its words alone, not by likeness of meaning.
    #[default]
    Other,
}

/// One memory as recall sees it. Empty fields are simply not matched.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Unique within a corpus, usually the file name; its words count as part of the name, a type
    /// in front (`feedback_`) and an extension behind do not.
    pub id: String,
    /// The `name` of the memory.
    pub name: String,
    /// The one line that recall judges by.
    pub description: String,
    /// The text below the head, Markdown.
    pub body: String,
    /// Names of memories that this one links to.
    pub links: Vec<String>,
    /// What the index says about it behind the link.
    pub hook: String,
    /// The type of memory.
    pub kind: Kind,
    /// The day of the last real change, counted from 1970-01-01 (0: unknown). Only differences
    /// between two memories matter.
    pub day: i32,
}
