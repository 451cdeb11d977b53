//! Codex runs this when a subagent starts.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_codex::SUBAGENT_START, remora_hook::build!())
}
