//! The journal is kept as long as the person wants.

use std::sync::Arc;
use std::time::Duration;

use crate::clock;
use crate::command::purge::purge_everywhere;
use crate::engine::Engine;
use crate::journal::purge::Selection;

/// After the start others come first.
const AFTER_START: Duration = Duration::from_secs(10);

/// How often it is looked at what is too old. An engine seldom lives longer.
const LOOK: Duration = Duration::from_hours(6);

/// Removes what is older than the setting says, now and as long as the engine lives.
pub(crate) async fn keep(engine: Arc<Engine>) {
    tokio::time::sleep(AFTER_START).await;
    loop {
        if let Some(keep) = engine.config().journal.kept() {
            let span = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
            let selection = Selection::Before { at_ms: clock::now_millis().saturating_sub(span) };
            match purge_everywhere(&engine, &selection, false).await {
                Ok(removed) => tracing::info!(%removed, "what is older than journal.keep was removed"),
                Err(error) => tracing::warn!(%error, "what is older than journal.keep could not be removed"),
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}
