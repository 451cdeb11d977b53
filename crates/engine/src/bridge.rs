//! The bridge: when a model looks into the memory that its host keeps by itself, the same question is answered
//! beside it. The host's own tool runs unchanged; nothing here can make it fail.

use std::path::{Component, Path, PathBuf};

use remora_event::{Event, EventKind, Tool, ToolKind};

use crate::command_line::{self, program};

/// A question is cut to this many characters.
pub(crate) const MAX_QUESTION: usize = 500;

/// Programs of a shell that show what is in files.
const READERS: &[&str] =
    &["cat", "bat", "less", "more", "head", "tail", "sed", "awk", "grep", "egrep", "fgrep", "rg", "ag", "nl"];

/// Those of them whose first argument is what is looked for.
const SEARCHERS: &[&str] = &["grep", "egrep", "fgrep", "rg", "ag"];

/// Where a tool's arguments say what is looked for.
const PATTERNS: &[&str] = &["pattern", "query", "regex"];

/// A look into a native memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LookUp {
    /// What is asked; none: whatever the turn is about.
    pub(crate) question: Option<String>,
    /// The native files and folders that were looked at.
    pub(crate) paths: Vec<PathBuf>,
}

/// The look into a native memory that an event reports, if it is one. `folders`: where hosts keep memory, asked for
/// only where the call reads files. `home`: what `~` is in a command of the shell.
pub(crate) fn look_up(
    event: &Event,
    folders: impl FnOnce() -> Vec<PathBuf>,
    home: Option<&Path>,
) -> Option<LookUp> {
    if !matches!(event.event, EventKind::PreToolUse | EventKind::PostToolUse) {
        return None;
    }
    let tool = event.tool.as_ref()?;
    if let Some(query) = &event.memory_query {
        return Some(LookUp { question: question(query), paths: Vec::new() });
    }
    let reads = matches!(tool.kind, ToolKind::Read | ToolKind::Search | ToolKind::Shell | ToolKind::Memory);
    let is_done = event.event == EventKind::PostToolUse && tool.error.is_none();
    if !reads || !is_done {
        return None;
    }
    let words = if tool.kind == ToolKind::Shell { words_of_reading(tool)? } else { Vec::new() };
    let mut paths = paths_in(tool, &words, &event.cwd, home);
    if paths.is_empty() {
        return None;
    }
    let folders = folders();
    paths.retain(|path| folders.iter().any(|folder| path.starts_with(folder)));
    paths.sort();
    paths.dedup();
    if paths.is_empty() {
        return None;
    }
    let question = pattern(tool, &words).or_else(|| topics(&paths, &folders));
    Some(LookUp { question, paths })
}

/// The files that a call read, changed or showed in a shell.
pub(crate) fn files_of(event: &Event, home: Option<&Path>) -> Vec<PathBuf> {
    let Some(tool) = &event.tool else { return Vec::new() };
    let words = if tool.kind == ToolKind::Shell { words_of_reading(tool) } else { None };
    paths_in(tool, &words.unwrap_or_default(), &event.cwd, home)
}

fn paths_in(tool: &Tool, words: &[String], cwd: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let named = tool.paths.iter().map(PathBuf::from);
    let in_words = words.iter().filter_map(|word| path_of(word, cwd, home));
    named.chain(in_words).filter_map(|path| normal(&path)).collect()
}

/// The words of a command that reads files; nothing for another one.
fn words_of_reading(tool: &Tool) -> Option<Vec<String>> {
    let words = command_line::words(&command_line::of(tool)?);
    words.iter().any(|word| READERS.contains(&program(word))).then_some(words)
}

/// A word as a path: absolute, from home, or from the directory of the call.
fn path_of(word: &str, cwd: &str, home: Option<&Path>) -> Option<PathBuf> {
    if word.starts_with('-') || !word.contains(['/', '.']) {
        return None;
    }
    for prefix in ["~/", "$HOME/", "${HOME}/"] {
        if let Some(rest) = word.strip_prefix(prefix) {
            return Some(home?.join(rest));
        }
    }
    Some(Path::new(cwd).join(word))
}

/// An absolute path without `.` and `..`, and without what a pattern of the shell leaves open.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            Component::Normal(name) if name.to_string_lossy().contains(['*', '?', '[', '{']) => break,
            part => normal.push(part),
        }
    }
    normal.is_absolute().then_some(normal)
}

/// What a search looks for.
fn pattern(tool: &Tool, words: &[String]) -> Option<String> {
    if let Some(pattern) = PATTERNS.iter().find_map(|key| tool.input.get(key)?.as_str()) {
        return question(pattern);
    }
    let at = words.iter().position(|word| SEARCHERS.contains(&program(word)))?;
    question(words[at + 1..].iter().find(|word| !word.starts_with('-'))?)
}

