//! Sessions that hosts wrote down: read by their definitions, brought into the journal once, and followed where
//! nothing else tells of them.

mod folders;
pub(crate) mod follow;
mod intake;
mod notified;
pub(crate) mod reading;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use remora_profile::HostProfile;
use remora_transcript::{Definition, DefinitionError};
use serde_json::Value;

pub(crate) use intake::{Only, Tally};

/// The projects of so many directories are remembered while transcripts are read.
const KNOWN_DIRECTORIES: usize = 4_096;

/// A file that was written within this time may be written on: what is open at its end stays open. Milliseconds.
const AT_REST: i64 = 10 * 60_000;

/// What is known of transcripts.
#[derive(Debug, Default)]
pub(crate) struct History {
    profiles: Vec<Arc<HostProfile>>,
    /// Made when one is first asked for: they cost more than all else that the engine's first answer needs.
    definitions: OnceLock<Definitions>,
    /// The project of each directory that was met: slug and root.
    directories: Mutex<HashMap<String, Option<(String, PathBuf)>>>,
    folders: folders::Known,
}

/// The hosts' definitions, ready to read with.
#[derive(Debug, Default)]
struct Definitions {
    by_host: HashMap<String, Arc<Definition>>,
    problems: Vec<DefinitionError>,
}

impl Definitions {
    fn of(profiles: &[Arc<HostProfile>]) -> Self {
        let mut all = Self::default();
        for profile in profiles {
            match Definition::of(profile) {
                Ok(Some(definition)) => {
                    all.by_host.insert(profile.id.clone(), Arc::new(definition));
                }
                Ok(None) => {}
                Err(problem) => {
                    tracing::warn!(%problem, "a definition of transcripts is not used");
                    all.problems.push(problem);
                }
            }
        }
        all
    }
}

impl History {
    /// By the definitions of all hosts.
    pub(crate) fn new(profiles: Vec<Arc<HostProfile>>) -> Self {
        Self { profiles, ..Self::default() }
    }

    fn all(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::of(&self.profiles))
    }

    /// The definition of a host.
    pub(crate) fn definition(&self, host: &str) -> Option<Arc<Definition>> {
        self.all().by_host.get(host).cloned()
    }

    /// All definitions, in the order of the hosts' ids.
    pub(crate) fn definitions(&self) -> Vec<Arc<Definition>> {
        let mut all: Vec<Arc<Definition>> = self.all().by_host.values().cloned().collect();
        all.sort_unstable_by(|a, b| a.host().cmp(b.host()));
        all
    }

    /// Whether any host's transcripts are to be followed; made without the definitions.
    pub(crate) fn follows_any(&self) -> bool {
        self.profiles.iter().any(|profile| profile.transcript.get("follow") == Some(&Value::Bool(true)))
    }

    /// What is wrong with definitions.
    pub(crate) fn problems(&self) -> &[DefinitionError] {
        &self.all().problems
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
