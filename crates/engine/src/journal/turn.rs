//! What a turn came to, by rule and without a model: what was asked, which files were changed, which commands
//! were run, how it ended, what was said at its end.

use std::fmt::Write as _;

use remora_event::{Outcome, Via};
use rusqlite::{Connection, params};

use super::entries::HAPPENED;
use super::events::NewEvent;
use super::observation::{self, Observation, head};
use crate::command_line;

/// At most so many entries of a turn are looked at, the last ones.
const LOOKED_AT: i64 = 500;

/// So many files and commands are named.
const FILES: usize = 8;
const COMMANDS: usize = 6;

/// Characters of the prompt and of one command.
const PROMPT: usize = 300;
const COMMAND: usize = 120;

/// What happened in one turn of one agent so far.
#[derive(Debug, Default)]
struct Turn {
    prompt: Option<String>,
    /// Each once, in the order in which they were changed.
    changed: Vec<String>,
    commands: Vec<String>,
    /// The digest that an earlier end of the same turn made, with the event that made it.
    digest: Option<(i64, i64)>,
}

/// The digest of the turn that the event ends, in the place of one that an earlier end of the turn made. A turn in
/// which nothing happened and nothing was said makes none.
pub(super) fn digest(
    connection: &Connection,
    session: i64,
    new: &NewEvent,
    turn: Option<&str>,
) -> rusqlite::Result<Option<Observation>> {
    let event = &new.event;
    // What a transcript tells may have happened long before what the session did last.
    let until = if event.via == Via::Transcript { new.at_ms } else { i64::MAX };
    let so_far = so_far(connection, session, event.agent_id(), turn, (new.at_ms, until))?;
    if let Some((id, event)) = so_far.digest {
        observation::take_back(connection, id, event)?;
    }
    let message = event.message.as_deref().unwrap_or_default().trim();
    if message.is_empty() && so_far.changed.is_empty() && so_far.commands.is_empty() {
        return Ok(None);
    }
    let root = new.project.as_ref().map_or(event.cwd.as_str(), |(_, path)| path.as_str());
    let title = telling_line(message).or(so_far.prompt.as_deref()).unwrap_or("a turn without words");
    let body = body(&so_far, event.outcome, message, &[root, &event.cwd]);
    Ok(Some(Observation::new("turn", title, &body, so_far.changed.clone())))
}

fn so_far(
    connection: &Connection,
    session: i64,
    agent: &str,
    turn: Option<&str>,
    (end, until): (i64, i64),
) -> rusqlite::Result<Turn> {
    // What came before the turn's prompt is not even sorted, however long the session is.
    let prompted: i64 = connection
        .prepare_cached(
            "SELECT coalesce(max(at), 0) FROM events
              WHERE session = ?1 AND kind = 'user_prompt' AND agent = ?2 AND at <= ?3 AND seen_also IS NULL",
        )?
        .query_row(params![session, agent, end], |row| row.get(0))?;
    let mut query = connection.prepare_cached(&format!(
        "SELECT happened.id, happened.event, observations.kind, observations.title, observations.paths, events.turn
           FROM ({HAPPENED}) AS happened
           JOIN observations ON observations.id = happened.id
           JOIN events ON events.seq = happened.event
          WHERE happened.agent = ?2 AND happened.at BETWEEN ?4 AND ?5
          ORDER BY happened.at DESC, happened.event DESC LIMIT ?3"
    ))?;
    let mut rows = query.query(params![session, agent, LOOKED_AT, prompted, until])?;
    let mut found = Turn::default();
    while let Some(row) = rows.next()? {
        let kind: String = row.get(2)?;
        let title: String = row.get(3)?;
        match kind.as_str() {
            "prompt" => {
                found.prompt = Some(title);
                break;
            }
            // The end of an earlier turn, or an earlier end of this one: hosts go on after some ends.
            "turn" => {
                let of_turn: Option<String> = row.get(5)?;
                if turn.is_none() || of_turn.as_deref() != turn {
                    break;
                }
                found.digest = found.digest.or(Some((row.get(0)?, row.get(1)?)));
            }
            "write" | "edit" => {
                let paths: String = row.get(4)?;
                let paths: Vec<String> = serde_json::from_str(&paths).unwrap_or_default();
                found.changed.extend(paths.into_iter().rev());
            }
            "shell" => found.commands.extend(command_in(&title).map(str::to_owned)),
            _ => {}
        }
    }
    found.changed = each_once(found.changed);
    found.commands = each_once(found.commands);
    Ok(found)
}