/// What the names of the files say. The index and the folder itself say nothing of what is looked for in them.
fn topics(paths: &[PathBuf], folders: &[PathBuf]) -> Option<String> {
    let topics: Vec<String> = paths
        .iter()
        .filter(|path| !folders.contains(path))
        .filter_map(|path| path.file_stem()?.to_str())
        .filter(|stem| !["memory", "memory_summary", "readme"].contains(&stem.to_lowercase().as_str()))
        .map(|stem| {
            let kind = ["user_", "feedback_", "project_", "reference_"];
            kind.iter().find_map(|kind| stem.strip_prefix(kind)).unwrap_or(stem)
        })
        .map(|stem| stem.replace(['-', '_', '.'], " "))
        .collect();
    question(&topics.join(" "))
}

/// A question without what only a pattern needs; none where nothing is left of it.
fn question(text: &str) -> Option<String> {
    let words: String = text
        .chars()
        .map(|c| if "\\^$*+?()[]{}|\"'".contains(c) { ' ' } else { c })
        .take(MAX_QUESTION)
        .collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().any(char::is_alphanumeric).then_some(words)
}

#[cfg(test)]
mod tests {
    use remora_event::Event;
    use serde_json::{Value, json};

    use super::*;

    const FOLDER: &str = "/home/dev/.host/projects/-p/memory";

    fn call(kind: ToolKind, input: Value, paths: &[&str]) -> Event {
        let mut event = Event::new(
            EventKind::PostToolUse,
            "0193aaaa-0000-7000-8000-000000000001".into(),
            "some-host",
            "s".into(),
            "/home/dev/p".into(),
            "2026-11-02T10:00:00Z".into(),
        );
        event.tool = Some(Tool {
            name: "t".into(),
            call: None,
            input,
            output: None,
            error: None,
            duration_ms: None,
            kind,
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        });
        event
    }

    fn asked(event: &Event) -> Option<Option<String>> {
        look_up(event, || vec![PathBuf::from(FOLDER)], Some(Path::new("/home/dev")))
            .map(|found| found.question)
    }

    #[test]
    fn a_look_into_a_native_folder_asks_for_what_the_file_is_about() {
        let file = |name: &str| format!("{FOLDER}/{name}");
        for (event, expected) in [
            (
                call(ToolKind::Read, json!({}), &[&file("feedback_database-tests.md")]),
                Some(Some("database tests")),
            ),
            (call(ToolKind::Read, json!({}), &[&file("MEMORY.md")]), Some(None)),
            (
                call(ToolKind::Search, json!({"pattern": "staging.*port"}), &[FOLDER]),
                Some(Some("staging. port")),
            ),
            (call(ToolKind::Search, json!({}), &[FOLDER]), Some(None)),
            (call(ToolKind::Read, json!({}), &["/home/dev/.host/projects/-p/memory-evil/x.md"]), None),
            (call(ToolKind::Read, json!({}), &["/home/dev/.host/projects/-p/memory/../../x.md"]), None),
            (call(ToolKind::Write, json!({}), &[&file("x.md")]), None),
            (
                call(
                    ToolKind::Shell,
                    json!({"command": "cat ~/.host/projects/-p/memory/release.md | head"}),
                    &[],
                ),
                Some(Some("release")),
            ),
            (
                call(
                    ToolKind::Shell,
                    json!({"command": ["bash", "-lc", "rg -i 'deploy key' ~/.host/projects/-p/memory"]}),
                    &[],
                ),
                Some(Some("deploy key")),
            ),
            (
                call(ToolKind::Shell, json!({"command": "cat \"$HOME/.host/projects/-p/memory/\"*.md"}), &[]),
                Some(None),
            ),
            (
                call(ToolKind::Shell, json!({"command": "rm ~/.host/projects/-p/memory/release.md"}), &[]),
                None,
            ),
            (call(ToolKind::Shell, json!({"command": "cat src/main.rs"}), &[]), None),
        ] {
            let expected = expected.map(|question: Option<&str>| question.map(str::to_owned));
            assert_eq!(asked(&event), expected, "{:?}", event.tool);
        }
    }

    #[test]
    fn a_memory_tool_asks_its_own_question_and_a_failed_read_none() {
        let mut event = call(ToolKind::Memory, json!({"query": "port"}), &[]);
        event.memory_query = Some("which port is staging on".into());
        assert_eq!(asked(&event), Some(Some("which port is staging on".into())));

        let mut event = call(ToolKind::Read, json!({}), &[&format!("{FOLDER}/gone.md")]);
        event.tool.as_mut().expect("a tool").error = Some("no such file".into());
        assert_eq!(asked(&event), None);
    }

    #[test]
    fn nothing_of_a_pattern_alone_is_a_question() {
        assert_eq!(question(".*"), None);
        assert_eq!(question("(端口|port)"), Some("端口 port".into()));
    }
}
