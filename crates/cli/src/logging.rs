//! The engine's log: one file, begun anew when it is large, the one before kept.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use tracing_subscriber::EnvFilter;

/// A larger log moves to `engine.log.1` when the next engine starts.
const LARGE: u64 = 4 * 1024 * 1024;

/// Logs to `<root>/logs/engine.log`, as far as that can be written.
pub(crate) fn to_file(root: &Path) {
    let path = root.join("logs").join("engine.log");
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > LARGE) {
        let _ = std::fs::rename(&path, path.with_extension("log.1"));
    }
    let Ok(file) = OpenOptions::new().create(true).append(true).mode(0o600).open(&path) else { return };
    let _ = tracing_subscriber::fmt()
        .with_writer(std::sync::Mutex::new(file))
        .with_ansi(false)
        .with_env_filter(EnvFilter::new("info"))
        .try_init();
}
