//! Copilot CLI runs this when a session starts or goes on.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_copilot_cli::SESSION_START, remora_hook::build!())
}
