//! The words of Chinese, Japanese and Korean dates.

use chrono::Weekday;

use crate::dates::calendar::Unit;

/// Days by name; longer ones first where one begins another.
pub(super) const NAMED_DAYS: &[(&str, i64)] = &[
    ("大后天", 3),
    ("大前天", -3),
    ("今天", 0),
    ("明天", 1),
    ("后天", 2),
    ("昨天", -1),
    ("前天", -2),
    ("今晚", 0),
    ("明晚", 1),
    ("明早", 1),
    ("昨晚", -1),
    ("明後日", 2),
    ("一昨日", -2),
    ("おととい", -2),
    ("あさって", 2),
    ("きのう", -1),
    ("あした", 1),
    ("今日", 0),
    ("明日", 1),
    ("昨日", -1),
    ("오늘", 0),
    ("내일", 1),
    ("모레", 2),
    ("어제", -1),
    ("그저께", -2),
];

/// Chinese words for a week, before a weekday.
pub(super) const WEEK_WORDS: [&str; 3] = ["星期", "礼拜", "周"];

/// Years by name.
pub(super) const YEARS: &[(&str, i32)] = &[
    ("明年", 1),
    ("去年", -1),
    ("今年", 0),
    ("后年", 2),
    ("前年", -2),
    ("来年", 1),
    ("昨年", -1),
    ("내년", 1),
    ("작년", -1),
    ("올해", 0),
];

/// Units behind a number: the word, the unit, how many of them it is.
pub(super) const UNITS: &[(&str, Unit, i64)] = &[
    ("个工作周", Unit::Week, 1),
    ("个星期", Unit::Week, 1),
    ("个礼拜", Unit::Week, 1),
    ("星期", Unit::Week, 1),
    ("週間", Unit::Week, 1),
    ("周", Unit::Week, 1),
    ("주일", Unit::Week, 1),
    ("주", Unit::Week, 1),
    ("个半月", Unit::Day, 45),
    ("个月", Unit::Month, 1),
    ("か月", Unit::Month, 1),
    ("ヶ月", Unit::Month, 1),
    ("カ月", Unit::Month, 1),
    ("ケ月", Unit::Month, 1),
    ("개월", Unit::Month, 1),
    ("달", Unit::Month, 1),
    ("个季度", Unit::Quarter, 1),
    ("天", Unit::Day, 1),
    ("日", Unit::Day, 1),
    ("일", Unit::Day, 1),
    ("年", Unit::Year, 1),
    ("년", Unit::Year, 1),
];

/// "Next", "last", "this" with a unit.
pub(super) struct Position {
    pub(super) len: usize,
    pub(super) count: i64,
    pub(super) unit: Unit,
    /// Whether it is Chinese, whose weekdays are figures.
    pub(super) chinese: bool,
}

/// Whole words, which are read before the composed ones.
const POSITIONS: &[(&str, i64, Unit)] = &[
    ("再来週", 2, Unit::Week),
    ("来週", 1, Unit::Week),
    ("先々週", -2, Unit::Week),
    ("先週", -1, Unit::Week),
    ("今週", 0, Unit::Week),
    ("再来月", 2, Unit::Month),
    ("来月", 1, Unit::Month),
    ("先月", -1, Unit::Month),
    ("今月", 0, Unit::Month),
    ("来四半期", 1, Unit::Quarter),
    ("今四半期", 0, Unit::Quarter),
    ("다다음 주", 2, Unit::Week),
    ("다음 주", 1, Unit::Week),
    ("다음주", 1, Unit::Week),
    ("지난주", -1, Unit::Week),
    ("지난 주", -1, Unit::Week),
    ("이번 주", 0, Unit::Week),
    ("이번주", 0, Unit::Week),
    ("다음 달", 1, Unit::Month),
    ("다음달", 1, Unit::Month),
    ("지난달", -1, Unit::Month),
    ("지난 달", -1, Unit::Month),
    ("이번 달", 0, Unit::Month),
    ("이번달", 0, Unit::Month),
    ("다음 분기", 1, Unit::Quarter),
    ("지난 분기", -1, Unit::Quarter),
    ("이번 분기", 0, Unit::Quarter),
    ("本月", 0, Unit::Month),
    ("本季度", 0, Unit::Quarter),
];

