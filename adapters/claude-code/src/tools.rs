//! Claude Code's tools in host-neutral words.

use remora_event::ToolKind;
use serde_json::{Map, Value};

/// The name that Remora's own MCP server is registered under.
const OWN_SERVER: &str = "remora";

/// A question to a memory tool is cut to this many characters.
const MAX_QUERY: usize = 500;

/// The arguments that name files or folders.
const PATHS: [&str; 4] = ["file_path", "notebook_path", "path", "filePath"];

/// Where a host that borrows these hooks puts every tool's answer.
const COPILOT_OUTPUT: &str = "text_result_for_llm";

/// What a tool does.
pub(crate) fn kind(name: &str, input: &Value) -> ToolKind {
    match name {
        "Read" | "NotebookRead" => ToolKind::Read,
        "Write" => ToolKind::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Bash" | "BashOutput" | "KillShell" | "PowerShell" | "Shell" => ToolKind::Shell,
        "Grep" | "Glob" | "LS" => ToolKind::Search,
        "WebFetch" | "WebSearch" => ToolKind::Web,
        "Agent" | "Task" => ToolKind::Agent,
        _ if memory_query(name, input).is_some() => ToolKind::Memory,
        _ if name.starts_with("mcp__") || name.starts_with("MCP:") => ToolKind::Mcp,
        _ => ToolKind::Other,
    }
}

/// The question, when the tool is a memory's: `memory_search` of any MCP server but Remora's own, or a
/// tool `memory` that is told to search or view.
pub(crate) fn memory_query(name: &str, input: &Value) -> Option<String> {
    let (server, tool) = server_and_tool(name);
    if server.is_some_and(is_own_server) {
        return None;
    }
    let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let query = ["query", "q", "pattern", "text"].into_iter().find_map(text);
    let action = ["command", "action"].into_iter().find_map(text);
    let asked = match (tool, action) {
        ("memory_search", _) | ("memory", Some("search")) => query?.to_owned(),
        ("memory", Some("view")) => {
            query.map(str::to_owned).or_else(|| text("path").and_then(words_of_file))?
        }
        _ => return None,
    };
    Some(asked.trim().chars().take(MAX_QUERY).collect())
}

/// The words of a file's name: `build-times.md` asks for "build times".
fn words_of_file(path: &str) -> Option<String> {
    let file = path.rsplit(['/', '\\']).find(|part| !part.is_empty())?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    Some(stem.replace(['-', '_'], " "))
}

/// `mcp__<server>__<tool>`, or `<server>-<tool>` as one host that borrows these hooks spells it.
fn server_and_tool(name: &str) -> (Option<&str>, &str) {
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__")) {
        return (Some(server), tool);
    }
    match name.rsplit_once('-') {
        Some((server, tool)) => (Some(server), tool),
        None => (None, name),
    }
}

/// Remora's own server, also when a plugin brought it: `plugin_<plugin>_remora`.
fn is_own_server(server: &str) -> bool {
    server == OWN_SERVER || (server.starts_with("plugin_") && server.ends_with("_remora"))
}

/// The files and folders that the arguments name, absolute, each once.
pub(crate) fn paths(input: &Value, cwd: &str) -> Vec<String> {
    let named = PATHS.iter().filter_map(|key| input.get(key).and_then(Value::as_str));
    let mut paths: Vec<String> = Vec::new();
    for path in named.filter(|path| !path.is_empty()).map(|path| absolute(path, cwd)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// `path` taken from `cwd`, without `.` and `..`; nothing is looked up on the disk.
fn absolute(path: &str, cwd: &str) -> String {
    let is_windows = path.get(1..2) == Some(":");
    if is_windows || path.starts_with('~') {
        return path.to_owned();
    }
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    if cwd.get(1..2) == Some(":") {
        return whole;
    }
    let mut parts = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// What is worth keeping of a tool's answer. Claude Code repeats the arguments in it, and sends the whole
/// file as it was before an edit.
pub(crate) fn slim_output(name: &str, output: Value) -> Option<Value> {
    let kept: &[&str] = match name {
        "Write" => &["type"],
        "Edit" | "MultiEdit" => &["userModified"],
        "NotebookEdit" => &["cell_id", "edit_mode", "error"],
        "Bash" | "PowerShell" => {
            &["stdout", "stderr", "interrupted", "backgroundTaskId", "returnCodeInterpretation", "isImage"]
        }
        "Grep" => &["mode", "numFiles", "filenames", "content", "numLines", "numMatches"],
        "Glob" => &["numFiles", "filenames", "truncated"],
        "WebFetch" => &["code", "codeText", "result", "bytes"],
        "WebSearch" => &["results"],
        "Agent" | "Task" => &[
            "status",
            "agentId",
            "content",
            "outputFile",
            "totalDurationMs",
            "totalTokens",
            "totalToolUseCount",
        ],
        "TodoWrite" => &[],
        _ => return Some(output),
    };
    match output {
        Value::Object(mut fields) => {
            fields.retain(|key, value| {
                (kept.contains(&key.as_str()) || key == COPILOT_OUTPUT) && is_telling(value)
            });
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        other => Some(other),
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
