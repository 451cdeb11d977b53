//! Codex runs this when the person sends a prompt, or an agent gives one to a subagent.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_codex::USER_PROMPT_SUBMIT, remora_hook::build!())
}
