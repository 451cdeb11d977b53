//! `remora hook HOST EVENT`: the same as the small executables, for installations without them.

use crate::adapters::ADAPTERS;
use crate::failure::Failure;

pub(super) fn run(host: &str, event: &str) -> Result<(), Failure> {
    let Some(adapter) = ADAPTERS.iter().find(|adapter| adapter.id == host) else {
        return Err(Failure::usage(format!("there is no host {host:?}"), "`remora hosts` lists them"));
    };
    let hooks = adapter.hooks;
    let wanted = event.replace(['-', '_'], "").to_lowercase();
    match hooks.iter().find(|(name, _)| name.replace('-', "").to_lowercase() == wanted) {
        Some((_, hook)) => remora_hook::run(hook, crate::build()),
        None => {
            let names: Vec<&str> = hooks.iter().map(|(name, _)| *name).collect();
            Err(Failure::usage(
                format!("{host} has no event {event:?}"),
                format!("its events: {}", names.join(", ")),
            ))
        }
    }
}
