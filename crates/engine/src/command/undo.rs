//! What was saved or forgotten last, taken back: in the project where the person stands, for they may not know what
//! an agent did meanwhile in another one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Place, plain};
use crate::changes::{self, Change, Noted};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::memories::Freshness;
use crate::trash::{self, Origin};

/// What `undo` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// Whatever came last in any project.
    #[serde(default)]
    everywhere: bool,
}

/// What belongs to the place where the person stands.
struct Here {
    slug: Option<String>,
    /// The person's own folder, the project's, and the snapshots of both.
    folders: Vec<PathBuf>,
    /// The project's folder in the data root: what was written before `memory_dir` was set lies in it.
    of_project: Option<PathBuf>,
}

impl Here {
    /// Blocks for a moment.
    fn at(engine: &Engine, place: &Place) -> Self {
        let named = place.memory_dir.as_deref().filter(|_| place.is_named);
        let view = engine.view(place.project.clone(), named, Freshness::Scanned);
        let own = view.places.into_iter().filter(|folder| folder.elsewhere.is_none());
        Self {
            slug: place.slug().map(str::to_owned),
            folders: own.map(|folder| folder.folder).collect(),
            of_project: place.slug().map(|slug| engine.root().project(slug)),
        }
    }

    fn has(&self, folder: &Path) -> bool {
        self.folders.iter().any(|own| own == folder)
            || self.of_project.as_ref().is_some_and(|own| folder.starts_with(own))
    }

    fn has_change(&self, noted: &Noted) -> bool {
        let was_made_here = noted.from.is_some() && noted.from == self.slug;
        was_made_here || folder_of(&noted.change).is_some_and(|folder| self.has(&folder))
    }
}

/// The folder whose memory it is or was.
fn folder_of(change: &Change) -> Option<PathBuf> {
    match change {
        Change::Saved { folder, .. } => Some(folder.clone()),
        Change::Forgot { slot, .. } => trash::origin(slot).map(|origin| origin.folder),
    }
}

/// `{"undone": "saved" | "forgot", "name", "path", "scope": "user" | "project", "project": {"slug", "path"}, "here"}`:
/// `project` is null for what is about the person, and where the folder is no known project's any more.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let worker = Arc::clone(engine);
    let (id, done) = blocking(move || {
        let here = (!args.everywhere).then(|| Here::at(&worker, &place));
        let is_meant = |noted: &Noted| here.as_ref().is_none_or(|here| here.has_change(noted));
        let Some((id, change)) = worker.journal().read(|journal| changes::newest(journal, is_meant))? else {
            return Err(nothing(&worker, here.is_some())?);
        };
        Ok((id, take_back(&worker, &place, change)))
    })
    .await?;
    // What cannot be taken back any more must not stand in the way of what came before it.
    if done.as_ref().err().is_none_or(is_gone) {
        engine.journal().write(move |connection| changes::mark_undone(connection, id)).await?;
    }
    done
}

fn is_gone(error: &EngineError) -> bool {
    error.body().kind == "not_found"
}

/// Why nothing is taken back; whoever stands in one project is told of what came last in another.
fn nothing(engine: &Engine, is_only_here: bool) -> Result<EngineError, EngineError> {
    let elsewhere = if is_only_here {
        engine.journal().read(|journal| changes::newest(journal, |_| true))?
    } else {
        None
    };
    Ok(match elsewhere {
        None => EngineError::not_found("there is nothing to take back", "`remora list` shows what is there"),
        Some((_, Change::Saved { name, .. } | Change::Forgot { name, .. })) => EngineError::not_found(
            "there is nothing to take back in this project",
            &format!("`remora undo --all-projects` takes back what came last in another one: {name}"),
        ),
    })
}

