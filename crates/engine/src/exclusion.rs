//! What the person keeps out of the journal by patterns: projects, files and folders, tools.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use remora_event::{Event, ToolKind};

use crate::config::JournalConfig;
use crate::faults::Fault;
use crate::texts;

/// The patterns, made ready.
#[derive(Debug, Default)]
pub(crate) struct Exclusion {
    projects: GlobSet,
    paths: GlobSet,
    tools: GlobSet,
}

impl Exclusion {
    /// By the person's settings, with what is wrong with them.
    pub(crate) fn new(config: &JournalConfig, home: Option<&Path>) -> (Self, Vec<Fault>) {
        let mut faults = Vec::new();
        let mut set = |key: &'static str, patterns: &[String], anywhere: bool| {
            let mut builder = GlobSetBuilder::new();
            for written in patterns {
                let pattern = full(written, home, anywhere);
                match GlobBuilder::new(&pattern).literal_separator(anywhere).build() {
                    Ok(glob) => drop(builder.add(glob)),
                    Err(error) => faults.push(Fault::of_pattern(key, written, &error.kind().to_string())),
                }
            }
            builder.build().unwrap_or_default()
        };
        let exclusion = Self {
            projects: set("journal.exclude_projects", &config.exclude_projects, true),
            paths: set("journal.exclude_paths", &config.exclude_paths, true),
            tools: set("journal.exclude_tools", &config.exclude_tools, false),
        };
        (exclusion, faults)
    }

    /// Whether nothing of an event is to be recorded.
    pub(crate) fn covers(&self, event: &Event, project: Option<&str>) -> bool {
        if project.is_some_and(|root| is_below(&self.projects, Path::new(root)))
            || is_below(&self.projects, Path::new(&event.cwd))
        {
            return true;
        }
        let Some(tool) = &event.tool else { return false };
        if self.tools.is_match(&tool.name) {
            return true;
        }
        if self.paths.is_empty() {
            return false;
        }
        let cwd = Path::new(&event.cwd);
        tool.paths.iter().any(|path| is_below(&self.paths, Path::new(path)))
            || tool.kind == ToolKind::Shell && texts(&tool.input).any(|command| self.names_path(command, cwd))
            || matches!(tool.kind, ToolKind::Shell | ToolKind::Search)
                && tool.output.iter().flat_map(texts::all).any(|output| self.lists_path(output, cwd))
    }

    /// Whether a command names such a file or folder.
    fn names_path(&self, command: &str, cwd: &Path) -> bool {
        remora_redact::command_words(command)
            .filter(|word| !word.is_empty() && !word.starts_with('-'))
            .any(|word| is_below(&self.paths, &cwd.join(word)))
    }

    /// Whether lines of an answer begin with such a file, as those of searches do.
    fn lists_path(&self, output: &str, cwd: &Path) -> bool {
        output
            .lines()
            .filter_map(|line| line.split([':', ' ', '\t']).next())
            .filter(|word| word.contains(['/', '.']))
            .any(|word| is_below(&self.paths, &cwd.join(word)))
    }
}

/// A pattern as it is matched: with the home folder, and anywhere where it names no place.
fn full(pattern: &str, home: Option<&Path>, is_path: bool) -> String {
    if !is_path {
        return pattern.to_owned();
    }
    let pattern = pattern.trim_end_matches('/');
    match (pattern.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", globset::escape(&home.to_string_lossy())),
        _ if pattern.starts_with("**") || pattern.starts_with('/') => pattern.to_owned(),
        _ => format!("**/{}", pattern.trim_start_matches("./")),
    }
}

/// Whether a path, or a folder that it lies in, matches.
fn is_below(set: &GlobSet, path: &Path) -> bool {
    !set.is_empty() && path.ancestors().any(|path| set.is_match(path))
}

fn texts(input: &serde_json::Value) -> impl Iterator<Item = &str> {
    input.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(serde_json::Value::as_str)
}

#[cfg(test)]
mod tests {
    use remora_event::{EventKind, Tool};
    use serde_json::json;

    use super::*;

    fn event(cwd: &str, tool: Option<(ToolKind, &str, serde_json::Value, &[&str], &str)>) -> Event {
        let [id, session, cwd, at] = ["id", "s", cwd, ""].map(str::to_owned);
        let mut event = Event::new(EventKind::PostToolUse, id, "h", session, cwd, at);
        event.tool = tool.map(|(kind, name, input, paths, output)| Tool {
            name: name.into(),
            call: None,
            input,
            output: Some(output.into()),
            error: None,
            duration_ms: None,
            kind,
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        });
        event
    }

    #[test]
    fn what_the_patterns_name_is_covered_and_nothing_else() {
        let config = JournalConfig {
            exclude_projects: vec!["~/private/*".into(), "/srv/client".into()],
            exclude_paths: vec!["**/payroll/**".into(), "*.tax".into(), "~/diary".into()],
            exclude_tools: vec!["mcp__bank__*".into()],
            keep: None,
        };
        let (exclusion, problems) = Exclusion::new(&config, Some(Path::new("/home/ada")));
        assert_eq!(problems, []);
        let none: &[&str] = &[];
        let shell = |command: &str, output: &'static str| {
            Some((ToolKind::Shell, "Bash", json!({"command": command}), none, output))
        };
        for (cwd, tool, covered) in [
            ("/home/ada/private/x", None, true),
            ("/home/ada/private/x/src", None, true),
            ("/home/ada/private", None, false),
            ("/srv/client/a/b", None, true),
            ("/srv/clients", None, false),
            ("/p", None, false),
            ("/p", Some((ToolKind::Read, "Read", json!({}), &["/p/payroll/may.csv"][..], "")), true),
            ("/p", Some((ToolKind::Read, "Read", json!({}), &["/p/payrolls/may.csv"][..], "")), false),
            ("/p", Some((ToolKind::Read, "Read", json!({}), &["/p/2026.tax"][..], "")), true),
            ("/p", Some((ToolKind::Read, "Read", json!({}), &["/home/ada/diary/monday.md"][..], "")), true),
            ("/p", Some((ToolKind::Mcp, "mcp__bank__balance", json!({}), none, "12")), true),
            ("/p", Some((ToolKind::Mcp, "mcp__banks__balance", json!({}), none, "12")), false),
            ("/p", shell("cat payroll/may.csv", ""), true),
            ("/p", shell("cat ../p/2026.tax | head", ""), true),
            ("/p", shell("cargo test", "ok"), false),
            ("/p", shell("rg ada", "src/a.rs:1: ada\npayroll/may.csv:3: ada"), true),
        ] {
            assert_eq!(exclusion.covers(&event(cwd, tool.clone()), None), covered, "{cwd} {tool:?}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_said_and_the_others_hold() {
        let config =
            JournalConfig { exclude_tools: vec!["a[".into(), "b*".into()], ..JournalConfig::default() };
        let (exclusion, problems) = Exclusion::new(&config, None);
        assert_eq!(problems.len(), 1, "{problems:?}");
        let tool = (ToolKind::Other, "bee", json!({}), &[][..], "");
        assert!(exclusion.covers(&event("/p", Some(tool)), None));
    }
}
