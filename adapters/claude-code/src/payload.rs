//! A payload of Claude Code's, or of a host that runs its hooks, as an event.

use remora_event::{Event, EventKind};
use remora_hook::Payload;

use crate::{dialect::DIALECT, origin};

/// Cursor asks hooks at its launch, before there is a session.
const NO_SESSION: &str = "empty-state-draft";

/// Makes the event. Id, time and what the call can take are the caller's.
pub fn parse(kind: EventKind, payload: &mut Payload) -> Option<Event> {
    let host = origin::host(payload);
    let version = origin::version(payload, host);
    let effort = payload.get("effort").and_then(|effort| effort.get("level")).cloned();
    let mut event = DIALECT.parse(kind, payload);
    host.clone_into(&mut event.host);
    event.host_version = version;
    event.extra.extend(effort.map(|level| ("effort".to_owned(), level)));
    (event.session != NO_SESSION).then_some(event)
}
