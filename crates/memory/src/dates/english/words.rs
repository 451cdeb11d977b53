//! The words of English dates.

use chrono::Weekday;

use crate::dates::calendar::Unit;

pub(super) const WEEKDAYS: [(&str, &str, Weekday); 7] = [
    ("monday", "mon", Weekday::Mon),
    ("tuesday", "tue", Weekday::Tue),
    ("wednesday", "wed", Weekday::Wed),
    ("thursday", "thu", Weekday::Thu),
    ("friday", "fri", Weekday::Fri),
    ("saturday", "sat", Weekday::Sat),
    ("sunday", "sun", Weekday::Sun),
];

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Words after which a weekday is a day and not an attribute.
pub(super) const BEFORE_DAY: [&str; 14] = [
    "by", "on", "until", "till", "before", "after", "since", "from", "due", "for", "starting", "starts",
    "this", "coming",
];

/// Words that make a sentence with "on Friday" a rule, not an appointment.
pub(super) const HABIT: [&str; 20] = [
    "every",
    "each",
    "always",
    "never",
    "no",
    "not",
    "don't",
    "dont",
    "avoid",
    "only",
    "usually",
    "typically",
    "weekly",
    "whenever",
    "normally",
    "generally",
    "regularly",
    "except",
    "unless",
    "any",
];

/// Words of the past; a bare weekday beside them lies behind.
pub(super) const PAST: [&str; 31] = [
    "was", "were", "happened", "broke", "failed", "crashed", "decided", "agreed", "found", "went", "had",
    "did", "said", "released", "shipped", "deployed", "merged", "met", "started", "stopped", "switched",
    "moved", "changed", "lost", "saw", "took", "fixed", "caused", "reported", "since", "ago",
];

/// Words of the future, which outweigh those of the past.
pub(super) const FUTURE: [&str; 17] = [
    "by",
    "until",
    "till",
    "before",
    "due",
    "will",
    "must",
    "should",
    "deadline",
    "next",
    "need",
    "needs",
    "has",
    "going",
    "plan",
    "planned",
    "scheduled",
];

/// Verbs before "in 30 days" that tell how long something takes or lasts.
pub(super) const DURATION: [&str; 22] = [
    "expire",
    "expires",
    "expired",
    "purged",
    "deleted",
    "removed",
    "rotated",
    "rotate",
    "rotates",
    "takes",
    "took",
    "done",
    "finishes",
    "finished",
    "completes",
    "completed",
    "ran",
    "runs",
    "once",
    "twice",
    "times",
    "renews",
];

pub(super) fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).any(|word| words.contains(&word))
}

pub(super) fn weekday_of(word: &str, short: bool) -> Option<Weekday> {
    let known =
        WEEKDAYS.iter().find(|(full, abbreviation, _)| *full == word || (short && *abbreviation == word));
    let known = known.or_else(|| {
        let other = match word {
            "tues" => 1,
            "thur" | "thurs" => 3,
            _ => return None,
        };
        WEEKDAYS.get(other).filter(|_| short)
    });
    known.map(|(_, _, day)| *day)
}

pub(super) fn unit_of(word: &str) -> Option<Unit> {
    Some(match word {
        "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "month" | "months" => Unit::Month,
        "quarter" | "quarters" => Unit::Quarter,
        "year" | "years" => Unit::Year,
        _ => return None,
    })
}

/// `5`, `5th`; only the latter where `ordinal` is asked for.
pub(super) fn day_number(word: &str, ordinal: bool) -> Option<u32> {
    let suffix = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix));
    let digits = match suffix {
        Some(digits) => digits,
        None if ordinal => return None,
        None => word,
    };
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}
