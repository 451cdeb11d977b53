//! Gemini CLI runs this when a tool has run, well or not.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_gemini_cli::AFTER_TOOL, remora_hook::build!())
}
