//! Chinese, Japanese and Korean: expressions without spaces, read from their first character on.

mod longer;
mod words;

use chrono::{Datelike, NaiveDate, Weekday};

use super::Found;
use super::calendar::{
    Meaning, Unit, day_of_month, end_of, last_weekday, month_day, next_weekday, period, plus, shifted,
    start_of, weekday_in,
};
use super::context::sentence_around;
use words::{NAMED_DAYS, Position, UNITS, WEEK_WORDS, YEARS, number};

/// An expression: how many bytes it has and what it means.
type Read = Option<(usize, Meaning)>;

pub(super) fn find(text: &str, today: NaiveDate) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let place = Place { text, at, today };
        // A number is read from its first figure; no other expression begins with an ASCII character.
        let inside_number =
            c.is_ascii_digit() && text[..at].ends_with(|before: char| before.is_ascii_digit());
        let may_begin = !c.is_ascii() || (c.is_ascii_digit() && !inside_number);
        match if may_begin { place.read() } else { None } {
            Some((len, meaning)) => {
                found.push(Found { start: at, end: at + len, meaning });
                at += len;
            }
            None => at += c.len_utf8(),
        }
    }
    found
}

/// A place in the text from which an expression is read.
struct Place<'a> {
    text: &'a str,
    at: usize,
    today: NaiveDate,
}

