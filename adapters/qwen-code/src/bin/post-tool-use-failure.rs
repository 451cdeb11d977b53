//! Qwen Code runs this when a tool has failed.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::POST_TOOL_USE_FAILURE, remora_hook::build!())
}
