//! What a host's events mean: compaction, subagents, sessions that are no work.

use serde::{Deserialize, Serialize};

/// What a session's events mean on a host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    /// Which event says that the context was compacted away and must be given again.
    #[serde(default)]
    pub context_gone: ContextGone,
    /// Sessions in a directory whose path has one of these in it are ignored.
    #[serde(default)]
    pub ignored_directories: Vec<String>,
}

impl Sessions {
    /// Whether sessions in this directory are ignored.
    pub fn ignores(&self, cwd: &str) -> bool {
        let cwd = cwd.replace('\\', "/");
        self.ignored_directories.iter().any(|part| !part.is_empty() && cwd.contains(part.as_str()))
    }
}

/// The event after which the model no longer has what it was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextGone {
    /// `post_compact`.
    PostCompact,
    /// `pre_compact`, on hosts that say nothing afterwards.
    PreCompact,
    /// No event says so: what was given long ago counts as gone.
    Never,
    /// `session_start` with the source `compact`.
    #[default]
    #[serde(other)]
    SessionStart,
}

/// How a host's subagents show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagents {
    /// Whether a subagent's events carry its id beside the session's.
    #[serde(default)]
    pub have_ids: bool,
    /// Kinds of agents that are the host's own machinery, for example one that writes a summary.
    #[serde(default)]
    pub machinery: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_tools_are_ignored_by_their_directory() {
        let sessions = Sessions {
            ignored_directories: vec!["/.observer/".into(), String::new()],
            ..Sessions::default()
        };
        assert!(sessions.ignores("/home/dev/.observer/x"));
        assert!(sessions.ignores("C:\\dev\\.observer\\x"));
        assert!(!sessions.ignores("/home/dev/observer"));
    }
}
