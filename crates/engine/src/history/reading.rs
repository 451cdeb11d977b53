//! Transcripts read in steps, each of which ends soon: whoever asked may stop between two, and live events have
//! the engine's threads meanwhile.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use remora_transcript::{Batch, Place, ReadError, Reader, Source};

use super::{AT_REST, Only, Tally};
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::transcripts;

/// So many events are made before they are kept, from so many bytes at most.
const EVENTS: usize = 128;
const BYTES: u64 = 4 * 1024 * 1024;

/// How one source is to be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    pub(crate) only: Only,
    pub(crate) dry_run: bool,
    /// Where to begin instead of where the journal says.
    pub(crate) from: Option<Place>,
    /// When to stop.
    pub(crate) until: Option<Instant>,
}

/// How far a source was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    pub(crate) tally: Tally,
    /// Bytes; of a database, rows.
    pub(crate) read: u64,
    pub(crate) is_end: bool,
    pub(crate) place: Place,
}

/// Reads on beside the threads that answer: at most so many events, from so many bytes.
pub(super) async fn next_batch(
    mut reader: Reader,
    (events, bytes): (usize, u64),
) -> Result<(Reader, Batch), EngineError> {
    blocking(move || {
        let batch = reader.read(events, bytes).map_err(|error| EngineError::History(error.to_string()))?;
        Ok((reader, batch))
    })
    .await
}

impl Engine {
    /// Where a source was read to.
    pub(crate) fn place_in(&self, host: &str, name: &str) -> Result<Place, EngineError> {
        let kept = self.journal().read(|connection| transcripts::place(connection, host, name))?;
        Ok(kept.and_then(|place| serde_json::from_str(&place).ok()).unwrap_or_default())
    }

    /// Reads a source on, until its end or until it is time to stop. The place is kept after the events before it,
    /// and only where nothing that may be wanted later was left out.
    pub(crate) async fn read_history(
        self: &Arc<Self>,
        host: &str,
        source: Source,
        wish: Wish,
    ) -> Result<Progress, EngineError> {
        let name = source.name();
        let from = match wish.from {
            Some(place) => place,
            None => self.place_in(host, &name)?,
        };
        let mut progress = Progress { place: from.clone(), ..Progress::default() };
        if from.is_end_of(&source) {
            progress.is_end = true;
            return Ok(progress);
        }
        let is_at_rest = source.modified_ms < clock::now_millis() - AT_REST;
        let started_at = from.offset();
        let Some(definition) = self.history().definition(host) else { return Ok(progress) };
        let engine = Arc::clone(self);
        let opened = blocking(move || {
            let folders = engine.folders_for(&definition)?;
            Ok(Reader::open(&definition, source, from, is_at_rest).map(|reader| reader.knowing(folders)))
        });
        let mut reader = match opened.await? {
            Ok(reader) => reader,
            // It is read when its owner has written it.
            Err(ReadError::Busy { .. }) => return Ok(progress),
            Err(error) => return Err(EngineError::History(error.to_string())),
        };
        let mut keeps_place = wish.only.is_all() && !wish.dry_run;
        loop {
            let batch;
            (reader, batch) = next_batch(reader, (EVENTS, BYTES)).await?;
            let taken = self.take_history(batch.events, &wish.only, wish.dry_run).await?;
            // What only its owner's filters keep out may come another time, and a folder may become known.
            keeps_place &= !["other_project", "older", "switched_off", "without_folder"]
                .iter()
                .any(|why| taken.left_out.contains_key(why));
            progress.tally.add(taken);
            if keeps_place && progress.place != batch.place {
                self.keep_place(host, &name, &batch.place).await?;
            }
            progress.place = batch.place;
            progress.read = batch.read;
            progress.is_end = batch.is_end;
            let is_further = progress.place.offset() > started_at;
            if batch.is_end || is_further && wish.until.is_some_and(|until| Instant::now() > until) {
                break;
            }
            // Other work on this machine goes on beside an import.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        progress.tally.leave_out("unreadable", reader.left_out().unreadable);
        progress.tally.leave_out("too_long", reader.left_out().too_long);
        progress.tally.leave_out("files_too_long", reader.left_out().files_too_long);
        Ok(progress)
    }

    /// Keeps the place in a source, after the events before it.
    pub(super) async fn keep_place(&self, host: &str, name: &str, place: &Place) -> Result<(), EngineError> {
        let text = serde_json::to_string(place).map_err(|error| EngineError::Internal(error.to_string()))?;
        let (host, name) = (host.to_owned(), name.to_owned());
        let kept =
            self.journal().write(move |connection| transcripts::keep_place(connection, &host, &name, &text));
        Ok(kept.await?)
    }

    /// The person's home, where transcripts lie.
    pub(crate) fn home_of_history(&self) -> Result<PathBuf, EngineError> {
        self.home().map(std::path::Path::to_owned).ok_or_else(|| {
            EngineError::usage("the person's home folder is not known", "run `remora install` once")
        })
    }
}
