//! Our MCP server among a host's.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::edit::json::{Edited, MemberPath, member};
use crate::edit::{Problem, toml};
use crate::host::McpFormat;

/// Our server's name.
pub(crate) const NAME: &str = remora_event::OWN_SERVER;

const IN_JSON: [&str; 2] = ["mcpServers", NAME];
const IN_LINES: [&str; 2] = ["mcp", NAME];
const IN_TOML: [&str; 2] = ["mcp_servers", NAME];

/// An MCP server on standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// The executable, absolute.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What is registered under our name.
pub(crate) fn get(format: McpFormat, text: &str) -> Result<Option<Value>, Problem> {
    match format {
        McpFormat::Json | McpFormat::JsonWithTools => member::get(text, &IN_JSON),
        McpFormat::JsonLine => Ok(member::get(text, &IN_LINES)?.map(taken_apart)),
        McpFormat::Toml => toml::get(text, &IN_TOML),
    }
}

/// A server whose `command` is a whole line, as others write it.
fn taken_apart(mut server: Value) -> Value {
    let line =
        server.get_mut("command").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
    if let Some((command, args)) = line.split_first() {
        server["command"] = command.clone();
        server["args"] = args.into();
    }
    server
}

/// Registers our server.
pub(crate) fn set(format: McpFormat, text: &str, command: &str, args: &[String]) -> Result<Edited, Problem> {
    match format {
        McpFormat::Json => member::set(text, &IN_JSON, &json!({"command": command, "args": args})),
        McpFormat::JsonWithTools => member::set(
            text,
            &IN_JSON,
            &json!({"type": "local", "command": command, "args": args, "tools": ["*"]}),
        ),
        McpFormat::JsonLine => {
            let line: Vec<&str> = std::iter::once(command).chain(args.iter().map(String::as_str)).collect();
            member::set(text, &IN_LINES, &json!({"type": "local", "command": line, "enabled": true}))
        }
        McpFormat::Toml => {
            let text =
                toml::set_table(text, &IN_TOML, &[("command", json!(command)), ("args", json!(args))])?;
            Ok(Edited { text, hollow: Vec::new() })
        }
    }
}

/// Takes our server out, and the object of all servers if that is empty then and was not before.
pub(crate) fn remove(format: McpFormat, text: &str, hollow: &[MemberPath]) -> Result<String, Problem> {
    match format {
        McpFormat::Toml => toml::remove_table(text, &IN_TOML),
        McpFormat::Json | McpFormat::JsonWithTools | McpFormat::JsonLine => {
            let path = if format == McpFormat::JsonLine { IN_LINES } else { IN_JSON };
            let edited = member::remove(text, &path)?;
            let servers = vec![path[0].to_owned()];
            if hollow.contains(&servers) { Ok(edited) } else { member::remove_if_hollow(&edited, &servers) }
        }
    }
}
