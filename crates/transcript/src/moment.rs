//! When something happened, as transcripts write it.

use chrono::{DateTime, NaiveDateTime, SecondsFormat, Utc};
use serde_json::Value;

/// Numbers below this are seconds since 1970, others milliseconds.
const SECONDS: f64 = 1e11;

/// A moment as RFC 3339 has it: of a text in that form, or of a number of seconds or milliseconds since 1970.
pub(crate) fn rfc3339(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => of_text(text.trim()),
        Value::Number(number) => of_number(number.as_f64()?),
        _ => None,
    }
}

/// A moment in milliseconds since 1970.
pub(crate) fn of_millis(millis: i64) -> String {
    let at = DateTime::<Utc>::from_timestamp_millis(millis).unwrap_or_default();
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn of_text(text: &str) -> Option<String> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
    }
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    // Without an offset it is taken as UTC, which is what programs mean that leave it out.
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let at = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    Some(at.and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

fn of_number(number: f64) -> Option<String> {
    let millis = if number < SECONDS { number * 1000.0 } else { number };
    if !(0.0..1e14).contains(&millis) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    Some(of_millis(millis as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        for (value, at) in [
            (json!("2026-11-30T01:36:51.537Z"), Some("2026-11-30T01:36:51.537Z")),
            (json!("2026-11-30T09:36:51+08:00"), Some("2026-11-30T09:36:51+08:00")),
            (json!("2026-11-30T01:36:51"), Some("2026-11-30T01:36:51Z")),
            (json!(1_795_998_284_918_i64), Some("2026-11-30T00:24:44.918Z")),
            (json!(1_795_998_284.918), Some("2026-11-30T00:24:44.918Z")),
            (json!("1795998284918"), Some("2026-11-30T00:24:44.918Z")),
            (json!("yesterday"), None),
            (json!(-1), None),
            (json!(1e300), None),
            (json!(null), None),
        ] {
            assert_eq!(rfc3339(&value).as_deref(), at, "{value}");
        }
    }
}
