//! What a person types, and what an MCP client asks: one module a subject, each answering a documented
//! JSON shape.

mod asked;
mod brought;
mod claude_mem;
mod duplicates;
mod export;
mod forget;
mod get;
mod history;
pub(crate) mod import;
mod journal;
mod list;
mod pause;
mod pin;
mod project;
mod provider;
pub(crate) mod purge;
mod recall;
pub(crate) mod remember;
pub(crate) mod review;
mod search;
mod status;
mod tail;
mod undo;
mod why;
pub(crate) mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_event::wire::Command;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::memories::{Entry, Freshness, Shelf};

/// Commands after which the next prompt must know the memories as they are now.
const CHANGING: [&str; 7] =
    ["remember", "forget", "pin", "undo", "project_adopt", "review_accept", "review_reject"];

/// Commands that take something in.
const TAKING: [&str; 6] =
    ["remember", "import", "import_claude_mem", "import_export", "ingest", "history_step"];

/// The command that waits for what happens.
const TAIL: &str = "tail";

/// Whether a command is no work: whoever looks on keeps no engine from leaving.
pub(crate) fn only_looks_on(command: &Command) -> bool {
    command.name == TAIL
}

/// Where a command acts: the project of the directory it was typed in, and its memory folder.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The project's slug and root, if there is a directory.
    pub(crate) project: Option<(String, PathBuf)>,
    /// The folder of the project's memories.
    pub(crate) memory_dir: Option<PathBuf>,
    /// Whether the person's shell named that folder for this request.
    pub(crate) is_named: bool,
}

impl Place {
    /// `{slug, path}`, or null without a project.
    fn project_json(&self) -> Value {
        match &self.project {
            Some((slug, path)) => json!({"slug": slug, "path": path}),
            None => Value::Null,
        }
    }

    fn slug(&self) -> Option<&str> {
        self.project.as_ref().map(|(slug, _)| slug.as_str())
    }
}

impl Engine {
    /// Answers one command.
    pub(crate) async fn command(self: &Arc<Self>, command: Command) -> Result<Value, EngineError> {
        if !only_looks_on(&command) {
            self.note_work();
        }
        if TAKING.contains(&command.name.as_str()) {
            self.may_take()?;
        }
        let place = self.place(&command).await?;
        let changes_memory = CHANGING.contains(&command.name.as_str());
        let value = self.run(command, place).await?;
        if changes_memory {
            self.look_again().await?;
        }
        Ok(value)
    }

    async fn run(self: &Arc<Self>, command: Command, place: Place) -> Result<Value, EngineError> {
        let cwd = command.cwd.as_deref().map(Path::new);
        match command.name.as_str() {
            "remember" => remember::run(self, place, arguments(command.args)?).await,
            "list" => list::run(self, &place).await,
            "show" => list::show(self, &place, arguments(command.args)?).await,
            "get" => get::run(self, place, arguments(command.args)?).await,
            "forget" => forget::run(self, place, arguments(command.args)?).await,
            "pin" => pin::run(self, &place, arguments(command.args)?).await,
            "pause" => pause::pause(self, place, arguments(command.args)?).await,
            "resume" => pause::resume(self, place).await,
            "project_list" => project::list(self, place).await,
            "project_adopt" => project::adopt(self, place, arguments(command.args)?).await,
            "history_sources" => history::sources(self, &place, arguments(command.args)?).await,
            "history_step" => history::step(self, &place, arguments(command.args)?).await,
            "import" => import::run(self, place, arguments(command.args)?).await,
            "import_claude_mem" => claude_mem::run(self, place, arguments(command.args)?).await,
            "export" => export::run(self, arguments(command.args)?).await,
            "import_export" => export::restore(self, arguments(command.args)?).await,
            "ingest" => import::ingest(self, place, arguments(command.args)?).await,
            "review" => review::list(self, place, arguments(command.args)?).await,
            "review_accept" => review::accept(self, place, arguments(command.args)?).await,
            "review_reject" => review::reject(self, place, arguments(command.args)?).await,
            "undo" => undo::run(self, place, arguments(command.args)?).await,
            "recall" => recall::run(self, &place, arguments(command.args)?).await,
            "search" => search::run(self, place, cwd, arguments(command.args)?).await,
            "sessions" => journal::sessions(self, place, cwd, arguments(command.args)?).await,
            "entries" => journal::entries(self, place, cwd, arguments(command.args)?).await,
            "journal_duplicates" => duplicates::run(self, place, arguments(command.args)?).await,
            "journal_purge" => purge::run(self, place, arguments(command.args)?).await,
            "timeline" => journal::timeline(self, place, cwd, arguments(command.args)?).await,
            "work" => work::run(self, place, arguments(command.args)?).await,
            "why" => why::run(self, place, arguments(command.args)?).await,
            "provider_test" => provider::test(self).await,
            "status" => status::run(self, &place).await,
            TAIL => tail::run(self, place, arguments(command.args)?).await,
            other => Err(EngineError::usage(
                format!("the engine knows no command {other:?}"),
                "the engine may be older than the command: run `remora engine restart`",
            )),
        }
    }