const CHINESE_LEADS: &[(&str, i64)] = &[
    ("下下个", 2),
    ("下下", 2),
    ("上上个", -2),
    ("上上", -2),
    ("下个", 1),
    ("下一个", 1),
    ("下一", 1),
    ("下", 1),
    ("上个", -1),
    ("上一个", -1),
    ("上一", -1),
    ("上", -1),
    ("这个", 0),
    ("这一", 0),
    ("这", 0),
    ("本", 0),
];

const CHINESE_UNITS: &[(&str, Unit)] = &[
    ("星期", Unit::Week),
    ("礼拜", Unit::Week),
    ("周", Unit::Week),
    ("季度", Unit::Quarter),
    ("月", Unit::Month),
];

/// 下周, 上个月, 来週, 다음 주.
pub(super) fn position(text: &str) -> Option<Position> {
    if let Some((word, count, unit)) = POSITIONS.iter().find(|(word, _, _)| text.starts_with(word)) {
        return Some(Position { len: word.len(), count: *count, unit: *unit, chinese: false });
    }
    CHINESE_LEADS.iter().find_map(|(lead, count)| {
        let rest = text.strip_prefix(lead)?;
        let (word, unit) = CHINESE_UNITS.iter().find(|(word, _)| rest.starts_with(word))?;
        // 上周期 and 下周边 are other words; 上月球 is too.
        let behind = &rest[word.len()..];
        let other = ["期", "边", "围", "转", "球", "亮", "光", "刊", "报", "年"]
            .iter()
            .any(|part| behind.starts_with(part));
        (!other).then_some(Position {
            len: lead.len() + word.len(),
            count: *count,
            unit: *unit,
            chinese: true,
        })
    })
}

/// 水曜日, 水曜, 수요일.
pub(super) fn named_weekday(text: &str) -> Option<(usize, Weekday)> {
    const DAYS: [(char, char, Weekday); 7] = [
        ('月', '월', Weekday::Mon),
        ('火', '화', Weekday::Tue),
        ('水', '수', Weekday::Wed),
        ('木', '목', Weekday::Thu),
        ('金', '금', Weekday::Fri),
        ('土', '토', Weekday::Sat),
        ('日', '일', Weekday::Sun),
    ];
    let first = text.chars().next()?;
    let (_, _, day) = DAYS.iter().find(|(japanese, korean, _)| *japanese == first || *korean == first)?;
    let rest = &text[first.len_utf8()..];
    let suffix = ["曜日", "曜", "요일"].into_iter().find(|suffix| rest.starts_with(suffix))?;
    Some((first.len_utf8() + suffix.len(), *day))
}

/// 三 to 日 behind 周.
pub(super) fn chinese_weekday(text: &str) -> Option<(usize, Weekday)> {
    let first = text.chars().next()?;
    let day = match first {
        '一' | '1' => Weekday::Mon,
        '二' | '2' => Weekday::Tue,
        '三' | '3' => Weekday::Wed,
        '四' | '4' => Weekday::Thu,
        '五' | '5' => Weekday::Fri,
        '六' | '6' => Weekday::Sat,
        '日' | '天' | '7' => Weekday::Sun,
        _ => return None,
    };
    let behind = text[first.len_utf8()..].chars().next();
    // 周一千, 周10: not a weekday.
    let figure = first.is_ascii_digit();
    let goes_on = behind.is_some_and(|c| {
        c.is_ascii_digit() || (figure && c.is_ascii_alphabetic()) || "十百千万个次月天年号".contains(c)
    });
    (!goes_on).then_some((first.len_utf8(), day))
}

