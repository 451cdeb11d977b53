//! Codex runs this when a tool has run, well or not.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_codex::POST_TOOL_USE, remora_hook::build!())
}
