//! What a hook costs its host: the whole process, beside one that does nothing.

use std::path::Path;

use serde_json::json;

use super::events::payload;
use super::measure::{Sample, once};
use super::table::{Figure, Table};
use super::text::Text;
use super::world::World;
use super::{Plan, Result};
use crate::error::Error;

/// Runs before the first that counts.
const WARM_UP: usize = 10;

/// One kind of hook, measured.
#[derive(Debug, Default)]
struct Measured {
    floor: Vec<f64>,
    wall: Vec<f64>,
    cpu: Vec<f64>,
    /// How many printed something.
    spoke: usize,
}

/// The table of hooks.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new(
        "Hooks: whole process, beside a program that does nothing",
        &[
            "hook",
            "floor",
            "median over floor, ms",
            "p95 over floor's",
            "least over least",
            "CPU, ms",
            "CPU of floor",
        ],
    );
    let mut spoke = Vec::new();
    let mut add = |name: &str, most: f64, cpu: Option<f64>, measured: &Measured, floor_cpu: f64| {
        let (floor, wall): (Sample, Sample) =
            (measured.floor.iter().copied().collect(), measured.wall.iter().copied().collect());
        let used: Sample = measured.cpu.iter().copied().collect();
        let used = Figure::of(used.median());
        table.row(
            name,
            [
                Figure::of(floor.median()),
                Figure::of(wall.median() - floor.median()).at_most(most),
                Figure::of(wall.percentile(95) - floor.percentile(95)),
                Figure::of(wall.least() - floor.least()),
                match cpu {
                    Some(most) => used.at_most(most),
                    None => used,
                },
                Figure::of(floor_cpu),
            ],
        );
        spoke.push(format!("{name}: {} of {} printed something", measured.spoke, measured.wall.len()));
    };

    let (world, about) = World::with_memories(&plan.dist, 300)?;
    let (measured, floor) = tools(&world, &plan.dist, plan.runs)?;
    add("post-tool-use", 2.0, Some(2.0), &measured, floor);
    let (measured, floor) = starts(&world, plan.runs)?;
    add("session-start, 300 memories", 5.0, None, &measured, floor);
    let (measured, floor) = prompts(&world, &about, plan.runs)?;
    add("user-prompt-submit, 300 memories", 5.0, None, &measured, floor);
    drop(world);

    let (world, about) = World::with_memories(&plan.dist, 10_000)?;
    let (measured, floor) = prompts(&world, &about, plan.runs)?;
    add("user-prompt-submit, 10,000 memories", 15.0, None, &measured, floor);
    drop(world);

    let world = World::new(&plan.dist)?;
    let alone = without_engine(&world, &plan.dist)?;
    let (measured, floor) = tools(&world, &alone, plan.runs)?;
    let spooled = std::fs::read_dir(world.root().join("spool")).into_iter().flatten().flatten();
    let spooled = spooled.filter(|file| file.path().extension().is_some_and(|ext| ext == "json")).count();
    add("post-tool-use, no engine", 2.0, None, &measured, floor);

    table.note(format!(
        "{} runs of each, each after a run of /bin/true; {WARM_UP} before that do not count.",
        plan.runs
    ));
    table.note(spoke.join("; ") + ".");
    table.note(format!("Without an engine {spooled} events are in the spool."));
    Ok(table)
}

/// Runs a hook often, each time after a program that does nothing.
fn interleaved(
    world: &World,
    runs: usize,
    mut hook: impl FnMut(usize) -> (std::process::Command, Vec<u8>),
) -> Result<(Measured, f64)> {
    let mut measured = Measured::default();
    let mut floor_cpu = Vec::new();
    for number in 0..WARM_UP + runs {
        let (mut command, input) = hook(number);
        let floor = once(&mut world.floor(), &input)?;
        let cost = once(&mut command, &input)?;
        if number >= WARM_UP {
            measured.floor.push(floor.wall);
            floor_cpu.push(floor.cpu);
            measured.wall.push(cost.wall);
            measured.cpu.push(cost.cpu);
            measured.spoke += usize::from(!cost.output.is_empty());
        }
    }
    Ok((measured, floor_cpu.into_iter().collect::<Sample>().median()))
}

/// Shell commands with a page of output.
fn tools(world: &World, dist: &Path, runs: usize) -> Result<(Measured, f64)> {
    let mut text = Text::new(11);
    interleaved(world, runs, |number| {
        let length = text.numbers.skewed(60, 6_000);
        let input = payload(
            "PostToolUse",
            &format!("bench-tools-{}", number / 50),
            &world.project(),
            json!({
                "tool_name": "Bash",
                "tool_use_id": format!("toolu_{}", text.numbers.hex(12)),
                "tool_input": {"command": text.command(), "description": text.sentence(5)},
                "tool_response": {"stdout": text.output(length), "stderr": "", "interrupted": false, "isImage": false},
                "duration_ms": 38,
            }),
        );
        (world.hook_of(dist, "post-tool-use"), input)
    })
}

fn starts(world: &World, runs: usize) -> Result<(Measured, f64)> {
    interleaved(world, runs, |number| {
        let session = format!("bench-starts-{number}");
        let input = payload("SessionStart", &session, &world.project(), json!({"source": "startup"}));
        (world.hook("session-start"), input)
    })
}

/// Every second prompt is about something that is remembered.
fn prompts(world: &World, about: &[String], runs: usize) -> Result<(Measured, f64)> {
    let mut text = Text::new(12);
    interleaved(world, runs, |number| {
        let mut prompt = text.prompt();
        if number % 2 == 0 {
            prompt = format!("{}. {prompt}", about[text.numbers.below(about.len())]);
        }
        let session = format!("bench-prompts-{}", number / 10);
        let more = json!({"prompt": prompt, "prompt_id": text.numbers.hex(16)});
        let input = payload("UserPromptSubmit", &session, &world.project(), more);
        (world.hook("user-prompt-submit"), input)
    })
}

/// The hooks of an installation without its engine, so that nothing can be started.
fn without_engine(world: &World, dist: &Path) -> Result<std::path::PathBuf> {
    let alone = world.root().join("alone");
    let (from, to) = (dist.join("bin/claude-code"), alone.join("bin/claude-code"));
    std::fs::create_dir_all(&to).map_err(Error::file("making", &to))?;
    let file = to.join("post-tool-use");
    std::fs::copy(from.join("post-tool-use"), &file).map_err(Error::file("writing", &file))?;
    Ok(alone)
}
