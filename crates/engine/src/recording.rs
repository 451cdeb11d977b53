//! What of an event is recorded, by the person's settings.

use remora_event::Event;
use remora_profile::HostProfile;

use crate::config::Config;

/// How much of an event is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recording {
    /// Nothing at all.
    Nothing,
    /// The event, but nothing that is found again.
    Unobserved,
    /// The event, and what is worth finding again of it.
    Observed,
}

impl Recording {
    /// What the settings and the host's profile say of an event.
    pub(crate) fn of(event: &Event, config: &Config, profile: &HostProfile) -> Self {
        if event.tool.as_ref().is_some_and(|tool| is_own(&tool.name)) {
            return Self::Nothing;
        }
        let Some(agent) = &event.agent else { return Self::Observed };
        if !config.subagents.record || config.subagents.skip.contains(&agent.kind) {
            return Self::Nothing;
        }
        if profile.subagents.machinery.contains(&agent.kind) { Self::Unobserved } else { Self::Observed }
    }
}

/// Whether a tool is Remora's own: memory must not eat its own words.
fn is_own(tool: &str) -> bool {
    let beginnings = ["mcp__remora__", "mcp_remora_", "remora-memory_", "remora_memory_"];
    let of_plugin = tool.strip_prefix("mcp__plugin_").is_some_and(|rest| rest.contains("_remora__"));
    of_plugin || beginnings.iter().any(|own| tool.starts_with(own))
}

#[cfg(test)]
mod tests {
    use remora_event::{Agent, EventKind};

    use super::*;

    #[test]
    fn our_own_tools_are_not_recorded() {
        for (tool, own) in [
            ("mcp__remora__memory_get", true),
            ("mcp__plugin_memory_remora__memory_get", true),
            ("mcp_remora_memory_get", true),
            ("remora-memory_get", true),
            ("remora_memory_get", true),
            ("mcp__remorae__memory_get", false),
            ("memory_search", false),
            ("Bash", false),
        ] {
            assert_eq!(is_own(tool), own, "{tool}");
        }
    }

    #[test]
    fn subagents_are_recorded_unless_the_person_or_the_host_says_otherwise() {
        let mut profile = HostProfile::plain("h");
        profile.subagents.machinery = vec!["summary".into()];
        for (settings, kind, recorded) in [
            ("", Some("Explore"), Recording::Observed),
            ("", Some("summary"), Recording::Unobserved),
            ("[subagents]\nskip = [\"Explore\"]", Some("Explore"), Recording::Nothing),
            ("[subagents]\nskip = [\"Explore\"]", Some("Plan"), Recording::Observed),
            ("[subagents]\nrecord = false", Some("Plan"), Recording::Nothing),
            ("[subagents]\nrecord = false", None, Recording::Observed),
        ] {
            let (config, problems) = Config::parse(settings).expect("a configuration");
            assert_eq!(problems, Vec::<String>::new());
            let [id, session, cwd, at] = ["id", "s", "/p", ""].map(str::to_owned);
            let mut event = Event::new(EventKind::PostToolUse, id, "h", session, cwd, at);
            event.agent = kind.map(|kind| Agent { id: "a".into(), kind: kind.into() });
            assert_eq!(Recording::of(&event, &config, &profile), recorded, "{settings} {kind:?}");
        }
    }
}
