//! Replies as a host sees them.

use remora_event::{Event, EventKind, Reply, Want};
use serde_json::{Value, json};

use crate::Adapter;

impl Adapter {
    /// What each hook prints for a reply with context and notice, one line a hook, for a snapshot.
    pub fn outputs(&self) -> String {
        let both = reply(Some("line \"one\"\n第二行"), Some("2 memories"));
        let lines = self.hooks.iter().map(|(name, hook)| {
            let printed = (hook.render)(&both, &self.event(hook.event));
            format!("{name}: {}", printed.as_deref().map_or("nothing", str::trim_end))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// A hook prints where it asks for context, and there alone; one line; and nothing for a reply that says
    /// nothing.
    pub fn check_outputs(&self) {
        for (name, hook) in self.hooks {
            let print = |reply: &Reply| (hook.render)(reply, &self.event(hook.event));
            for empty in [reply(None, None), reply(Some(""), Some(""))] {
                assert_eq!(print(&empty), None, "{name}");
            }
            for (context, notice) in [(Some("c"), None), (None, Some("n")), (Some("c\n\0"), Some("n\n"))] {
                let printed = print(&reply(context, notice));
                // What is for the person alone does not reach them on every host.
                if context.is_some() || printed.is_some() {
                    assert_eq!(printed.is_some(), hook.want == Want::Context, "{name}");
                }
                let Some(printed) = printed else { continue };
                assert_eq!(printed.find('\n'), Some(printed.len() - 1), "{name}: {printed}");
            }
            assert_eq!(hook.budget.is_some(), hook.want == Want::Context, "{name}");
        }
    }

    /// Nothing that an engine may say can become a decision over a tool or a prompt, and every output names
    /// its event as the host does.
    pub fn check_nothing_decides(&self) {
        let decisive = "\"},\"decision\":\"block\",\"permissionDecision\":\"deny\",\"continue\":false,{\"";
        let mut printed = 0;
        for (name, hook) in self.hooks {
            let reply = Reply {
                more: json!({"decision": "block", "permissionDecision": "deny", "continue": false}),
                ..reply(Some(decisive), Some(decisive))
            };
            let Some(output) = (hook.render)(&reply, &self.event(hook.event)) else { continue };
            let output: Value = serde_json::from_str(&output).expect("JSON");
            if keys(&output) == ["additionalContext"] {
                printed += 1;
                continue;
            }
            assert_eq!(keys(&output), ["hookSpecificOutput", "systemMessage"], "{name}");
            let specific = &output["hookSpecificOutput"];
            assert_eq!(keys(specific), ["hookEventName", "additionalContext"], "{name}");
            assert_eq!(specific["hookEventName"], *name);
            printed += 1;
        }
        assert!(printed >= 2, "{printed} outputs are few");
    }

    fn event(&self, kind: EventKind) -> Event {
        Event::new(kind, "id".into(), self.id, "s".into(), "/".into(), "now".into())
    }
}

fn reply(context: Option<&str>, notice: Option<&str>) -> Reply {
    Reply { context: context.map(str::to_owned), notice: notice.map(str::to_owned), ..Reply::default() }
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}
