//! `pause` and `resume`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::ledger;
use crate::pause::Pause;

/// What `pause` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// Only in this project.
    #[serde(default)]
    project: bool,
    /// Only in the newest session here.
    #[serde(default)]
    session: bool,
    /// For so many seconds.
    #[serde(default)]
    seconds: Option<i64>,
}

/// `{"paused": "everywhere" | "project" | "session", "until"}`.
pub(super) async fn pause(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let what = if args.session {
        "session"
    } else if args.project {
        "project"
    } else {
        "everywhere"
    };
    let session = if args.session { newest_session(engine, &place).await? } else { None };
    let project = place.slug().map(str::to_owned);
    if (args.project && project.is_none()) || (args.session && session.is_none()) {
        return Err(EngineError::usage(
            format!("there is no {what} here"),
            "go to a project's folder, or pause everywhere with `remora pause`",
        ));
    }
    let until = args.seconds.map(|seconds| clock::now_millis().saturating_add(seconds.saturating_mul(1000)));
    let pause = Pause { project: project.filter(|_| args.project), session, until };
    let engine = Arc::clone(engine);
    blocking(move || {
        engine.pauses(|pauses| pauses.add(pause))?;
        Ok(json!({"paused": what, "until": until.map(clock::rfc3339)}))
    })
    .await
}

async fn newest_session(engine: &Arc<Engine>, place: &Place) -> Result<Option<String>, EngineError> {
    let (engine, slug) = (Arc::clone(engine), place.slug().map(str::to_owned));
    blocking(move || {
        let newest =
            engine.journal().read(|connection| ledger::newest_session(connection, slug.as_deref()))?;
        Ok(newest.map(|(_, session)| session))
    })
    .await
}

/// `{"resumed": how many pauses ended}`.
pub(super) async fn resume(engine: &Arc<Engine>, place: Place) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || {
        let ended = engine.pauses(|pauses| pauses.end(place.slug()))?;
        Ok(json!({"resumed": ended}))
    })
    .await
}
