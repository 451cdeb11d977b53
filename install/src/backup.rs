//! Copies of the person's configuration files, in `<root>/backups/config`, readable by the person alone:
//! such files may hold keys.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use crate::Installation;

/// A free name for a copy, relative to the data root: `backups/config/20261129T101500Z-claude-code-settings.json`.
pub(crate) fn free_name(installation: &Installation, now: SystemTime, host: &str, file: &Path) -> PathBuf {
    let time = DateTime::<Utc>::from(now).format("%Y%m%dT%H%M%SZ");
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let folder = installation.config_backups();
    let names = (1..).map(|count| match count {
        1 => format!("{time}-{host}-{name}"),
        _ => format!("{time}-{host}-{name}.{count}"),
    });
    let free = names.map(|name| folder.join(name)).find(|path| std::fs::symlink_metadata(path).is_err());
    let path = free.unwrap_or_else(|| folder.join(name.as_ref()));
    path.strip_prefix(installation.root()).map(Path::to_owned).unwrap_or(path)
}
