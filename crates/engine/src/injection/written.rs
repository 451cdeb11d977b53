//! When a model has just written a memory file: what is odd about it goes back to the model in one sentence.

use std::path::{Path, PathBuf};

use remora_event::{Event, ToolKind};
use remora_memory::index::is_index_file;
use remora_memory::{new_memory, reader};

use super::budget::Room;
use super::{Injection, Item, wrapper};
use crate::config::Config;

/// The memory files that a tool call wrote, of these folders, relative to them.
pub(crate) fn files(event: &Event, folders: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let Some(tool) = &event.tool else { return Vec::new() };
    if !matches!(tool.kind, ToolKind::Write | ToolKind::Edit) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for path in &tool.paths {
        for folder in folders {
            let Ok(file) = Path::new(path).strip_prefix(folder) else { continue };
            let file = file.to_string_lossy().into_owned();
            let name = file.rsplit('/').next().unwrap_or(&file);
            if name.ends_with(".md") && !is_index_file(name) {
                found.push((folder.clone(), file));
            }
        }
    }
    found
}

/// Says what is odd about the files; nothing where nothing is.
pub(crate) fn compose(
    injection: &mut Injection,
    files: &[(PathBuf, String)],
    event: &Event,
    config: &Config,
) {
    let sentences: Vec<String> = files.iter().filter_map(|(folder, file)| oddities(folder, file)).collect();
    if sentences.is_empty() {
        return;
    }
    let text = format!("<remora-memory>\n{}\n</remora-memory>\n", sentences.join("\n"));
    if !Room::new(config.inject.budget.prompt, event.budget).fits(&text) {
        return;
    }
    injection.items.push(Item {
        part: "text",
        file: "check".into(),
        name: "what is odd about a memory that was written".into(),
        scope: "private",
        step: "point",
        score: None,
        tokens: super::tokens_of(&text),
        digest: String::new(),
    });
    injection.text = text;
}

fn oddities(folder: &Path, file: &str) -> Option<String> {
    let said = match reader::read_file(file, &folder.join(file)) {
        Err(unreadable) => vec![format!("line {}: {}", unreadable.line, unreadable.problem)],
        Ok(memory) => {
            let mut said: Vec<String> = memory.problems.iter().map(ToString::to_string).collect();
            said.extend(new_memory::too_vague(&memory.description).map(str::to_owned));
            said.extend(new_memory::excluded(&memory.body).map(|exclusion| exclusion.reason().to_owned()));
            said
        }
    };
    if said.is_empty() {
        return None;
    }
    let listed = said.iter().map(|text| wrapper::one_line(text)).collect::<Vec<_>>().join("; ");
    Some(format!("The memory file {} needs a correction: {listed}", wrapper::one_line(file)))
}
