//! Codex runs this when a session starts, resumes, forks, is cleared, or goes on after a compaction.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() {
    remora_hook::run(&remora_codex::SESSION_START, remora_hook::build!())
}
