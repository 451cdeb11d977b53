//! The choice that goes on while nobody waits: a model's, and that of words where their index was not ready in time.

use std::collections::HashSet;
use std::sync::Arc;

use remora_event::Event;

use super::late::LateChoice;
use super::{Choice, prompt, tool_document};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal;
use crate::ledger::{self, Context, Given};
use crate::memories::Shelf;
use crate::model::ModelSettings;
use crate::selector::{Chosen, Manifest};

/// Prompts that are shorter (in bytes) say too little to choose by: "yes", "go on", "谢谢".
const SHORTEST_PROMPT: usize = 8;

/// What is chosen from, and for whom.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) engine: Arc<Engine>,
    pub(super) event: Event,
    pub(super) shelf: Arc<Shelf>,
    pub(super) prompt: String,
    /// What the context has, with what this prompt is given by now.
    pub(super) given: Given,
    pub(super) ticket: String,
    /// Whether words still have to say what they think.
    pub(super) words_due: bool,
}

impl Selection {
    /// Chooses, beside everything else. Nobody waits for it, and whatever goes wrong in it changes nothing.
    pub(super) fn begin(self) {
        let settings = match self.engine.selector() {
            Some(Ok(settings)) if self.is_worth_asking() => Some(settings),
            _ => None,
        };
        if settings.is_some() || self.words_due {
            tokio::spawn(self.choose(settings));
        }
    }

    fn is_worth_asking(&self) -> bool {
        let is_host_s = self.engine.profile(&self.event.host).prompts.is_synthetic(&self.prompt);
        !self.event.probe && !is_host_s && self.prompt.trim().len() >= SHORTEST_PROMPT
    }

    async fn choose(self, settings: Option<ModelSettings>) {
        let selection = Arc::new(self);
        if selection.words_due
            && let Err(error) = selection.by_words().await
        {
            tracing::warn!(%error, "recall by words failed");
        }
        if let Some(settings) = settings
            && let Err(error) = selection.by_model(&settings).await
        {
            tracing::warn!(%error, "a model's choice could not be kept");
        }
    }

    async fn by_words(self: &Arc<Self>) -> Result<(), EngineError> {
        let own = Arc::clone(self);
        let words =
            blocking(move || Ok(prompt::by_words(&own.shelf, &own.prompt, &own.given, || own.tools())))
                .await?;
        self.engine.late().add(&Context::of(&self.event), &self.ticket, words.sure);
        self.log(words.choice).await
    }

    async fn by_model(self: &Arc<Self>, settings: &ModelSettings) -> Result<(), EngineError> {
        let own = Arc::clone(self);
        let (manifest, tools) = blocking(move || {
            let shown: HashSet<String> = prompt::already_given(&own.shelf, &own.given).into_iter().collect();
            Ok((Manifest::of(&own.shelf, &own.prompt, &shown), own.tools()))
        })
        .await?;
        if manifest.len() == 0 {
            return Ok(());
        }
        let question = manifest.question(&self.prompt, &tools);
        self.engine.note_work();
        let answer = self.engine.models().ask(&self.engine, settings, "select", &question).await;
        let (chosen, mut notes) = match answer {
            Ok(answer) => (manifest.chosen(&answer), Vec::new()),
            Err(unanswered) => (Chosen::default(), vec![format!("no choice: {unanswered}")]),
        };
        if chosen.unknown > 0 {
            notes.push(format!("{} names that are not in the list", chosen.unknown));
        }
        let before = chosen.ids.len();
        let ids = chosen.ids.into_iter();
        let choices: Vec<LateChoice> = ids
            .filter(|id| self.shelf.entry(id).is_some_and(|entry| !tool_document::explains(entry, &tools)))
            .map(|id| LateChoice { id, step: "selector", score: None })
            .collect();
        if choices.len() < before {
            notes.push(format!("{} that explain a tool in use", before - choices.len()));
        }
        let choice =
            Choice { note: notes.join("; "), ..Choice::new("selector", manifest.len(), choices.len()) };
        self.engine.late().add(&Context::of(&self.event), &self.ticket, choices);
        self.log(choice).await
    }

    /// The tools that the agent used last.
    fn tools(&self) -> Vec<String> {
        tools_in_use(&self.engine, &self.event)
    }

    async fn log(&self, choice: Choice) -> Result<(), EngineError> {
        if self.event.probe {
            return Ok(());
        }
        let (host, session) = (self.event.host.clone(), self.event.session.clone());
        let written = self
            .engine
            .journal()
            .write(move |connection| ledger::choose(connection, &host, &session, &[choice]));
        Ok(written.await?)
    }
}

/// The names of the tools that a session used last, newest first. Blocks.
pub(super) fn tools_in_use(engine: &Engine, event: &Event) -> Vec<String> {
    engine
        .journal()
        .read(|connection| journal::last_tools(connection, &event.host, &event.session))
        .unwrap_or_default()
}
