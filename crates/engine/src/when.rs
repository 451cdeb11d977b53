//! Moments as people write them: `2026-11-02`, `2026-11-02 14:30`, `yesterday`, `3d`, 昨天.

use chrono::{DateTime, Days, Local, NaiveDate, NaiveDateTime, TimeZone};

use crate::config::Span;

/// Which end of a day is meant where only a day is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its first moment.
    First,
    /// The first moment after it.
    After,
}

/// Milliseconds since 1970; nothing where the text names no moment. A length of time is so long ago.
pub(crate) fn moment(text: &str, end: End, now: DateTime<Local>) -> Option<i64> {
    let text = text.trim();
    if let Ok(exact) = DateTime::parse_from_rfc3339(text) {
        return Some(exact.timestamp_millis());
    }
    let plain = text.replacen('T', " ", 1);
    for format in ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"] {
        if let Ok(local) = NaiveDateTime::parse_from_str(&plain, format) {
            return Local.from_local_datetime(&local).earliest().map(|time| time.timestamp_millis());
        }
    }
    if text.ends_with(|last: char| last.is_ascii_alphabetic())
        && let Ok(Span(ago)) = text.parse()
    {
        return Some(now.timestamp_millis() - i64::try_from(ago.as_millis()).ok()?);
    }
    let day = match text.parse::<NaiveDate>() {
        Ok(day) => day,
        Err(_) => day_in_words(text, now.date_naive())?,
    };
    let day = if end == End::After { day.checked_add_days(Days::new(1))? } else { day };
    Local.from_local_datetime(&day.and_hms_opt(0, 0, 0)?).earliest().map(|time| time.timestamp_millis())
}

/// The one day that words name: the rest of the text must be nothing.
fn day_in_words(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let written = remora_memory::dates::absolute_dates(text, today);
    let day = written.strip_prefix(text)?.trim().strip_prefix('(')?.strip_suffix(')')?;
    day.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let at = |text: &str| Local.from_local_datetime(&text.parse().expect("a time")).earliest();
        let now = at("2026-11-20T15:00:00").expect("a moment");
        for (text, first, after) in [
            ("2026-11-02", "2026-11-02T00:00:00", "2026-11-03T00:00:00"),
            ("2026-11-02 14:30", "2026-11-02T14:30:00", "2026-11-02T14:30:00"),
            ("2026-11-02T14:30:05", "2026-11-02T14:30:05", "2026-11-02T14:30:05"),
            ("today", "2026-11-20T00:00:00", "2026-11-21T00:00:00"),
            ("yesterday", "2026-11-19T00:00:00", "2026-11-20T00:00:00"),
            ("昨天", "2026-11-19T00:00:00", "2026-11-20T00:00:00"),
            ("昨日", "2026-11-19T00:00:00", "2026-11-20T00:00:00"),
            ("어제", "2026-11-19T00:00:00", "2026-11-20T00:00:00"),
            ("3 days ago", "2026-11-17T00:00:00", "2026-11-18T00:00:00"),
            ("2h", "2026-11-20T13:00:00", "2026-11-20T13:00:00"),
            ("7d", "2026-11-13T15:00:00", "2026-11-13T15:00:00"),
        ] {
            let expected = [first, after].map(|text| at(text).map(|time| time.timestamp_millis()));
            assert_eq!([End::First, End::After].map(|end| moment(text, end, now)), expected, "{text}");
        }
        assert_eq!(moment("2026-11-02T00:00:00Z", End::First, now), Some(1_793_577_600_000));
        for text in ["", "soon", "2026-13-01", "12", "yesterday or today", "2026-11-02 25:00"] {
            assert_eq!(moment(text, End::First, now), None, "{text}");
        }
    }
}
