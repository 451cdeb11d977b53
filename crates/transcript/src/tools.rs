//! A host's tools in host-neutral words, as its transcripts name them.

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;
use remora_event::{ToolKind, absolute};
use remora_profile::NativeMemory;
use serde_json::Value;

use crate::definition::{Table, pattern};
use crate::error::DefinitionError;

/// At most so many files of one call are kept.
const PATHS: usize = 100;

/// What is known of a host's tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    /// What transcripts call a tool that hooks call otherwise.
    names: Vec<(GlobMatcher, String)>,
    kinds: Vec<(GlobMatcher, ToolKind)>,
    /// The arguments that name files or folders.
    paths: Vec<String>,
    /// How a text among the arguments names files.
    path_patterns: Vec<Regex>,
    memory: NativeMemory,
}

impl Tools {
    pub(crate) fn read(table: &Table<'_>, memory: &NativeMemory) -> Result<Self, DefinitionError> {
        table.only(&["names", "kinds", "paths", "path_patterns"])?;
        let mut tools = Self { memory: memory.clone(), ..Self::default() };
        for (written, name) in pairs(table, "names")? {
            tools.names.push((named(table, "names", &written)?, name));
        }
        for (written, kind) in pairs(table, "kinds")? {
            let parsed = serde_json::from_value::<ToolKind>(Value::String(kind.clone()));
            let kind = parsed.ok().filter(|parsed| parsed.as_str() == kind).ok_or_else(|| {
                let allowed = "read, write, edit, shell, search, web, mcp, agent, memory, other";
                table.error(
                    &format!("kinds.{written}"),
                    format!("{kind:?} is not known; allowed are {allowed}"),
                )
            })?;
            tools.kinds.push((named(table, "kinds", &written)?, kind));
        }
        tools.paths = table.texts("paths")?.into_iter().map(str::to_owned).collect();
        for text in table.texts("path_patterns")? {
            tools.path_patterns.push(pattern(text).map_err(|problem| table.error("path_patterns", problem))?);
        }
        Ok(tools)
    }

    /// The name by which hooks know a tool.
    pub(crate) fn name(&self, written: &str) -> String {
        let known = self.names.iter().find(|(pattern, _)| pattern.is_match(written));
        known.map_or_else(|| written.to_owned(), |(_, name)| name.clone())
    }

    /// What a tool does.
    pub(crate) fn kind(&self, name: &str) -> ToolKind {
        if self.memory.has_tool(name) {
            return ToolKind::Memory;
        }
        self.kinds
            .iter()
            .find(|(pattern, _)| pattern.is_match(name))
            .map_or(ToolKind::Other, |(_, kind)| *kind)
    }

    /// The files and folders that the arguments name, absolute, each once.
    pub(crate) fn paths(&self, kind: ToolKind, input: &Value, cwd: &str) -> Vec<String> {
        if kind == ToolKind::Memory {
            return Vec::new();
        }
        let named = self.paths.iter().filter_map(|key| input.get(key)).flat_map(texts).map(str::to_owned);
        let mut found: Vec<String> = named.collect();
        if matches!(kind, ToolKind::Edit | ToolKind::Write) && !self.path_patterns.is_empty() {
            let written = match input {
                Value::Object(fields) => fields.values().flat_map(texts).collect(),
                other => texts(other),
            };
            for text in written {
                for pattern in &self.path_patterns {
                    let matches = pattern.captures_iter(text).filter_map(|found| found.get(1));
                    found.extend(matches.map(|path| path.as_str().trim().to_owned()).take(PATHS));
                }
            }
        }
        let mut paths: Vec<String> = Vec::new();
        for path in found.iter().filter(|path| !path.is_empty()).map(|path| path_from(path, cwd)) {
            if !paths.contains(&path) && paths.len() < PATHS {
                paths.push(path);
            }
        }
        paths
    }

    /// A shell's arguments with the command as one text, as hooks have it: some hosts write down the words.
    pub(crate) fn plain_input(kind: ToolKind, mut input: Value) -> Value {
        let Some(Value::Array(words)) = input.get("command").filter(|_| kind == ToolKind::Shell) else {
            return input;
        };
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let command = match words.as_slice() {
            [_, "-c" | "-lc", script] => (*script).to_owned(),
            words => words.join(" "),
        };
        input["command"] = Value::String(command);
        input
    }
}

fn pairs(table: &Table<'_>, key: &str) -> Result<Vec<(String, String)>, DefinitionError> {
    if table.get(key).is_none() {
        return Ok(Vec::new());
    }
    let inner = table.inner(key)?;
    inner
        .keys()
        .map(|(name, value)| match value {
            Value::String(text) => Ok((name.clone(), text.clone())),
            _ => Err(inner.error(name, "must be a text".to_owned())),
        })
        .collect()
}

fn named(table: &Table<'_>, key: &str, written: &str) -> Result<GlobMatcher, DefinitionError> {
    let built = GlobBuilder::new(written).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| {
        table.error(&format!("{key}.{written}"), format!("is no pattern ({})", error.kind()))
    })
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => Vec::from_iter(other.as_str()),
    }
}

/// A path as hooks give it. Addresses of files are paths here; what a Windows machine wrote stays as it is.
fn path_from(path: &str, cwd: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if cwd.get(1..2) == Some(":") { path.to_owned() } else { absolute(path, cwd) }
}
