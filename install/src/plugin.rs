//! The plugin of a host that runs no programs by itself: a file of ours, with one line that says what it starts.

use std::path::Path;

use serde_json::{Value, json};

use crate::edit::Problem;
use crate::edit::json::hook_groups::Present;
use crate::host::{Hook, Host};
use crate::manifest::digest;
use crate::{Error, Installation};

/// What all plugins have: the line, and how the program is run.
const PROGRAM: &str = include_str!("plugin/program.js");

/// What the line begins with; a JSON object follows.
const LINE: &str = "const REMORA = ";

/// How long the plugin waits for the program, in milliseconds: longer than its program waits for anything.
const PATIENCE: u32 = 2_000;

/// The plugin's text: what all have, and what is `own` to the host.
pub(crate) fn text(own: &str, host: &Host, installation: &Installation) -> Result<String, Error> {
    let executable = installation.executable(host.id, host.hooks[0].executable);
    let unwritable = || Error::UnwritablePath(executable.clone());
    let program = executable.to_str().ok_or_else(unwritable)?;
    let root = installation.root().to_str().ok_or_else(unwritable)?;
    let line = json!({"program": program, "arguments": ["--root", root], "patience": PATIENCE});
    let program = PROGRAM.replacen(&format!("{LINE}{{}}"), &format!("{LINE}{line}"), 1);
    Ok(program + own)
}

/// What an entry of the plugin amounts to: a program, its arguments, and the text that starts it.
pub(crate) fn handler(hook: &Hook, program: &str, arguments: &[Value], text: &str) -> Value {
    let arguments: Vec<Value> = std::iter::once(hook.event.into()).chain(arguments.iter().cloned()).collect();
    json!({"type": "plugin", "command": program, "args": arguments, "text": digest(text.as_bytes())})
}

/// The hooks that the plugin at hand brings: every one of the host's, or none where the text is no plugin of ours.
pub(crate) fn present(host: &Host, text: &str) -> Vec<Present> {
    let line = text.lines().find_map(|line| line.strip_prefix(LINE));
    let said: Value = line.and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let (Some(program), Some(arguments)) = (said["program"].as_str(), said["arguments"].as_array()) else {
        return Vec::new();
    };
    host.hooks
        .iter()
        .map(|hook| {
            let handler = handler(hook, program, arguments, text);
            Present { event: hook.event.to_owned(), group: 0, index: 0, in_group: Value::Null, handler }
        })
        .collect()
}

/// A text in the plugin's place that is no plugin of ours.
pub(crate) fn stranger(path: &Path) -> Error {
    let message = "it is not Remora's plugin, though it is called so".to_owned();
    Problem::Shape { line: 1, column: 1, message }.of(path)
}
