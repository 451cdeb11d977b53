//! A host's tools in host-neutral words.

use remora_event::{ToolKind, is_own_server};
use serde_json::{Map, Value};

use crate::memory_tools::{MemoryTool, names_everywhere, question_everywhere};
use crate::{FailureSigns, paths};

/// What is known of a host's tools.
#[derive(Debug)]
pub struct Tools {
    /// What tools do, by name. The first that matches counts.
    pub kinds: &'static [(&'static str, ToolKind)],
    /// How tools of MCP servers are named.
    pub mcp: &'static [McpNames],
    /// The host's own memory tools.
    pub memory: &'static [MemoryTool],
    /// Files in the host's own memory that only point to others.
    pub memory_indexes: &'static [&'static str],
    /// The arguments that name files or folders.
    pub paths: &'static [&'static str],
    /// What is worth keeping of the answers of tools that repeat their arguments in it, or say more than
    /// anybody wants to find again.
    pub kept: &'static [(&'static [&'static str], &'static [&'static str])],
    /// What is kept of every tool's answer.
    pub kept_always: &'static [&'static str],
    /// How an answer says that the tool failed.
    pub failure: FailureSigns,
}

/// How a host names a tool of an MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpNames {
    /// `mcp__<server>__<tool>`.
    DoubleUnderscore,
    /// `mcp_<server>_<tool>`.
    Underscore,
    /// `MCP:<tool>`, without the server.
    Colon,
    /// `<server>-<tool>`. Other tools may be named so too.
    Dash,
    /// `<server>_<tool>`. Other tools may be named so too, so that only tools that look into a memory are known.
    Bare,
}

impl McpNames {
    /// The server, where the name has it, and the tool.
    fn split(self, name: &str) -> Option<(Option<&str>, &str)> {
        match self {
            Self::DoubleUnderscore => {
                let (server, tool) = name.strip_prefix("mcp__")?.rsplit_once("__")?;
                Some((Some(server), tool))
            }
            Self::Underscore => {
                let (server, tool) = name.strip_prefix("mcp_")?.split_once('_')?;
                Some((Some(server), tool))
            }
            Self::Colon => Some((None, name.strip_prefix("MCP:")?)),
            Self::Dash => name.rsplit_once('-').map(|(server, tool)| (Some(server), tool)),
            Self::Bare => names_everywhere().find_map(|tool| {
                let start = name.len().checked_sub(tool.len())?;
                (name.get(start..)? == tool).then_some(())?;
                Some((Some(name[..start].strip_suffix('_')?), &name[start..]))
            }),
        }
    }

    /// Whether a name of this form is certainly that of a server's tool.
    fn is_certain(self, name: &str) -> bool {
        match self {
            Self::DoubleUnderscore => name.starts_with("mcp__"),
            Self::Underscore => name.starts_with("mcp_"),
            Self::Colon => name.starts_with("MCP:"),
            Self::Dash | Self::Bare => false,
        }
    }
}

impl Tools {
    /// What a tool does.
    pub(crate) fn kind(&self, name: &str, asks_memory: bool) -> ToolKind {
        let known = self.kinds.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        known.unwrap_or_else(|| {
            if asks_memory || self.memory.iter().any(|tool| tool.name == name) {
                ToolKind::Memory
            } else if self.mcp.iter().any(|names| names.is_certain(name)) {
                ToolKind::Mcp
            } else {
                ToolKind::Other
            }
        })
    }

    /// The question, when the tool is a memory's: one of the host's own, or one of any MCP server but Remora's.
    /// `told`: the server and the tool, where the payload names them.
    pub(crate) fn memory_query(
        &self,
        name: &str,
        told: Option<(&str, &str)>,
        input: &Value,
    ) -> Option<String> {
        if let Some(own) = self.memory.iter().find(|tool| tool.name == name) {
            return own.ask(input, self.memory_indexes);
        }
        let told = told.map(|(server, tool)| (Some(server), tool));
        let named = || self.mcp.iter().find_map(|names| names.split(name));
        let (server, tool) = told.or_else(named).unwrap_or((None, name));
        if server.is_some_and(is_own_server) {
            return None;
        }
        question_everywhere(tool, input)
    }

    /// The files and folders that the arguments name, absolute, each once.
    pub(crate) fn paths(&self, name: &str, input: &Value, cwd: &str) -> Vec<String> {
        // Paths there begin in the memory's folder, wherever that is.
        if self.memory.iter().any(|tool| tool.name == name) {
            return Vec::new();
        }
        paths::named(self.paths, input, cwd)
    }

    /// What is worth keeping of a tool's answer.
    pub(crate) fn slim(&self, name: &str, output: Value) -> Option<Value> {
        let Some((_, kept)) = self.kept.iter().find(|(names, _)| names.contains(&name)) else {
            return Some(output);
        };
        match output {
            Value::Object(mut fields) => {
                let is_kept = |key: &str| kept.contains(&key) || self.kept_always.contains(&key);
                fields.retain(|key, value| is_kept(key) && is_telling(value));
                (!fields.is_empty()).then_some(Value::Object(fields))
            }
            other => Some(other),
        }
    }
}

/// Empty texts, nulls and "false" say nothing.
fn is_telling(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !Map::is_empty(fields),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_servers_and_tools_are_taken_apart() {
        use McpNames::{Bare, Colon, Dash, DoubleUnderscore, Underscore};
        for (names, name, expected) in [
            (DoubleUnderscore, "mcp__a_b__memory_search", Some((Some("a_b"), "memory_search"))),
            (DoubleUnderscore, "mcp__a", None),
            (Underscore, "mcp_memory_memory_search", Some((Some("memory"), "memory_search"))),
            (Underscore, "run_shell_command", None),
            (Colon, "MCP:query", Some((None, "query"))),
            (Dash, "my-server-memory_search", Some((Some("my-server"), "memory_search"))),
            (Dash, "bash", None),
            (Bare, "my_notes_memory_search", Some((Some("my_notes"), "memory_search"))),
            (Bare, "a_memory", Some((Some("a"), "memory"))),
            (Bare, "memory_search", None),
            (Bare, "db_query", None),
            (Bare, "端口", None),
        ] {
            assert_eq!(names.split(name), expected, "{name}");
        }
    }
}
