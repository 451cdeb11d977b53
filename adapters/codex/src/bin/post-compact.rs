//! Codex runs this when the context was compacted.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_codex::POST_COMPACT, remora_hook::build!())
}
