//! Hook commands: how an entry names one of our executables, and how to read that back.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::host::{Hook, Host, Shape};
use crate::{Error, Installation, plugin};

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
    /// A plugin of ours starts the executable, with the event as its first argument.
    Plugin,
}

/// The unit in which a host counts a hook's time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

/// The handler object of a hook: how `host` starts its executable in this installation.
pub(crate) fn handler(host: &Host, hook: &Hook, installation: &Installation) -> Result<Value, Error> {
    let executable = installation.executable(host.id, hook.executable);
    let program = text(&executable)?;
    let root = text(installation.root())?;
    if host.expands_variables && program.contains('$') {
        return Err(Error::UnwritablePath(executable));
    }
    let timeout = match host.timeout_unit {
        TimeoutUnit::Seconds => hook.timeout,
        TimeoutUnit::Milliseconds => hook.timeout * 1000,
    };
    if let Shape::Plugin(own) = host.shape {
        let whole = plugin::text(own, host, installation)?;
        return Ok(plugin::handler(hook, program, &["--root".into(), root.into()], &whole));
    }
    let mut handler = match host.form {
        CommandForm::Exec | CommandForm::Plugin => {
            json!({"type": "command", "command": program, "args": ["--root", root]})
        }
        CommandForm::Shell => {
            json!({"type": "command", "command": format!("{} --root {}", sh_quote(program), sh_quote(root))})
        }
        CommandForm::Guarded => {
            let (program, root) = (sh_quote(program), sh_quote(root));
            json!({"type": "command", "command": format!("[ -x {program} ] && {program} --root {root} || true")})
        }
    };
    handler["timeout"] = timeout.into();
    for (key, number) in hook.more {
        handler[*key] = (*number).into();
    }
    Ok(handler)
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
    use crate::host::{HOSTS, claude_code, codex, gemini_cli};

    const ROOTS: &[&str] = &[
        "/opt/remora",
        "/home/Jo Doe/remora",
        "/home/it's",
        "/home/记忆",
        "/home/$HOME/`id`/\"q\"",
        "/home/a\\b;c&d|e",
    ];

    #[test]
    fn every_form_names_its_executable_again() {
        for root in ROOTS {
            let installation = Installation::new(*root).expect("an absolute root");
            for host in HOSTS {
                let hook = &host.hooks[0];
                match handler(host, hook, &installation) {
                    Ok(handler) => {
                        let expected = installation.executable(host.id, hook.executable);
                        assert_eq!(executable(&handler), Some(expected), "{handler}");
                    }
                    Err(Error::UnwritablePath(_)) => assert!(host.expands_variables && root.contains('$')),
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn sh_reads_a_quoted_word_as_it_was() {
        for path in ROOTS {
            let line = format!("printf %s {}", sh_quote(path));
            let output = std::process::Command::new("/bin/sh").args(["-c", &line]).output();
            assert_eq!(String::from_utf8_lossy(&output.expect("sh runs").stdout), *path);
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
    fn each_host_gets_its_own_form_and_unit() {
        let installation = Installation::new("/my root").expect("an absolute root");
        let of = |host: &Host| handler(host, &host.hooks[0], &installation).expect("plain text").to_string();
        insta::assert_snapshot!(of(&claude_code::HOST), @r#"{"type":"command","command":"/my root/bin/claude-code/session-start","args":["--root","/my root"],"timeout":10}"#);
        insta::assert_snapshot!(of(&codex::HOST), @r#"{"type":"command","command":"'/my root/bin/codex/session-start' --root '/my root'","timeout":10,"additionalContextLimit":10000}"#);
        insta::assert_snapshot!(of(&gemini_cli::HOST), @r#"{"type":"command","command":"[ -x '/my root/bin/gemini-cli/session-start' ] && '/my root/bin/gemini-cli/session-start' --root '/my root' || true","timeout":10000}"#);
    }
}
