//! `remora doctor`: what works, what does not, and what to do about it.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use remora_install::{HOSTS, Manifest, Outcome, Proof, ProofOptions};
use serde_json::{Value, json};

use super::install::{environment, installation, said};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};
use crate::places::Places;

/// No hook is waited for longer than this when it is proved.
const LIMIT: Duration = Duration::from_secs(5);

/// Less than this much free room beside the data root is a finding, in bytes.
const LITTLE_ROOM: u64 = 200 * 1000 * 1000;

pub(super) fn run(engine: &Engine, places: &Places, prove: bool, as_json: bool) -> Result<(), Failure> {
    let environment = environment(places)?;
    let installation = installation(places)?;
    let manifest = Manifest::read(&installation).map_err(said)?;
    let mut findings = Vec::new();
    let status = engine_status(engine, &mut findings);
    let heard = last_heard(&status);
    let proofs = if prove {
        let options = ProofOptions { cwd: std::env::current_dir()?, limit: LIMIT };
        remora_install::prove(&environment, &installation, &manifest, HOSTS, &options)
    } else {
        Vec::new()
    };
    let hosts: Vec<Value> = HOSTS
        .iter()
        .map(|host| {
            let report = remora_install::check(&environment, &installation, &manifest, host);
            let mut value = serde_json::to_value(&report).unwrap_or_default();
            value["last_heard"] = json!(heard.get(host.id));
            value["proved"] = proved(&proofs, host.id);
            if report.installed && !heard.contains_key(host.id) {
                push(
                    &mut value["findings"],
                    false,
                    &format!("{} was never heard", host.name),
                    never_heard(report.trusted),
                );
            }
            value
        })
        .collect();
    findings.extend(places_findings(places));
    for proof in &proofs {
        if let Outcome::Failed { why } = &proof.outcome {
            findings.push(finding(
                true,
                &format!("{} {}: {why}", proof.host, proof.event),
                "run `remora install` again, then look again",
            ));
        }
    }
    let ok = !findings.iter().any(is_problem)
        && !hosts.iter().any(|host| output::list(host, "findings").iter().any(is_problem));
    let value = json!({"ok": ok, "hosts": hosts, "proofs": proofs, "engine": status.get("engine"), "memory": status.get("memory"), "sources": status.get("sources"), "findings": findings});
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value, &proofs, prove).trim_end());
    }
    if ok { Ok(()) } else { Err(Failure::said()) }
}

fn finding(is_problem: bool, text: &str, next: &str) -> Value {
    json!({"is_problem": is_problem, "text": text, "next": next})
}

fn push(list: &mut Value, is_problem: bool, text: &str, next: &str) {
    if let Some(list) = list.as_array_mut() {
        list.push(finding(is_problem, text, next));
    }
}

fn is_problem(finding: &Value) -> bool {
    finding["is_problem"] == Value::Bool(true)
}

/// What the engine says; that it cannot be reached is a finding.
fn engine_status(engine: &Engine, findings: &mut Vec<Value>) -> Value {
    match engine.ask("status", Value::Null) {
        Ok(status) => {
            for said in output::list(&status, "findings") {
                findings.push(finding(true, &output::text(said, "what"), &output::text(said, "next")));
            }
            // What the person wished is no problem; what the configuration is at fault for is said already.
            let wished = output::list(&status["memory"], "off").iter().filter(|off| off["why"] != "config");
            findings.extend(
                wished.map(|off| finding(false, &output::text(off, "what"), &output::text(off, "undo"))),
            );
            let theirs = output::text(&status["engine"], "build").into_owned();
            if theirs != crate::build().id {
                findings.push(finding(
                    true,
                    &format!("the engine that runs is build {theirs}, this command is {}", crate::build().id),
                    "two installations take turns: `remora engine restart` starts this one, removing the other ends it",
                ));
            }
            status
        }
        Err(failure) => {
            let body = failure.body();
            findings.push(finding(true, &body.message, body.hint.as_deref().unwrap_or_default()));
            json!({})
        }
    }
}

fn last_heard(status: &Value) -> HashMap<String, String> {
    output::list(status, "hosts")
        .iter()
        .map(|host| (output::text(host, "host").into_owned(), output::text(host, "last_heard").into_owned()))
        .collect()
}

/// Why a host that is wired up may have been silent.
fn never_heard(trusted: Option<bool>) -> &'static str {
    match trusted {
        Some(false) => "it does not trust the hooks yet; start it once and accept them",
        _ => "start a new session in a folder that it trusts; sessions that were open before do not count",
    }
}

/// True: every hook of the host that was run did its work; null: none was run.
fn proved(proofs: &[Proof], host: &str) -> Value {
    let mut run = proofs
        .iter()
        .filter(|proof| proof.host == host && !matches!(proof.outcome, Outcome::NotRun { .. }))
        .peekable();
    if run.peek().is_none() {
        return Value::Null;
    }
    json!(run.all(|proof| matches!(proof.outcome, Outcome::Passed { .. })))
}

