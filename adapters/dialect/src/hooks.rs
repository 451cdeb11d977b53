//! The hooks of an adapter, as far as they are alike.

use remora_event::{Budget, Event, EventKind, Reply, Want};
use remora_hook::{Hook, Payload};

/// How long a session's start may take: its context is worth waiting for. In milliseconds.
const AT_START: u64 = 1_000;

/// How long any other moment may take, in milliseconds.
const OTHERWISE: u64 = 150;

/// What all hooks of an adapter have in common.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// The adapter's id.
    pub adapter: &'static str,
    /// Makes the event from the host's payload.
    pub parse: fn(EventKind, &mut Payload) -> Option<Event>,
    /// Writes what the host expects for a reply.
    pub render: fn(&Reply, &Event) -> Option<String>,
    /// How much context one hook may hand to the model.
    pub budget: Budget,
}

impl Hooks {
    /// A hook that prints nothing: here a host would go on with the turn, or complain.
    pub const fn silent(self, event: EventKind) -> Hook {
        Hook {
            adapter: self.adapter,
            event,
            parse: self.parse,
            render: self.render,
            neutral: None,
            deadline_ms: if matches!(event, EventKind::SessionStart) { AT_START } else { OTHERWISE },
            want: Want::Ack,
            budget: None,
            late: false,
            elsewhere: &[],
        }
    }

    /// A hook whose output reaches the model.
    pub const fn context(self, event: EventKind) -> Hook {
        Hook { want: Want::Context, budget: Some(self.budget), ..self.silent(event) }
    }

    /// The same, and context that was chosen for an earlier moment of the turn may come with it.
    pub const fn late(self, event: EventKind) -> Hook {
        Hook { late: true, ..self.context(event) }
    }
}