fn take_back(engine: &Engine, place: &Place, change: Change) -> Result<Value, EngineError> {
    let trash = engine.root().trash();
    let (undone, name, folder, file) = match change {
        Change::Saved { folder, file, name } => {
            if !folder.join(&file).exists() {
                return Err(EngineError::not_found(
                    format!("{name:?}, which was saved last, is not there any more"),
                    "`remora undo` once more takes back what came before it",
                ));
            }
            trash::discard(&trash, &folder, &file, &name, "")?;
            ("saved", name, folder, file)
        }
        Change::Forgot { slot, name } => {
            let Some(origin) = trash::origin(&slot) else {
                return Err(EngineError::not_found(
                    format!("{name:?}, which was forgotten last, is not in the trash any more"),
                    "`remora undo` once more takes back what came before it",
                ));
            };
            trash::restore(&slot, &origin)?;
            ("forgot", name, origin.folder, origin.file)
        }
    };
    let mut value = json!({"undone": undone, "name": name, "path": folder.join(&file)});
    let whose = engine.owner_of(&folder);
    value["scope"] = json!(if whose == Owner::Person { "user" } else { "project" });
    value["project"] = match &whose {
        Owner::Project { slug, path } => json!({"slug": slug, "path": path}),
        Owner::Person | Owner::Unknown => Value::Null,
    };
    value["here"] =
        json!(matches!(&whose, Owner::Project { slug, .. } if Some(slug.as_str()) == place.slug()));
    Ok(value)
}

/// Brings back the memory that was forgotten last here, or the last one of a name: here before elsewhere.
pub(super) async fn restore(
    engine: &Arc<Engine>,
    place: Place,
    name: Option<String>,
) -> Result<Value, EngineError> {
    let worker = Arc::clone(engine);
    let (slot, value) = blocking(move || {
        let here = Here::at(&worker, &place);
        let slots = trash::slots(&worker.root().trash());
        let is_here = |origin: &Origin| here.has(&origin.folder);
        let found = match &name {
            None => slots.iter().find(|(_, origin)| is_here(origin)),
            Some(name) => {
                let wanted = plain(name);
                let is_called =
                    |origin: &Origin| plain(&origin.name) == wanted || plain(&origin.file) == wanted;
                let called = || slots.iter().filter(|(_, origin)| is_called(origin));
                called().find(|(_, origin)| is_here(origin)).or_else(|| called().next())
            }
        };
        let Some((slot, origin)) = found else {
            return Err(not_in_trash(name.as_deref(), slots.first().map(|(_, origin)| origin)));
        };
        trash::restore(slot, origin)?;
        let value = json!({"restored": {
            "name": origin.name, "file": origin.file, "path": origin.folder.join(&origin.file),
        }});
        Ok((slot.clone(), value))
    })
    .await?;
    engine.journal().write(move |connection| changes::mark_restored(connection, &slot)).await?;
    Ok(value)
}

fn not_in_trash(name: Option<&str>, newest: Option<&Origin>) -> EngineError {
    match (name, newest) {
        (Some(name), _) => {
            EngineError::not_found(format!("the trash has no {name:?}"), "`remora list` shows what is there")
        }
        (None, None) => EngineError::not_found(
            "the trash has nothing that can be brought back",
            "`remora list` shows what is there",
        ),
        (None, Some(newest)) => EngineError::not_found(
            "the trash has nothing of this project",
            &format!(
                "`remora forget --undo {}` brings back what was forgotten last in another one",
                newest.name
            ),
        ),
    }
}

/// Whose a memory folder is.
#[derive(Debug, PartialEq, Eq)]
enum Owner {
    Person,
    Project {
        slug: String,
        path: PathBuf,
    },
    /// A folder that a shell named, or that the configuration names no longer.
    Unknown,
}

impl Engine {
    /// Notes what was changed for somebody who stands in a place, so that it can be taken back from there.
    pub(super) async fn note_change(&self, place: &Place, change: Change) -> Result<(), EngineError> {
        let from = place.slug().map(str::to_owned);
        Ok(self.journal().write(move |connection| changes::record(connection, change, from)).await?)
    }

    fn owner_of(&self, folder: &Path) -> Owner {
        if self.root().user_memory().parent().is_some_and(|user| folder.starts_with(user)) {
            return Owner::Person;
        }
        let is_of = |slug: &str, root: &Path| {
            folder.starts_with(self.root().project(slug)) || self.memory_dir(slug, root) == folder
        };
        let found = self.memories().projects().into_iter().find(|(root, slug)| is_of(slug, root));
        found.map_or(Owner::Unknown, |(path, slug)| Owner::Project { slug, path })
    }
}
