//! English: a small grammar over words.

mod words;

use chrono::{NaiveDate, Weekday};

use super::Found;
use super::calendar::{
    Meaning, Unit, day_of_month, end_of, last_weekday, month_day, next_weekday, period, plus, shifted,
    start_of, weekday_in,
};
use super::context::sentence_around;
use words::{
    BEFORE_DAY, DURATION, FUTURE, HABIT, MONTHS, NUMBERS, PAST, day_number, has_word, unit_of, weekday_of,
};

/// One word with its place.
struct Word<'a> {
    start: usize,
    end: usize,
    /// As it stands, for names of months, which are words in small letters.
    text: &'a str,
    lower: String,
}

/// An expression from a word on: how many words it has and what it means.
type Read = Option<(usize, Meaning)>;

pub(super) fn find(text: &str, today: NaiveDate) -> Vec<Found> {
    let words = words_of(text);
    let reader = Reader { text, words: &words, today };
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match reader.at(at) {
            Some((count, meaning)) => {
                let (start, end) = (words[at].start, words[at + count - 1].end);
                found.push(Found { start, end, meaning });
                at += count;
            }
            None => at += 1,
        }
    }
    found
}

fn words_of(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '\'' | '\u{2019}');
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (inside(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                // A word that goes on in another script or with a line is none of ours.
                let joined = |c: Option<char>| c.is_some_and(|c| matches!(c, '_' | '-' | '/'));
                let mut lead = text[..from].chars().rev();
                let called = |lead: &mut std::iter::Rev<std::str::Chars<'_>>| {
                    lead.next() == Some('(') && lead.next().is_some_and(char::is_alphanumeric)
                };
                let free = !joined(text[..from].chars().next_back()) && !called(&mut lead);
                // The 5 of 5月 is none of ours either.
                let counts = word_is_number(&text[from..at]) && c.is_alphabetic();
                let alone = free && !counts && !(joined(Some(c)) && at < text.len());
                let word = &text[from..at];
                let lower =
                    if alone { word.replace('\u{2019}', "'").to_ascii_lowercase() } else { String::new() };
                words.push(Word { start: from, end: at, text: word, lower });
                start = None;
            }
            _ => {}
        }
    }
    words
}

fn word_is_number(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit())
}

struct Reader<'a> {
    text: &'a str,
    words: &'a [Word<'a>],
    today: NaiveDate,
}