/// What the files of the data root say without any engine.
fn places_findings(places: &Places) -> Vec<Value> {
    let mut findings = Vec::new();
    let waiting = json_files(&places.root.join("spool"));
    if waiting > 0 {
        findings.push(finding(
            false,
            &format!("{} in the spool", output::counted(waiting, "event waits", "events wait")),
            "a running engine takes them in within seconds",
        ));
    }
    let missed = deadline_misses(&places.root.join("logs").join("hooks.log"));
    if missed > 0 {
        findings.push(finding(
            false,
            &format!("{} in the hooks' log", output::counted(missed, "missed deadline", "missed deadlines")),
            &format!("{} says when", output::path(&places.root.join("logs/hooks.log").to_string_lossy())),
        ));
    }
    if let Ok(space) = rustix::fs::statvfs(&places.root) {
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        if free < LITTLE_ROOM {
            let free = output::bytes(i64::try_from(free).unwrap_or(i64::MAX));
            findings.push(finding(
                true,
                &format!("the disk has {free} left"),
                "make room: events wait in the spool until then, and are lost beyond it",
            ));
        }
    }
    findings
}

fn json_files(folder: &Path) -> i64 {
    let count = std::fs::read_dir(folder).map_or(0, |entries| {
        entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
            .count()
    });
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn deadline_misses(log: &Path) -> i64 {
    let text = remora_engine::ordinary::read_to_string(log).unwrap_or_default();
    i64::try_from(text.lines().filter(|line| line.contains("did not answer in time")).count()).unwrap_or(0)
}

fn render(value: &Value, proofs: &[Proof], proved: bool) -> String {
    let mut out = String::new();
    let engine = &value["engine"];
    if engine["pid"].is_null() {
        out.push_str("Engine       not running\n");
    } else {
        out.push_str(&format!(
            "Engine       process {}, version {}, build {}\n",
            output::number(engine, "pid"),
            output::text(engine, "version"),
            output::text(engine, "build")
        ));
    }
    for host in output::list(value, "hosts") {
        out.push_str(&host_lines(host));
    }
    if let Some(sources) = super::status::sources(output::list(value, "sources")) {
        out.push_str(&format!("Taken in     {sources}\n"));
    }
    if proved {
        out.push_str(&proof_lines(proofs));
    }
    for finding in output::list(value, "findings") {
        out.push_str(&finding_lines(finding, ""));
    }
    let is_off = value["memory"]["on"] == Value::Bool(false);
    out.push_str(match value["ok"] == Value::Bool(true) {
        true if is_off => "Nothing is broken, but memory is off: see above.\n",
        true => "All is well.\n",
        false => "Something is wrong: see above.\n",
    });
    out
}

fn host_lines(host: &Value) -> String {
    let yes = |key: &str| host[key] == Value::Bool(true);
    let state = match (yes("found"), yes("installed"), yes("current")) {
        (false, false, _) => "not on this machine".to_owned(),
        (true, false, _) => format!("here, not wired up (`remora install {}`)", output::text(host, "host")),
        (_, true, false) => "wired up, not as this version would".to_owned(),
        (_, true, true) => "wired up".to_owned(),
    };
    let version = match output::text(host, "version").as_ref() {
        "" => String::new(),
        version => format!(" {version}"),
    };
    let heard = match output::text(host, "last_heard").replace('T', " ") {
        at if at.is_empty() => String::new(),
        at => format!(", last heard {}", at.get(..16).unwrap_or(&at)),
    };
    let mut out =
        format!("{}\n", output::styled(&format!("{}{version}", output::text(host, "name")), Style::Bold));
    out.push_str(&format!("  {state}{heard}\n"));
    for finding in output::list(host, "findings") {
        out.push_str(&finding_lines(finding, "  "));
    }
    out
}

fn finding_lines(finding: &Value, indent: &str) -> String {
    let mark = if is_problem(finding) { "!" } else { "·" };
    let first = output::styled(&format!("{indent}{mark} {}", output::text(finding, "text")), Style::Warning);
    format!("{first}\n{indent}  {}\n", output::text(finding, "next"))
}

fn proof_lines(proofs: &[Proof]) -> String {
    if proofs.is_empty() {
        return "No hook is recorded, so none was run.\n".into();
    }
    let rows: Vec<Vec<String>> = proofs
        .iter()
        .map(|proof| {
            let (mark, what) = match &proof.outcome {
                Outcome::Passed { micros, bytes } => {
                    let millis = format!("{}.{} ms", micros / 1000, micros % 1000 / 100);
                    ("ok", if *bytes > 0 { format!("{millis}, {bytes} bytes for the host") } else { millis })
                }
                Outcome::Failed { why } => ("FAILED", output::plain(why)),
                Outcome::NotRun { why } => ("not run", output::plain(why)),
            };
            vec![format!("  {}", proof.host), output::plain(&proof.event), mark.to_owned(), what]
        })
        .collect();
    format!("Every hook run once, as its host would:\n{}", output::columns(&rows))
}
