//! Whoever reads transcripts as the engine does: events are kept by their ids, then the place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_event::Event;
use remora_profile::HostProfile;
use remora_transcript::{Definition, Place, ReadError, Reader};

/// What was kept, by id, in the order in which it came.
#[derive(Debug, Default, Clone)]
pub(crate) struct Kept {
    pub(crate) events: Vec<Event>,
    places: BTreeMap<String, Place>,
    /// How often an event came that was kept already.
    pub(crate) again: usize,
}

impl Kept {
    /// Reads everything that is new below a home. `most`: so many events a batch; after so many batches it is
    /// interrupted before the place is kept, if at all.
    pub(crate) fn read(
        &mut self,
        definition: &Arc<Definition>,
        home: &Path,
        (most, is_at_rest): (usize, bool),
        mut interrupted_after: Option<usize>,
    ) -> Result<(), ReadError> {
        for source in definition.sources(home, 1_000).sources {
            let name = source.name();
            let place = self.places.get(&name).cloned().unwrap_or_default();
            if place.is_end_of(&source) {
                continue;
            }
            let mut reader = Reader::open(definition, source, place, is_at_rest)?;
            loop {
                let batch = reader.read(most, 1_000)?;
                self.keep(batch.events);
                if let Some(left) = &mut interrupted_after {
                    if *left == 0 {
                        return Ok(());
                    }
                    *left -= 1;
                }
                self.places.insert(name.clone(), batch.place);
                if batch.is_end {
                    break;
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, events: Vec<Event>) {
        for event in events {
            if self.events.iter().any(|known| known.id == event.id) {
                self.again += 1;
            } else {
                self.events.push(event);
            }
        }
    }

    /// The ids in their order.
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.events.iter().map(|event| event.id.as_str()).collect()
    }
}

/// The repository's folder.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A host's profile as its adapter has it.
pub(crate) fn profile(host: &str) -> HostProfile {
    let path = repository().join("adapters").join(host).join("profile.toml");
    let text = std::fs::read_to_string(&path).expect("the profile");
    toml::from_str(&text).expect("a profile")
}

/// A host's definition as its adapter has it.
pub(crate) fn definition(host: &str) -> Arc<Definition> {
    Arc::new(Definition::of(&profile(host)).expect("a definition").expect("one that is there"))
}

/// A definition of the table `[transcript]`.
pub(crate) fn defined(table: &str) -> Arc<Definition> {
    let profile: HostProfile = toml::from_str(&format!("id = \"some\"\n{table}")).expect("a profile");
    Arc::new(Definition::of(&profile).expect("a definition").expect("one that is there"))
}
