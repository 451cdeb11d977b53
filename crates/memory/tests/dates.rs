//! Relative dates in four languages, and ages in words.

use chrono::NaiveDate;
use remora_memory::dates::{absolute_dates, age_words, staleness_note};

/// Wednesday.
fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 12, 2).expect("a date")
}

/// Every case: the text, and what it becomes; equal where nothing is a date.
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let got = absolute_dates(text, today());
        if got != *expected {
            wrong.push(format!("{text:?}\n  is       {got:?}\n  expected {expected:?}"));
        }
        let again = absolute_dates(&got, today());
        assert_eq!(again, got, "a second pass changed something");
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn english_dates() {
    check(&[
        ("The merge freeze starts Thursday.", "The merge freeze starts Thursday (2026-12-03)."),
        ("Ship it by Friday", "Ship it by Friday (2026-12-04)"),
        ("by Wednesday at noon", "by Wednesday (2026-12-09) at noon"),
        ("Release is next Wednesday", "Release is next Wednesday (2026-12-09)"),
        ("this Friday we freeze", "this Friday (2026-12-04) we freeze"),
        ("the outage last Friday", "the outage last Friday (2026-11-27)"),
        ("Prod broke on Monday and we rolled back", "Prod broke on Monday (2026-11-30) and we rolled back"),
        ("The demo is on Monday.", "The demo is on Monday (2026-12-07)."),
        (
            "The demo must be ready on Monday because it was late",
            "The demo must be ready on Monday (2026-12-07) because it was late",
        ),
        ("in two weeks", "in two weeks (2026-12-16)"),
        (
            "The certificate has to be renewed in 10 days",
            "The certificate has to be renewed in 10 days (2026-12-12)",
        ),
        ("in a month", "in a month (2027-01-02)"),
        ("in a couple of days", "in a couple of days (2026-12-04)"),
        ("3 days ago", "3 days ago (2026-11-29)"),
        ("a week ago", "a week ago (2026-11-25)"),
        ("two weeks from now", "two weeks from now (2026-12-16)"),
        ("Tomorrow we switch", "Tomorrow (2026-12-03) we switch"),
        ("the day after tomorrow", "the day after tomorrow (2026-12-04)"),
        ("yesterday's build", "yesterday's build"),
        ("yesterday the build broke", "yesterday (2026-12-01) the build broke"),
        ("today", "today (2026-12-02)"),
        ("end of the month", "end of the month (2026-12-31)"),
        ("by end of month", "by end of month (2026-12-31)"),
        ("at the end of next month", "at the end of next month (2027-01-31)"),
        ("by the end of the week", "by the end of the week (2026-12-04)"),
        ("by the end of the quarter", "by the end of the quarter (2026-12-31)"),
        ("by the end of this year", "by the end of this year (2026-12-31)"),
        ("beginning of next week", "beginning of next week (2026-12-07)"),
        ("next week", "next week (2026-12-07 to 2026-12-13)"),
        ("last week", "last week (2026-11-23 to 2026-11-29)"),
        ("next month", "next month (2027-01)"),
        ("last year", "last year (2025)"),
        ("next quarter", "next quarter (2027-Q1)"),
        ("The contract ends on March 5.", "The contract ends on March 5 (2027-03-05)."),
        ("due 15 December", "due 15 December (2026-12-15)"),
        ("The incident happened on Nov 3", "The incident happened on Nov 3 (2026-11-03)"),
        ("Pay by the 15th.", "Pay by the 15th (2026-12-15)."),
        ("Pay by the 1st", "Pay by the 1st (2027-01-01)"),
    ]);
}

