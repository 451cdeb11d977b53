//! Times as the journal keeps them and as people read them.

use chrono::{DateTime, Local, NaiveDate, TimeZone, Utc};

/// Now, in milliseconds since 1970.
pub(crate) fn now_millis() -> i64 {
    Utc::now().timestamp_millis()
}

/// Today where the person is.
pub(crate) fn today() -> NaiveDate {
    Local::now().date_naive()
}

/// An RFC 3339 time in milliseconds since 1970.
pub(crate) fn millis_of(at: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(at).ok().map(|time| time.timestamp_millis())
}

/// Milliseconds since 1970 as RFC 3339 in the person's time zone, to the second.
pub(crate) fn rfc3339(millis: i64) -> String {
    match Local.timestamp_millis_opt(millis).single() {
        Some(time) => time.to_rfc3339_opts(chrono::SecondsFormat::Secs, false),
        None => millis.to_string(),
    }
}

/// Whole days of 24 hours between a time and now; a time to come is today.
pub(crate) fn days_since(millis: i64, now: i64) -> i64 {
    (now - millis).max(0) / 86_400_000
}

/// A date as days since 1970-01-01.
pub(crate) fn day_number(date: NaiveDate) -> i32 {
    i32::try_from((date - NaiveDate::default()).num_days()).unwrap_or(0)
}
