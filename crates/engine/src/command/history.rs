//! `import history`: which transcripts there are, and one step of reading them. Whoever asks goes from step to step,
//! so that it can be stopped between any two and goes on where it was.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Local;
use remora_transcript::Place as At;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::history::reading::Wish;
use crate::history::{Only, Tally};
use crate::when::{End, moment};

/// At most so many transcripts of a host are listed.
const LISTED: usize = 50_000;

/// A step ends after this time.
const STEP: Duration = Duration::from_millis(400);

/// What both commands take.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// One host only.
    #[serde(default)]
    host: Option<String>,
    /// What happened before is left out.
    #[serde(default)]
    since: Option<String>,
    /// Only what belongs to the project of the directory.
    #[serde(default)]
    here: bool,
    /// Say what would be brought in, bring nothing in.
    #[serde(default)]
    dry_run: bool,
    /// The sources to be read, in this order.
    #[serde(default)]
    sources: Vec<String>,
    /// Where to go on in the first of them.
    #[serde(default)]
    from: Option<At>,
}

impl Arguments {
    fn only(&self, place: &Place) -> Result<Only, EngineError> {
        let since = match &self.since {
            None => None,
            Some(since) => Some(moment(since, End::First, Local::now()).ok_or_else(|| {
                EngineError::usage(
                    format!("--since {since:?} is no moment"),
                    "write 2026-11-02, yesterday or 90d",
                )
            })?),
        };
        let project = if self.here { place.slug().map(str::to_owned) } else { None };
        Ok(Only { since, project })
    }
}

/// `{"hosts": [{"host", "name", "sources": [{"source", "bytes"}], "sessions", "as_before", "is_more"}], "problems": [sentences]}`:
/// `sessions` counts the transcripts of sessions, `as_before` those in which nothing is new.
pub(super) async fn sources(
    engine: &Arc<Engine>,
    place: &Place,
    args: Arguments,
) -> Result<Value, EngineError> {
    let only = args.only(place)?;
    let home = engine.home_of_history()?;
    let known = engine.history();
    let mut problems: Vec<String> = known.problems().iter().map(ToString::to_string).collect();
    let definitions: Vec<_> = match &args.host {
        None => known.definitions(),
        Some(host) => match known.definition(host) {
            Some(definition) => vec![definition],
            None => return Err(unknown(engine, host)),
        },
    };
    let mut hosts = Vec::new();
    for definition in definitions {
        let (finder, home) = (Arc::clone(&definition), home.clone());
        let found = blocking(move || Ok(finder.sources(&home, LISTED))).await?;
        problems.extend(found.problems);
        if found.sources.is_empty() {
            continue;
        }
        let host = definition.host();
        let sessions = found.sources.iter().filter(|source| !source.is_of_subagent()).count();
        let (mut listed, mut as_before, mut older) = (Vec::new(), 0, 0);
        for source in found.sources {
            if only.since.is_some_and(|since| source.modified_ms < since) {
                older += 1;
            } else if engine.place_in(host, &source.name())?.is_end_of(&source) {
                as_before += 1;
            } else {
                listed.push(json!({"source": source.name(), "bytes": source.bytes}));
            }
        }
        hosts.push(json!({
            "host": host, "name": engine.profile(host).title(), "sources": listed, "sessions": sessions,
            "as_before": as_before, "older": older, "is_more": found.is_more,
        }));
    }
    Ok(json!({"hosts": hosts, "problems": problems}))
}

/// `{"finished", "from", "read", "sessions": [ids], "prompts", "tool_uses", "others", "already", "left_out", "problems"}`: so
/// many of the sources are finished; `from` is to be given back with the next, `read` counts of the finished ones
/// and of what was read of the next.
pub(super) async fn step(engine: &Arc<Engine>, place: &Place, args: Arguments) -> Result<Value, EngineError> {
    let only = args.only(place)?;
    let home = engine.home_of_history()?;
    let Some(host) = &args.host else { return Err(EngineError::usage("of which host?", "name it")) };
    let Some(definition) = engine.history().definition(host) else { return Err(unknown(engine, host)) };
    let until = Instant::now() + STEP;
    let (mut finished, mut tally, mut problems) = (0, Tally::default(), Vec::new());
    let (mut from, mut next) = (args.from, None);
    for name in &args.sources {
        let (finder, home, named) = (Arc::clone(&definition), home.clone(), name.clone());
        let wish = Wish { only: only.clone(), dry_run: args.dry_run, from: from.take(), until: Some(until) };
        let read = match blocking(move || Ok(finder.source(&home, &named))).await? {
            // It was there a moment ago, and its owner may tidy up.
            Ok(None) => None,
            Ok(Some(source)) => Some(engine.read_history(host, source, wish).await),
            Err(error) => Some(Err(EngineError::History(error.to_string()))),
        };
        match read {
            Some(Ok(progress)) => {
                tally.add(progress.tally);
                if !progress.is_end && Instant::now() > until {
                    next = Some(progress.place);
                    break;
                }
            }
            // One transcript that cannot be read keeps no other back.
            Some(Err(EngineError::History(problem))) => problems.push(problem),
            Some(Err(error)) => return Err(error),
            None => {}
        }
        finished += 1;
        engine.note_work();
        if Instant::now() > until {
            break;
        }
    }
    let mut value = json!(tally);
    value["finished"] = json!(finished);
    value["from"] = json!(next);
    value["problems"] = json!(problems);
    Ok(value)
}

fn unknown(engine: &Engine, host: &str) -> EngineError {
    let wrong = engine.history().problems().iter().find(|problem| problem.host == host);
    if let Some(problem) = wrong {
        return EngineError::usage(problem.to_string(), "docs/history.md says what a definition may hold");
    }
    let known: Vec<String> =
        engine.history().definitions().iter().map(|definition| definition.host().to_owned()).collect();
    EngineError::not_found(
        format!("it is not known how {host} writes its sessions down"),
        &format!("known are {}; docs/history.md says how to add one", known.join(", ")),
    )
}
