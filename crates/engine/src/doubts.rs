//! Whether what is new leaves what is old standing: pairs that may not both hold are for the person to judge.

use remora_memory::reader;
use remora_recall::overturned::{Cue, overturned};
use remora_recall::{Document, Kind};

use crate::error::EngineError;
use crate::memories::{Entry, Shelf};
use crate::review::{Candidate, Named, Put, Review, What};

/// So many of the nearest memories are compared.
const NEAREST: usize = 5;

/// Puts the memories that a new one may overturn before the person; answers their names.
pub(crate) fn raise(
    review: &Review,
    shelf: &Shelf,
    project: Option<&str>,
    host: &str,
    newer: &Named,
    text: &str,
) -> Result<Vec<String>, EngineError> {
    let Ok(memory) = reader::read_text(&newer.file, text) else { return Ok(Vec::new()) };
    let document = Document {
        id: newer.file.clone(),
        name: memory.name.clone(),
        description: memory.description.clone(),
        body: memory.body.clone(),
        kind: Kind::Feedback,
        ..Document::default()
    };
    let mut doubtful = Vec::new();
    for near in shelf.corpus().nearest(&document, NEAREST) {
        let Some(entry) = shelf.entry(&near.id).filter(|entry| may_be_overturned(entry, newer)) else {
            continue;
        };
        let Some(cue) = overturned(&document, &entry.document(), near.similarity) else { continue };
        let older = Named { folder: entry.folder(), file: entry.file.clone(), name: entry.name.clone() };
        let what = What::Overturns { newer: newer.clone(), older };
        let candidate = Candidate::new(project, host, &because(&cue), what);
        if matches!(review.put(&candidate, None)?, Put::Waits(_)) {
            doubtful.push(entry.name.clone());
        }
    }
    Ok(doubtful)
}

/// A snapshot is its host's; what lies in another project's folder is that project's.
fn may_be_overturned(entry: &Entry, newer: &Named) -> bool {
    !entry.is_snapshot && entry.elsewhere.is_none() && entry.path != newer.folder.join(&newer.file)
}

fn because(cue: &Cue) -> String {
    match cue {
        Cue::SaysSo { words } => format!("the newer one says {words:?}"),
        Cue::NewValue { old, new, .. } => format!("the older one says {old}, the newer one {new}"),
    }
}
