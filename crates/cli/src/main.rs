//! The `remora` command: what a person types. Everything that touches memory or the journal is asked of the
//! engine over its socket; the engine is this same program, run as `remora engine run`.

mod adapters;
mod arguments;
mod ask;
mod command;
mod descriptors;
mod engine;
mod failure;
mod logging;
mod mcp;
mod mistakes;
mod output;
mod places;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;
use crate::failure::Failure;

fn main() -> ExitCode {
    // The build is asked for before anything else is read: scripts compare it with the hooks'.
    if std::env::args().nth(1).as_deref() == Some("--build-id") {
        output::line(&build().id);
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return mistyped(&error),
    };
    let json = arguments.json;
    match command::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure, json),
    }
}

/// What cannot be read as a command is said in our words; help and version are the parser's.
fn mistyped(error: &clap::Error) -> ExitCode {
    let typed: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match mistakes::said(error, &typed) {
        Some(failure) => report(&failure, typed.iter().any(|word| word == "--json")),
        None => {
            let _ = error.print();
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
    }
}

fn report(failure: &Failure, json: bool) -> ExitCode {
    if failure.is_said() {
        return ExitCode::FAILURE;
    }
    output::error(&failure.body(), json);
    ExitCode::from(if failure.is_usage() { 2 } else { 1 })
}

/// Which build this is.
fn build() -> remora_event::wire::Build {
    remora_hook::build!()
}
