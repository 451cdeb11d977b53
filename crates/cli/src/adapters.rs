//! The hosts' adapters, each of which is told here and nowhere else in this crate.

use remora_hook::Hook;

/// What this program needs of one adapter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Adapter {
    /// The host's id.
    pub(crate) id: &'static str,
    /// Its hooks, by the host's names of their events.
    pub(crate) hooks: &'static [(&'static str, &'static Hook)],
    /// What must be known of the host outside a call, as TOML.
    pub(crate) profile: &'static str,
}

/// What an adapter's crate says.
macro_rules! adapter {
    ($name:ident) => {
        Adapter { id: $name::ADAPTER, hooks: &$name::HOOKS, profile: $name::PROFILE_TOML }
    };
}

/// Every adapter.
pub(crate) static ADAPTERS: &[Adapter] = &[
    adapter!(remora_claude_code),
    adapter!(remora_codex),
    adapter!(remora_gemini_cli),
    adapter!(remora_opencode),
    adapter!(remora_qwen_code),
    adapter!(remora_copilot_cli),
    adapter!(remora_pi),
];
