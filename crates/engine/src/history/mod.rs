//! Sessions that hosts wrote down: read by their definitions, brought into the journal once, and followed where
//! nothing else tells of them.

pub(crate) mod follow;
mod intake;
pub(crate) mod reading;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use remora_profile::HostProfile;
use remora_transcript::{Definition, DefinitionError};

pub(crate) use intake::{Only, Tally};

/// The projects of so many directories are remembered while transcripts are read.
const KNOWN_DIRECTORIES: usize = 4_096;

/// A file that was written within this time may be written on: what is open at its end stays open. Milliseconds.
const AT_REST: i64 = 10 * 60_000;

/// What is known of transcripts.
#[derive(Debug, Default)]
pub(crate) struct History {
    definitions: HashMap<String, Arc<Definition>>,
    problems: Vec<DefinitionError>,
    /// The project of each directory that was met: slug and root.
    directories: Mutex<HashMap<String, Option<(String, PathBuf)>>>,
}

impl History {
    /// By the definitions of all hosts.
    pub(crate) fn new<'a>(profiles: impl Iterator<Item = &'a HostProfile>) -> Self {
        let mut history = Self::default();
        for profile in profiles {
            match Definition::of(profile) {
                Ok(Some(definition)) => {
                    history.definitions.insert(profile.id.clone(), Arc::new(definition));
                }
                Ok(None) => {}
                Err(problem) => {
                    tracing::warn!(%problem, "a definition of transcripts is not used");
                    history.problems.push(problem);
                }
            }
        }
        history
    }

    /// The definition of a host.
    pub(crate) fn definition(&self, host: &str) -> Option<Arc<Definition>> {
        self.definitions.get(host).cloned()
    }

    /// All definitions, in the order of the hosts' ids.
    pub(crate) fn definitions(&self) -> Vec<Arc<Definition>> {
        let mut all: Vec<Arc<Definition>> = self.definitions.values().cloned().collect();
        all.sort_unstable_by(|a, b| a.host().cmp(b.host()));
        all
    }

    /// What is wrong with definitions.
    pub(crate) fn problems(&self) -> &[DefinitionError] {
        &self.problems
    }

    fn known_directory(&self, cwd: &str) -> Option<Option<(String, PathBuf)>> {
        self.directories.lock().ok()?.get(cwd).cloned()
    }

    fn note_directory(&self, cwd: &str, project: Option<(String, PathBuf)>) {
        if let Ok(mut known) = self.directories.lock() {
            if known.len() >= KNOWN_DIRECTORIES {
                known.clear();
            }
            known.insert(cwd.to_owned(), project);
        }
    }

    /// Forgets which directory belongs to which project.
    pub(crate) fn forget_directories(&self) {
        if let Ok(mut known) = self.directories.lock() {
            known.clear();
        }
    }
}