const FIGURES: &str = "零一二三四五六七八九";

/// A number in figures or in Chinese characters up to 99; 半 is not a number here.
pub(super) fn number(text: &str) -> Option<(usize, i64)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return Some((digits, text[..digits].parse().ok().filter(|number| (1..=1000).contains(number))?));
    }
    let value = |c: char| match c {
        '两' => Some(2),
        c => FIGURES.chars().position(|figure| figure == c).filter(|value| *value > 0),
    };
    let (mut len, mut total, mut last) = (0, 0_usize, None);
    for c in text.chars() {
        if c == '十' {
            total = last.take().unwrap_or(1) * 10;
        } else if let Some(figure) = value(c).filter(|_| last.is_none()) {
            last = Some(figure);
        } else {
            break;
        }
        len += c.len_utf8();
    }
    total += last.unwrap_or(0);
    (total > 0 && total < 100).then_some((len, i64::try_from(total).ok()?))
}

/// 后 and 前 with their variants, behind a unit.
pub(super) fn direction(text: &str) -> Option<(i64, usize)> {
    const AFTER: [&str; 8] = ["之后", "以后", "后", "以内", "之内", "内", "後", "후"];
    const BEFORE: [&str; 5] = ["之前", "以前", "前", "전", "まえ"];
    let word = |words: &[&str]| words.iter().find(|word| text.starts_with(**word)).map(|word| word.len());
    word(&AFTER)
        .or_else(|| text.starts_with('뒤').then_some('뒤'.len_utf8()))
        .map(|len| (1, len))
        .or_else(|| word(&BEFORE).map(|len| (-1, len)))
}

/// The end or the beginning of a period: 底, 末, 初, 말, 초. `true` for the end.
pub(super) fn edge(text: &str) -> Option<(usize, bool)> {
    const ENDS: [(&str, bool); 7] = [
        ("底", true),
        ("末", true),
        ("月末", true),
        ("말", true),
        ("初", false),
        ("月初", false),
        ("초", false),
    ];
    ENDS.iter().find(|(word, _)| text.starts_with(word)).map(|(word, end)| (word.len(), *end))
}

/// The end of a year behind its name: 年底, 底, 末, 年末, 말.
pub(super) fn edge_of_year(text: &str) -> Option<(usize, bool)> {
    const ENDS: [&str; 5] = ["年底", "年末", "底", "末", "말"];
    ENDS.iter().find(|word| text.starts_with(**word)).map(|word| (word.len(), true))
}

/// The end of the present period without a lead.
pub(super) fn bare_end(text: &str) -> Option<(usize, i64, Unit)> {
    const ENDS: [(&str, Unit); 9] = [
        ("月底", Unit::Month),
        ("月末", Unit::Month),
        ("年底", Unit::Year),
        ("年末", Unit::Year),
        ("季度末", Unit::Quarter),
        ("季末", Unit::Quarter),
        ("四半期末", Unit::Quarter),
        ("월말", Unit::Month),
        ("연말", Unit::Year),
    ];
    ENDS.iter().find(|(word, _)| text.starts_with(word)).map(|(word, unit)| (word.len(), 0, *unit))
}

/// 12月, 三月, 3월.
pub(super) fn month(text: &str) -> Option<(usize, u32)> {
    let (len, number) = number(text)?;
    let mark = ["月份", "月", "월"].into_iter().find(|mark| text[len..].starts_with(mark))?;
    Some((len + mark.len(), u32::try_from(number).ok().filter(|month| (1..=12).contains(month))?))
}

/// 5号, 5日, 5일.
pub(super) fn day_number(text: &str) -> Option<(usize, u32)> {
    let (len, number) = number(text)?;
    let mark = ["号", "日", "일"].into_iter().find(|mark| text[len..].starts_with(mark))?;
    Some((len + mark.len(), u32::try_from(number).ok().filter(|day| (1..=31).contains(day))?))
}
