//! `remora-fake-model`: the fake model server as a program.
//!
//! By itself it serves until it is ended. With a command behind `--` it serves while the command
//! runs, and leaves with the command's status; run under `unshare -n` with `--loopback`, command and
//! server share a network in which there is nothing else.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use lexopt::prelude::*;
use remora_tests::{Error, FakeModel, Result, Script};

const USAGE: &str = "\
remora-fake-model [--script FILE] [--record FOLDER] [--port N] [--port-file FILE] [--loopback] [-- COMMAND...]

  --script FILE     the steps to play, as JSON; without it every answer is \"Done.\"
  --record FOLDER   write each request there as NNNN.json
  --port N          listen on this port of 127.0.0.1; 0, the default, is a free one
  --port-file FILE  write the port there once the server listens
  --loopback        bring the loopback interface up first, for a new network namespace
  -- COMMAND...     serve while this runs";

#[derive(Default)]
struct Arguments {
    script: Option<PathBuf>,
    record: Option<PathBuf>,
    port: u16,
    port_file: Option<PathBuf>,
    loopback: bool,
    command: Vec<OsString>,
}

#[expect(clippy::print_stderr, reason = "a program for the shell")]
fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    run(&arguments).unwrap_or_else(|error| {
        eprintln!("remora-fake-model: {error}");
        ExitCode::FAILURE
    })
}

fn parse() -> Result<Arguments, lexopt::Error> {
    let mut arguments = Arguments::default();
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("script") => arguments.script = Some(parser.value()?.into()),
            Long("record") => arguments.record = Some(parser.value()?.into()),
            Long("port") => arguments.port = parser.value()?.parse()?,
            Long("port-file") => arguments.port_file = Some(parser.value()?.into()),
            Long("loopback") => arguments.loopback = true,
            Value(program) => {
                arguments.command.push(program);
                arguments.command.extend(parser.raw_args()?);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let script = arguments.script.as_deref().map(Script::read).transpose()?.unwrap_or_default();
    if let Some(folder) = &arguments.record {
        std::fs::create_dir_all(folder).map_err(Error::file("making", folder))?;
    }
    if arguments.loopback {
        bring_up_loopback()?;
    }
    let model = FakeModel::start_with(script, arguments.port, arguments.record.clone())?;
    if let Some(file) = &arguments.port_file {
        // Renamed into place, so that whoever waits for the file finds the number in it.
        let new = file.with_extension("new");
        std::fs::write(&new, model.port().to_string()).map_err(Error::file("writing", &new))?;
        std::fs::rename(&new, file).map_err(Error::file("writing", file))?;
    }
    let Some((program, rest)) = arguments.command.split_first() else {
        model.wait()?;
        return Ok(ExitCode::SUCCESS);
    };
    let status = Command::new(program).args(rest).status().map_err(Error::run(program.to_string_lossy()))?;
    // A command that a signal ended has no code; shells say 128 and more.
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::from(255), ExitCode::from))
}

fn bring_up_loopback() -> Result<()> {
    let up = Command::new("ip").args(["link", "set", "lo", "up"]).output().map_err(Error::run("ip"))?;
    if up.status.success() {
        return Ok(());
    }
    let problem = String::from_utf8_lossy(&up.stderr).into_owned();
    Err(Error::Program { program: "ip link set lo up".to_owned(), problem })
}