impl<'a> Place<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn before(&self) -> &'a str {
        &self.text[..self.at]
    }

    fn read(&self) -> Read {
        self.named_day()
            .or_else(|| self.led_period())
            .or_else(|| self.counted())
            .or_else(|| self.year())
            .or_else(|| self.month_and_day())
            .or_else(|| self.bare_weekday())
            .or_else(|| self.bare_end())
            .or_else(|| self.bare_day_number())
    }

    /// 明天, 明後日, 내일.
    fn named_day(&self) -> Read {
        let (word, days) = NAMED_DAYS.iter().find(|(word, _)| self.rest().starts_with(word))?;
        // Parts of other words: 先天后天, 以前天, 今日头条.
        let other_before = ["先天", "大", "以", "提", "之", "昨"];
        let other = other_before.iter().any(|part| self.before().ends_with(part));
        let other_behind = longer::begins_longer_word(word, &self.rest()[word.len()..]);
        if other || other_behind || self.every() {
            return None;
        }
        Some((word.len(), Meaning::Day(plus(self.today, *days)?)))
    }

    /// 下周三, 上个月, 下个月5号, 本季度末, 来週の水曜日, 다음 주 수요일.
    fn led_period(&self) -> Read {
        let Position { len, count, unit, chinese } = words::position(self.rest())?;
        if self.every() {
            return None;
        }
        let rest = &self.rest()[len..];
        let linked = rest.strip_prefix('の').or_else(|| rest.strip_prefix(' ')).unwrap_or(rest);
        let link = rest.len() - linked.len();
        if unit == Unit::Week {
            let weekday = if chinese { words::chinese_weekday(linked) } else { words::named_weekday(linked) };
            if let Some((day_len, day)) = weekday {
                return Some((len + link + day_len, Meaning::Day(weekday_in(self.today, count, day)?)));
            }
            if let Some(end) = ["末", "말"].iter().find(|end| linked.starts_with(**end)) {
                return Some((
                    len + link + end.len(),
                    Meaning::Day(weekday_in(self.today, count, Weekday::Sat)?),
                ));
            }
        }
        if let Some((end, at_end)) = words::edge(linked) {
            let meaning =
                if at_end { end_of(self.today, count, unit)? } else { start_of(self.today, count, unit)? };
            return Some((len + link + end, meaning));
        }
        if unit == Unit::Month
            && let Some((day_len, day)) = words::day_number(linked)
        {
            let month = shifted(self.today.with_day(1)?, count, Unit::Month)?;
            return Some((len + link + day_len, Meaning::Day(month.with_day(day)?)));
        }
        Some((len, period(self.today, count, unit)?))
    }

    /// 三天后, 两周前, 3日後, 2주 전.
    fn counted(&self) -> Read {
        if self
            .before()
            .ends_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '第' | '每' | '毎' | '前' | '近'))
        {
            return None;
        }
        let (digits, count) = number(self.rest())?;
        let after = self.rest()[digits..].trim_start_matches(' ');
        let (unit_word, unit, times) = UNITS.iter().find(|(word, _, _)| after.starts_with(word))?;
        let behind = &after[unit_word.len()..];
        let tail = behind.trim_start_matches(' ');
        let (direction, tail_len) = words::direction(tail)?;
        // 保留三天后删除 tells how long something is kept, not when.
        let lasts = [
            "保留", "超过", "满", "过期", "连续", "达到", "每", "最近", "経過", "保存", "毎", "마다", "보관",
        ];
        let lead: String =
            self.before().chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        if lasts.iter().any(|word| lead.contains(word)) || self.every() {
            return None;
        }
        // In Chinese 3日前 is a limit, the 3rd; only Japanese counts days so.
        if *unit_word == "日" && !self.text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}')) {
            return None;
        }
        let day = shifted(self.today, direction * count * times, *unit)?;
        let len = self.rest().len() - tail.len() + tail_len;
        Some((len, Meaning::Day(day)))
    }

    /// 明年, 去年三月, 来年, 내년.
    fn year(&self) -> Read {
        let (word, count) = YEARS.iter().find(|(word, _)| self.rest().starts_with(word))?;
        let year = self.today.year() + count;
        let rest = &self.rest()[word.len()..];
        let skip = rest.len() - rest.trim_start_matches([' ', 'の']).len();
        let tail = &rest[skip..];
        if let Some((end, true)) = words::edge_of_year(tail) {
            return Some((word.len() + skip + end, Meaning::Day(NaiveDate::from_ymd_opt(year, 12, 31)?)));
        }
        if let Some((month_len, month)) = words::month(tail) {
            let behind = &tail[month_len..];
            let gap = behind.len() - behind.trim_start_matches(' ').len();
            if let Some((day_len, day)) = words::day_number(&behind[gap..]) {
                let day = NaiveDate::from_ymd_opt(year, month, day)?;
                return Some((word.len() + skip + month_len + gap + day_len, Meaning::Day(day)));
            }
            let first = NaiveDate::from_ymd_opt(year, month, 1)?;
            if let Some((end, at_end)) = words::edge(behind) {
                let day = if at_end { end_of(first, 0, Unit::Month)? } else { Meaning::Day(first) };
                return Some((word.len() + skip + month_len + end, day));
            }
            return Some((word.len() + skip + month_len, Meaning::Month(first)));
        }
        Some((word.len(), Meaning::Year(year)))
    }

    /// 12月9日, 3월 5일 without a year before it.
    fn month_and_day(&self) -> Read {
        let in_year = self.before().trim_end_matches(' ').ends_with(['年', '년', '/', '-', '.'])
            || self.before().ends_with(|c: char| c.is_ascii_digit() || c == '每' || c == '毎');
        let (month_len, month) = words::month(self.rest()).filter(|_| !in_year)?;
        let behind = &self.rest()[month_len..];
        let gap = behind.len() - behind.trim_start_matches(' ').len();
        if let Some((edge_len, at_end)) = words::edge(behind) {
            let first = month_day(self.today, month, 1, false)?;
            let day = if at_end { self.end_of_month(month)? } else { Meaning::Day(first) };
            return Some((month_len + edge_len, day));
        }
        let (day_len, day) = words::day_number(&behind[gap..])?;
        let len = month_len + gap + day_len;
        Some((len, Meaning::Day(month_day(self.today, month, day, self.tells_of_past(len))?)))
    }

    /// The last day of the next such month, this one included.
    fn end_of_month(&self, month: u32) -> Option<Meaning> {
        let years = [self.today.year(), self.today.year() + 1];
        let ends = years
            .into_iter()
            .filter_map(|year| end_of(NaiveDate::from_ymd_opt(year, month, 1)?, 0, Unit::Month));
        ends.into_iter().find(|end| matches!(end, Meaning::Day(day) if *day >= self.today))
    }

    /// 周三, 金曜日, 목요일 alone: the next one, unless it is one of every week.
    fn bare_weekday(&self) -> Read {
        let (len, day) = if let Some(word) = WEEK_WORDS.iter().find(|word| self.rest().starts_with(**word)) {
            let (day_len, day) = words::chinese_weekday(&self.rest()[word.len()..])?;
            (word.len() + day_len, day)
        } else {
            words::named_weekday(self.rest())?
        };
        let led = [
            "每", "毎", "每个", "逢", "双", "单", "隔", "上", "下", "这", "本", "个", "毎週", "の", "매주",
            "매주 ", "至", "到", "~", "\u{ff5e}", "-", "和", "或",
        ];
        let in_list = led.iter().any(|word| self.before().ends_with(word));
        let behind = self.rest()[len..].trim_start_matches(' ');
        let ranges = ["至", "到", "、", "和", "或", "から", "부터", "と", "~", "\u{301c}", "-", "/"];
        let goes_on = ranges.iter().any(|word| behind.starts_with(word));
        // 일요일마다, 화요일에만, 日曜日ごとに: one of every week.
        let recurs =
            ["마다", "에만", "만 ", "ごと", "のみ", "だけ"].iter().any(|word| behind.starts_with(word));
        if recurs || in_list || goes_on || self.every() || self.is_rule(len) {
            return None;
        }
        let day = if self.tells_of_past(len) {
            last_weekday(self.today, day)?
        } else {
            next_weekday(self.today, day)?
        };
        Some((len, Meaning::Day(day)))
    }

    /// 月底, 年底, 月末, 연말.
    fn bare_end(&self) -> Read {
        let (len, count, unit) = words::bare_end(self.rest())?;
        let led =
            self.before().ends_with(|c: char| matches!(c, '每' | '毎' | '个' | '各') || c.is_ascii_digit());
        let month_before =
            self.before().ends_with(['一', '二', '三', '四', '五', '六', '七', '八', '九', '十']);
        if led || month_before || self.every() {
            return None;
        }
        Some((len, end_of(self.today, count, unit)?))
    }

    /// 15号前: the day of a month only where a limit follows it.
    fn bare_day_number(&self) -> Read {
        if self.before().ends_with(|c: char| c.is_alphanumeric() && !"在到于是".contains(c)) || self.every()
        {
            return None;
        }
        let (len, day) =
            words::day_number(self.rest()).filter(|(len, _)| self.rest()[..*len].ends_with('号'))?;
        let behind = &self.rest()[len..];
        let limits = ["之前", "以前", "前", "截止", "上线", "发布", "到期"];
        limits.iter().any(|limit| behind.starts_with(limit)).then_some(())?;
        Some((len, Meaning::Day(day_of_month(self.today, day)?)))
    }

    /// Whether 每, 毎, 매 or the like stands right before.
    fn every(&self) -> bool {
        let before = self.before().trim_end();
        ["每", "每个", "每逢", "毎", "매", "毎週", "毎月", "매주", "매달", "매월", "每隔"]
            .iter()
            .any(|word| before.ends_with(word))
    }

    /// A sentence that says what is done or never done on such days.
    fn is_rule(&self, len: usize) -> bool {
        let (before, after) = sentence_around(self.text, self.at, self.at + len);
        let rules = [
            "不要",
            "禁止",
            "不能",
            "从不",
            "总是",
            "一律",
            "不得",
            "不发",
            "避免",
            "不许",
            "禁止",
            "必ず",
            "しない",
            "절대",
            "항상",
            "금지",
            "마세요",
            "하지 않",
        ];
        let limits = ["前", "之前", "截止", "まで", "까지", "以前"];
        let limited = limits.iter().any(|limit| after.trim_start().starts_with(limit));
        !limited && rules.iter().any(|word| before.contains(word) || after.contains(word))
    }

    fn tells_of_past(&self, len: usize) -> bool {
        let (before, after) = sentence_around(self.text, self.at, self.at + len);
        let past = [
            "了",
            "过",
            "曾",
            "发生",
            "已经",
            "した",
            "だった",
            "ました",
            "했다",
            "했습니다",
            "됐다",
            "었다",
            "았다",
        ];
        let future = [
            "前", "之前", "截止", "将", "要", "必须", "计划", "预计", "まで", "予定", "까지", "예정", "할 것",
        ];
        let has = |words: &[&str]| words.iter().any(|word| before.contains(word) || after.contains(word));
        has(&past) && !has(&future)
    }
}
