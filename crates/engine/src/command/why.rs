//! `why`: the injection ledger.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::ledger;

/// What `why` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    host: Option<String>,
    #[serde(default)]
    session: Option<String>,
    /// Only the newest injection.
    #[serde(default)]
    last: bool,
}

/// `{"injections": [...], "choices": [...]}` of a session, the newest one where none is named.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || {
        engine
            .journal()
            .read(|connection| {
                let session = match (&args.host, &args.session) {
                    (Some(host), Some(session)) => Some((host.clone(), session.clone())),
                    (None, Some(session)) => {
                        ledger::host_of(connection, session)?.map(|host| (host, session.clone()))
                    }
                    _ => ledger::newest_session(connection, place.slug())?,
                };
                let Some((host, session)) = session else {
                    return Ok(json!({"host": null, "session": null, "injections": [], "choices": []}));
                };
                let most = if args.last { 1 } else { 200 };
                let (injections, choices) = ledger::entries(connection, &host, &session, most)?;
                Ok(json!({"host": host, "session": session, "injections": injections, "choices": choices}))
            })
            .map_err(EngineError::from)
    })
    .await
}
