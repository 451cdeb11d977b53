//! Payloads captured from real hosts, one file per event and variant.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Error, Result};

/// One captured payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The file's name without its ending, as in `PostToolUse.Bash`.
    pub name: String,
    /// The file's text.
    pub text: String,
}

impl Payload {
    /// The host's name of the event.
    pub fn event(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// The payload as JSON.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.text).map_err(Error::json(&self.name))
    }
}

/// All payloads of a host, by name. Files whose name starts with `_` describe the surroundings of a hook
/// and are left out.
pub fn captured(host: &str) -> Result<Vec<Payload>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(host);
    let entries = std::fs::read_dir(&folder).map_err(Error::file("listing", &folder))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut payloads = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with('_') {
            let text = std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?;
            payloads.push(Payload { name, text });
        }
    }
    Ok(payloads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_payload_is_an_object_that_names_its_event() {
        for host in ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli"] {
            let payloads = captured(host).expect("payloads");
            assert!(payloads.len() > 10, "{host}");
            for payload in payloads {
                let json = payload.json().expect("JSON");
                // Some events of Copilot CLI are spelled in a dialect that does not say which they are.
                let unnamed = host == "copilot-cli" && json.get("hook_event_name").is_none();
                assert!(
                    unnamed || json["hook_event_name"] == payload.event(),
                    "{host}/{} is an event of another name",
                    payload.name
                );
            }
        }
    }
}
