//! Where a session or a command looks for memories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_memory::{Memory, MemoryKind};

use super::{Memories, Shelf};
use crate::config::ChosenFolder;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::heap;
use crate::journal::SessionRow;
use crate::sources;

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// About the person, shared by all projects.
    User,
    /// The person's own, of one project.
    Private,
    /// What a host wrote for itself: in its own folder, or as a snapshot of it.
    Native,
    /// What a repository brought along: others may have written it.
    Team,
}

impl Scope {
    /// The word in listings and in the ledger.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Private => "private",
            Self::Native => "native",
            Self::Team => "team",
        }
    }
}

/// One folder of memories.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Where it is.
    pub(crate) folder: PathBuf,
    /// Whose memory it holds.
    pub(crate) scope: Scope,
    /// The host that keeps or kept it by itself, if one does.
    pub(crate) origin: Option<String>,
    /// Snapshots of files that lie elsewhere and are never written.
    pub(crate) is_snapshot: bool,
    /// The slug of another project that it belongs to: of such a folder only what is about the person counts.
    pub(crate) elsewhere: Option<String>,
}

/// All folders that somebody sees, and from where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct View {
    /// The slug and the root of the project that is asked about.
    pub(crate) project: Option<(String, PathBuf)>,
    /// The folders; of two memories that say the same the one in the earlier folder counts.
    pub(crate) places: Vec<Place>,
}

impl View {
    /// Whether a memory in one of the folders is to be seen from here. What is about the person holds in all
    /// their projects, unless it names one.
    pub(crate) fn shows(&self, memory: &Memory, place: &Place) -> bool {
        let is_own = place.elsewhere.is_none() && place.scope != Scope::User;
        if is_own {
            return true;
        }
        let is_about_person = place.elsewhere.is_none() || memory.kind == MemoryKind::User;
        is_about_person && memory.metadata.project.as_deref().is_none_or(|named| self.is_project(named))
    }

    /// Whether the project is called so: by its slug, its path or its folder's name.
    fn is_project(&self, named: &str) -> bool {
        let named = named.trim();
        self.project.as_ref().is_some_and(|(slug, root)| {
            slug == named
                || root.as_path() == Path::new(named)
                || root.file_name().is_some_and(|name| name.to_string_lossy().eq_ignore_ascii_case(named))
        })
    }
}

/// How fresh a shelf has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The folders are looked at now.
    Scanned,
    /// What was read last is good enough; the folders are looked at afterwards.
    Kept,
}

impl Memories {
    /// The folder of the person's own memories.
    pub(crate) fn user_place(&self) -> Place {
        Place {
            folder: self.root.user_memory(),
            scope: Scope::User,
            origin: None,
            is_snapshot: false,
            elsewhere: None,
        }
    }

    /// The snapshots that lie in a folder of them: a project's, or the person's.
    pub(crate) fn snapshot_places(imported: &Path) -> Vec<Place> {
        let Ok(folders) = std::fs::read_dir(imported) else { return Vec::new() };
        let mut places: Vec<Place> = folders
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
                let scope = if sources::is_repository(&name) { Scope::Team } else { Scope::Native };
                Some(Place {
                    folder: entry.path(),
                    scope,
                    origin: Some(name),
                    is_snapshot: true,
                    elsewhere: None,
                })
            })
            .collect();
        places.sort_by(|a, b| a.folder.cmp(&b.folder));
        places
    }
}

impl Engine {
    /// The memories that a session can see.
    pub(crate) async fn shelf(
        self: &Arc<Self>,
        session: Option<&SessionRow>,
        freshness: Freshness,
    ) -> Result<Arc<Shelf>, EngineError> {
        let project = session.map(|row| (row.slug.clone(), PathBuf::from(&row.path)));
        let engine = Arc::clone(self);
        let view = blocking(move || {
            let view = engine.view(project, None, freshness);
            engine.memories().watch(&view, freshness);
            Ok(view)
        })
        .await?;
        self.shelf_at(view, freshness).await
    }

