//! What must be known of a host outside a call, as plain data.
//!
//! The engine knows no host by name. What one call can take travels with the call; what must be known
//! between calls (where the host keeps memory of its own, which files it loads, what its transcripts look
//! like) is a [`HostProfile`], written as TOML by the host's adapter or by a person. Types and pure
//! functions: nothing here reads a file.
//!
//! Unknown keys are ignored and every key but `id` may be absent, so that a profile written for a newer or
//! older version can be read.

mod instructions;
mod memory;
mod prompts;
mod sessions;
mod slug;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use instructions::{InstructionFile, Reader};
pub use memory::{
    ConfiguredFolder, MemoryDocument, MemoryFolder, NativeMemory, ProjectFolder, Reach, Registry, matches,
};
pub use prompts::{Attachment, Command, Preamble, Prompts};
pub use sessions::{ContextGone, Sessions, Subagents};
pub use slug::SlugRule;
pub use work::{ToldItem, ToldWork, Work, WorkState, WorkTool};

/// Everything that is known of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostProfile {
    /// The host's id, as events name it: `claude-code`.
    pub id: String,
    /// The host's name, as people know it: "Claude Code". Empty: the id.
    #[serde(default)]
    pub name: String,
    /// The memory that the host keeps by itself.
    #[serde(default)]
    pub memory: NativeMemory,
    /// The files with standing instructions that the host loads by itself.
    #[serde(default)]
    pub instructions: Vec<InstructionFile>,
    /// What a session's events mean on this host.
    #[serde(default)]
    pub sessions: Sessions,
    /// What of a prompt is not the person's.
    #[serde(default)]
    pub prompts: Prompts,
    /// How the host's subagents show.
    #[serde(default)]
    pub subagents: Subagents,
    /// How the model's to-do list shows.
    #[serde(default)]
    pub work: Work,
    /// How the host's transcripts are read: the transcript engine's own definition, kept as it stands.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub transcript: Map<String, Value>,
    /// What `remora hosts` shows.
    #[serde(default)]
    pub display: Display,
    /// The file that it was read from; empty for one that is built in.
    #[serde(skip)]
    pub file: String,
}

/// What is shown of a host to people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Display {
    /// The versions that the adapter was tried with.
    #[serde(default)]
    pub tried: Vec<String>,
    /// The files that the installer writes, with `~` for the person's home.
    #[serde(default)]
    pub configuration: Vec<String>,
    /// What a person should know, one sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl HostProfile {
    /// The profile of a host of which nothing is known.
    pub fn plain(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: String::new(),
            memory: NativeMemory::default(),
            instructions: Vec::new(),
            sessions: Sessions::default(),
            prompts: Prompts::default(),
            subagents: Subagents::default(),
            work: Work::default(),
            transcript: Map::new(),
            display: Display::default(),
            file: String::new(),
        }
    }

    /// The host's name, or its id where it has none.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    /// Whether sessions in this directory are the host's or another tool's own, and no work to remember.
    pub fn ignores(&self, cwd: &str) -> bool {
        self.sessions.ignores(cwd)
    }

    /// Whether `post_compact` says that the context is gone. Other hosts start a session anew with the
    /// source `compact`.
    pub fn compaction_at_post_compact(&self) -> bool {
        self.sessions.context_gone == ContextGone::PostCompact
    }

    /// Whether no event says that the context is gone.
    pub fn compaction_is_never_told(&self) -> bool {
        self.sessions.context_gone == ContextGone::Never
    }

    /// Whether `pre_compact` says that the context goes, because nothing is said afterwards.
    pub fn compaction_at_pre_compact(&self) -> bool {
        self.sessions.context_gone == ContextGone::PreCompact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_profile_and_unknown_keys_are_ignored() {
        let text = "id = \"x\"\nfuture = 1\n[memory]\nnew = true\n[sessions]\ncontext_gone = \"some_day\"\n";
        let profile: HostProfile = toml::from_str(text).expect("a profile");
        assert_eq!(profile, HostProfile::plain("x"));
        assert_eq!(profile.title(), "x");
    }

    #[test]
    fn a_profile_without_an_id_is_none() {
        assert!(toml::from_str::<HostProfile>("name = \"X\"").is_err());
    }
}
