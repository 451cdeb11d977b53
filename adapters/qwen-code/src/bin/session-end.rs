//! Qwen Code runs this when the session has ended.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_qwen_code::SESSION_END, remora_hook::build!())
}