#[test]
fn what_is_no_date_in_english() {
    let stays = [
        "on Mondays we triage",
        "every Friday at noon",
        "each Tuesday",
        "Never deploy on a Friday",
        "Never deploy on Friday",
        "no releases on Friday",
        "Production deploys only Monday to Thursday",
        "open Mon-Fri",
        "Tuesday and Friday",
        "Tuesday, Friday",
        "the triage meeting is always on Tuesday",
        "users may decide",
        "it may 5 times fail",
        "march on",
        "the Friday release train",
        "Sunday morning deploys are fine",
        "tokens expire in 30 days",
        "The job runs in 2 days",
        "the suite took 9 minutes and ran in 3 days",
        "the last week of March",
        "in the last week",
        "on the 3rd attempt",
        "March 5, 2026",
        "2026-12-09",
        "next Wednesday (2026-12-09)",
        "2026-12-09 (next Wednesday)",
        "run `date -d tomorrow`",
        "```\nnext week\n```",
        "weekday_of(monday)",
        "next-week.md",
        "the week after",
        "two weeks of work",
        "a day in the life",
        "in 999999999999 days",
        "in 5000 years",
        "the next step",
        "sat down, sun is up",
        "retry in 3 seconds",
    ];
    check(&stays.map(|text| (text, text)));
}

#[test]
fn chinese_dates() {
    check(&[
        ("下周三上线", "下周三(2026-12-09)上线"),
        ("下星期三", "下星期三(2026-12-09)"),
        ("这周五之前完成", "这周五(2026-12-04)之前完成"),
        ("本周日", "本周日(2026-12-06)"),
        ("上周五出了故障", "上周五(2026-11-27)出了故障"),
        ("下下周一", "下下周一(2026-12-14)"),
        ("月底前切换", "月底(2026-12-31)前切换"),
        ("下个月底", "下个月底(2027-01-31)"),
        ("下月初", "下月初(2027-01-01)"),
        ("年底", "年底(2026-12-31)"),
        ("明年年底", "明年年底(2027-12-31)"),
        ("三天后发布", "三天后(2026-12-05)发布"),
        ("3天后", "3天后(2026-12-05)"),
        ("两周后", "两周后(2026-12-16)"),
        ("十五天之后", "十五天之后(2026-12-17)"),
        ("三个月后", "三个月后(2027-03-02)"),
        ("两天前改的", "两天前(2026-11-30)改的"),
        ("明天", "明天(2026-12-03)"),
        ("后天开会", "后天(2026-12-04)开会"),
        ("大后天", "大后天(2026-12-05)"),
        ("昨天回滚了", "昨天(2026-12-01)回滚了"),
        ("前天", "前天(2026-11-30)"),
        ("周五截止", "周五(2026-12-04)截止"),
        ("周一发生了事故", "周一(2026-11-30)发生了事故"),
        ("下周", "下周(2026-12-07 to 2026-12-13)"),
        ("下个月5号", "下个月5号(2027-01-05)"),
        ("上个月", "上个月(2026-11)"),
        ("明年三月", "明年三月(2027-03)"),
        ("明年3月5日", "明年3月5日(2027-03-05)"),
        ("12月9日冻结", "12月9日(2026-12-09)冻结"),
        ("3月5日到期", "3月5日(2027-03-05)到期"),
        ("15号之前", "15号(2026-12-15)之前"),
        ("下周末", "下周末(2026-12-12)"),
        ("本季度末", "本季度末(2026-12-31)"),
        ("去年", "去年(2025)"),
        ("三月底交付", "三月底(2027-03-31)交付"),
        ("12月底", "12月底(2026-12-31)"),
        ("三天内", "三天内(2026-12-05)"),
    ]);
}

#[test]
fn what_is_no_date_in_chinese() {
    let stays = [
        "每周三例会",
        "每个周五",
        "周一到周四可以发布",
        "周五和节假日前一天不发",
        "不要在周五上线",
        "每月底结算",
        "每天跑",
        "日志保留三天后删除",
        "超过7天后过期",
        "上周期的指标",
        "一周",
        "三天",
        "2026年12月9日",
        "明天(2026-12-03)",
        "15号机房",
        "1号线",
        "每三天后重启",
        "前端",
        "后天性",
        "以前",
        "周边",
        "提前三天",
        "下月球",
        "`明天`",
        "一年四季",
        "第三天后",
        "今日头条",
    ];
    check(&stays.map(|text| (text, text)));
}

