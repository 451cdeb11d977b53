//! `logs/hooks.log`: one line for each thing that went wrong, bounded, never a word of a payload.

use std::fs;
use std::io::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::root::{DataRoot, create_private_folder, private_file};

/// Over this many bytes the log becomes `hooks.log.old` and a new one begins.
const MAX_LOG: u64 = 256 * 1024;

/// Lines are cut to this many characters.
const MAX_LINE: usize = 400;

/// Adds a line. Best effort: a log that cannot be written is no reason to disturb the host.
pub(crate) fn line(root: &DataRoot, who: &str, text: &str) {
    let _ = try_line(root, who, text);
}

fn try_line(root: &DataRoot, who: &str, text: &str) -> std::io::Result<()> {
    let folder = root.logs();
    create_private_folder(&folder)?;
    let path = folder.join("hooks.log");
    if fs::metadata(&path).is_ok_and(|log| log.len() > MAX_LOG) {
        let _ = fs::rename(&path, folder.join("hooks.log.old"));
    }
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_LINE).collect();
    let line = format!("{} {who}: {text}\n", now());
    private_file().append(true).create(true).open(&path)?.write_all(line.as_bytes())
}

/// The time with offset, to the millisecond. In UTC: to read the machine's time zone would cost every hook
/// a file and a twentieth of its size, and who shows a time knows the zone as well.
pub(crate) fn now() -> String {
    let millis = i64::try_from(since_1970().as_millis()).unwrap_or_default();
    let now = chrono::DateTime::from_timestamp_millis(millis).unwrap_or_default();
    now.to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

/// Nothing where the clock stands before that year.
pub(crate) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_bounded_and_one_line_stays_one_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = DataRoot::at(folder.path());
        let long = format!("a\nb{}", "x".repeat(10_000));
        for _ in 0..2_000 {
            line(&root, "claude-code stop", &long);
        }
        let text = fs::read_to_string(root.logs().join("hooks.log")).expect("a log");
        let older = fs::metadata(root.logs().join("hooks.log.old")).expect("an old log");
        assert!(text.len() as u64 <= MAX_LOG + 1_000 && older.len() <= MAX_LOG + 1_000);
        assert!(text.lines().all(|line| line.contains("claude-code stop: a b") && line.len() < 500));
    }
}
