//! Gemini CLI runs this when the person sends a prompt.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_gemini_cli::BEFORE_AGENT, remora_hook::build!())
}
