//! Copilot CLI runs this when a subagent has ended.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_copilot_cli::SUBAGENT_STOP, remora_hook::build!())
}
