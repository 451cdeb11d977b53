//! Gemini CLI runs this when a tool is about to run.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_gemini_cli::BEFORE_TOOL, remora_hook::build!())
}
