//! `work`: what is to be done in a project.

use std::sync::Arc;

use remora_profile::WorkState;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::work::{self, Said, WorkItem};

/// At most so many in one answer.
const MOST: usize = 200;

/// An item that nobody touched for so many days may be abandoned.
pub(crate) const ABANDONED_DAYS: i64 = 7;

/// Who speaks where no host does.
const PERSON: &str = "you";

/// What `work` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// What an item says, its number, or a part that only one open item has. Absent: the list.
    #[serde(default)]
    text: Option<String>,
    /// todo, doing, done or dropped; with a text alone: todo.
    #[serde(default)]
    state: Option<String>,
    /// Also what is done or dropped.
    #[serde(default)]
    all: bool,
    /// Who says so; the person where absent.
    #[serde(default)]
    by: Option<String>,
}

/// `{"project", "changed": item or null, "items": [{"id", "text", "state", "host", "session", "created_at", "changed_at", "age_days",
/// "abandoned"}]}`.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let Some((slug, root)) = place.project.clone() else {
        return Err(EngineError::usage(
            "work belongs to a project, and there is none here",
            "go to its folder, or name it with --project",
        ));
    };
    let state = args.state.as_deref().map(|word| {
        WorkState::of(word).ok_or_else(|| {
            EngineError::usage(
                format!("{word:?} is no state"),
                "the states are todo, doing, done and dropped",
            )
        })
    });
    let state = state.transpose()?;
    let mut changed = Value::Null;
    if let Some(text) = &args.text {
        engine.may_take()?;
        let text = engine.redaction().text(text.trim());
        if text.is_empty() {
            return Err(EngineError::usage("what is to be done?", "remora work add \"fix the rounding\""));
        }
        let item = change(engine, (&slug, &root.to_string_lossy()), text, state, args.by).await?;
        changed = item_json(&item, clock::now_millis());
    } else if state.is_some() {
        return Err(EngineError::usage("which item?", "`remora work` shows their numbers"));
    }
    let reader = Arc::clone(engine);
    let with_closed = args.all;
    let items = blocking(move || {
        Ok(reader.journal().read(|connection| work::items(connection, &slug, with_closed, MOST))?)
    })
    .await?;
    let now = clock::now_millis();
    let items: Vec<Value> = items.iter().map(|item| item_json(item, now)).collect();
    Ok(json!({"project": place.project_json(), "changed": changed, "items": items}))
}

/// Sets the state of the item that is meant, or adds one.
async fn change(
    engine: &Arc<Engine>,
    (slug, root): (&str, &str),
    text: String,
    state: Option<WorkState>,
    by: Option<String>,
) -> Result<WorkItem, EngineError> {
    let (reader, of_slug) = (Arc::clone(engine), slug.to_owned());
    let known = blocking(move || {
        Ok(reader.journal().read(|connection| work::items(connection, &of_slug, true, MOST))?)
    })
    .await?;
    let meant = meant(&known, &text, state)?;
    let (slug, root) = (slug.to_owned(), root.to_owned());
    let by = by.unwrap_or_else(|| PERSON.to_owned());
    let done = engine.journal().write(move |connection| {
        let said = Said { project: (&slug, &root), host: &by, session: "", at_ms: clock::now_millis() };
        match meant {
            Some(id) => work::set(connection, id, state.unwrap_or(WorkState::Todo), said),
            None => work::take_up(connection, said, &text, state.unwrap_or(WorkState::Todo)),
        }
    });
    done.await?.ok_or_else(|| EngineError::Internal("the item went while it was changed".to_owned()))
}

/// The item that a text means; nothing where it is a new one.
fn meant(known: &[WorkItem], text: &str, state: Option<WorkState>) -> Result<Option<i64>, EngineError> {
    let number = text.strip_prefix("work:").or_else(|| text.strip_prefix('#')).unwrap_or(text);
    if let Ok(id) = number.trim().parse::<i64>() {
        return match known.iter().find(|item| item.id == id) {
            Some(item) => Ok(Some(item.id)),
            None => Err(EngineError::not_found(
                format!("there is no item {id} here"),
                "`remora work --all` shows the numbers",
            )),
        };
    }
    // What is to be done from now on may be a new item, and a part of another's words by chance.
    if !matches!(state, Some(WorkState::Done | WorkState::Dropped)) {
        return Ok(None);
    }
    let wanted = text.to_lowercase();
    let is_open = |item: &&WorkItem| matches!(item.state.as_str(), "todo" | "doing");
    let exact = known.iter().find(|item| item.text.to_lowercase() == wanted);
    let near: Vec<&WorkItem> =
        known.iter().filter(is_open).filter(|item| item.text.to_lowercase().contains(&wanted)).collect();
    match (exact, near.as_slice()) {
        (Some(item), _) => Ok(Some(item.id)),
        (None, [item]) => Ok(Some(item.id)),
        (None, []) => Err(EngineError::not_found(
            format!("no open item says {text:?}"),
            "`remora work` shows them with their numbers",
        )),
        (None, several) => {
            let shown: Vec<String> =
                several.iter().take(4).map(|item| format!("{} ({})", item.id, item.text)).collect();
            Err(EngineError::usage(
                format!("{text:?} could be {}", shown.join(" or ")),
                "name it by its number",
            ))
        }
    }
}

fn item_json(item: &WorkItem, now: i64) -> Value {
    let age = clock::days_since(item.changed_at, now);
    let is_open = matches!(item.state.as_str(), "todo" | "doing");
    json!({
        "id": item.id,
        "text": remora_redact::neutralise(&item.text),
        "state": item.state,
        "host": item.host,
        "session": (!item.session.is_empty()).then_some(&item.session),
        "created_at": clock::rfc3339(item.created_at),
        "changed_at": clock::rfc3339(item.changed_at),
        "age_days": age,
        "abandoned": is_open && age >= ABANDONED_DAYS,
    })
}
