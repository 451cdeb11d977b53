//! Whether memory is off somewhere, why, and how that is undone.

use std::path::Path;

use serde_json::{Value, json};

use crate::clock;
use crate::engine::Engine;
use crate::pause::Pause;

impl Engine {
    /// Of a project, or of what belongs to none: `{"on", "off": [{"why": "config" | "disabled" | "paused", "where":
    /// "everywhere" | "project" | "session", "until", "what", "undo"}]}`. A paused session leaves memory on for others.
    /// `is_here`: it is the project of whoever asks.
    pub(crate) fn memory_state(&self, project: Option<(&str, &Path)>, is_here: bool) -> Value {
        let slug = project.map(|(slug, _)| slug);
        let root = project.map(|(_, root)| root);
        let named = match root {
            Some(root) if !is_here => format!(" --project {}", quoted(&root.to_string_lossy())),
            _ => String::new(),
        };
        let mut off: Vec<Value> = self.switched_off(root, &named).into_iter().collect();
        let pauses = self.pauses(|pauses| pauses.holding(slug));
        off.extend(pauses.iter().map(|pause| of_pause(pause, &named)));
        let on = off.iter().all(|off| off["where"] == "session");
        json!({"on": on, "off": off})
    }

    /// By the configuration.
    fn switched_off(&self, root: Option<&Path>, named: &str) -> Option<Value> {
        let config = self.config();
        if config.is_on(root) {
            return None;
        }
        let of_project = root.and_then(|root| config.of_project(root).enabled);
        let (why, place, what, undo) = if config.stopped.is_some() {
            let what = "memory is off everywhere: the configuration has a mistake";
            ("config", "everywhere", what, "`remora config edit` opens it".to_owned())
        } else if of_project == Some(false) {
            let undo = format!("`remora project enable{named}` undoes that");
            ("disabled", "project", "memory is off in this project", undo)
        } else {
            let undo = "`remora config set enabled true` undoes that".to_owned();
            ("disabled", "everywhere", "memory is off everywhere", undo)
        };
        Some(json!({"why": why, "where": place, "until": null, "what": what, "undo": undo}))
    }
}

fn of_pause(pause: &Pause, named: &str) -> Value {
    let (place, words, named) = match (&pause.session, &pause.project) {
        (Some(_), _) => ("session", "in one session", ""),
        (None, Some(_)) => ("project", "in this project", named),
        (None, None) => ("everywhere", "everywhere", ""),
    };
    let until = pause.until.map(clock::rfc3339);
    let end = until.as_deref().map_or(String::new(), |until| {
        let until = until.replace('T', " ");
        format!(" until {}", until.get(..16).unwrap_or(&until))
    });
    json!({
        "why": "paused", "where": place, "until": until, "what": format!("memory is paused {words}{end}"),
        "undo": format!("`remora resume{named}` ends that"),
    })
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("/home/ada/src-1/端口.x"), "/home/ada/src-1/端口.x");
        assert_eq!(quoted("/home/a b/it's"), r"'/home/a b/it'\''s'");
    }
}