impl Reader<'_> {
    /// The word at `at`, if it exists; small letters.
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.lower.as_str())
    }

    /// The word right before, spaces and emphasis apart.
    fn before(&self, at: usize) -> &str {
        let Some(before) = at.checked_sub(1).filter(|_| at < self.words.len()) else { return "" };
        let gap = &self.text[self.words[before].end..self.words[at].start];
        if gap.chars().all(|c| matches!(c, ' ' | '\n' | '*' | '_' | '"')) { self.word(before) } else { "" }
    }

    /// Whether words `at` to `at + count` have only spaces between them.
    fn together(&self, at: usize, count: usize) -> bool {
        self.words.get(at..at + count).is_some_and(|words| {
            words.windows(2).all(|pair| {
                let gap = &self.text[pair[0].end..pair[1].start];
                !gap.is_empty() && gap.chars().all(|c| c == ' ' || c == '\n')
            })
        })
    }

    fn is(&self, at: usize, phrase: &[&str]) -> bool {
        phrase.iter().enumerate().all(|(nth, word)| self.word(at + nth) == *word)
            && self.together(at, phrase.len())
    }

    /// Whether a clause ends behind the word: punctuation or the end of the text.
    fn ends_clause(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return true };
        let rest = self.text[word.end..].trim_start_matches([' ', '*', '_', '"']);
        rest.is_empty() || rest.starts_with(['.', ',', ';', ':', '!', '?', ')', '\n', '\r', '—', '–'])
    }

    fn at(&self, at: usize) -> Read {
        self.named_day(at)
            .or_else(|| self.boundary(at))
            .or_else(|| self.counted(at))
            .or_else(|| self.weekday(at))
            .or_else(|| self.whole_period(at))
            .or_else(|| self.month_and_day(at))
            .or_else(|| self.ordinal(at))
    }

    fn named_day(&self, at: usize) -> Read {
        let phrases: [(&[&str], i64); 8] = [
            (&["the", "day", "after", "tomorrow"], 2),
            (&["day", "after", "tomorrow"], 2),
            (&["the", "day", "before", "yesterday"], -2),
            (&["day", "before", "yesterday"], -2),
            (&["tomorrow"], 1),
            (&["today"], 0),
            (&["tonight"], 0),
            (&["yesterday"], -1),
        ];
        let (phrase, days) = phrases.into_iter().find(|(phrase, _)| self.is(at, phrase))?;
        Some((phrase.len(), Meaning::Day(plus(self.today, days)?)))
    }

    /// "end of the month", "beginning of next week".
    fn boundary(&self, at: usize) -> Read {
        let first = self.word(at);
        let starts = matches!(first, "beginning" | "start");
        if !(starts || first == "end") || self.word(at + 1) != "of" {
            return None;
        }
        let (count, unit, words) = match (self.word(at + 2), self.word(at + 3)) {
            ("the" | "this", unit) => (0, unit_of(unit)?, 4),
            ("next", unit) => (1, unit_of(unit)?, 4),
            ("last", unit) => (-1, unit_of(unit)?, 4),
            (unit @ ("day" | "week" | "month" | "quarter" | "year"), _) => (0, unit_of(unit)?, 3),
            _ => return None,
        };
        if !self.together(at, words)
            || self.word(at + words - 1).ends_with('s')
            || self.is_habit(at, at + words - 1)
        {
            return None;
        }
        let meaning =
            if starts { start_of(self.today, count, unit)? } else { end_of(self.today, count, unit)? };
        Some((words, meaning))
    }

    /// "in two weeks", "3 days ago", "two weeks from now".
    fn counted(&self, at: usize) -> Read {
        let led = matches!(self.word(at), "in" | "within");
        let from = if led { at + 1 } else { at };
        let (count, words) = self.number(from)?;
        let unit = unit_of(self.word(from + words))?;
        let end = from + words;
        if !self.together(at, end - at + 1) {
            return None;
        }
        if !led {
            return match (self.word(end + 1), self.word(end + 2)) {
                ("ago", _) if self.together(at, end + 2 - at) => {
                    Some((end + 2 - at, Meaning::Day(shifted(self.today, -count, unit)?)))
                }
                ("from", "now" | "today") if self.together(at, end + 3 - at) => {
                    Some((end + 3 - at, Meaning::Day(shifted(self.today, count, unit)?)))
                }
                _ => None,
            };
        }
        let lasts =
            DURATION.contains(&self.before(at)) || matches!(self.word(end + 1), "of" | "after" | "or" | "if");
        let past = self.tells_of_past(at, end);
        let habit = self.is_habit(at, end);
        (!lasts && !past && !habit).then_some(())?;
        Some((end + 1 - at, Meaning::Day(shifted(self.today, count, unit)?)))
    }

    /// A number in figures or words, with the number of words that it takes.
    fn number(&self, at: usize) -> Option<(i64, usize)> {
        let word = self.word(at);
        if let Ok(number) = word.parse::<i64>() {
            return (1..=1000).contains(&number).then_some((number, 1));
        }
        if word == "a" && self.word(at + 1) == "couple" && self.word(at + 2) == "of" {
            return Some((2, 3));
        }
        if matches!(word, "a" | "an") {
            return Some((1, 1));
        }
        let number = NUMBERS.iter().position(|name| *name == word).filter(|number| *number > 0)?;
        Some((i64::try_from(number).ok()?, 1))
    }

    fn weekday(&self, at: usize) -> Read {
        let led = match self.word(at) {
            word @ ("next" | "last" | "past" | "this" | "coming") => Some(word),
            _ => None,
        };
        let of_day = if led.is_some() { at + 1 } else { at };
        let short = led.is_some() || BEFORE_DAY.contains(&self.before(at));
        let day = weekday_of(self.word(of_day), short)?;
        let words = of_day + 1 - at;
        if !self.together(at, words) {
            return None;
        }
        let meaning = match led {
            Some("next") => weekday_in(self.today, 1, day)?,
            Some("last" | "past") => last_weekday(self.today, day)?,
            Some(_) => self.upcoming(day)?,
            None => {
                let stated = BEFORE_DAY.contains(&self.before(at)) || self.ends_clause(of_day);
                let attribute =
                    matches!(self.word(of_day + 1), "mornings" | "evenings" | "afternoons" | "nights");
                if !stated || attribute || self.is_range(of_day) || self.is_habit(at, of_day) {
                    return None;
                }
                if matches!(self.before(at), "a" | "any") {
                    return None;
                }
                if self.tells_of_past(at, of_day) {
                    last_weekday(self.today, day)?
                } else {
                    next_weekday(self.today, day)?
                }
            }
        };
        Some((words, Meaning::Day(meaning)))
    }

    fn upcoming(&self, day: Weekday) -> Option<NaiveDate> {
        use chrono::Datelike;
        if self.today.weekday() == day { Some(self.today) } else { next_weekday(self.today, day) }
    }

    /// "Monday to Thursday", "Tuesday and Friday", "Mon-Fri": days of every week.
    fn is_range(&self, at: usize) -> bool {
        let joins = |word: &str| matches!(word, "to" | "through" | "thru" | "and" | "or" | "till" | "until");
        let day = |at: usize| weekday_of(self.word(at), true).is_some();
        let after = joins(self.word(at + 1)) && day(at + 2);
        let before = at >= 2 && joins(self.word(at - 1)) && day(at - 2);
        let beside = |one: usize, other: usize| {
            self.words.get(one).zip(self.words.get(other)).is_some_and(|(one, other)| {
                weekday_of(&other.lower, true).is_some()
                    && self.text.get(one.end..other.start).is_some_and(|gap| {
                        gap.trim().chars().all(|c| matches!(c, ',' | '-' | '–' | '/' | '&'))
                    })
            })
        };
        let beside_before = at >= 1 && weekday_of(self.word(at - 1), true).is_some() && beside(at - 1, at);
        after || before || beside(at, at + 1) || beside_before
    }

    /// "next week", "last month", "this quarter".
    fn whole_period(&self, at: usize) -> Read {
        let count = match self.word(at) {
            "next" => 1,
            "last" => -1,
            "this" => 0,
            _ => return None,
        };
        let unit = unit_of(self.word(at + 1)).filter(|unit| *unit != Unit::Day)?;
        let plural = self.word(at + 1).ends_with('s');
        let part = matches!(self.before(at), "the" | "every" | "each") || self.word(at + 2) == "of";
        if plural || part || !self.together(at, 2) {
            return None;
        }
        Some((2, period(self.today, count, unit)?))
    }

    /// "March 5", "5 March", "Dec 9th": without a year.
    fn month_and_day(&self, at: usize) -> Read {
        let (month, day) = match (self.month(at), self.month(at + 1)) {
            (Some(month), _) => (month, day_number(self.word(at + 1), false)?),
            (None, Some(month)) => (month, day_number(self.word(at), false)?),
            (None, None) => return None,
        };
        // With a year behind it the date is absolute already.
        let year = self.word(at + 2).parse::<i32>().is_ok_and(|year| year > 1900);
        if year || !self.together(at, 2) {
            return None;
        }
        let past = self.tells_of_past(at, at + 1);
        Some((2, Meaning::Day(month_day(self.today, month, day, past)?)))
    }

    fn month(&self, at: usize) -> Option<u32> {
        let word = self.words.get(at).filter(|word| !word.lower.is_empty())?.text;
        let nth = MONTHS.iter().position(|month| {
            *month == word
                || (word.len() == 3 && month.starts_with(word))
                || (word == "Sept" && *month == "September")
        })?;
        u32::try_from(nth + 1).ok()
    }

    /// "by the 15th" at the end of a clause.
    fn ordinal(&self, at: usize) -> Read {
        let stated = matches!(self.before(at), "by" | "on" | "until" | "till" | "before");
        if !stated || self.word(at) != "the" || !self.together(at, 2) || !self.ends_clause(at + 1) {
            return None;
        }
        let day = day_number(self.word(at + 1), true)?;
        if self.is_habit(at, at + 1) || self.tells_of_past(at, at + 1) {
            return None;
        }
        Some((2, Meaning::Day(day_of_month(self.today, day)?)))
    }

    fn is_habit(&self, from: usize, to: usize) -> bool {
        // A date with a limit is an appointment whatever else the sentence says.
        if matches!(self.before(from), "by" | "until" | "till" | "before" | "due") {
            return false;
        }
        let (before, after) = sentence_around(self.text, self.words[from].start, self.words[to].end);
        has_word(&before, &HABIT) || has_word(&after, &HABIT[..2])
    }

    fn tells_of_past(&self, from: usize, to: usize) -> bool {
        let (before, after) = sentence_around(self.text, self.words[from].start, self.words[to].end);
        let has = |words: &[&str]| has_word(&before, words) || has_word(&after, words);
        has(&PAST) && !has(&FUTURE)
    }
}
