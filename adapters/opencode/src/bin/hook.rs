//! Remora's plugin for `OpenCode` runs this with the name of an event.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run_named(&remora_opencode::HOOKS, remora_hook::build!())
}