/// The last time of each counts; they come newest first and leave oldest first.
fn each_once(newest_first: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in newest_first {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept.reverse();
    kept
}

/// The command in an entry's title, unless it only looked and that went well.
pub(super) fn command_in(title: &str) -> Option<&str> {
    let (_, command) = title.split_once(": ")?;
    let first = command.split_whitespace().next().unwrap_or_default();
    let only_looked =
        command_line::only_looks(command_line::program(first)) && !command.ends_with(observation::FAILED);
    (!only_looked).then_some(command)
}

/// A path as it reads from the project.
pub(crate) fn relative<'a>(path: &'a str, roots: &[&str]) -> &'a str {
    let below = |root: &&str| path.strip_prefix(*root)?.strip_prefix('/');
    roots.iter().filter(|root| !root.is_empty()).find_map(below).unwrap_or(path)
}

fn body(turn: &Turn, outcome: Option<Outcome>, message: &str, roots: &[&str]) -> String {
    let mut body = String::new();
    if let Some(prompt) = &turn.prompt {
        let _ = writeln!(body, "Asked: {}", head(prompt, PROMPT));
    }
    if !turn.changed.is_empty() {
        let files: Vec<&str> = turn.changed.iter().map(|path| relative(path, roots)).collect();
        let _ = writeln!(body, "Changed: {}", first_of(&files, FILES, ", "));
    }
    if !turn.commands.is_empty() {
        let commands: Vec<String> = turn.commands.iter().map(|command| head(command, COMMAND)).collect();
        let last = &commands[commands.len().saturating_sub(COMMANDS)..];
        let earlier = commands.len() - last.len();
        let more = if earlier > 0 { format!(" (and {earlier} before)") } else { String::new() };
        let _ = writeln!(body, "Ran: {}{more}", last.join("; "));
    }
    match outcome {
        Some(Outcome::Failed) => body.push_str("Ended: failed\n"),
        Some(Outcome::Interrupted) => body.push_str("Ended: interrupted\n"),
        Some(Outcome::Completed) | None => {}
    }
    body.push_str(message);
    body
}

/// The first so many, and how many more there are.
pub(super) fn first_of(items: &[&str], most: usize, between: &str) -> String {
    let shown = items[..items.len().min(most)].join(between);
    let more = items.len().saturating_sub(most);
    if more > 0 { format!("{shown} (and {more} more)") } else { shown }
}

/// The first line of a message that says something: no heading, no rule, no fence.
fn telling_line(message: &str) -> Option<&str> {
    let lines = || message.lines().map(str::trim).filter(|line| !line.is_empty());
    let tells = |line: &&str| {
        !line.starts_with(['#', '`', '|', '-', '=', '*'])
            && line.chars().filter(|c| c.is_alphanumeric()).count() >= 3
    };
    lines().find(tells).or_else(|| lines().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        for (message, title) in [
            ("Done.", Some("Done.")),
            ("## Summary\n\n- one\nAll tests pass now.", Some("All tests pass now.")),
            ("```\ncode\n```", Some("code")),
            ("# Nur das", Some("# Nur das")),
            ("完成了。", Some("完成了。")),
            (" \n", None),
        ] {
            assert_eq!(telling_line(message), title, "{message}");
        }
    }

    #[test]
    fn commands_that_only_looked_are_no_result() {
        for (title, command) in [
            ("Bash: cargo test", Some("cargo test")),
            ("Bash: ls -la", None),
            ("shell: /usr/bin/cat x", None),
            ("Bash: cat missing (failed)", Some("cat missing (failed)")),
            ("Bash", None),
        ] {
            assert_eq!(command_in(title), command, "{title}");
        }
    }
}
