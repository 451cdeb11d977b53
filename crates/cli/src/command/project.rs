//! `remora project`, `remora pause` and `remora resume`.

use serde_json::{Value, json};

use super::config::switch_project;
use crate::arguments::{Pause, ProjectCommand};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};
use crate::places::Places;

pub(super) fn run(
    engine: &Engine,
    places: &Places,
    command: Option<ProjectCommand>,
    as_json: bool,
) -> Result<(), Failure> {
    match command.unwrap_or(ProjectCommand::List) {
        ProjectCommand::List => list(engine, as_json),
        ProjectCommand::Adopt { earlier } => {
            let value = engine.ask("project_adopt", json!({"project": earlier}))?;
            let moved = output::counted(output::number(&value, "moved"), "memory", "memories");
            let sessions = output::counted(output::number(&value, "sessions"), "session", "sessions");
            say(
                as_json,
                &value,
                &format!(
                    "This project has the memory of {} now; {moved} and {sessions} moved there.",
                    output::text(&value, "adopted")
                ),
            )
        }
        ProjectCommand::Enable => switch(engine, places, true, as_json),
        ProjectCommand::Disable => switch(engine, places, false, as_json),
    }
}

fn list(engine: &Engine, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("project_list", Value::Null)?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    let projects = output::list(&value, "projects");
    if projects.is_empty() {
        output::line("No project is known yet; the first session in one makes it known.");
    }
    let here = value["here"].as_str();
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for project in projects {
        let path = output::list(project, "paths")
            .first()
            .and_then(Value::as_str)
            .map(output::path)
            .unwrap_or_default();
        let mark = if project["slug"].as_str() == here { "* " } else { "  " };
        let memories = output::counted(output::number(project, "memories"), "memory", "memories");
        let state = if project["memory"]["on"] == Value::Bool(false) { "off" } else { "" };
        let remote = output::text(project, "remote").into_owned();
        rows.push(vec![format!("{mark}{path}"), memories, state.to_owned(), remote]);
        for off in output::list(&project["memory"], "off") {
            let line = match off["where"].as_str() {
                Some("project") => format!("{path}: {}", super::status::off_line(off)),
                _ => super::status::off_line(off),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    if rows.iter().all(|row| row[2].is_empty()) {
        rows.iter_mut().for_each(|row| drop(row.remove(2)));
    }
    output::line(output::columns(&rows).trim_end());
    lines.iter().for_each(|line| output::line(&output::styled(line, Style::Warning)));
    for project in projects.iter().filter(|project| project["same_remote"] == Value::Bool(true)) {
        output::line(&output::styled(
            &format!(
                "\nThe same repository was known elsewhere: `remora project adopt {}` brings its memory here.",
                output::text(project, "slug")
            ),
            Style::Warning,
        ));
    }
    Ok(())
}

fn switch(engine: &Engine, places: &Places, on: bool, as_json: bool) -> Result<(), Failure> {
    let status = engine.ask("status", Value::Null)?;
    let Some(root) = status["project"]["path"].as_str() else {
        return Err(Failure::usage(
            "there is no project here",
            "go to its folder, or name it with --project",
        ));
    };
    switch_project(places, root, on)?;
    let state = if on { "on" } else { "off: nothing is captured, recalled or saved here" };
    say(
        as_json,
        &json!({"project": root, "enabled": on}),
        &format!("Memory is {state} in {}.", output::path(root)),
    )
}

/// Switches memory off for a while.
pub(super) fn pause(engine: &Engine, args: &Pause, as_json: bool) -> Result<(), Failure> {
    let seconds = args.r#for.as_deref().map(seconds).transpose()?;
    let value =
        engine.ask("pause", json!({"project": args.here, "session": args.session, "seconds": seconds}))?;
    let until = match output::text(&value, "until").replace('T', " ") {
        at if at.is_empty() => "`remora resume`".to_owned(),
        at => at.get(..16).unwrap_or(&at).to_owned(),
    };
    let place = match output::text(&value, "paused").as_ref() {
        "project" => "in this project",
        "session" => "in the newest session here",
        _ => "everywhere",
    };
    say(
        as_json,
        &value,
        &format!("Memory is paused {place} until {until}: nothing is captured, recalled or saved."),
    )
}

/// Ends the pauses that hold here.
pub(super) fn resume(engine: &Engine, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("resume", Value::Null)?;
    let text = if output::number(&value, "resumed") > 0 {
        "Memory is on again."
    } else {
        "Memory was not paused here."
    };
    say(as_json, &value, text)
}

fn seconds(text: &str) -> Result<u64, Failure> {
    let span: remora_engine::Span =
        text.parse().map_err(|problem: String| Failure::usage(problem, "for example --for 1h"))?;
    Ok(span.0.as_secs())
}

fn say(as_json: bool, value: &Value, text: &str) -> Result<(), Failure> {
    if as_json {
        output::json(value);
    } else {
        output::line(text);
    }
    Ok(())
}
