//! Qwen Code runs this when a tool is about to run.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::PRE_TOOL_USE, remora_hook::build!())
}
