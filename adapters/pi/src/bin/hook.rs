//! Remora's extension for pi runs this with the name of an event.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run_named(&remora_pi::HOOKS, remora_hook::build!())
}
