//! What a person asks to be remembered in a prompt is saved at once, so that it cannot be lost while a model
//! works on something else, and whether or not an engine was there when the prompt was sent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_event::{Event, EventKind};
use remora_memory::explicit;
use serde_json::Value;

use crate::command::{Place, remember};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::{SessionRow, Told};

/// What became of one wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is a memory now, or was one already.
    Saved { name: String, path: String, about_person: bool, already: bool },
    /// It is not for memory.
    Refused { reason: String },
    /// It should be one, and could not be written.
    Failed { reason: String },
}

impl Kept {
    /// One line for the model.
    pub(crate) fn for_model(&self) -> String {
        match self {
            Self::Saved { name, path, already: false, .. } => format!(
                "Remora has saved what the person asked to remember as \"{name}\" ({path}). Do not save it again; say in one line that it is remembered."
            ),
            Self::Saved { name, already: true, .. } => {
                format!("What the person asked to remember is a memory already: \"{name}\".")
            }
            Self::Refused { reason } => format!(
                "The person asked to remember something that is not for memory: {reason} Ask what was surprising or not obvious about it, and save that."
            ),
            Self::Failed { reason } => format!(
                "What the person asked to remember could NOT be saved: {reason} Tell them so; do not say that it is remembered."
            ),
        }
    }

    /// One line for the person.
    pub(crate) fn for_person(&self) -> String {
        match self {
            Self::Saved { name, path, about_person, already: false } => {
                let whose = if *about_person { "about you" } else { "in this project" };
                format!("Remora: remembered {whose} as {name} ({path}); `remora undo` takes it back")
            }
            Self::Saved { name, already: true, .. } => format!("Remora: already remembered as {name}"),
            Self::Refused { reason } => format!("Remora: not saved. {reason}"),
            Self::Failed { reason } => {
                format!(
                    "Remora: what you asked to remember could not be saved: {reason} Say it again once that is mended"
                )
            }
        }
    }
}

/// Saves what the event's prompt asks for, once for each event.
pub(crate) async fn keep(engine: &Arc<Engine>, event: &Event, session: Option<&SessionRow>) -> Vec<Kept> {
    let texts = match &event.prompt {
        Some(prompt) if is_the_person_s(event) => explicit::wishes(prompt),
        _ => return Vec::new(),
    };
    if texts.is_empty() || was_handled(engine, event).await {
        return Vec::new();
    }
    let place = Place {
        project: session.map(|row| (row.slug.clone(), PathBuf::from(&row.path))),
        memory_dir: session.map(|row| engine.memory_dir(&row.slug, Path::new(&row.path))),
        is_named: false,
    };
    let mut kept = Vec::new();
    for text in texts {
        match remember::run(engine, place.clone(), remember::Arguments::said(text, &event.host)).await {
            Ok(value) => kept.push(saved(&value)),
            Err(EngineError::Said(body)) if body.kind == "refused" => {
                kept.push(Kept::Refused { reason: sentence(&body.message) });
            }
            Err(error) => {
                tracing::error!(%error, "what a person asked to remember could not be saved");
                kept.push(Kept::Failed { reason: sentence(&error.to_string()) });
            }
        }
    }
    kept
}

/// Only what the person typed in the main session counts; adapters leave a prompt out that is not the person's.
fn is_the_person_s(event: &Event) -> bool {
    event.event == EventKind::UserPrompt && event.agent.is_none() && !event.probe && !event.truncated
}

/// Whether the prompt was taken in before: then its wishes were kept then, and may have been taken back.
async fn was_handled(engine: &Arc<Engine>, event: &Event) -> bool {
    engine.told(event).await.is_ok_and(|told| told != Told::Nobody)
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

fn saved(value: &Value) -> Kept {
    let text = |key: &str| value["saved"][key].as_str().unwrap_or_default().to_owned();
    Kept::Saved {
        name: text("name"),
        path: text("path"),
        about_person: text("scope") == "user",
        already: value["already"] == Value::Bool(true),
    }
}
