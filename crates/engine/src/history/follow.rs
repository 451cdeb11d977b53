//! Transcripts followed while the engine lives, of hosts that nothing else tells of; and a resumed session that
//! nothing told of yet.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use remora_event::Want;
use remora_transcript::{Definition, Place, Reader, Source};

use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::history::notified;
use crate::history::reading::{Wish, next_batch};
use crate::journal::transcripts;
use crate::watch::Watch;

/// How often all is looked at, although what is written is heard of: some file systems tell nothing, and a turn's end is
/// known by its quiet.
const LOOK: Duration = Duration::from_secs(30);

/// The same where nothing can be watched, and how often at most all is looked at because of news.
const SOON: Duration = Duration::from_secs(2);

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
    let Some(home) = engine.home().map(std::path::Path::to_owned) else { return };
    let of = |definition: &Arc<Definition>| Followed {
        definition: Arc::clone(definition),
        since: since - COARSE,
        folders: notified::share(definitions.len()),
        seen: HashMap::new(),
    };
    let mut followed: Vec<Followed> = definitions.iter().map(of).collect();
    let watch = Arc::new(notified::watch());
    let (mut looked, mut is_due) = (None::<Instant>, true);
    loop {
        if is_due && looked.is_none_or(|looked| looked.elapsed() >= SOON) {
            for host in &mut followed {
                if let Err(error) = host.look(&engine, &home, &watch).await {
                    tracing::warn!(%error, host = host.definition.host(), "transcripts could not be followed");
                }
            }
            (looked, is_due) = (Some(Instant::now()), false);
        }
        let pause = if is_due || !watch.works() { SOON } else { LOOK };
        let next = looked.map_or_else(Instant::now, |looked| looked + pause);
        let changed = tokio::select! {
            changed = watch.changed() => changed,
            () = tokio::time::sleep_until(next.into()) => {
                is_due = true;
                continue;
            }
        };
        let (definitions, home, watch) = (definitions.clone(), home.clone(), Arc::clone(&watch));
        let heard = blocking(move || Ok(notified::heard(&changed, &definitions, &home, &watch))).await;
        let Ok(heard) = heard else { continue };
        is_due |= heard.everything;
        for (number, source) in heard.sources {
            if let Err(error) = followed[number].read(&engine, source).await {
                tracing::warn!(%error, "a transcript could not be followed");
            }
        }
    }
}

/// One host that is followed.
struct Followed {
    definition: Arc<Definition>,
    /// What was written before is not followed, milliseconds since 1970.
    since: i64,
    /// So many of its folders are watched.
    folders: usize,
    /// Where each source was read to, and how it was then.
    seen: HashMap<String, (Place, String)>,
}

impl Followed {
    /// Reads what is new of all sources, and has their folders watched.
    async fn look(
        &mut self,
        engine: &Arc<Engine>,
        home: &Path,
        watch: &Arc<Watch>,
    ) -> Result<(), EngineError> {
        self.since = first_followed(engine, self.definition.host(), self.since).await?;
        let (finder, home, watch) = (Arc::clone(&self.definition), home.to_owned(), Arc::clone(watch));
        let most = self.folders;
        let sources =
            blocking(move || Ok(notified::watched(&finder, &home, (FOLLOWED, most), &watch))).await?;
        let names: HashSet<String> = sources.iter().map(Source::name).collect();
        self.seen.retain(|name, _| names.contains(name));
        for source in sources {
            self.read(engine, source).await?;
        }
        Ok(())
    }

    /// Reads what is new of a source.
    async fn read(&mut self, engine: &Arc<Engine>, source: Source) -> Result<(), EngineError> {
        let name = source.name();
        let is_quiet = source.modified_ms < clock::now_millis() - QUIET;
        let how = format!("{} {is_quiet}", source.state());
        let place = match self.seen.get(&name) {
            Some((_, before)) if *before == how => return Ok(()),
            Some((place, _)) => place.clone(),
            None => engine.place_in(self.definition.host(), &name)?,
        };
        // What was written before anybody followed is for `remora import history`.
        let is_old = place == Place::default() && source.modified_ms < self.since;
        let place = if is_old || place.is_end_of(&source) {
            place
        } else {
            take_in(engine, &self.definition, source, place, is_quiet).await?
        };
        self.seen.insert(name, (place, how));
        Ok(())
    }
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
