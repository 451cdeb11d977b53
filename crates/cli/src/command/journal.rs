//! `remora journal` and `remora timeline`.

use std::io::IsTerminal as _;

use serde_json::{Value, json};

use super::search::{origin, title};
use crate::arguments::{Filters, Journal, JournalCommand, Purge, Sessions, Timeline};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

/// Characters of a session's id that tell it from others.
const SHORT_ID: usize = 8;

pub(super) fn run(engine: &Engine, args: Journal, is_here: bool, as_json: bool) -> Result<(), Failure> {
    match args.command.unwrap_or(JournalCommand::Sessions(args.sessions)) {
        JournalCommand::Sessions(Sessions { limit, filters }) => {
            let mut asked = json!({"limit": limit});
            filters.add_to(&mut asked);
            let value = engine.ask("sessions", asked)?;
            show(&value, as_json, || render_sessions(&value, &filters));
        }
        JournalCommand::Entries { limit, kind, filters } => {
            let mut asked = json!({"limit": limit, "kind": kind});
            filters.add_to(&mut asked);
            let value = engine.ask("entries", asked)?;
            show(&value, as_json, || render_entries(&value, &filters));
        }
        JournalCommand::Duplicates { merge } => {
            let value = engine.ask("journal_duplicates", json!({"merge": merge}))?;
            show(&value, as_json, || render_duplicates(&value));
        }
        JournalCommand::Purge(args) => return purge(engine, &args, is_here, as_json),
    }
    Ok(())
}

/// `is_here`: a folder was named with `--project`.
fn purge(engine: &Engine, args: &Purge, is_here: bool, as_json: bool) -> Result<(), Failure> {
    let asked = |dry_run: bool| {
        json!({
            "here": is_here, "project": args.of_project, "session": args.session, "host": args.host,
            "before": args.before, "match": args.words, "dry_run": dry_run,
        })
    };
    if !args.yes && !args.dry_run {
        let plan = engine.ask("journal_purge", asked(true))?;
        if !std::io::stdin().is_terminal() {
            return Err(Failure::usage(
                "this deletes for good, and there is no terminal to ask at",
                "--yes does it, --dry-run shows what would go",
            ));
        }
        output::line(render_purge(&plan).trim_end());
        super::install::ask("Delete it for good?")?;
    }
    let value = engine.ask("journal_purge", asked(args.dry_run))?;
    show(&value, as_json, || render_purge(&value));
    Ok(())
}

fn render_duplicates(value: &Value) -> String {
    let pairs = output::list(value, "pairs");
    if pairs.is_empty() {
        return "Nothing says nearly the same here.\n".into();
    }
    let mut out = String::new();
    let is_yes = |pair: &Value, key: &str| pair[key] == Value::Bool(true);
    for pair in pairs {
        for (key, mark) in [("older", " "), ("newer", "=")] {
            let entry = &pair[key];
            let line = format!("{mark} #{:<6} {}", output::number(entry, "id"), output::text(entry, "title"));
            out.push_str(&output::fit(&line, output::width()));
            out.push('\n');
        }
        let likeness = pair["likeness"].as_f64().unwrap_or(0.0);
        let verdict = match (is_yes(pair, "merged"), is_yes(pair, "same")) {
            (true, _) => "merged",
            (false, true) => "every rare word agrees",
            (false, false) => "some rare words differ",
        };
        out.push_str(&format!(
            "  {}\n\n",
            output::styled(&format!("{likeness:.2} alike, {verdict}"), Style::Faint)
        ));
    }
    let safe = pairs.iter().filter(|pair| is_yes(pair, "same") && !is_yes(pair, "merged")).count();
    if safe > 0 {
        let many = i64::try_from(safe).unwrap_or(i64::MAX);
        out.push_str(&format!(
            "--merge makes one entry of each of {}.\n",
            output::counted(many, "pair", "pairs")
        ));
    }
    out
}

