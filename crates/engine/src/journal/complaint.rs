//! What a command complained of: the one line of what it printed that says what went wrong.

use remora_event::{Event, EventKind, Tool};

use super::observation::head;
use super::reinforcement;
use crate::command_line;
use crate::texts;

/// Characters of the line that are kept.
const LONGEST: usize = 200;

/// At most so many lines of an answer are looked at.
const LINES: usize = 2_000;

/// How a line begins that says of itself that something went wrong.
const BEGINS: [&str; 11] = [
    "error",
    "fatal",
    "panic",
    "npm err!",
    "--- fail",
    "fail ",
    "failed",
    "err_",
    "undefined reference",
    "segmentation fault",
    "thread '",
];

/// What only lines have that say so.
const SAYS: [&str; 6] = [
    "command not found",
    "error: ",
    "panicked at",
    "test result: failed",
    "address already in use",
    "is not recognized as",
];

/// What lines have that say so where it is known that something went wrong.
const MAY_SAY: [&str; 11] = [
    "no such file",
    "permission denied",
    "not found",
    "cannot",
    "could not",
    "failed",
    "refused",
    "timed out",
    "unknown",
    "invalid",
    "error",
];

/// Lines that count what did not happen.
const NOTHING_WRONG: [&str; 4] = ["0 errors", "0 error(s)", "no errors", "0 failed"];

/// A command that did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// A digest of program and subcommand.
    pub(crate) name: [u8; 16],
    /// Whether it went wrong.
    pub(crate) failed: bool,
    /// What it complained of, as a digest without what differs every time; nothing where it went well or said nothing.
    pub(crate) complaint: Option<[u8; 16]>,
}

impl Attempt {
    /// The attempt that an event reports, if it is one.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        if !matches!(event.event, EventKind::PostToolUse | EventKind::ToolFailure) {
            return None;
        }
        let tool = event.tool.as_ref()?;
        if tool.kind != remora_event::ToolKind::Shell {
            return None;
        }
        let name = command_line::name(&command_line::of(tool)?)?;
        let line = line_of(tool, event.event == EventKind::ToolFailure);
        let failed = line.is_some() || tool.error.is_some() || event.event == EventKind::ToolFailure;
        Some(Self {
            name: reinforcement::content("command", &name)?,
            failed,
            complaint: line.and_then(|line| reinforcement::content("complaint", &without_particulars(&line))),
        })
    }
}

/// The line that says what went wrong. Some hosts do not tell how a command ended: there only a line counts that
/// says so of itself. `failed`: the host says that it failed.
pub(crate) fn line_of(tool: &Tool, failed: bool) -> Option<String> {
    let failed = failed || tool.error.is_some();
    let mut said: Vec<&str> = tool.error.as_deref().into_iter().collect();
    said.extend(tool.output.as_ref().map(texts::all).unwrap_or_default());
    let lines = || {
        let lines = said.iter().flat_map(|text| text.lines()).map(str::trim);
        lines.filter(|line| !line.is_empty()).take(LINES)
    };
    let found = lines().find(|line| says(line)).or_else(|| {
        let may_say = |line: &&str| {
            let lower = line.to_lowercase();
            !is_about_nothing(&lower)
                && !is_exit_status(&lower)
                && MAY_SAY.iter().any(|sign| lower.contains(sign))
        };
        if failed { lines().find(may_say) } else { None }
    });
    found.map(|line| head(line, LONGEST))
}

fn says(line: &str) -> bool {
    let lower = line.to_lowercase();
    if is_about_nothing(&lower) || is_exit_status(&lower) {
        return false;
    }
    // `ModuleNotFoundError: No module named 'x'`
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_raised = ["Error:", "Exception:"].iter().any(|end| first.ends_with(end));
    is_raised
        || BEGINS.iter().any(|begin| lower.starts_with(begin))
        || SAYS.iter().any(|sign| lower.contains(sign))
}

fn is_about_nothing(lower: &str) -> bool {
    NOTHING_WRONG.iter().any(|nothing| lower.contains(nothing))
}

/// `Error: Exit code 1` says no more than that it failed.
fn is_exit_status(lower: &str) -> bool {
    let bare = lower.trim_start_matches("error: ");
    bare.starts_with("exit code") || bare.starts_with("exit status") || bare.starts_with("command failed")
}

/// The same line without what differs every time: numbers, addresses, the folders of paths.
fn without_particulars(line: &str) -> String {
    let lower = line.to_lowercase();
    let words = lower.split_whitespace().map(|word| {
        let last = word.rsplit('/').next().unwrap_or(word);
        let word = if word.contains("://") { word } else { last };
        let is_hex = word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit() || "-x'\"".contains(c));
        if is_hex { "#".to_owned() } else { numbers_as_one(word) }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn numbers_as_one(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '0'..='9' if out.ends_with('0') => {}
            '0'..='9' => out.push('0'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use remora_event::ToolKind;
    use serde_json::{Value, json};

    use super::*;

    fn tool(error: Option<&str>, output: Value) -> Tool {
        Tool {
            name: "Bash".into(),
            call: None,
            input: json!({"command": "npm test"}),
            output: Some(output),
            error: error.map(str::to_owned),
            duration_ms: None,
            kind: ToolKind::Shell,
            paths: Vec::new(),
        }
    }

    #[test]
    fn the_line_that_says_what_went_wrong_is_found() {
        for (error, output, expected) in [
            (
                None,
                "building\nerror[E0308]: mismatched types\n --> src/a.rs:3",
                Some("error[E0308]: mismatched types"),
            ),
            (
                None,
                "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'x'",
                Some("ModuleNotFoundError: No module named 'x'"),
            ),
            (None, "ok\n12 passed, 0 failed", None),
            (None, "the file was not found in the cache, downloading\ndone", None),
            (Some("Exit code 1"), "the file was not found", Some("the file was not found")),
            (Some("Exit code 1\nbash: foo: command not found"), "", Some("bash: foo: command not found")),
            (Some("Exit code 2"), "", None),
            (
                None,
                "listening on 0.0.0.0:80\nError: listen EADDRINUSE: address already in use :::80",
                Some("Error: listen EADDRINUSE: address already in use :::80"),
            ),
        ] {
            assert_eq!(
                line_of(&tool(error, json!(output)), false).as_deref(),
                expected,
                "{error:?} {output}"
            );
        }
    }

    #[test]
    fn the_same_complaint_is_the_same_whatever_its_numbers() {
        for (a, b, same) in [
            ("error: port 8080 is taken by pid 4711", "error: port 9090 is taken by pid 12", true),
            ("Error: cannot open /tmp/a1b2/x.db", "Error: cannot open /var/x.db", true),
            ("error: cannot find module 'left'", "error: cannot find module 'right'", false),
        ] {
            assert_eq!(without_particulars(a) == without_particulars(b), same, "{a} | {b}");
        }
    }
}
