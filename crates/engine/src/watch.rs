//! Folders that are watched: memory folders of the projects that are worked in, so that what a person writes there by hand
//! is known before they send the next prompt; and folders in which followed agents write. Where watching fails, the folders
//! are looked at from time to time all the same.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

/// So many folders of memories are watched at once: those of the projects that a person works in at the same time.
const MOST: usize = 48;

/// Of a folder of memories so many sub-folders are watched with it; what lies deeper is found by looking.
const SUB_FOLDERS: usize = 16;

/// Editors write a file in several steps: what belongs together is read once.
const SETTLE: Duration = Duration::from_millis(30);

/// The folders that are watched, and what happened in them.
#[derive(Debug)]
pub(crate) struct Watch {
    watching: Mutex<Watching>,
    news: Arc<News>,
    most: usize,
    sub_folders: usize,
}

impl Default for Watch {
    fn default() -> Self {
        Self::of(MOST, SUB_FOLDERS)
    }
}

#[derive(Debug, Default)]
struct Watching {
    /// Made for the first folder; none where the system gives none.
    watcher: Option<RecommendedWatcher>,
    failed: bool,
    /// Each with its sub-folders; the one that was asked for last is at the end.
    folders: Vec<(PathBuf, Vec<PathBuf>)>,
}

/// What the watcher's thread heard.
#[derive(Debug, Default)]
struct News {
    changed: Mutex<Changed>,
    came: Notify,
}

/// Where something changed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    /// In these places; paths below the folders or the folders themselves.
    pub(crate) paths: HashSet<PathBuf>,
    /// Perhaps anywhere: something was missed.
    pub(crate) anywhere: bool,
}

impl Watch {
    /// At most so many folders, each with at most so many of its sub-folders. Nothing is begun before the first.
    pub(crate) fn of(most: usize, sub_folders: usize) -> Self {
        Self { watching: Mutex::default(), news: Arc::default(), most, sub_folders }
    }

    /// Whether the system watches anything.
    pub(crate) fn works(&self) -> bool {
        self.watching.lock().is_ok_and(|watching| !watching.folders.is_empty())
    }

    /// Watches these folders from now on, as far as they are there; answers whether any is new. `again`: also those that
    /// are watched already, since a folder that was deleted and made again is not. Blocks for a moment.
    pub(crate) fn on(&self, folders: impl Iterator<Item = PathBuf>, again: bool) -> bool {
        let Ok(mut watching) = self.watching.lock() else { return false };
        let mut is_new = false;
        for folder in folders {
            let known = watching.folders.iter().position(|(other, _)| *other == folder);
            if known.is_some() && !again {
                continue;
            }
            if known.is_none() && !folder.is_dir() {
                continue;
            }
            if watching.watcher.is_none() && !watching.failed {
                watching.watcher = self.watcher();
                watching.failed = watching.watcher.is_none();
            }
            if let Some(known) = known {
                watching.folders.remove(known);
            }
            if watching.folders.len() >= self.most {
                let (oldest, parts) = watching.folders.remove(0);
                if let Some(watcher) = &mut watching.watcher {
                    parts.iter().chain([&oldest]).for_each(|part| drop(watcher.unwatch(part)));
                }
            }
            let Some(watcher) = &mut watching.watcher else { return false };
            let parts = sub_folders(&folder, self.sub_folders);
            let all = parts.iter().chain([&folder]);
            let watched = all.map(|part| watcher.watch(part, RecursiveMode::NonRecursive)).last();
            match watched {
                Some(Err(error)) => {
                    tracing::debug!(%error, folder = %folder.display(), "a folder is not watched");
                }
                _ => {
                    is_new |= known.is_none();
                    watching.folders.push((folder, parts));
                }
            }
        }
        is_new
    }

    /// Waits until something changed; answers where.
    pub(crate) async fn changed(&self) -> Changed {
        self.news.came.notified().await;
        tokio::time::sleep(SETTLE).await;
        let mut changed = self.news.changed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::take(&mut changed)
    }

    fn watcher(&self) -> Option<RecommendedWatcher> {
        let news = Arc::clone(&self.news);
        // A link in a folder may lead anywhere.
        let config = notify::Config::default().with_follow_symlinks(false);
        RecommendedWatcher::new(move |event| news.hear(event), config)
            .inspect_err(|error| tracing::warn!(%error, "folders are not watched"))
            .ok()
    }
}

/// The folders directly below a folder, without hidden ones and without links.
pub(crate) fn sub_folders(folder: &Path, most: usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
    let folders = entries.filter(|entry| is_folder(entry) && !is_hidden(entry));
    folders.map(|entry| entry.path()).take(most).collect()
}

impl News {
    fn hear(&self, event: notify::Result<notify::Event>) {
        let mut changed = self.changed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            // Our own reading of a folder is no news.
            Ok(event) if event.kind.is_access() => return,
            Ok(event) => {
                changed.anywhere |= event.need_rescan() || event.paths.is_empty();
                changed.paths.extend(event.paths);
            }
            Err(error) => {
                tracing::debug!(%error, "watching missed something");
                changed.anywhere = true;
            }
        }
        drop(changed);
        self.came.notify_one();
    }
}

impl Changed {
    /// Whether something changed in a folder.
    pub(crate) fn touches(&self, folder: &Path) -> bool {
        self.anywhere || self.paths.iter().any(|path| path.starts_with(folder) || folder.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long beyond what a busy machine needs; reached only where nothing is heard.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_file_that_is_written_is_heard_of_and_one_elsewhere_is_not() {
        let (folder, other) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let watch = Watch::default();
        watch.on([folder.path().to_owned(), folder.path().join("missing")].into_iter(), false);
        std::fs::write(other.path().join("a.md"), "x").expect("written");
        std::fs::write(folder.path().join("a.md"), "x").expect("written");
        let changed = tokio::time::timeout(PATIENCE, watch.changed()).await.expect("news");
        assert!(changed.touches(folder.path()) && !changed.touches(other.path()), "{changed:?}");
    }

    #[tokio::test]
    async fn a_folder_that_was_made_again_is_watched_again_when_asked() {
        let above = tempfile::tempdir().expect("a folder");
        let folder = above.path().join("memory");
        std::fs::create_dir(&folder).expect("made");
        let watch = Watch::default();
        watch.on([folder.clone()].into_iter(), false);
        std::fs::remove_dir(&folder).expect("removed");
        tokio::time::timeout(PATIENCE, watch.changed()).await.expect("its end is heard of");
        std::fs::create_dir(&folder).expect("made again");
        watch.on([folder.clone()].into_iter(), true);
        std::fs::write(folder.join("a.md"), "x").expect("written");
        let changed = tokio::time::timeout(PATIENCE, watch.changed()).await.expect("news");
        assert!(changed.touches(&folder), "{changed:?}");
    }

    #[test]
    fn what_was_missed_may_be_anywhere() {
        let news = News::default();
        news.hear(Err(notify::Error::generic("overflow")));
        let changed = news.changed.lock().expect("a lock").clone();
        assert!(changed.touches(Path::new("/any/folder")));
    }
}
