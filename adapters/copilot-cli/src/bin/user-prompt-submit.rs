//! Copilot CLI runs this when the person sends a prompt.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_copilot_cli::USER_PROMPT_SUBMIT, remora_hook::build!())
}
