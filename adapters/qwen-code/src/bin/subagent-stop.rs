//! Qwen Code runs this when a subagent has ended.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::SUBAGENT_STOP, remora_hook::build!())
}
