//! `tail`: what agents tell and are given, as it happens.
//!
//! Whoever looks on asks again and again, with the row it has reached: the engine keeps nothing for it, and a reader
//! that is slow or stuck delays nobody. Such a question waits a while for something to happen. It is no work: an engine
//! that is only looked at leaves as if it were alone.

use std::sync::Arc;
use std::time::Duration;

use remora_event::{Event, EventKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{self, Passing, Watched};

/// At most so many events in one answer.
const MOST: usize = 200;

/// At most so long a question waits, in milliseconds.
const LONGEST: u64 = 30_000;

/// Events come in bursts, and a hook confirms what it printed a moment later.
const TOGETHER: Duration = Duration::from_millis(50);

/// What `tail` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// The row that was reached; without it the last events come first.
    #[serde(default)]
    after: Option<i64>,
    /// How many events come first.
    #[serde(default)]
    lines: usize,
    /// How long to wait where nothing has happened, in milliseconds.
    #[serde(default)]
    wait_ms: u64,
    /// Of all projects, not only of the one where the person stands.
    #[serde(default)]
    all: bool,
    #[serde(default)]
    host: Option<String>,
    /// The beginning of a session's id is enough.
    #[serde(default)]
    session: Option<String>,
}

/// `session_heard` is true where a session was named that is known, `"elsewhere"` where it is another project's, false
/// where none is known yet; null where none was named, and in every answer but the first.
/// `{"events": [{"seq", "at", "host", "session", "agent", "project", "event", "tool", "text", "via", "adapter", "seen_also",
/// "given"}], "after", "session_heard"}`: `after` is what to ask with next. `tool` is `{"name", "kind", "failed"}`, `given` is
/// `{"tokens", "shown", "items": [{"name", "part", "step"}]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let project = if args.all { None } else { place.slug().map(str::to_owned) };
    if project.is_none() && !args.all {
        return Err(EngineError::usage("there is no project here", "--all looks on in all projects"));
    }
    let watched = Watched { project, host: args.host, session: args.session };
    let heard = if args.after.is_none() { heard(engine, &watched).await? } else { Value::Null };
    let until = tokio::time::Instant::now() + Duration::from_millis(args.wait_ms.min(LONGEST));
    let mut reached = args.after;
    loop {
        // What happens while it is looked must not be missed.
        let happened = engine.happened.notified();
        tokio::pin!(happened);
        happened.as_mut().enable();
        let before = reached;
        let (events, to) = look(engine, &watched, reached, args.lines).await?;
        // The first answer says where the end is, if nothing else.
        if !events.is_empty() || before.is_none() {
            return Ok(json!({"events": events, "after": to, "session_heard": heard}));
        }
        reached = Some(to);
        if before != Some(to) {
            continue;
        }
        if tokio::time::timeout_at(until, happened).await.is_err() {
            return Ok(json!({"events": [], "after": to, "session_heard": heard}));
        }
        tokio::time::sleep(TOGETHER).await;
    }
}

/// Whether the session that is named is known.
async fn heard(engine: &Arc<Engine>, watched: &Watched) -> Result<Value, EngineError> {
    let Some(session) = watched.session.clone() else { return Ok(Value::Null) };
    let (engine, watched) = (Arc::clone(engine), watched.clone());
    blocking(move || {
        let projects = engine
            .journal()
            .read(|journal| journal::projects_of_session(journal, &session, watched.host.as_deref()))?;
        let is_here = |project: &Option<String>| watched.project.is_none() || *project == watched.project;
        Ok(match (projects.is_empty(), projects.iter().any(is_here)) {
            (true, _) => json!(false),
            (false, true) => json!(true),
            (false, false) => json!("elsewhere"),
        })
    })
    .await
}

async fn look(
    engine: &Arc<Engine>,
    watched: &Watched,
    reached: Option<i64>,
    lines: usize,
) -> Result<(Vec<Value>, i64), EngineError> {
    let (engine, watched) = (Arc::clone(engine), watched.clone());
    blocking(move || {
        let (passing, to) = engine.journal().read(|connection| match reached {
            Some(row) => journal::passed_after(connection, row, &watched, MOST),
            None => journal::last_passed(connection, &watched, lines.min(MOST)),
        })?;
        Ok((passing.iter().map(shown).collect(), to))
    })
    .await
}

fn shown(passing: &Passing) -> Value {
    let event = &passing.event;
    let clean = |text: &str| remora_redact::neutralise(text).into_owned();
    let tool = event.tool.as_ref().map(|tool| {
        let failed = event.event == EventKind::ToolFailure || tool.error.is_some();
        json!({"name": clean(&tool.name), "kind": tool.kind, "failed": failed})
    });
    let given = passing.given.as_ref().map(|given| {
        let items: Vec<Value> = given
            .items
            .iter()
            .map(|(name, part, step)| json!({"name": clean(name), "part": part, "step": step}))
            .collect();
        json!({"tokens": given.tokens, "shown": given.is_shown, "items": items})
    });
    json!({
        "seq": passing.seq, "at": clock::rfc3339(passing.at), "host": clean(&event.host),
        "session": clean(&event.session), "agent": event.agent.as_ref().map(|agent| clean(&agent.kind)),
        "project": passing.project, "event": event.event, "tool": tool, "text": clean(&text(event)),
        "via": event.via, "adapter": clean(&event.adapter), "seen_also": passing.seen_also, "given": given,
    })
}

/// What it is about, in one line.
fn text(event: &Event) -> String {
    let said = match event.event {
        EventKind::SessionStart => event.source.as_deref(),
        EventKind::SessionEnd => event.reason.as_deref(),
        EventKind::PreCompact | EventKind::PostCompact => event.trigger.as_deref(),
        EventKind::UserPrompt => event.prompt.as_deref(),
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::ToolFailure => {
            return event.tool.as_ref().and_then(journal::what_of).unwrap_or_default();
        }
        _ => event.message.as_deref(),
    };
    journal::first_line(said.unwrap_or_default())
}
