//! `remora engine`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::arguments::EngineCommand;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;
use crate::places::Places;

/// How long a stopping engine may take to answer what is open and to close the journal.
const FAREWELL: Duration = Duration::from_secs(5);

pub(super) fn run(
    engine: &Engine,
    places: &Places,
    command: EngineCommand,
    as_json: bool,
) -> Result<(), Failure> {
    match command {
        EngineCommand::Run { detached } => crate::engine::run(places, detached),
        EngineCommand::Status => status(engine, as_json),
        EngineCommand::Stop => stop(engine, as_json),
        EngineCommand::Restart => {
            stop_and_wait(engine)?;
            engine.ask("status", Value::Null)?;
            status(engine, as_json)
        }
    }
}

fn status(engine: &Engine, as_json: bool) -> Result<(), Failure> {
    let found = engine.if_running("status")?;
    let running = found.is_some();
    let mut value = found.map_or_else(|| json!({}), |status| status["engine"].clone());
    value["running"] = json!(running);
    if as_json {
        output::json(&value);
    } else if running {
        output::line(&format!(
            "The engine runs as process {}, version {} ({}), for {} s; it leaves after {} s without work.",
            output::number(&value, "pid"),
            output::text(&value, "version"),
            output::text(&value, "build"),
            output::grouped(output::number(&value, "up_seconds")),
            output::grouped(output::number(&value, "idle_exit_seconds")),
        ));
    } else {
        output::line("No engine runs; the first hook or command that needs it starts it.");
    }
    Ok(())
}

/// Ends the engine, if one runs, and waits until it is gone. True: one was running.
pub(super) fn stop_and_wait(engine: &Engine) -> Result<bool, Failure> {
    let stopped = engine.if_running("stop")?;
    wait_until_gone(stopped.as_ref());
    Ok(stopped.is_some())
}

fn stop(engine: &Engine, as_json: bool) -> Result<(), Failure> {
    let was_running = stop_and_wait(engine)?;
    if as_json {
        output::json(&json!({"stopped": was_running}));
    } else if was_running {
        output::line("The engine has left.");
    } else {
        output::line("No engine was running.");
    }
    Ok(())
}

/// Waits until the process is gone: then nobody writes any more.
fn wait_until_gone(stopped: Option<&Value>) {
    let pid = stopped.and_then(|value| value["pid"].as_i64()).and_then(|pid| i32::try_from(pid).ok());
    let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) else { return };
    let until = Instant::now() + FAREWELL;
    while Instant::now() < until && rustix::process::test_kill_process(pid).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
}