    /// The project that a command is about. The memory folder that the person's shell names holds for this
    /// request alone.
    async fn place(self: &Arc<Self>, command: &Command) -> Result<Place, EngineError> {
        let project = match &command.cwd {
            Some(cwd) => self.project_of(Path::new(cwd)).await?,
            None => None,
        };
        let project = project.map(|project| (project.slug, project.root));
        let named = command.memory_dir.as_ref().map(PathBuf::from);
        if let Some(relative) = named.as_ref().filter(|folder| !folder.is_absolute()) {
            return Err(EngineError::usage(
                format!(
                    "REMORA_MEMORY_DIR is {:?}, which is not an absolute path",
                    relative.display().to_string()
                ),
                "name the folder from / on, or unset the variable",
            ));
        }
        let is_named = named.is_some();
        let memory_dir = named.or_else(|| project.as_ref().map(|(slug, root)| self.memory_dir(slug, root)));
        Ok(Place { project, memory_dir, is_named })
    }

    async fn shelf_of(self: &Arc<Self>, place: &Place) -> Result<Arc<Shelf>, EngineError> {
        let (engine, place) = (Arc::clone(self), place.clone());
        let view = blocking(move || {
            let named = place.memory_dir.as_deref().filter(|_| place.is_named);
            Ok(engine.view(place.project.clone(), named, Freshness::Scanned))
        })
        .await?;
        self.shelf_at(view, Freshness::Scanned).await
    }
}

fn arguments<T: DeserializeOwned>(args: Value) -> Result<T, EngineError> {
    let args = if args.is_null() { json!({}) } else { args };
    serde_json::from_value(args).map_err(|error| {
        EngineError::usage(format!("the arguments do not fit: {error}"), "see `remora --help`")
    })
}

/// The one memory that a person means: by name, file or a part that only one has.
fn named<'a>(shelf: &'a Shelf, name: &str) -> Result<&'a Entry, EngineError> {
    let wanted = plain(name);
    let exact: Vec<&Entry> = shelf
        .entries
        .iter()
        .filter(|entry| {
            plain(&entry.name) == wanted || plain(&entry.file) == wanted || entry.path == Path::new(name)
        })
        .collect();
    let near: Vec<&Entry> = if exact.is_empty() {
        shelf
            .entries
            .iter()
            .filter(|entry| plain(&entry.name).contains(&wanted) && !wanted.is_empty())
            .collect()
    } else {
        exact
    };
    match near.as_slice() {
        [one] => Ok(one),
        [] => Err(EngineError::not_found(
            format!("there is no memory called {name:?} here"),
            "`remora list` shows the names; --project names another project's folder",
        )),
        several => {
            let names: Vec<String> = several
                .iter()
                .take(5)
                .map(|entry| format!("{} ({})", entry.file, entry.scope.as_str()))
                .collect();
            Err(EngineError::usage(
                format!("{name:?} could be {}", names.join(", ")),
                "write the whole name, or the file",
            ))
        }
    }
}

fn plain(name: &str) -> String {
    let name = name.trim().trim_start_matches("./");
    name.strip_suffix(".md").unwrap_or(name).replace(['_', ' '], "-").to_lowercase()
}
