//! Importing what hosts wrote down: a history in the form of real transcripts, brought in by the command.

use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use remora_event::{Event, EventKind};
use serde_json::{Value, json};

use super::events::Events;
use super::measure::{Sample, millis};
use super::table::{Figure, Table};
use super::world::World;
use super::{Plan, Result};
use crate::error::Error;

/// A session's file is about so large.
const FILE: u64 = 4 * 1024 * 1024;
const SMALL: u64 = 100 * 1024 * 1024;
const LARGE: u64 = 1024 * 1024 * 1024;

/// How often it is looked how much memory a process holds.
const LOOK: Duration = Duration::from_millis(50);

/// The table of an import.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new(
        "Importing a history of Claude Code",
        &[
            "what",
            "seconds",
            "MB a second",
            "events a second",
            "peak of the engine, MiB",
            "peak of the command",
        ],
    );
    let world = World::new(&plan.dist)?;
    world.start()?;
    let size = if plan.large { LARGE } else { SMALL };
    let (files, events) = write(&world, size)?;
    let bytes: u64 =
        files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|found| found.len()).sum();
    #[expect(clippy::cast_precision_loss, reason = "shown without decimals")]
    let megabytes = bytes as f64 / 1e6;

    let read = read_all(&files)?;
    table.row("reading the files", figures(read, megabytes, None, [f64::NAN; 2]));
    let (spent, peaks, waits) = import(&world, &files)?;
    table.row("the import", figures(spent, megabytes, Some(events), peaks));
    let (again, peaks, _) = import(&world, &files)?;
    table.row("the same again", figures(again, megabytes, None, peaks));
    let indexed = Instant::now();
    world.wait_for_index()?;
    let count = files.len();
    table.note(format!("{count} sessions, {megabytes:.0} MB, {events} events."));
    table.note(format!(
        "Meanwhile {} live events were answered: median {:.1} ms, 95 of 100 within {:.1} ms, the last of all in {:.1} ms.",
        waits.len(), waits.median(), waits.percentile(95), waits.percentile(100)
    ));
    table.note(format!("The search knew all of it {:.0} s later.", indexed.elapsed().as_secs_f64()));
    Ok(table)
}

fn figures(spent: Duration, megabytes: f64, events: Option<u64>, [engine, command]: [f64; 2]) -> [Figure; 5] {
    let seconds = spent.as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "millions")]
    let rate = events.map_or(f64::NAN, |events| (events as f64 / seconds).round());
    [seconds, (megabytes / seconds).round(), rate, engine, command].map(Figure::of)
}

/// Writes sessions of so many bytes together; gives their files and how many events they make.
fn write(world: &World, size: u64) -> Result<(Vec<PathBuf>, u64)> {
    let folder = world.person().join(".claude/projects/-bench");
    std::fs::create_dir_all(&folder).map_err(Error::file("making", &folder))?;
    let (mut files, mut written, mut events, mut number) = (Vec::new(), 0, 0, 0);
    let mut source = Events::new(77, &world.project());
    while written < size {
        let session = format!("bench-{:06}", files.len());
        let path = folder.join(format!("{session}.jsonl"));
        let file = std::fs::File::create(&path).map_err(Error::file("writing", &path))?;
        let (mut out, mut length) = (BufWriter::new(file), 0);
        while length < FILE {
            let event = source.next_event();
            events += u64::from(matches!(
                event.event,
                EventKind::UserPrompt | EventKind::PostToolUse | EventKind::Stop
            ));
            for mut line in records(&event) {
                number += 1;
                line["uuid"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
                line["sessionId"] = json!(session);
                line["cwd"] = json!(world.project());
                line["timestamp"] = json!(event.at);
                line["version"] = json!("2.1.332");
                let line = format!("{line}\n");
                length += line.len() as u64;
                out.write_all(line.as_bytes()).map_err(Error::file("writing", &path))?;
            }
        }
        out.flush().map_err(Error::file("writing", &path))?;
        let old = std::time::SystemTime::now() - Duration::from_hours(1);
        out.get_ref().set_modified(old).map_err(Error::file("writing", &path))?;
        written += length;
        files.push(path);
    }
    Ok((files, events))
}

/// The records that Claude Code writes of an event, with what it writes beside them that makes none.
fn records(event: &Event) -> Vec<Value> {
    let said =
        |content: Value| json!({"type": "assistant", "message": {"role": "assistant", "content": content}});
    match (event.event, &event.tool) {
        (EventKind::UserPrompt, _) => {
            let prompt = event.prompt.clone().unwrap_or_default();
            let attached = json!({"type": "attachment", "attachment": {"type": "skill_listing", "content": "- a skill: what it is for. ".repeat(200)}});
            vec![json!({"type": "user", "message": {"role": "user", "content": prompt}}), attached]
        }
        (EventKind::PostToolUse, Some(tool)) => {
            let call = tool.call.clone().unwrap_or_default();
            let use_of = json!([{"type": "tool_use", "id": call, "name": tool.name, "input": tool.input}]);
            let output = tool.output.clone().unwrap_or_default();
            let text = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
            let answer = json!([{"type": "tool_result", "tool_use_id": call, "content": text}]);
            let result = json!({"type": "user", "message": {"role": "user", "content": answer}, "toolUseResult": output});
            vec![said(use_of), result]
        }
        (EventKind::Stop, _) => {
            let message = event.message.clone().unwrap_or_default();
            let mut end = said(json!([{"type": "text", "text": message}]));
            end["message"]["stop_reason"] = json!("end_turn");
            vec![end]
        }
        _ => Vec::new(),
    }
}

/// The floor: all bytes of the files, once.
fn read_all(files: &[PathBuf]) -> Result<Duration> {
    let started = Instant::now();
    let mut piece = vec![0; 256 * 1024];
    for path in files {
        let mut file = std::fs::File::open(path).map_err(Error::file("reading", path))?;
        while file.read(&mut piece).map_err(Error::file("reading", path))? > 0 {}
    }
    Ok(started.elapsed())
}

/// Imports, while events of a live session are told; gives the time, the peaks of engine and command in MiB, and how
/// long each live event waited, in milliseconds.
fn import(world: &World, files: &[PathBuf]) -> Result<(Duration, [f64; 2], Sample)> {
    let mut command = world.remora(&["import", "history", "--json"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn().map_err(Error::run("remora"))?;
    let mut live = Events::new(78, &world.project());
    let mut client = world.client()?;
    let (mut peaks, mut waits) = ([0.0_f64; 2], Vec::new());
    let status = loop {
        if let Some(status) = child.try_wait().map_err(Error::run("remora"))? {
            break status;
        }
        let engine = world.engine().map_or(0, |engine| engine.pid().as_raw_nonzero().get());
        let of_command = i32::try_from(child.id()).unwrap_or(0);
        for (peak, pid) in peaks.iter_mut().zip([engine, of_command]) {
            *peak = peak.max(high_water(pid));
        }
        let frame = live.next_frame()?;
        let asked = Instant::now();
        client.ask(&frame)?;
        waits.push(millis(asked.elapsed()));
        thread::sleep(LOOK);
    };
    if !status.success() {
        let problem = format!("left with {status} ({} files)", files.len());
        return Err(Error::Program { program: "remora import history".to_owned(), problem });
    }
    Ok((started.elapsed(), peaks, waits.into_iter().collect()))
}

/// The most memory that a process ever held, in MiB.
fn high_water(pid: i32) -> f64 {
    let text =
        std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kib.map_or(0.0, |kib| kib / 1024.0)
}
