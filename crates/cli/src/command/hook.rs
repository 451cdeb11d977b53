//! `remora hook HOST EVENT`: the same as the small executables, for installations without them.

use crate::failure::Failure;

pub(super) fn run(host: &str, event: &str) -> Result<(), Failure> {
    let hooks: &[(&str, &'static remora_hook::Hook)] = match host {
        remora_claude_code::ADAPTER => &remora_claude_code::HOOKS,
        remora_codex::ADAPTER => &remora_codex::HOOKS,
        remora_gemini_cli::ADAPTER => &remora_gemini_cli::HOOKS,
        remora_opencode::ADAPTER => &remora_opencode::HOOKS,
        remora_qwen_code::ADAPTER => &remora_qwen_code::HOOKS,
        remora_copilot_cli::ADAPTER => &remora_copilot_cli::HOOKS,
        remora_pi::ADAPTER => &remora_pi::HOOKS,
        _ => {
            return Err(Failure::usage(format!("there is no host {host:?}"), "`remora hosts` lists them"));
        }
    };
    let wanted = event.replace(['-', '_'], "").to_lowercase();
    match hooks.iter().find(|(name, _)| name.replace('-', "").to_lowercase() == wanted) {
        Some((_, hook)) => remora_hook::run(hook, crate::build()),
        None => {
            let names: Vec<&str> = hooks.iter().map(|(name, _)| *name).collect();
            Err(Failure::usage(
                format!("{host} has no event {event:?}"),
                format!("its events: {}", names.join(", ")),
            ))
        }
    }
}
