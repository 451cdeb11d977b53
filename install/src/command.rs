//! Hook commands: how an entry names one of our executables, and how to read that back.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::Error;

/// How a host takes a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandForm {
    /// `command` is the executable, `args` its arguments: the host starts it without a shell.
    Exec,
    /// `command` is a line for `sh -c`.
    Shell,
    /// `command` is a line for `sh -c` that does nothing, successfully, where the executable is gone: for
    /// hosts that take a failing hook for a refusal.
    Guarded,
}

/// The unit in which a host counts a hook's time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

/// A handler object that starts `executable` for the data root `root`. `timeout` counts seconds.
pub(crate) fn handler(
    form: CommandForm,
    unit: TimeoutUnit,
    executable: &Path,
    root: &Path,
    timeout: u32,
) -> Result<Value, Error> {
    let program = text(executable)?;
    let root = text(root)?;
    let timeout = match unit {
        TimeoutUnit::Seconds => timeout,
        TimeoutUnit::Milliseconds => timeout * 1000,
    };
    Ok(match form {
        CommandForm::Exec => {
            json!({"type": "command", "command": program, "args": ["--root", root], "timeout": timeout})
        }
        CommandForm::Shell => {
            let command = format!("{} --root {}", sh_quote(program), sh_quote(root));
            json!({"type": "command", "command": command, "timeout": timeout})
        }
        CommandForm::Guarded => {
            let (program, root) = (sh_quote(program), sh_quote(root));
            let command = format!("[ -x {program} ] && {program} --root {root} || true");
            json!({"type": "command", "command": command, "timeout": timeout})
        }
    })
}

/// The executable that a handler object starts, as far as its first words tell. Nothing for handlers that
/// are no commands.
pub(crate) fn executable(handler: &Value) -> Option<PathBuf> {
    let command = handler.get("command")?.as_str()?;
    if handler.get("args").is_some() {
        return Some(PathBuf::from(command));
    }
    let line = command.trim_start();
    let line = line.strip_prefix("[ -x ").unwrap_or(line);
    first_word(line).map(PathBuf::from)
}

/// A word for `sh`, quoted where it must be.
pub(crate) fn sh_quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The first word of a line as `sh` reads it, quotes taken off. Nothing where it holds an expansion: such a
/// word is none of ours.
fn first_word(line: &str) -> Option<String> {
    let mut word = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inner => word.push(inner),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => word.push(chars.next()?),
                    '$' | '`' => return None,
                    inner => word.push(inner),
                }
            },
            '\\' => word.push(chars.next()?),
            '$' | '`' => return None,
            c if c.is_whitespace() || ";&|<>()".contains(c) => break,
            c => word.push(c),
        }
    }
    (!word.is_empty()).then_some(word)
}

fn text(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| Error::UnwritablePath(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 6] = [
        "/opt/remora/bin/x/stop",
        "/home/Jo Doe/remora/bin/x/stop",
        "/home/it's/bin/x/stop",
        "/home/记忆/bin/x/stop",
        "/home/$HOME/`id`/\"q\"/bin/x/stop",
        "/home/a\\b;c&d|e/bin/x/stop",
    ];

    #[test]
    fn every_form_names_its_executable_again() {
        for path in PATHS {
            for form in [CommandForm::Exec, CommandForm::Shell, CommandForm::Guarded] {
                let path = Path::new(path);
                let handler = handler(form, TimeoutUnit::Seconds, path, Path::new("/my root"), 5)
                    .expect("the path is Unicode");
                assert_eq!(executable(&handler).as_deref(), Some(path), "{handler}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn sh_reads_a_quoted_word_as_it_was() {
        for path in PATHS {
            let line = format!("printf %s {}", sh_quote(path));
            let output = std::process::Command::new("/bin/sh").args(["-c", &line]).output();
            assert_eq!(String::from_utf8_lossy(&output.expect("sh runs").stdout), path);
        }
    }

    #[test]
    fn lines_of_others_are_read_without_guessing() {
        let cases = [
            (r#"{"command": "npx -y some-hook"}"#, Some("npx")),
            (r#"{"command": "\"$HOME/bin/hook\" run"}"#, None),
            (r#"{"command": "$(cat x)"}"#, None),
            (r#"{"command": "'unfinished"}"#, None),
            (r#"{"command": ""}"#, None),
            (r#"{"command": 7}"#, None),
            (r#"{"type": "http", "url": "http://localhost"}"#, None),
            (r#"{"command": "/a b/c", "args": []}"#, Some("/a b/c")),
        ];
        for (handler, expected) in cases {
            let value = serde_json::from_str(handler).expect("the case is JSON");
            assert_eq!(executable(&value), expected.map(PathBuf::from), "{handler}");
        }
    }

    #[test]
    fn milliseconds_are_counted_for_hosts_that_do() {
        let handler = handler(
            CommandForm::Guarded,
            TimeoutUnit::Milliseconds,
            Path::new("/r/bin/gemini-cli/stop"),
            Path::new("/r"),
            5,
        );
        insta::assert_snapshot!(handler.expect("the path is Unicode"), @r#"{"type":"command","command":"[ -x /r/bin/gemini-cli/stop ] && /r/bin/gemini-cli/stop --root /r || true","timeout":5000}"#);
    }
}
