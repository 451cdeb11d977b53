//! `remora tail`: what agents tell and are given, as it happens.

use std::io::{self, Write as _};
use std::thread::sleep;
use std::time::Duration;

use remora_hook::{Client, ClientError};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::arguments::Tail;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

/// How long the engine keeps a question while nothing happens.
const WAIT: Duration = Duration::from_secs(20);

/// How much longer an answer may take.
const ANSWER: Duration = Duration::from_secs(30);

/// How often it is looked whether an engine is there again.
const LOOK: Duration = Duration::from_millis(500);

/// At most so many names of what was given stand in a line.
const NAMES: usize = 5;

/// Shows events until the person ends it or nobody reads any more.
pub(super) fn run(engine: &Engine, args: &Tail, as_json: bool) -> Result<(), Failure> {
    // This one starts the engine where there is none; whoever only looks on does not start it again.
    let mut answer = engine.ask("tail", question(args, None, Duration::ZERO))?;
    if let Some(note) = note_on_session(&answer, args) {
        say(&note);
    }
    let mut client = None;
    loop {
        let after = answer["after"].as_i64();
        for event in output::list(&answer, "events") {
            let line = if as_json { event.to_string() } else { render(event, args.all) };
            if !print(&line) {
                return Ok(());
            }
        }
        answer = next(engine, &mut client, question(args, after, WAIT))?;
    }
}

/// Whoever waits for a session that nobody knows is told so: it may be misspelled.
fn note_on_session(answer: &Value, args: &Tail) -> Option<String> {
    let session = args.session.as_deref()?;
    let host = args.host.as_deref().map(|host| format!(" of {host}")).unwrap_or_default();
    match &answer["session_heard"] {
        Value::Bool(false) => Some(format!(
            "No session{host} whose id begins with {session:?} is known yet. Waiting for one; `remora journal \
             --all-projects` lists those that are known, Ctrl-C ends this."
        )),
        Value::String(_) => Some(format!(
            "The session {session:?} belongs to another project: `remora tail --all --session {session}` shows it. \
             Waiting for one here; Ctrl-C ends this."
        )),
        _ => None,
    }
}

fn question(args: &Tail, after: Option<i64>, wait: Duration) -> Value {
    json!({
        "after": after, "lines": args.lines, "wait_ms": u64::try_from(wait.as_millis()).unwrap_or(0),
        "all": args.all, "host": args.host, "session": args.session,
    })
}

/// The next answer, of this engine or of one that comes after it.
fn next(engine: &Engine, client: &mut Option<Client>, question: Value) -> Result<Value, Failure> {
    let command = engine.command("tail", question);
    let mut is_told = false;
    loop {
        if client.is_none() {
            *client = engine.connect()?;
        }
        if let Some(open) = client {
            match open.command(command.clone(), WAIT + ANSWER) {
                Ok(value) => {
                    if is_told {
                        say("The engine is back.");
                    }
                    return Ok(value);
                }
                Err(
                    ClientError::Io(_) | ClientError::Absent(_) | ClientError::Leaving | ClientError::Late,
                ) => *client = None,
                Err(error) => return Err(error.into()),
            }
        }
        // One that hands over to a newer build is followed at once.
        sleep(LOOK);
        if !is_told && engine.connect()?.is_none() {
            say(
                "The engine has ended. Waiting until an agent or a command starts it again; Ctrl-C ends this.",
            );
            is_told = true;
        }
    }
}

fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", output::styled(text, Style::Faint));
}

/// Whether there is somebody to read it.
fn print(line: &str) -> bool {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
}

/// One event in one line: when, who, what, and what was given for it.
fn render(event: &Value, with_project: bool) -> String {
    let at = output::text(event, "at");
    let session: String = output::text(event, "session").chars().take(8).collect();
    let mut line =
        format!("{}  {:<11}  {session:<8}  ", at.get(11..19).unwrap_or(&at), output::text(event, "host"));
    if with_project {
        line.push_str(&format!("{}  ", output::text(event, "project")));
    }
    let (what, text) = (what(event), output::text(event, "text"));
    line.push_str(&format!("{what:<14}"));
    let given = given(event);
    let room = output::width().saturating_sub(line.width() + 2 + given.width());
    if !text.is_empty() {
        line.push_str(&format!("  {}", output::fit(&one_line(&text), room.max(20))));
    }
    let line = line.trim_end().to_owned();
    if event["seen_also"] == true {
        let adapter = output::text(event, "adapter");
        return output::styled(&format!("{line}  (the same, told by {adapter}'s hooks)"), Style::Faint);
    }
    if given.is_empty() { line } else { format!("{line}  {}", output::styled(&given, Style::Bold)) }
}

