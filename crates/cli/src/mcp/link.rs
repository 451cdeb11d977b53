//! One call's way to the engine.

use std::path::PathBuf;

use serde_json::Value;

use crate::ask::{Broken, Engine};
use crate::failure::Failure;
use crate::places::Places;

/// What one call may ask the engine, and about which project.
#[derive(Debug, Clone)]
pub(super) struct Link {
    places: Places,
    project: Option<PathBuf>,
    client: String,
}

impl Link {
    /// For a call of a client (its own name) about a project; none: only what is about the person.
    pub(super) fn new(places: Places, project: Option<PathBuf>, client: String) -> Self {
        Self { places, project, client }
    }

    /// Whether there is a project at all.
    pub(super) fn has_project(&self) -> bool {
        self.project.is_some()
    }

    /// The name of the program that calls.
    pub(super) fn client(&self) -> &str {
        &self.client
    }

    /// How the person's shell calls the command: the installed one, which a running one may not be any more.
    pub(super) fn command(&self) -> String {
        let installed = self.places.root.join("bin").join(format!("remora{}", std::env::consts::EXE_SUFFIX));
        let program = if installed.is_file() { Ok(installed) } else { std::env::current_exe() };
        program.map_or_else(|_| "remora".to_owned(), |path| path.to_string_lossy().into_owned())
    }

    /// A command that may be asked twice: when the engine goes away meanwhile, the next one answers.
    pub(super) async fn ask(&self, name: &'static str, args: Value) -> Result<Value, Failure> {
        self.over(name, args, Broken::AskAgain).await
    }

    /// A command that is asked once.
    pub(super) async fn ask_once(&self, name: &'static str, args: Value) -> Result<Value, Failure> {
        self.over(name, args, Broken::Fail).await
    }

    async fn over(&self, name: &'static str, args: Value, broken: Broken) -> Result<Value, Failure> {
        let engine = Engine::for_program(self.places.clone(), self.project.clone());
        tokio::task::spawn_blocking(move || engine.ask_over(name, args, broken))
            .await
            .unwrap_or_else(|error| Err(Failure::new("internal", error.to_string(), "call the tool again")))
    }
}
