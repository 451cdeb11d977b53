//! `remora-bench`: builds an installation, or takes one, and measures it.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use lexopt::prelude::*;
use remora_tests::bench::table::Table;
use remora_tests::bench::{ALL, Bench, Plan, machine};
use remora_tests::workspace::{self, Workspace};
use remora_tests::{Error, Result};

const USAGE: &str = "\
remora-bench [--dist FOLDER] [--json] [--large] [--runs N] [NAME...]

  --dist FOLDER  an installation (a folder with `bin`) to measure; without it one is built by install/build.sh
  --json         print JSON instead of tables
  --large        search a million events, too, and import a gigabyte: many minutes and some gigabytes
  --runs N       how often each hook is run, 400 if not said
  NAME           what to measure; without any, everything:";

struct Arguments {
    dist: Option<PathBuf>,
    json: bool,
    large: bool,
    runs: usize,
    names: Vec<String>,
}

#[expect(clippy::print_stderr, reason = "a program for the shell")]
fn main() -> ExitCode {
    match parse()
        .map_err(|error| error.to_string())
        .and_then(|arguments| chosen(arguments).map_err(|name| format!("there is no benchmark {name:?}")))
    {
        Err(problem) => {
            eprintln!("{problem}\n\n{}", usage());
            ExitCode::from(2)
        }
        Ok((arguments, benches)) => match run(&arguments, &benches) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("remora-bench: {error}");
                ExitCode::FAILURE
            }
        },
    }
}

fn usage() -> String {
    let benches = ALL.iter().map(|bench| format!("    {:<11} {}", bench.name, bench.about));
    std::iter::once(USAGE.to_owned()).chain(benches).collect::<Vec<_>>().join("\n")
}

#[expect(clippy::print_stdout, reason = "a program for the shell")]
fn parse() -> Result<Arguments, lexopt::Error> {
    let mut arguments = Arguments { dist: None, json: false, large: false, runs: 400, names: Vec::new() };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => {
                println!("{}", usage());
                std::process::exit(0);
            }
            Long("dist") => arguments.dist = Some(parser.value()?.into()),
            Long("json") => arguments.json = true,
            Long("large") => arguments.large = true,
            Long("runs") => arguments.runs = parser.value()?.parse()?,
            Value(name) => arguments.names.push(name.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(arguments)
}

/// The benchmarks that were named, or the name that none has.
fn chosen(arguments: Arguments) -> Result<(Arguments, Vec<&'static Bench>), String> {
    if arguments.names.is_empty() {
        return Ok((arguments, ALL.iter().collect()));
    }
    let named = |name: &String| ALL.iter().find(|bench| bench.name == *name).ok_or_else(|| name.clone());
    let benches = arguments.names.iter().map(named).collect::<Result<_, _>>()?;
    Ok((arguments, benches))
}

#[expect(clippy::print_stdout, reason = "a report")]
fn run(arguments: &Arguments, benches: &[&Bench]) -> Result<()> {
    let dist = match &arguments.dist {
        Some(dist) => std::path::absolute(dist).map_err(Error::file("looking for", dist))?,
        None => built()?,
    };
    let plan = Plan { dist, runs: arguments.runs, large: arguments.large };
    if !arguments.json {
        println!("{}\n", machine());
    }
    let mut tables: Vec<Table> = Vec::new();
    for bench in benches {
        let table = (bench.run)(&plan)?;
        if arguments.json {
            tables.push(table);
        } else {
            println!("{table}");
        }
    }
    if arguments.json {
        println!("{}", serde_json::json!({"machine": machine(), "tables": tables}));
    }
    Ok(())
}

/// Builds an installation as people get it.
fn built() -> Result<PathBuf> {
    let target = Workspace::read()?.target_directory;
    let script = workspace::root().join("install").join("build.sh");
    let status = Command::new(&script)
        .arg("--all")
        .env("CARGO_TARGET_DIR", &target)
        .stdout(Stdio::null())
        .status()
        .map_err(Error::run(script.display().to_string()))?;
    if !status.success() {
        let problem = format!("left with {status}");
        return Err(Error::Program { program: script.display().to_string(), problem });
    }
    Ok(target.join("dist"))
}
