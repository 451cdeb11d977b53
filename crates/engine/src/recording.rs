//! What of an event is recorded, by the person's settings.

use remora_event::{Event, is_own_tool};
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
        if event.tool.as_ref().is_some_and(|tool| is_own_tool(&tool.name)) {
            return Self::Nothing;
        }
        let Some(agent) = &event.agent else { return Self::Observed };
        if !config.subagents.record || config.subagents.skip.contains(&agent.kind) {
            return Self::Nothing;
        }
        if profile.subagents.machinery.contains(&agent.kind) { Self::Unobserved } else { Self::Observed }
    }
}

#[cfg(test)]
mod tests {
    use remora_event::{Agent, EventKind};

    use super::*;

    #[test]
    fn our_own_tools_are_not_recorded() {
        let (config, profile) = (Config::default(), HostProfile::plain("h"));
        for (name, recorded) in [
            ("mcp__plugin_memory_remora__memory_get", Recording::Nothing),
            ("remora-work_state", Recording::Nothing),
            ("mcp__notes__memory_search", Recording::Observed),
        ] {
            let [id, session, cwd, at] = ["id", "s", "/p", ""].map(str::to_owned);
            let mut event = Event::new(EventKind::PostToolUse, id, "h", session, cwd, at);
            event.tool = serde_json::from_value(serde_json::json!({"name": name})).ok();
            assert!(event.tool.is_some());
            assert_eq!(Recording::of(&event, &config, &profile), recorded, "{name}");
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