    /// The folders that a project sees: the person's own, the project's, snapshots of what hosts keep, and for
    /// what is about the person the folders of all other projects. A folder that a command's person named stands
    /// in the place of all but the first. Blocks.
    pub(crate) fn view(
        &self,
        project: Option<(String, PathBuf)>,
        named: Option<&Path>,
        freshness: Freshness,
    ) -> View {
        let mut places = vec![self.memories().user_place()];
        if let Some(folder) = named {
            places.push(Place {
                folder: folder.to_owned(),
                scope: Scope::Private,
                origin: None,
                is_snapshot: false,
                elsewhere: None,
            });
            return View { project, places };
        }
        if let Some((slug, root)) = &project {
            places.extend(self.places_of(slug, root));
        }
        places.extend(Memories::snapshot_places(&self.root().user_imported()));
        for place in self.memories().everywhere(freshness, || self.all_places()).iter() {
            if !places.iter().any(|own| own.folder == place.folder) {
                places.push(place.clone());
            }
        }
        View { project, places }
    }

    /// The folders of one project.
    fn places_of(&self, slug: &str, root: &Path) -> Vec<Place> {
        let origin = match self.config().memory_dir_of(root) {
            Some(ChosenFolder::Native(host)) => Some(host),
            _ => None,
        };
        let mut places = vec![Place {
            folder: self.memory_dir(slug, root),
            scope: if origin.is_some() { Scope::Native } else { Scope::Private },
            origin,
            is_snapshot: false,
            elsewhere: None,
        }];
        places.extend(Memories::snapshot_places(&self.root().project(slug).join("imported")));
        places
    }

    /// The folders of all projects in which memory is on, as they are seen from elsewhere.
    fn all_places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (root, slug) in self.memories().projects() {
            if !self.config().is_on(Some(&root)) {
                continue;
            }
            // What a repository says about people is told in that repository alone.
            let of_project =
                self.places_of(&slug, &root).into_iter().filter(|place| place.scope != Scope::Team);
            places.extend(of_project.map(|place| Place { elsewhere: Some(slug.clone()), ..place }));
        }
        places.sort_by(|a, b| a.is_snapshot.cmp(&b.is_snapshot).then_with(|| a.folder.cmp(&b.folder)));
        places.dedup_by(|a, b| a.folder == b.folder);
        places
    }

    /// Takes in what changes in the folders that are watched, beside the reply path.
    pub(crate) async fn keep_memories(self: Arc<Self>) {
        loop {
            let changed = self.memories().changed().await;
            let engine = Arc::clone(&self);
            let taken = blocking(move || {
                engine.memories().take_in(&changed);
                Ok(())
            });
            if let Err(error) = taken.await {
                tracing::warn!(%error, "what changed in a memory folder could not be read");
            }
        }
    }

    /// Takes in what this engine itself has written: a prompt is answered from what was read last.
    pub(crate) async fn look_again(self: &Arc<Self>) -> Result<(), EngineError> {
        let engine = Arc::clone(self);
        blocking(move || {
            engine.memories().look_again();
            Ok(())
        })
        .await
    }

    /// The memories of some folders.
    pub(crate) async fn shelf_at(
        self: &Arc<Self>,
        view: View,
        freshness: Freshness,
    ) -> Result<Arc<Shelf>, EngineError> {
        let (engine, wanted) = (Arc::clone(self), view.clone());
        let shelf = blocking(move || Ok(engine.memories().shelf(&wanted, freshness))).await?;
        if !shelf.is_indexed() {
            let shelf = Arc::clone(&shelf);
            tokio::task::spawn_blocking(move || {
                shelf.corpus();
                // A prompt that waited for it has it by now.
                heap::give_back();
            });
        }
        if freshness == Freshness::Kept && self.memories().is_old(&view) {
            let engine = Arc::clone(self);
            tokio::task::spawn_blocking(move || engine.memories().shelf(&view, Freshness::Scanned));
        }
        Ok(shelf)
    }
}
