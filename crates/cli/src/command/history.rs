//! `remora import history`: step by step, so that it can be stopped at any moment and goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use remora_profile::HostProfile;
use remora_transcript::Definition;
use serde_json::{Value, json};

use crate::arguments::HistoryImport;
use crate::ask::{Broken, Engine};
use crate::failure::Failure;
use crate::output;

/// So many sources are named in one step.
const TOGETHER: usize = 64;

/// At an installation at most so many transcripts of a host are counted.
const COUNTED: usize = 20_000;

/// What is said of events that are left out.
const REASONS: [(&str, &str); 12] = [
    ("older", "older than --since"),
    ("other_project", "of other projects"),
    ("excluded", "excluded by your settings, or Remora's own"),
    ("switched_off", "while memory was paused or disabled there"),
    ("purged", "purged by you"),
    ("older_than_kept", "older than journal.keep"),
    ("not_work", "of agents' own sessions, which are no work"),
    ("without_session", "of no session"),
    ("without_folder", "in folders that are not known: work in them once with any agent, and import again"),
    ("unreadable", "records that cannot be read"),
    ("too_long", "records that are too long"),
    ("files_too_long", "files over 32 MiB that could only be read whole"),
];

/// What was brought in of one host.
#[derive(Debug, Default)]
struct Counts {
    sessions: BTreeSet<String>,
    prompts: i64,
    tool_uses: i64,
    others: i64,
    already: i64,
    left_out: BTreeMap<String, i64>,
    problems: Vec<String>,
}

impl Counts {
    fn add(&mut self, step: &Value) {
        self.sessions
            .extend(output::list(step, "sessions").iter().filter_map(Value::as_str).map(str::to_owned));
        self.prompts += output::number(step, "prompts");
        self.tool_uses += output::number(step, "tool_uses");
        self.others += output::number(step, "others");
        self.already += output::number(step, "already");
        for (why, count) in step["left_out"].as_object().into_iter().flatten() {
            *self.left_out.entry(why.clone()).or_default() += count.as_i64().unwrap_or(0);
        }
        let problems = output::list(step, "problems").iter().filter_map(Value::as_str);
        self.problems.extend(problems.map(str::to_owned));
    }

    fn json(&self) -> Value {
        json!({
            "sessions": self.sessions.len(), "prompts": self.prompts, "tool_uses": self.tool_uses,
            "others": self.others, "already": self.already, "left_out": self.left_out,
        })
    }
}

