//! Qwen Code runs this when the agent's turn has ended.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::STOP, remora_hook::build!())
}
