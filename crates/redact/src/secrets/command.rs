//! Passwords on command lines, where a flag is too short to be a name.

use std::ops::Range;

use super::context::run;
use super::placeholder;
use super::span::{Found, Sureness::Placed};
use super::value::Value;
use crate::find::find;
use crate::words::{Words, words};

/// A program that takes a password, and how.
pub(super) struct Command {
    pub(super) program: &'static str,
    /// None: the password follows in single quotes.
    flags: Words,
    takes: Takes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// `user:password`
    Login,
    /// The password, with or without white space before it.
    Password,
    /// The password, without white space.
    Attached,
}

/// Programs whose flags are known.
pub(super) const COMMANDS: &[Command] = &[
    Command { program: "curl", flags: words!["-u", "--user", "-U", "--proxy-user"], takes: Takes::Login },
    Command { program: "sshpass", flags: words!["-p"], takes: Takes::Password },
    Command { program: "mysql", flags: words!["-p"], takes: Takes::Attached },
    Command { program: "mariadb", flags: words!["-p"], takes: Takes::Attached },
    Command { program: "redis-cli", flags: words!["-a"], takes: Takes::Password },
    Command { program: "docker login", flags: words!["-p"], takes: Takes::Password },
    Command { program: "identified by", flags: words![], takes: Takes::Password },
];

/// How far the flags of a program are looked for.
const LONGEST: usize = 600;

/// Looks at the rest of the line after a program. Returns how far it looked: another occurrence before that
/// has nothing to add.
pub(super) fn check(text: &[u8], at: Range<usize>, command: &Command, found: &mut Found) -> usize {
    let line = run(&text[at.end..], LONGEST, |byte| byte != b'\n' && byte != b';');
    let line_end = at.end + line;
    if command.flags.iter().next().is_none() {
        if let Some(value) =
            Value::quoted(text, at.end).filter(|value| text[..value.range.start].ends_with(b"'"))
        {
            add(text, value.range.clone(), found);
        }
        return line_end;
    }
    let mut from = at.end;
    while let Some(dash) = find(&text[from..line_end], b" -") {
        let flag_at = from + dash + 1;
        from = flag_at + 1;
        let rest = &text[flag_at..line_end];
        // Long flags first: `-u` begins none of them.
        let known = command.flags.iter().filter(|flag| rest.starts_with(flag));
        let Some(flag) = known.max_by_key(|flag| flag.len()) else { continue };
        let value_at = flag_at + flag.len();
        let spaced = text.get(value_at).is_some_and(|byte| *byte == b' ' || *byte == b'=');
        if (spaced && command.takes == Takes::Attached) || (!spaced && flag.starts_with(b"--")) {
            continue;
        }
        let value_at = value_at + usize::from(spaced);
        let value = Value::quoted(text, value_at).unwrap_or_else(|| Value::bare(text, value_at, true));
        let mut range = value.range;
        if command.takes == Takes::Login {
            let Some(colon) = memchr::memchr(b':', &text[range.clone()]) else { continue };
            range.start += colon + 1;
        }
        add(text, range, found);
        break;
    }
    line_end
}

fn add(text: &[u8], range: Range<usize>, found: &mut Found) {
    let password = &text[range.clone()];
    if password.len() >= 4 && !password.starts_with(b"-") && !placeholder::is_placeholder(password) {
        found.add(range, "password", Placed);
    }
}
