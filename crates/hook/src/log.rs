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
    rfc3339(since_1970())
}

/// A time in UTC. By hand: a hook shows no other time, and a calendar for all of them is another part of its
/// size.
fn rfc3339(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let milli = since_1970.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}+00:00")
}

/// Year, month and day of a day since 1970-01-01, in years that begin in March, so that the day that some of
/// them have more is their last.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // 0000-03-01.
    let days = days + 719_468;
    let (cycle, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months have 153 days: 31, 30, 31, 30, 31.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = 400 * cycle + year;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

/// Nothing where the clock stands before that year.
pub(crate) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, SecondsFormat};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn times_are_those_of_the_calendar(millis in 0_i64..253_402_300_800_000) {
            let wanted = DateTime::from_timestamp_millis(millis).expect("a time before the year 10000");
            let wanted = wanted.to_rfc3339_opts(SecondsFormat::Millis, false);
            prop_assert_eq!(rfc3339(Duration::from_millis(millis.unsigned_abs())), wanted);
        }
    }

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
