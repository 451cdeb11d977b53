//! Events that waited in files because no engine could take them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use remora_event::{Event, Want};

use crate::engine::Engine;

/// So many files are listed at a time: the folder may hold very many.
const BATCH: usize = 64;

/// How often the folder is looked at while the engine lives: hooks that miss their deadline write there.
const LOOK: Duration = Duration::from_secs(2);

/// So long somebody waits for the spool.
const PATIENCE: Duration = Duration::from_secs(3);

/// Takes in what is in the spool, now and as long as the engine lives.
pub(crate) async fn drain(engine: Arc<Engine>) {
    loop {
        while drain_batch(&engine).await > 0 {
            engine.note_work();
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = engine.spool_wanted.notified() => {}
        }
    }
}

/// Waits until what was spooled so far is taken in, or for as long as an answer may take.
pub(crate) async fn taken_in(engine: &Arc<Engine>) {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        let folder = engine.root().spool();
        let is_empty = tokio::task::spawn_blocking(move || waiting(&folder).is_empty()).await.unwrap_or(true);
        if is_empty {
            return;
        }
        engine.spool_wanted.notify_one();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Takes in up to a batch of files, oldest first; answers how many are settled.
async fn drain_batch(engine: &Arc<Engine>) -> usize {
    let folder = engine.root().spool();
    let Ok(files) = tokio::task::spawn_blocking(move || waiting(&folder)).await else { return 0 };
    let mut settled = 0;
    // One after the other: what is derived from a session's events wants them in their order.
    for file in files.into_iter().take(BATCH) {
        settled += usize::from(take_in(engine, &file).await);
    }
    settled
}

/// The spooled files in the order of their names, which begin with their time.
fn waiting(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
}

/// True: the file is settled, taken in or set aside.
async fn take_in(engine: &Arc<Engine>, file: &Path) -> bool {
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || remora_memory::ordinary::read(&path)).await;
    let Ok(Ok(bytes)) = read else { return false };
    let event = match serde_json::from_slice::<Event>(&bytes) {
        Ok(event) => event,
        Err(error) => {
            tracing::warn!(file = %file.display(), %error, "a spool file cannot be read: it moves to spool/bad");
            return set_aside(engine, file);
        }
    };
    // Nobody waits for an answer any more.
    let event = Event { want: Want::Ack, budget: None, late: false, ..event };
    match engine.handle(event).await {
        Ok(_) => std::fs::remove_file(file).is_ok(),
        Err(error) => {
            tracing::warn!(file = %file.display(), %error, "a spooled event could not be taken in; it stays");
            false
        }
    }
}

fn set_aside(engine: &Engine, file: &Path) -> bool {
    let Some(name) = file.file_name() else { return false };
    std::fs::rename(file, engine.root().spool_bad().join(name)).is_ok()
}
