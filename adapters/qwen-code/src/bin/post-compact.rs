//! Qwen Code runs this when the context was compacted.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::POST_COMPACT, remora_hook::build!())
}
