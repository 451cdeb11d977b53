//! Transcripts followed while the engine lives, of hosts that nothing else tells of; and a resumed session that
//! nothing told of yet.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use remora_event::Want;
use remora_transcript::{Definition, Place, Reader, Source};

use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::history::reading::{Wish, next_batch};
use crate::journal::transcripts;

/// How often it is looked for new records.
const LOOK: Duration = Duration::from_secs(2);

/// At most so many transcripts of a host are followed, those written last.
const FOLLOWED: usize = 5_000;

/// A turn of which nothing was written for so long has ended, in milliseconds: only hooks know it at once.
const QUIET: i64 = 60_000;

/// So many events are made at a time.
const EVENTS: usize = 64;
const BYTES: u64 = 1024 * 1024;

/// After a session's start others come first.
const AFTER_START: Duration = Duration::from_millis(500);

/// A session of which so many events are known was told while it went on.
const KNOWN: i64 = 8;

/// A file's time is taken from a clock that may be a tick behind, and on some file systems in whole seconds.
const COARSE: i64 = 2_000;

/// Reads what is written as long as the engine lives. `since`: when it could first be reached, milliseconds since
/// 1970; what a host writes before the first look is new to somebody who could have reached the engine already.
pub(crate) async fn follow(engine: Arc<Engine>, since: i64) {
    if !engine.history().follows_any() {
        return;
    }
    let definitions: Vec<Arc<Definition>> =
        engine.history().definitions().into_iter().filter(|definition| definition.follows()).collect();
    if definitions.is_empty() {
        return;
    }
    let mut seen: HashMap<String, (Place, String)> = HashMap::new();
    loop {
        for definition in &definitions {
            if let Err(error) = look(&engine, definition, since - COARSE, &mut seen).await {
                tracing::warn!(%error, host = definition.host(), "transcripts could not be followed");
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Reads what is new of one host. `since`: from when on, if it was never followed before; `seen`: where each source
/// was read to, and how it was then.
async fn look(
    engine: &Arc<Engine>,
    definition: &Arc<Definition>,
    since: i64,
    seen: &mut HashMap<String, (Place, String)>,
) -> Result<(), EngineError> {
    let Some(home) = engine.home().map(std::path::Path::to_owned) else { return Ok(()) };
    let (finder, host) = (Arc::clone(definition), definition.host().to_owned());
    let since = first_followed(engine, &host, since).await?;
    let sources = blocking(move || Ok(finder.sources(&home, FOLLOWED).sources)).await?;
    for source in sources {
        let name = source.name();
        let is_quiet = source.modified_ms < clock::now_millis() - QUIET;
        let how = format!("{} {is_quiet}", source.state());
        let place = match seen.get(&name) {
            Some((_, before)) if *before == how => continue,
            Some((place, _)) => place.clone(),
            None => engine.place_in(&host, &name)?,
        };
        // What was written before anybody followed is for `remora import history`.
        let is_old = place == Place::default() && source.modified_ms < since;
        if is_old || place.is_end_of(&source) {
            seen.insert(name, (place, how));
            continue;
        }
        let place = take_in(engine, definition, source, place, is_quiet).await?;
        seen.insert(name, (place, how));
    }
    Ok(())
}

/// Takes in what is new of a source like events that hooks tell.
async fn take_in(
    engine: &Arc<Engine>,
    definition: &Arc<Definition>,
    source: Source,
    place: Place,
    is_quiet: bool,
) -> Result<Place, EngineError> {
    let (host, name) = (definition.host().to_owned(), source.name());
    let (definition, from) = (Arc::clone(definition), place.clone());
    let reading = Arc::clone(engine);
    let opened = blocking(move || {
        let folders = reading.folders_for(&definition)?;
        Ok(Reader::open(&definition, source, from, is_quiet).map(|reader| reader.knowing(folders)))
    })
    .await?;
    // What is being written is read the next time.
    let Ok(mut reader) = opened else { return Ok(place) };
    let mut reached = place;
    loop {
        let batch;
        (reader, batch) = next_batch(reader, (EVENTS, BYTES)).await?;
        for mut event in batch.events {
            event.want = Want::Ack;
            engine.handle(event).await?;
        }
        if reached != batch.place {
            reached = batch.place;
            engine.keep_place(&host, &name, &reached).await?;
        }
        if batch.is_end {
            return Ok(reached);
        }
    }
}

/// Since when a host is followed, milliseconds since 1970: noted the first time.
async fn first_followed(engine: &Arc<Engine>, host: &str, since: i64) -> Result<i64, EngineError> {
    let host = format!("followed {host}");
    Ok(engine.journal().write(move |connection| transcripts::first_time(connection, &host, since)).await?)
}

impl Engine {
    /// A session that goes on and that nothing told of before is read from its transcript, beside the reply path.
    pub(crate) fn fill_session(self: &Arc<Self>, host: String, session: String) {
        let engine = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(AFTER_START).await;
            if let Err(error) = engine.fill(&host, &session).await {
                tracing::warn!(%error, host, session, "what came before in a session could not be read");
            }
        });
    }

    async fn fill(self: &Arc<Self>, host: &str, session: &str) -> Result<(), EngineError> {
        let known =
            self.journal().read(|connection| transcripts::events_of(connection, host, session, KNOWN))?;
        let (Some(definition), Some(home)) = (self.history().definition(host), self.home()) else {
            return Ok(());
        };
        if known >= KNOWN {
            return Ok(());
        }
        let (home, wanted) = (home.to_owned(), session.to_owned());
        let sources = blocking(move || Ok(definition.of_session(&home, &wanted, FOLLOWED))).await?;
        for source in sources {
            self.read_history(host, source, Wish::default()).await?;
        }
        Ok(())
    }
}
