//! Copilot CLI runs this when the agent's turn has ended.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_copilot_cli::STOP, remora_hook::build!())
}
