//! Copilot CLI runs this when the context is about to be compacted.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_copilot_cli::PRE_COMPACT, remora_hook::build!())
}
