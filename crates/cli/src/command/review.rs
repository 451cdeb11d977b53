//! `remora review`: what waits for the person's word.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::edit::open_in_editor;
use crate::arguments::{Review, ReviewCommand};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, args: &Review, as_json: bool) -> Result<(), Failure> {
    match &args.command {
        None if !as_json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => {
            pick(engine, args.everywhere)
        }
        None | Some(ReviewCommand::List) => list(engine, args.everywhere, as_json),
        Some(ReviewCommand::Accept { names }) => accept(engine, names, as_json),
        Some(ReviewCommand::Reject { names }) => reject(engine, names, as_json),
        Some(ReviewCommand::Edit { name }) => edit(engine, name, as_json),
    }
}

fn waiting(engine: &Engine, everywhere: bool) -> Result<Value, Failure> {
    engine.ask("review", json!({"everywhere": everywhere}))
}

fn list(engine: &Engine, everywhere: bool, as_json: bool) -> Result<(), Failure> {
    let value = waiting(engine, everywhere)?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

fn render(value: &Value) -> String {
    let waiting = output::list(value, "waiting");
    let elsewhere = output::number(value, "elsewhere");
    let mut out = String::new();
    if waiting.is_empty() {
        out.push_str("Nothing waits for your word here.\n");
    }
    for candidate in waiting {
        out.push_str(&head(candidate));
        out.push('\n');
    }
    if !waiting.is_empty() {
        out.push_str("`remora review accept NAME`, `edit NAME` or `reject NAME`.");
        if waiting.iter().any(|candidate| output::text(candidate, "kind") != "overturns") {
            out.push_str(" What waits is not recalled.");
        }
        out.push('\n');
    }
    if elsewhere > 0 {
        out.push_str(&format!("{elsewhere} more in other projects: `remora review --everywhere`.\n"));
    }
    out
}

/// One candidate in a few lines: what it is, what it says, why it waits.
fn head(candidate: &Value) -> String {
    let name = output::text(candidate, "name");
    let age = output::age(output::number(candidate, "age_days"));
    let host = output::text(candidate, "host");
    let id = output::text(candidate, "id");
    if output::text(candidate, "kind") == "overturns" {
        let older = &candidate["older"];
        return format!(
            "{} or {}  ({id} · {host}, {age})\n  new: {}\n  old: {}\n  They may not both hold: {}.\n  Accept: the new one replaces the old. Reject: both stay.\n",
            output::styled(&name, Style::Bold),
            output::styled(&output::text(older, "name"), Style::Bold),
            first_line(candidate),
            first_line(older),
            output::text(candidate, "why"),
        );
    }
    format!(
        "{}  ({id} · {} · {host}, {age})\n  {}\n  Waits because {}.\n",
        output::styled(&name, Style::Bold),
        output::text(candidate, "type"),
        output::text(candidate, "description"),
        output::text(candidate, "why"),
    )
}

fn first_line(value: &Value) -> String {
    output::text(value, "text").lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}

fn accept(engine: &Engine, names: &[String], as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("review_accept", json!({"names": names}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    for accepted in output::list(&value, "accepted") {
        output::line(&format!(
            "Accepted {} ({}).",
            output::text(accepted, "name"),
            output::path(&output::text(accepted, "path"))
        ));
    }
    Ok(())
}

fn reject(engine: &Engine, names: &[String], as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("review_reject", json!({"names": names}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    for rejected in output::list(&value, "rejected") {
        output::line(&format!("Rejected {}.", output::text(rejected, "name")));
    }
    Ok(())
}

fn edit(engine: &Engine, name: &str, as_json: bool) -> Result<(), Failure> {
    let value = waiting(engine, true)?;
    let found: Vec<&Value> = output::list(&value, "waiting")
        .iter()
        .filter(|candidate| output::text(candidate, "id") == name || output::text(candidate, "name") == name)
        .collect();
    let [candidate] = found.as_slice() else {
        let hint = "`remora review --everywhere` shows the ids";
        let message = match found.len() {
            0 => format!("nothing called {name:?} waits"),
            n => format!("{n} candidates are called {name:?}"),
        };
        return Err(Failure::usage(message, hint));
    };
    let path = candidate["edit"].as_str().unwrap_or_default();
    open_in_editor(Path::new(path))?;
    if as_json {
        output::json(&json!({"edited": path}));
    } else {
        output::line(&format!("It still waits: `remora review accept {name}`."));
    }
    Ok(())
}

/// One candidate after the other, each with its whole text and a question.
fn pick(engine: &Engine, everywhere: bool) -> Result<(), Failure> {
    let value = waiting(engine, everywhere)?;
    let candidates = output::list(&value, "waiting");
    if candidates.is_empty() {
        output::line(render(&value).trim_end());
        return Ok(());
    }
    for (number, candidate) in candidates.iter().enumerate() {
        output::line(&output::styled(&format!("{} of {}", number + 1, candidates.len()), Style::Faint));
        output::line(head(candidate).trim_end());
        for value in [candidate, &candidate["older"]] {
            let text = output::text(value, "text");
            // One line is in the head already.
            if text.lines().count() > 1 {
                output::line("");
                text.lines().for_each(|line| output::line(&format!("  | {line}")));
            }
        }
        let id = output::text(candidate, "id").into_owned();
        loop {
            match ask("[a]ccept, [e]dit, [r]eject, [s]kip or [q]uit? ")?.as_str() {
                "a" | "accept" => accept(engine, std::slice::from_ref(&id), false)?,
                "r" | "reject" => reject(engine, std::slice::from_ref(&id), false)?,
                "e" | "edit" => {
                    edit(engine, &id, false)?;
                    continue;
                }
                "s" | "skip" => {}
                "q" | "quit" => return Ok(()),
                _ => continue,
            }
            break;
        }
        output::line("");
    }
    Ok(())
}

/// The person's answer in small letters; the end of input is `q`.
fn ask(question: &str) -> Result<String, Failure> {
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{question}").and_then(|()| out.flush());
    let mut answer = String::new();
    if std::io::stdin().read_line(&mut answer)? == 0 {
        return Ok("q".into());
    }
    Ok(answer.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_shown_with_its_reason() {
        let value = json!({
            "waiting": [
                {"id": "0a1b2c3d", "kind": "new", "name": "tabs", "type": "feedback", "description": "Use tabs",
                 "text": "Use tabs.", "why": "an agent wrote it in a turn that used WebFetch", "age_days": 0,
                 "host": "claude-code"},
                {"id": "1a1b2c3d", "kind": "overturns", "name": "port-5433", "text": "Postgres is on 5433.",
                 "why": "the older one says 5432, the newer one 5433", "age_days": 1,
                 "host": "remora", "older": {"name": "port-5432", "text": "Postgres is on 5432."}},
            ],
            "elsewhere": 2,
        });
        insta::assert_snapshot!(render(&value), @r"
        tabs  (0a1b2c3d · feedback · claude-code, today)
          Use tabs
          Waits because an agent wrote it in a turn that used WebFetch.

        port-5433 or port-5432  (1a1b2c3d · remora, yesterday)
          new: Postgres is on 5433.
          old: Postgres is on 5432.
          They may not both hold: the older one says 5432, the newer one 5433.
          Accept: the new one replaces the old. Reject: both stay.

        `remora review accept NAME`, `edit NAME` or `reject NAME`. What waits is not recalled.
        2 more in other projects: `remora review --everywhere`.
        ");
        insta::assert_snapshot!(render(&json!({"waiting": [], "elsewhere": 0})), @"Nothing waits for your word here.");
    }
}
