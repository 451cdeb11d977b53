//! What was typed and cannot be read as a command: what is wrong with it, and what to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _};

use crate::arguments::Arguments;
use crate::failure::Failure;

/// So many values are named; more are in the help.
const NAMED: usize = 8;

/// The mistake in one sentence, with the next step; nothing where help or the version was asked for.
pub(crate) fn said(error: &clap::Error, typed: &[String]) -> Option<Failure> {
    let command = command_in(typed);
    let help = format!("`{command} --help` says what it takes");
    let invalid = || shown(error, ContextKind::InvalidArg);
    let value = || shown(error, ContextKind::InvalidValue);
    let (message, hint) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = shown(error, ContextKind::InvalidSubcommand);
            let near = strings(error, ContextKind::SuggestedSubcommand);
            let near: Vec<String> =
                near.iter().rev().take(2).map(|near| format!("`{command} {near}`")).collect();
            let hint = if near.is_empty() {
                format!("`{command} --help` lists the commands")
            } else {
                format!("did you mean {}?", near.join(" or "))
            };
            (format!("`{command}` has no command {word:?}"), hint)
        }
        ErrorKind::UnknownArgument => {
            let word = invalid();
            let message = if word.starts_with('-') {
                format!("`{command}` has no option {word}")
            } else {
                format!("`{command}` does not know what to do with {word:?}")
            };
            let near = suggested(error, ContextKind::SuggestedArg);
            (message, near.map_or(help, |near| format!("did you mean {near}?")))
        }
        ErrorKind::InvalidValue if value().is_empty() => {
            (format!("{} needs a value", invalid()), possible(error).unwrap_or(help))
        }
        ErrorKind::InvalidValue => {
            let near = suggested(error, ContextKind::SuggestedValue);
            let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
            let hint = possible(error).unwrap_or(help);
            (format!("{} cannot be {:?}", invalid(), value()), format!("{near}{hint}"))
        }
        ErrorKind::ValueValidation => {
            let is_number = std::error::Error::source(error)
                .is_some_and(<dyn std::error::Error>::is::<std::num::ParseIntError>);
            let hint = if is_number { "write a whole number".to_owned() } else { help };
            (format!("{} cannot be {:?}", invalid(), value()), hint)
        }
        ErrorKind::MissingRequiredArgument => {
            let usage = shown(error, ContextKind::Usage);
            let usage = usage.trim().trim_start_matches("Usage:").trim();
            (format!("`{command}` needs {}", invalid()), format!("write `{usage}`; {help}"))
        }
        ErrorKind::ArgumentConflict => {
            let other = shown(error, ContextKind::PriorArg);
            if invalid().is_empty() {
                let hint = "write it behind the command that it belongs to".to_owned();
                return Some(Failure::usage(
                    format!("{other} stands before a command that does not take it"),
                    hint,
                ));
            }
            (format!("{} and {other} do not go together", invalid()), "leave one of them out".to_owned())
        }
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return None,
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            (first.trim_start_matches("error: ").to_owned(), help)
        }
    };
    Some(Failure::usage(message, hint))
}

/// The command that was meant, as far as it can be told: `remora journal purge`.
fn command_in(typed: &[String]) -> String {
    let root = Arguments::command();
    let (mut at, mut path): (&Command, String) = (&root, "remora".to_owned());
    for word in typed.iter().filter(|word| !word.starts_with('-')) {
        let Some(below) = at.find_subcommand(word) else { continue };
        path.push_str(&format!(" {}", below.get_name()));
        at = below;
    }
    path
}

/// What the parser says of one thing, in one line.
fn shown(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(" "),
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        _ => String::new(),
    }
}

fn suggested(error: &clap::Error, kind: ContextKind) -> Option<String> {
    strings(error, kind).pop()
}

/// Several texts, the likeliest last.
fn strings(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// The values that there are.
fn possible(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) else { return None };
    let more = if values.len() > NAMED { ", ..." } else { "" };
    let named: Vec<&str> = values.iter().take(NAMED).map(String::as_str).collect();
    (!named.is_empty()).then(|| format!("it may be {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn every_mistake_says_what_to_do_next() {
        let typed = [
            "remeber x",
            "quux",
            "journal purg",
            "show",
            "remember --type feedback",
            "list --everything",
            "list --jsn",
            "list now",
            "recall x --limit many",
            "remember x --type wish",
            "remember x --type",
            "export --format yaml",
            "config set notice",
            "config provider --test --off",
            "pause --here --session",
            "forget",
            "journal --limit 3 purge",
            "import claude",
            "completions basch",
        ];
        let said: Vec<String> = typed
            .iter()
            .map(|typed| {
                let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
                let all = std::iter::once("remora".to_owned()).chain(words.iter().cloned());
                let error = Arguments::try_parse_from(all).expect_err(typed);
                let body = said(&error, &words).expect("a mistake").body();
                format!("$ remora {typed}\n{}\n  {}", body.message, body.hint.unwrap_or_default())
            })
            .collect();
        insta::assert_snapshot!(said.join("\n"));
        let help = Arguments::try_parse_from(["remora", "--help"]).expect_err("help");
        assert!(said_nothing(&help));
    }

    fn said_nothing(error: &clap::Error) -> bool {
        said(error, &["--help".to_owned()]).is_none()
    }
}
