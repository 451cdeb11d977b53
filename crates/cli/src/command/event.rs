//! `remora event`: the shared event format for adapters in any language.

use std::io::Read as _;

use remora_event::wire::{Request, Response};
use remora_event::{Event, Want};

use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(engine: &Engine) -> Result<(), Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let event: Event = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(
            format!("standard input is not an event: {error}"),
            "docs/event-format.md describes the fields",
        )
    })?;
    let wants_reply = event.want != Want::None;
    match engine.send(&Request::Event(Box::new(event)))? {
        Response::Reply(reply) if wants_reply => {
            output::json(&serde_json::to_value(reply).unwrap_or_default());
            Ok(())
        }
        Response::Reply(_) => Ok(()),
        other => {
            Err(Failure::new("engine", format!("the engine answered {other:?}"), "`remora engine restart`"))
        }
    }
}
