//! Events that come from elsewhere: written down once, however often they are brought.

use std::sync::Arc;

use rusqlite::Connection;

use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{self, Appended, NewEvent, Told};

/// Writes events down in one commit, or only looks; answers how many were there already.
pub(super) async fn bring_in(
    engine: &Arc<Engine>,
    events: Vec<NewEvent>,
    dry_run: bool,
) -> Result<usize, EngineError> {
    let count = move |connection: &Connection| {
        let mut same = 0;
        for new in &events {
            let is_there = if dry_run {
                journal::told(connection, &new.event, new.at_ms)? == Told::Itself
            } else {
                journal::append(connection, new)? == Appended::Resend
            };
            same += usize::from(is_there);
        }
        Ok(same)
    };
    if dry_run {
        let reader = Arc::clone(engine);
        return blocking(move || Ok(reader.journal().read(count)?)).await;
    }
    Ok(engine.journal().write(count).await?)
}