#[test]
fn japanese_and_korean_dates() {
    check(&[
        ("来週の水曜日にリリース", "来週の水曜日 (2026-12-09)にリリース".replace(" (", "(").as_str()),
        ("先週金曜に障害", "先週金曜(2026-11-27)に障害"),
        ("明日まで", "明日(2026-12-03)まで"),
        ("明後日", "明後日(2026-12-04)"),
        ("昨日", "昨日(2026-12-01)"),
        ("3日後に切り替え", "3日後(2026-12-05)に切り替え"),
        ("2週間前に直した", "2週間前(2026-11-18)に直した"),
        ("月末が締め切り", "月末(2026-12-31)が締め切り"),
        ("来月末", "来月末(2027-01-31)"),
        ("来月", "来月(2027-01)"),
        ("金曜日まで", "金曜日(2026-12-04)まで"),
        ("毎週金曜日", "毎週金曜日"),
        ("日曜日ごとに", "日曜日ごとに"),
        ("来年", "来年(2027)"),
        ("다음 주 수요일에 배포", "다음 주 수요일 (2026-12-09)에 배포"),
        ("지난주 금요일", "지난주 금요일 (2026-11-27)"),
        ("내일까지", "내일 (2026-12-03)까지"),
        ("3일 후", "3일 후 (2026-12-05)"),
        ("2주 전에", "2주 전 (2026-11-18)에"),
        ("다음 달", "다음 달 (2027-01)"),
        ("이번 주말", "이번 주말 (2026-12-05)"),
        ("금요일까지", "금요일 (2026-12-04)까지"),
        ("매주 금요일", "매주 금요일"),
        ("배포는 화요일에만 합니다", "배포는 화요일에만 합니다"),
        ("일요일마다 백업", "일요일마다 백업"),
        ("12월 9일", "12월 9일 (2026-12-09)"),
    ]);
}

#[test]
fn names_that_begin_like_a_day_are_no_dates() {
    check(
        &[
            "明日香さんがレビューする",
            "明日香村",
            "明日菜が担当",
            "明日方舟的活动页",
            "今日头条",
            "오늘의집 API를 쓴다",
            "내일배움카드 연동",
            "오늘날",
            "あしたばを植える",
        ]
        .map(|text| (text, text)),
    );
    check(&[
        ("明日", "明日(2026-12-03)"),
        ("明日は休み", "明日(2026-12-03)は休み"),
        ("明日香港开市", "明日(2026-12-03)香港开市"),
        ("明日上线", "明日(2026-12-03)上线"),
        ("明日海に行く", "明日(2026-12-03)海に行く"),
        ("오늘", "오늘 (2026-12-02)"),
        ("오늘은 배포가 없다", "오늘 (2026-12-02)은 배포가 없다"),
        ("오늘의 회의", "오늘 (2026-12-02)의 회의"),
        ("마감은 내일입니다", "마감은 내일 (2026-12-03)입니다"),
        ("어제부터는", "어제 (2026-12-01)부터는"),
    ]);
}

#[test]
fn a_part_of_a_name_a_call_and_a_title_are_no_dates() {
    for text in [
        "the function tomorrow() returns the date",
        "the branch prod-明天 is protected",
        "see docs/tomorrow.md and on_friday",
        "《明天会更好》是一首歌",
        "deploy/tomorrow/plan.txt is stale",
    ] {
        assert_eq!(absolute_dates(text, today()), text);
    }
    assert_ne!(absolute_dates("《公约》明天生效", today()), "《公约》明天生效");
}

#[test]
fn ages_are_words() {
    let cases = [(-3, "today"), (0, "today"), (1, "yesterday"), (2, "2 days ago"), (47, "47 days ago")];
    for (days, words) in cases {
        assert_eq!(age_words(days), words);
    }
    assert_eq!(staleness_note(1), None);
    assert!(staleness_note(2).is_some_and(|note| note.contains("2 days ago") && note.contains("verify")));
}
