//! Arithmetic of days, weeks and months. Weeks begin on Monday.

use std::fmt;

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

/// What an expression means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// One day.
    Day(NaiveDate),
    /// From one day to another, both included.
    Span(NaiveDate, NaiveDate),
    /// A month, by one of its days.
    Month(NaiveDate),
    /// A quarter, by one of its days.
    Quarter(NaiveDate),
    /// A year.
    Year(i32),
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Span(from, to) => write!(f, "{from} to {to}"),
            Self::Month(day) => write!(f, "{:04}-{:02}", day.year(), day.month()),
            Self::Quarter(day) => write!(f, "{:04}-Q{}", day.year(), day.month0() / 3 + 1),
            Self::Year(year) => write!(f, "{year:04}"),
        }
    }
}

/// A unit in which people count time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// The farthest that a count may reach; beyond it no calendar date is meant.
const FARTHEST: i64 = 1_000;

/// `today` moved by `count` units.
pub(super) fn shifted(today: NaiveDate, count: i64, unit: Unit) -> Option<NaiveDate> {
    if count.abs() > FARTHEST {
        return None;
    }
    let moved = |count: i64, months: i64| {
        let months = Months::new(u32::try_from((count * months).abs()).ok()?);
        if count < 0 { today.checked_sub_months(months) } else { today.checked_add_months(months) }
    };
    match unit {
        Unit::Day => plus(today, count),
        Unit::Week => plus(today, count * 7),
        Unit::Month => moved(count, 1),
        Unit::Quarter => moved(count, 3),
        Unit::Year => moved(count, 12),
    }
}

pub(super) fn plus(day: NaiveDate, days: i64) -> Option<NaiveDate> {
    let count = Days::new(days.unsigned_abs());
    if days < 0 { day.checked_sub_days(count) } else { day.checked_add_days(count) }
}

/// A day of the week that lies `weeks` calendar weeks from this one.
pub(super) fn weekday_in(today: NaiveDate, weeks: i64, day: Weekday) -> Option<NaiveDate> {
    plus(today.week(Weekday::Mon).checked_first_day()?, weeks * 7 + i64::from(day.num_days_from_monday()))
}

/// The next such day after today.
pub(super) fn next_weekday(today: NaiveDate, day: Weekday) -> Option<NaiveDate> {
    let ahead = (7 + day.num_days_from_monday() - today.weekday().num_days_from_monday() - 1) % 7 + 1;
    plus(today, i64::from(ahead))
}

/// The last such day before today.
pub(super) fn last_weekday(today: NaiveDate, day: Weekday) -> Option<NaiveDate> {
    let back = (7 + today.weekday().num_days_from_monday() - day.num_days_from_monday() - 1) % 7 + 1;
    plus(today, -i64::from(back))
}

/// The period `count` units from the one that `today` lies in.
pub(super) fn period(today: NaiveDate, count: i64, unit: Unit) -> Option<Meaning> {
    Some(match unit {
        Unit::Day => Meaning::Day(plus(today, count)?),
        Unit::Week => {
            Meaning::Span(weekday_in(today, count, Weekday::Mon)?, weekday_in(today, count, Weekday::Sun)?)
        }
        Unit::Month => Meaning::Month(shifted(today, count, Unit::Month)?),
        Unit::Quarter => Meaning::Quarter(shifted(today, count, Unit::Quarter)?),
        Unit::Year => Meaning::Year(shifted(today, count, Unit::Year)?.year()),
    })
}

/// The last day of the period `count` units from now; of a week the last working day.
pub(super) fn end_of(today: NaiveDate, count: i64, unit: Unit) -> Option<Meaning> {
    Some(Meaning::Day(match unit {
        Unit::Day => plus(today, count)?,
        Unit::Week => weekday_in(today, count, Weekday::Fri)?,
        Unit::Month => before_first(shifted(today, count + 1, Unit::Month)?)?,
        Unit::Quarter => {
            let day = shifted(today, count, Unit::Quarter)?;
            let last = day.with_day(1)?.with_month0(day.month0() / 3 * 3 + 2)?;
            before_first(shifted(last, 1, Unit::Month)?)?
        }
        Unit::Year => NaiveDate::from_ymd_opt(shifted(today, count, Unit::Year)?.year(), 12, 31)?,
    }))
}

/// The first day of the period `count` units from now.
pub(super) fn start_of(today: NaiveDate, count: i64, unit: Unit) -> Option<Meaning> {
    let day = shifted(today, count, unit)?;
    Some(Meaning::Day(match unit {
        Unit::Day => day,
        Unit::Week => weekday_in(today, count, Weekday::Mon)?,
        Unit::Month => day.with_day(1)?,
        Unit::Quarter => day.with_day(1)?.with_month0(day.month0() / 3 * 3)?,
        Unit::Year => NaiveDate::from_ymd_opt(day.year(), 1, 1)?,
    }))
}

fn before_first(day: NaiveDate) -> Option<NaiveDate> {
    day.with_day(1)?.pred_opt()
}

/// A day without a year: the next one, today included, or the last one.
pub(super) fn month_day(today: NaiveDate, month: u32, day: u32, past: bool) -> Option<NaiveDate> {
    let years: Vec<i32> = if past {
        (0..=4).map(|back| today.year() - back).collect()
    } else {
        (0..=8).map(|on| today.year() + on).collect()
    };
    let days = years.into_iter().filter_map(|year| NaiveDate::from_ymd_opt(year, month, day));
    days.into_iter().find(|date| if past { *date <= today } else { *date >= today })
}

/// A day of the month: the next such day, today included.
pub(super) fn day_of_month(today: NaiveDate, day: u32) -> Option<NaiveDate> {
    (0..=2).find_map(|months| {
        shifted(today.with_day(1)?, months, Unit::Month)?.with_day(day).filter(|date| *date >= today)
    })
}
