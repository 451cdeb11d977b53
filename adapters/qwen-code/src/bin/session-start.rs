//! Qwen Code runs this when a session starts, goes on or is cleared, or after a compaction.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::SESSION_START, remora_hook::build!())
}
