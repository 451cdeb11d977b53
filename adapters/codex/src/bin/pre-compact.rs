//! Codex runs this when the context is about to be compacted.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_codex::PRE_COMPACT, remora_hook::build!())
}
