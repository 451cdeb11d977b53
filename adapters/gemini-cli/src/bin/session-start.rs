//! Gemini CLI runs this when a session starts, resumes or is cleared.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_gemini_cli::SESSION_START, remora_hook::build!())
}
