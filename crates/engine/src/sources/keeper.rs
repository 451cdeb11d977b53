//! Snapshots kept in step with their sources while the engine runs: what changes is taken once it has settled.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use super::folder::SETTLED;
use super::{Taken, Way, Whose};
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::watch::{Changed, Watch};

/// Sources are looked at so often, also where nothing was heard: not everything that changes is told.
const LOOK: Duration = Duration::from_secs(30);

/// The first look after the engine's start waits until whoever started it has its answer.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// So many projects are kept in step: those that were worked in last, and those that have folders of their own.
const MOST_PROJECTS: usize = 32;

/// What is kept in step, and what is known of it.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    watch: Watch,
    active: Mutex<Vec<Active>>,
    /// Projects whose sources are to be looked at now.
    due: Mutex<BTreeSet<String>>,
    wanted: Notify,
    /// One taker at a time for each project.
    taking: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

#[derive(Debug, Clone)]
struct Active {
    slug: String,
    root: PathBuf,
    folders: Vec<PathBuf>,
}

/// Whether somebody who is taking the same is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// What they take is enough.
    Leave,
    Wait,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sources {
    /// Keeps a project's sources in step from now on.
    fn activate(&self, slug: &str, root: &Path, folders: Vec<PathBuf>) {
        self.watch.on(folders.iter().cloned(), false);
        let mut active = locked(&self.active);
        active.retain(|other| other.slug != slug);
        if active.len() >= MOST_PROJECTS {
            active.remove(0);
        }
        active.push(Active { slug: slug.to_owned(), root: root.to_owned(), folders });
    }

    /// The projects in whose sources something changed.
    fn touched(&self, changed: &Changed) -> BTreeSet<String> {
        let active = locked(&self.active);
        let touched = active.iter().filter(|one| one.folders.iter().any(|folder| changed.touches(folder)));
        touched.map(|one| one.slug.clone()).collect()
    }

    fn all(&self) -> BTreeSet<String> {
        locked(&self.active).iter().map(|one| one.slug.clone()).collect()
    }

    fn root_of(&self, slug: &str) -> Option<PathBuf> {
        locked(&self.active).iter().find(|one| one.slug == slug).map(|one| one.root.clone())
    }

    /// Has a project's sources looked at soon. Nobody waits.
    pub(crate) fn want(&self, slug: &str) {
        locked(&self.due).insert(slug.to_owned());
        self.wanted.notify_one();
    }
}

impl Engine {
    /// Takes what changed in a project's sources since, and keeps them in step from now on. Blocks.
    pub(crate) fn take_project(
        &self,
        slug: &str,
        root: &Path,
        turn: Turn,
    ) -> Result<Vec<Taken>, EngineError> {
        if !self.config().is_on(Some(root)) || self.pauses(|pauses| pauses.hold_for(Some(slug), None)) {
            return Ok(Vec::new());
        }
        let sources = self.sources_of(root);
        let folders = sources.iter().filter(|source| source.is_folder()).map(|source| source.path.clone());
        self.sources().activate(slug, root, folders.collect());
        let whose = Whose::Project { slug: slug.to_owned(), root: root.to_owned() };
        let taken = self.take_alone(&whose, turn, || self.take(&whose, &sources, Way::default()))?;
        let taken = taken.unwrap_or_default();
        if taken.iter().any(Taken::is_news) {
            self.memories().look_again();
        }
        Ok(taken)
    }

    /// Does something to the snapshots of a project while nobody else does; nothing where somebody does and is not
    /// waited for. Blocks.
    pub(crate) fn take_alone<T>(
        &self,
        whose: &Whose,
        turn: Turn,
        take: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        let lock = {
            let mut taking = locked(&self.sources().taking);
            if taking.len() >= 2 * MOST_PROJECTS {
                taking.retain(|_, lock| Arc::strong_count(lock) > 1);
            }
            Arc::clone(taking.entry(whose.imported(self.root())).or_default())
        };
        let _alone = match turn {
            Turn::Wait => locked(&lock),
            Turn::Leave => match lock.try_lock() {
                Ok(alone) => alone,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Ok(None),
            },
        };
        take().map(Some)
    }

    /// Keeps snapshots in step, beside the reply path.
    pub(crate) async fn keep_sources(self: Arc<Self>) {
        let mut looks = tokio::time::interval_at(tokio::time::Instant::now() + FIRST_LOOK, LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unsettled: BTreeSet<String> = BTreeSet::new();
        let mut pause = SETTLED;
        loop {
            let due = tokio::select! {
                changed = self.sources().watch.changed() => self.sources().touched(&changed),
                () = self.sources().wanted.notified() => std::mem::take(&mut *locked(&self.sources().due)),
                () = tokio::time::sleep(pause), if !unsettled.is_empty() => std::mem::take(&mut unsettled),
                _ = looks.tick() => {
                    self.activate_watched().await;
                    self.sources().all()
                }
            };
            if due.is_empty() {
                continue;
            }
            // What was just written has to settle.
            tokio::time::sleep(SETTLED).await;
            for slug in due {
                let is_unsettled = self.take_due(&slug).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, slug, "what hosts keep for a project could not be taken");
                    false
                });
                if is_unsettled {
                    unsettled.insert(slug);
                }
            }
            // A file that is written all the time is not waited for in haste.
            pause = if unsettled.is_empty() { SETTLED } else { (pause * 2).min(LOOK) };
        }
    }

    /// Takes what is due for a project; answers whether something there has not settled.
    async fn take_due(self: &Arc<Self>, slug: &str) -> Result<bool, EngineError> {
        let Some(root) = self.sources().root_of(slug) else { return Ok(false) };
        let (engine, slug) = (Arc::clone(self), slug.to_owned());
        blocking(move || {
            let taken = engine.take_project(&slug, &root, Turn::Leave)?;
            Ok(taken.iter().any(|taken| !taken.unsettled.is_empty()))
        })
        .await
    }

    /// Projects for which the person named folders are kept in step also while nobody works in them.
    async fn activate_watched(self: &Arc<Self>) {
        let engine = Arc::clone(self);
        let activated = blocking(move || {
            for watched in engine.watched_roots().iter() {
                if !watched.project.is_dir() {
                    continue;
                }
                let project = engine.project_at(&watched.project);
                if engine.sources().root_of(&project.slug).is_none()
                    && engine.config().is_on(Some(&project.root))
                {
                    engine.memories().open_project(&project)?;
                    engine.sources().activate(&project.slug, &project.root, vec![watched.folder.clone()]);
                }
            }
            Ok(())
        });
        if let Err(error) = activated.await {
            tracing::warn!(%error, "a watched folder's project could not be opened");
        }
    }
}
