//! The memory that a host keeps by itself.

use serde::{Deserialize, Serialize};

use crate::SlugRule;

/// Where a host keeps memory, and how it looks into it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeMemory {
    /// Folders of Markdown files.
    #[serde(default)]
    pub folders: Vec<MemoryFolder>,
    /// Single files that hold several memories each.
    #[serde(default)]
    pub documents: Vec<MemoryDocument>,
    /// Names of the host's memory tools as hooks see them; `*` stands for anything.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Those of these tools that answer from the folders and documents here.
    #[serde(default)]
    pub own_tools: Vec<String>,
    /// Whether the host tells the model by itself how to keep memory files.
    #[serde(default)]
    pub has_instructions: bool,
    /// Where the host's file tools may write.
    #[serde(default)]
    pub writes: Reach,
}

/// Where a host's file tools may write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// In the working directory and below, in a sandbox or by rule.
    Workspace,
    /// Wherever the person may, perhaps after asking.
    #[default]
    #[serde(other)]
    Anywhere,
}

/// One native memory folder, or one per project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFolder {
    /// Where it lies: `~` is the person's home, `{slug}` what `slug` makes of the project, `{agent}` the
    /// name of an agent. A relative path begins at the project.
    pub path: String,
    /// How `{slug}` is made.
    #[serde(default)]
    pub slug: SlugRule,
    /// Of which folder `{slug}` is made.
    #[serde(default)]
    pub project: ProjectFolder,
    /// The name of the index file, which is no memory itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Whether the host gives the index to the model by itself.
    #[serde(default)]
    pub index_loaded: bool,
    /// Settings by which a person moved the folder; the first that is set wins.
    #[serde(default)]
    pub configured_by: Vec<ConfiguredFolder>,
    /// Where the host wrote down how it calls each project: that gives `{slug}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<Registry>,
    /// Files and sub-folders that hold no memories: raw material, copies, the host's own instructions. Relative to
    /// the folder, `*` stands for anything.
    #[serde(default)]
    pub leave_out: Vec<String>,
}

/// Where a host wrote down how it calls each project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    /// A JSON file below `~`.
    pub file: String,
    /// The key of an object in it that maps paths of projects to names.
    pub key: String,
}

/// One file below `~` that holds several memories. It is the person's rather than a project's, but for the parts
/// that name a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryDocument {
    /// Where it lies, with `~` for the person's home.
    pub path: String,
    /// The memories are the items of the list below this heading, written without its `#`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_below: Option<String>,
    /// Each memory begins with a line that begins so and goes on to the next such line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<String>,
    /// In a block: what the line begins with that says what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about_line: Option<String>,
    /// In a block: what the line begins with that names its project's paths. They end at the first `;`, and several
    /// stand with ` and ` or a comma between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_line: Option<String>,
}

/// A setting of the host's that names the folder. Only files outside repositories count: a repository must
/// not choose a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfiguredFolder {
    /// A JSON file, absolute or below `~`.
    pub file: String,
    /// Its key, with dots between levels.
    pub key: String,
}

/// What a host takes for the project of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectFolder {
    /// The top of the repository's main checkout, also for linked worktrees; without a repository the
    /// working directory.
    MainCheckout,
    /// The top of the work tree; without a repository the working directory.
    WorkTree,
    /// The working directory.
    #[default]
    #[serde(other)]
    WorkingDirectory,
}

impl NativeMemory {
    /// Whether a tool of this name is one of the host's memory tools.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|pattern| matches(pattern, name))
    }

    /// Whether a tool of this name answers from what the host keeps here.
    pub fn has_own_tool(&self, name: &str) -> bool {
        self.own_tools.iter().any(|pattern| matches(pattern, name))
    }
}

impl MemoryFolder {
    /// Whether it lies in the project itself: then it is the repository's text.
    pub fn is_in_project(&self) -> bool {
        !self.path.starts_with(['~', '/']) && !self.path.contains("{slug}")
    }
}

/// Whether `text` is what `pattern` says, where `*` stands for anything.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_pattern() {
        for (pattern, name, is) in [
            ("memory_search", "memory_search", true),
            ("memory_search", "memory_search2", false),
            ("mcp__*__memory_search", "mcp__a__memory_search", true),
            ("mcp__*__memory_search", "mcp__a__memory_write", false),
            ("mcp__*__memory_search", "mcp____memory_search", true),
            ("*memory*", "my_memory_tool", true),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            let memory = NativeMemory { tools: vec![pattern.to_owned()], ..NativeMemory::default() };
            assert_eq!(memory.has_tool(name), is, "{pattern} {name}");
        }
    }
}
