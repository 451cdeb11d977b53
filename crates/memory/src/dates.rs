//! Dates that stay true: relative ones made absolute, and ages in words.

mod calendar;
mod context;
mod east;
mod english;

use chrono::NaiveDate;

pub(crate) use calendar::Meaning;

/// What a language's reader found: how many bytes the expression has and what it means.
struct Found {
    start: usize,
    end: usize,
    meaning: Meaning,
}

/// Writes the day behind each relative date: "next Wednesday" becomes "next Wednesday (2026-12-09)". The words stay, so
/// that nothing is lost where they were meant otherwise. English, Chinese, Japanese and Korean; `today` is the
/// day on which the text was written.
///
/// Weekdays look forward, as deadlines do, unless the words or the sentence tell of the past. What recurs ("on
/// Mondays", "every Friday", "never deploy on Friday", 每周五) is no date, nor is anything in code, in a name such as
/// `prod-明天`, `on_friday` or `tomorrow()`, or in a title (《明天会更好》). A date that has its
/// day behind it already is left alone, so that a second pass changes nothing.
pub fn absolute_dates(text: &str, today: NaiveDate) -> String {
    let mut found = english::find(text, today);
    found.extend(east::find(text, today));
    found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));

    let code = context::code_ranges(text);
    let mut out = String::with_capacity(text.len() + 16 * found.len());
    let mut at = 0;
    for Found { start, end, meaning } in found {
        let last_before = code[..code.partition_point(|range| range.start < end)].last();
        let in_code = last_before.is_some_and(|range| start < range.end);
        let in_name = context::is_in_name(text, start, end);
        if start < at || in_code || in_name || context::has_day_already(text, start, end) {
            continue;
        }
        out.push_str(&text[at..end]);
        let ideographic = text[..end].chars().next_back().is_some_and(crate::new_memory::is_ideographic);
        out.push_str(if ideographic { "(" } else { " (" });
        out.push_str(&meaning.to_string());
        out.push(')');
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// An age in words that a model can reason with: "today", "yesterday", "47 days ago". A date in the future is
/// today.
pub fn age_words(days: i64) -> String {
    match days {
        ..=0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    }
}

/// How many whole 24-hour days lie between two moments; 0 where the first lies in the future.
pub fn age_in_days(changed: chrono::DateTime<chrono::Utc>, now: chrono::DateTime<chrono::Utc>) -> i64 {
    (now - changed).num_days().max(0)
}

/// The warning that goes with a memory from two days of age on; none before.
pub fn staleness_note(days: i64) -> Option<String> {
    (days >= 2).then(|| {
        format!(
            "Saved {days} days ago: a memory is what was true then. Claims about behaviour and file:line may be \
             outdated; verify them against the present code before acting on them."
        )
    })
}
