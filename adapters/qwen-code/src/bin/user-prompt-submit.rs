//! Qwen Code runs this when the person sends a prompt, and after every tool.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::USER_PROMPT_SUBMIT, remora_hook::build!())
}
