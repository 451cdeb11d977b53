//! What memories name, looked up in the session's working tree: at once for what is handed over now, the rest while
//! nobody waits.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use remora_event::Event;
use tokio::sync::Semaphore;

use crate::engine::{Engine, blocking};
use crate::journal::SessionRow;
use crate::ledger::Context;
use crate::memories::{Entry, Shelf};
use crate::verify::{self, Checked};

/// How long a hook waits for it; a tree on a slow disk is not waited for.
const PATIENCE: Duration = Duration::from_millis(40);

/// One look through a whole tree at a time.
static LOOKING: Semaphore = Semaphore::const_new(1);

/// What was found, by memory.
#[derive(Debug, Default)]
pub(super) struct Checks {
    tree: PathBuf,
    by_path: HashMap<PathBuf, Checked>,
}

impl Checks {
    /// Looks up what these memories name. Empty where it takes too long.
    pub(super) async fn of<'a>(
        engine: &Arc<Engine>,
        event: &Event,
        session: Option<&SessionRow>,
        shelf: &Arc<Shelf>,
        ids: impl Iterator<Item = &'a str>,
    ) -> Self {
        let Some(row) = session.cloned() else { return Self::default() };
        let ids: Vec<String> = ids.map(str::to_owned).collect();
        if ids.is_empty() {
            return Self::default();
        }
        let (engine, shelf, cwd) = (Arc::clone(engine), Arc::clone(shelf), PathBuf::from(&event.cwd));
        let looking = async move {
            let tree = working_tree(&engine, &cwd, &row).await;
            let gate = engine.gate(&tree);
            let _turn = gate.acquire_owned().await.ok()?;
            blocking(move || {
                let entries =
                    ids.iter().filter_map(|id| shelf.entry(id)).filter(|entry| is_of_project(entry));
                let by_path = entries
                    .map(|entry| (entry.path.clone(), verify::at_once(&said_by(entry), &tree)))
                    .collect();
                Ok(Self { tree, by_path })
            })
            .await
            .ok()
        };
        tokio::time::timeout(PATIENCE, looking).await.ok().flatten().unwrap_or_default()
    }

    /// What goes with a memory.
    pub(super) fn line(&self, entry: &Entry) -> Option<String> {
        self.by_path.get(&entry.path)?.line()
    }

    /// Goes on looking for what one look left open, for those memories that were given; what is to be said of it waits for
    /// a later hook. `ticket`: of the prompt they were given for.
    pub(super) fn go_on(self, engine: &Arc<Engine>, event: &Event, ticket: &str, given: &[&Entry]) {
        let open: Vec<(String, Checked)> = given
            .iter()
            .filter_map(|entry| Some((entry.name.clone(), self.by_path.get(&entry.path)?.clone())))
            .filter(|(_, checked)| checked.is_open())
            .collect();
        if open.is_empty() {
            return;
        }
        let (engine, context, ticket) = (Arc::clone(engine), Context::of(event), ticket.to_owned());
        tokio::spawn(async move {
            let Ok(_turn) = LOOKING.try_acquire() else { return };
            let tree = self.tree;
            let found = blocking(move || {
                let checked: Vec<&Checked> = open.iter().map(|(_, checked)| checked).collect();
                let said = verify::in_whole_tree(&checked, &tree);
                Ok(open.into_iter().map(|(name, _)| name).zip(said).collect::<Vec<_>>())
            });
            for (name, said) in found.await.unwrap_or_default() {
                if let Some(said) = said {
                    engine.late().say(&context, &ticket, &name, said);
                }
            }
        });
    }
}

/// What is about the person, or lies in another project, speaks of no file here.
fn is_of_project(entry: &Entry) -> bool {
    entry.elsewhere.is_none() && !entry.is_about_person()
}

fn said_by(entry: &Entry) -> String {
    format!("{}\n{}", entry.description, entry.memory.body)
}

/// The checkout in which the event happened, if it is one of the session's project; else the project's root.
async fn working_tree(engine: &Arc<Engine>, cwd: &Path, row: &SessionRow) -> PathBuf {
    let root = PathBuf::from(&row.path);
    if cwd == root {
        return root;
    }
    match engine.project_of(cwd).await {
        Ok(Some(project)) if project.slug == row.slug => {
            let nearest = cwd.ancestors().find(|folder| folder.join(".git").exists());
            nearest.map_or(root, Path::to_owned)
        }
        _ => root,
    }
}