pub(super) fn run(
    engine: &Engine,
    args: &HistoryImport,
    in_project: bool,
    as_json: bool,
) -> Result<(), Failure> {
    let asked = json!({"host": args.host, "since": args.since, "here": in_project, "dry_run": args.dry_run});
    let found = engine.ask("history_sources", asked.clone())?;
    let all = output::list(&found, "hosts");
    let bytes = all
        .iter()
        .flat_map(|host| output::list(host, "sources"))
        .map(|source| output::number(source, "bytes"));
    let bar = progress(u64::try_from(bytes.sum::<i64>()).unwrap_or(0), as_json);
    let mut hosts = Vec::new();
    let mut problems: Vec<String> =
        output::list(&found, "problems").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    for host in all {
        bar.set_message(output::text(host, "name").into_owned());
        let mut counts = read(engine, host, &asked, &bar)?;
        problems.append(&mut counts.problems);
        let mut row = json!({
            "host": host["host"], "name": host["name"], "transcripts": output::list(host, "sources").len(),
            "as_before": host["as_before"], "older": host["older"], "is_more": host["is_more"],
        });
        if let (Some(row), Value::Object(counts)) = (row.as_object_mut(), counts.json()) {
            row.extend(counts);
        }
        hosts.push(row);
    }
    bar.finish_and_clear();
    let value =
        json!({"dry_run": args.dry_run, "hosts": hosts, "total": total(&hosts), "problems": problems});
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

/// Reads the sources of one host, step by step. A step that broke off is asked for again: what was kept before is
/// known, and does not come twice.
fn read(engine: &Engine, host: &Value, asked: &Value, bar: &ProgressBar) -> Result<Counts, Failure> {
    let sources = output::list(host, "sources");
    let mut counts = Counts::default();
    let (mut done, mut from) = (0, Value::Null);
    while done < sources.len() {
        let next: Vec<&Value> =
            sources[done..].iter().take(TOGETHER).map(|source| &source["source"]).collect();
        let mut args = asked.clone();
        args["host"] = host["host"].clone();
        args["sources"] = json!(next);
        args["from"] = from;
        let step = engine.ask_over("history_step", args, Broken::AskAgain)?;
        let finished = usize::try_from(output::number(&step, "finished")).unwrap_or(0).min(next.len());
        let bytes =
            sources[done..done + finished].iter().map(|source| output::number(source, "bytes")).sum::<i64>();
        bar.inc(u64::try_from(bytes).unwrap_or(0));
        done += finished;
        from = step["from"].clone();
        counts.add(&step);
    }
    Ok(counts)
}

/// A bar on a terminal; nothing where somebody else reads.
fn progress(bytes: u64, as_json: bool) -> ProgressBar {
    if as_json || !std::io::stderr().is_terminal() || !std::io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg:14} {wide_bar} {bytes} of {total_bytes}, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn total(hosts: &[Value]) -> Value {
    let sum = |key: &str| hosts.iter().map(|host| output::number(host, key)).sum::<i64>();
    let mut left_out: BTreeMap<&str, i64> = BTreeMap::new();
    for (why, count) in hosts.iter().filter_map(|host| host["left_out"].as_object()).flatten() {
        *left_out.entry(why).or_default() += count.as_i64().unwrap_or(0);
    }
    json!({
        "sessions": sum("sessions"), "prompts": sum("prompts"), "tool_uses": sum("tool_uses"), "others": sum("others"),
        "already": sum("already"), "left_out": left_out,
    })
}

fn render(value: &Value) -> String {
    let hosts = output::list(value, "hosts");
    let mut out = String::new();
    let sum = |key: &str| hosts.iter().map(|host| output::number(host, key)).sum::<i64>();
    if hosts.is_empty() {
        out.push_str("No agent has written down any session that is known here.\n");
    } else if sum("transcripts") == 0 {
        let read = output::counted(sum("as_before"), "transcript", "transcripts");
        out.push_str(&format!("Nothing is new in {read}.\n"));
    } else {
        let mut rows = vec![
            ["", "transcripts", "sessions", "prompts", "tool uses", "already there"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for host in hosts {
            let number = |key: &str| output::grouped(output::number(host, key));
            let transcripts = match output::number(host, "as_before") {
                0 => number("transcripts"),
                before => format!("{} ({} as before)", number("transcripts"), output::grouped(before)),
            };
            rows.push(vec![
                output::text(host, "name").into_owned(),
                transcripts,
                number("sessions"),
                number("prompts"),
                number("tool_uses"),
                number("already"),
            ]);
        }
        let verb = if value["dry_run"] == Value::Bool(true) { "Would be brought in" } else { "Brought in" };
        out.push_str(&format!("{verb}:\n{}", output::columns(&rows)));
    }
    if value["dry_run"] == Value::Bool(false) && sum("sessions") > 0 {
        out.push_str("`remora search WORDS` finds them.\n");
    }
    let left_out = value["total"]["left_out"].as_object();
    for (why, words) in REASONS {
        let count = left_out.and_then(|left_out| left_out.get(why)).and_then(Value::as_i64).unwrap_or(0);
        if count > 0 {
            out.push_str(&format!("Left out: {} {words}\n", output::grouped(count)));
        }
    }
    for problem in output::list(value, "problems").iter().filter_map(Value::as_str) {
        out.push_str(&format!("Not read: {}\n", output::plain(problem)));
    }
    out
}

/// What agents wrote down of earlier sessions, in words: "412 transcripts of Claude Code and Codex". Counts files, and
/// opens none but databases.
pub(super) fn found(home: &Path) -> Option<String> {
    let mut names = Vec::new();
    let mut sessions = 0;
    for adapter in crate::adapters::ADAPTERS {
        let Ok(profile) = toml::from_str::<HostProfile>(adapter.profile) else { continue };
        let Ok(Some(definition)) = Definition::of(&profile) else { continue };
        let count = definition.count(home, COUNTED);
        if count > 0 {
            sessions += count;
            names.push(profile.title().to_owned());
        }
    }
    let last = names.pop()?;
    let names = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
    let transcripts = i64::try_from(sessions).unwrap_or(i64::MAX);
    Some(format!("{} of {names}", output::counted(transcripts, "transcript", "transcripts")))
}