fn render_purge(value: &Value) -> String {
    let removed = &value["removed"];
    let counts = [
        ("events", "event", "events"),
        ("entries", "entry", "entries"),
        ("sessions", "session", "sessions"),
        ("injections", "line of the ledger", "lines of the ledger"),
        ("work_items", "work item", "work items"),
        ("changes", "saved change", "saved changes"),
        ("spooled", "waiting event", "waiting events"),
        ("log_lines", "line of the logs", "lines of the logs"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(key, ..)| output::number(removed, key) > 0)
        .map(|(key, one, many)| output::counted(output::number(removed, key), one, many))
        .collect();
    let verb = if value["dry_run"] == Value::Bool(true) { "Would delete" } else { "Deleted" };
    let said = if said.is_empty() { "nothing".to_owned() } else { said.join(", ") };
    let mut out = format!("{verb} {}: {said}.\n", output::text(value, "what"));
    for backup in output::list(removed, "backups").iter().filter_map(Value::as_str) {
        out.push_str(&format!("  and the copy {}\n", output::path(backup)));
    }
    for note in output::list(value, "notes").iter().filter_map(Value::as_str) {
        out.push_str(&format!("  {}\n", output::plain(note)));
    }
    out
}

pub(super) fn timeline(engine: &Engine, args: &Timeline, as_json: bool) -> Result<(), Failure> {
    let asked = json!({
        "id": args.id, "before": args.before, "after": args.after, "projects": args.projects,
    });
    let value = engine.ask("timeline", asked)?;
    show(&value, as_json, || render_timeline(&value));
    Ok(())
}

fn show(value: &Value, as_json: bool, render: impl FnOnce() -> String) {
    if as_json {
        output::json(value);
    } else {
        output::line(render().trim_end());
    }
}

fn render_sessions(value: &Value, filters: &Filters) -> String {
    let sessions = output::list(value, "sessions");
    if sessions.is_empty() {
        let elsewhere = if filters.all_projects { "" } else { "`--all-projects` looks in all projects, " };
        return format!(
            "No session was heard here.\n  {elsewhere}`remora doctor` says whether the hooks are in place.\n"
        );
    }
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .map(|session| {
            let mut row = vec![
                output::moment(&output::text(session, "last_at")),
                short(&output::text(session, "session")),
                output::text(session, "host").into_owned(),
                output::counted(output::number(session, "turns"), "prompt", "prompts"),
                output::counted(output::number(session, "entries"), "entry", "entries"),
            ];
            if filters.may_mix_projects() {
                row.push(output::text(session, "project").into_owned());
            }
            row.push(output::text(session, "title").into_owned());
            row
        })
        .collect();
    let mut out = fitted(&output::columns(&rows));
    if value["more"] == Value::Bool(true) {
        out.push_str("There are more; --limit shows them.\n");
    }
    out
}

fn render_entries(value: &Value, filters: &Filters) -> String {
    let entries = output::list(value, "entries");
    if entries.is_empty() {
        let elsewhere = if filters.all_projects { "" } else { "  `--all-projects` looks in all projects.\n" };
        return format!("Nothing like that happened here.\n{elsewhere}");
    }
    let mut out = String::new();
    for entry in entries {
        out.push_str(&format!(
            "{}  {}\n  {}\n",
            output::styled(&output::fit(&title(entry), output::width() - 8), Style::Bold),
            output::styled(&format!("#{}", output::number(entry, "id")), Style::Faint),
            output::styled(&origin(entry, filters), Style::Faint),
        ));
    }
    if value["more"] == Value::Bool(true) {
        out.push_str("There are more; --limit shows them.\n");
    }
    out
}

fn render_timeline(value: &Value) -> String {
    let entries = output::list(value, "entries");
    let day = |entry: &Value| output::text(entry, "at").chars().take(10).collect::<String>();
    let mut out =
        format!("Session {} in {}\n", short(&output::text(value, "session")), output::text(value, "host"));
    let earlier = output::number(value, "earlier");
    if earlier > 0 {
        out.push_str(&format!("  … {} before; --before shows more\n", output::grouped(earlier)));
    }
    let mut last_day = String::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for entry in entries {
        let today = day(entry);
        let day_if_new = if today == last_day { String::new() } else { today.clone() };
        last_day = today;
        let by = if entry["agent"].is_string() { "subagent " } else { "" };
        let mark = if entry["here"] == Value::Bool(true) { ">" } else { " " };
        rows.push(vec![
            format!("{mark} {day_if_new:10} {}", output::text(entry, "at").get(11..16).unwrap_or_default()),
            format!("#{}", output::number(entry, "id")),
            format!("{by}{}", output::text(entry, "kind")),
            title(entry),
        ]);
    }
    out.push_str(&fitted(&output::columns(&rows)));
    let later = output::number(value, "later");
    if later > 0 {
        out.push_str(&format!("  … {} after; --after shows more\n", output::grouped(later)));
    }
    out
}

/// The beginning of a session's id, which `--session` takes as well.
fn short(session: &str) -> String {
    session.chars().take(SHORT_ID).collect()
}

/// Lines no wider than the terminal.
fn fitted(text: &str) -> String {
    text.lines().map(|line| output::fit(line, output::width()) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_marks_the_entry_and_says_what_is_beyond() {
        let entry = |id: i64, at: &str, kind: &str, title: &str| json!({"id": id, "at": at, "kind": kind, "title": title, "here": id == 12, "agent": null});
        let mut of_agent = entry(13, "2026-11-03T00:01:00+00:00", "shell", "Bash: rg port");
        of_agent["agent"] = json!("a1");
        let value = json!({
            "host": "codex", "session": "0193ab12-7c11-7abc", "earlier": 1_200, "later": 3,
            "entries": [
                entry(9, "2026-11-02T23:58:07+00:00", "prompt", "which port does the 数据库 use?"),
                entry(12, "2026-11-02T23:59:07+00:00", "read", "Read: /p/docker-compose.yml"),
                of_agent,
            ],
        });
        insta::assert_snapshot!(render_timeline(&value), @r"
        Session 0193ab12 in codex
          … 1,200 before; --before shows more
          2026-11-02 23:58  #9   prompt          which port does the 数据库 use?
        >            23:59  #12  read            Read: /p/docker-compose.yml
          2026-11-03 00:01  #13  subagent shell  Bash: rg port
          … 3 after; --after shows more
        ");
    }
}