/// What happened, in the words of people.
fn what(event: &Value) -> String {
    let tool = &event["tool"];
    let what = match output::text(event, "event").as_ref() {
        "session_start" => "session starts".to_owned(),
        "user_prompt" => "prompt".to_owned(),
        "pre_tool_use" => format!("before {}", output::text(tool, "name")),
        "post_tool_use" | "tool_failure" => {
            let failed = if tool["failed"] == true { " failed" } else { "" };
            format!("{}{failed}", output::text(tool, "name"))
        }
        "subagent_start" => "subagent starts".to_owned(),
        "subagent_stop" => "subagent ends".to_owned(),
        "pre_compact" => "compacts".to_owned(),
        "post_compact" => "compacted".to_owned(),
        "stop" => "turn ends".to_owned(),
        "session_end" => "session ends".to_owned(),
        other => other.replace('_', " "),
    };
    let agent = output::text(event, "agent");
    let is_of_agent = output::text(event, "event").starts_with("subagent");
    match (agent.is_empty(), is_of_agent) {
        (true, _) => what,
        (false, true) => format!("{what}: {agent}"),
        (false, false) => format!("{agent}: {what}"),
    }
}

/// What was given to the model for it: names and what they cost.
fn given(event: &Value) -> String {
    let given = &event["given"];
    if given.is_null() {
        return String::new();
    }
    let mut names: Vec<String> = Vec::new();
    for item in output::list(given, "items") {
        let name = output::text(item, "name").into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let state = if given["shown"] == true { "" } else { ", not confirmed" };
    let tokens = output::counted(output::number(given, "tokens"), "token", "tokens");
    format!("<- {} (about {tokens}{state})", names.join(", "))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let event = |more: Value| {
            let mut event = json!({
                "seq": 7, "at": "2026-11-30T10:20:30+01:00", "host": "claude-code",
                "session": "0123456789abcdef", "agent": null, "project": "-p-shop-1", "event": "user_prompt",
                "tool": null, "text": "写一个集成测试", "via": "executable", "adapter": "claude-code",
                "seen_also": false, "given": null,
            });
            for (key, value) in more.as_object().expect("an object") {
                event[key] = value.clone();
            }
            event
        };
        let item = |name: &str| json!({"name": name, "part": "body", "step": "lexical"});
        let tool = |failed: bool| json!({"name": "Bash", "kind": "shell", "failed": failed});
        let many = ["protocol", "a", "b", "c", "d", "e", "f", "a"].map(item);
        let lines: Vec<String> = [
            event(json!({"event": "session_start", "text": "startup", "given": {"tokens": 1412, "shown": true,
                "items": many}})),
            event(json!({"given": {"tokens": 1, "shown": false, "items": [item("real-database")]}})),
            event(json!({"event": "post_tool_use", "tool": tool(false), "text": "cargo test\tx"})),
            event(json!({"event": "tool_failure", "tool": tool(true), "text": "cargo test", "agent": "Explore"})),
            event(json!({"event": "stop", "text": "", "host": "copilot-cli", "adapter": "claude-code",
                "seen_also": true})),
            event(json!({"event": "subagent_stop", "text": "Found.", "agent": "Explore"})),
            event(json!({"event": "session_end", "text": "\u{1b}[31mother", "session": "s"})),
        ]
        .iter()
        .map(|event| render(event, false))
        .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        10:20:30  claude-code  01234567  session starts  startup  <- protocol, a, b, c, d, 2 more (about 1,412 tokens)
        10:20:30  claude-code  01234567  prompt          写一个集成测试  <- real-database (about 1 token, not confirmed)
        10:20:30  claude-code  01234567  Bash            cargo test x
        10:20:30  claude-code  01234567  Explore: Bash failed  cargo test
        10:20:30  copilot-cli  01234567  turn ends  (the same, told by claude-code's hooks)
        10:20:30  claude-code  01234567  subagent ends: Explore  Found.
        10:20:30  claude-code  s         session ends    other
        ");
        assert!(render(&event(json!({})), true).contains("  -p-shop-1  prompt"));
    }
}
