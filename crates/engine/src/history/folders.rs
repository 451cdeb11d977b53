//! Folders that sessions may have run in, for transcripts that say only a folder's digest.

use std::sync::{Arc, Mutex};

use remora_transcript::{Definition, Folders};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::transcripts;
use crate::native;

/// At most so many folders are known, those of the newest sessions.
const MOST: usize = 50_000;

/// What was known last, and of how many sessions.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Option<(i64, Arc<Folders>)>>);

impl Engine {
    /// The folders that are known, if a definition asks for them: those of the journal's sessions, whichever agent ran
    /// there, and those that hosts themselves list. Blocks for a moment.
    pub(super) fn folders_for(&self, definition: &Definition) -> Result<Arc<Folders>, EngineError> {
        if !definition.wants_folders() {
            return Ok(Arc::default());
        }
        let newest = self.journal().read(transcripts::newest_session)?;
        let known = &self.history().folders.0;
        let before = known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if let Some((of, folders)) = before
            && of == newest
        {
            return Ok(folders);
        }
        let mut paths = self.journal().read(|connection| transcripts::folders(connection, MOST))?;
        if let Some(home) = self.home() {
            paths.extend(self.profiles().flat_map(|profile| native::listed_projects(profile, home)));
        }
        let folders = Arc::new(Folders::of(paths.into_iter()));
        *known.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
            Some((newest, Arc::clone(&folders)));
        Ok(folders)
    }
}
