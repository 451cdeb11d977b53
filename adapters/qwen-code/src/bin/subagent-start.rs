//! Qwen Code runs this when a subagent starts.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::SUBAGENT_START, remora_hook::build!())
}
