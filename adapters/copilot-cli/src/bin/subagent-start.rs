//! Copilot CLI runs this when a subagent starts.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_copilot_cli::SUBAGENT_START, remora_hook::build!())
}
