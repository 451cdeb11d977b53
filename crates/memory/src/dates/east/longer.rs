//! Names of days that are the beginning of a longer word: 明日香 and 明日方舟 are names, and so is 오늘의집. Without
//! spaces only what stands behind tells.

/// What may stand right behind a Korean day, each after the other: 내일까지는, 오늘부터도. A noun that follows without a
/// space makes another word of it.
const KOREAN_BEHIND: &[&str] = &[
    "에서",
    "에는",
    "에도",
    "에야",
    "에",
    "은",
    "는",
    "이나",
    "이면",
    "이",
    "가",
    "을",
    "를",
    "도",
    "만",
    "의",
    "까지",
    "부터",
    "부로",
    "으로",
    "로",
    "과",
    "와",
    "나",
    "엔",
    "인",
    "임",
    "일",
    "처럼",
    "보다",
    "마다",
    "하고",
    "이라도",
    "라도",
    "조차",
    "밖에",
    "대로",
    "만큼",
    "따라",
    "같은",
    "같이",
    "쯤",
    "경",
    "자",
    "치",
    "분",
    "중",
    "내",
    "안",
    "전",
    "후",
    "이후",
    "이전",
    "밤",
    "아침",
    "점심",
    "저녁",
    "새벽",
    "오전",
    "오후",
    "낮",
    "하루",
    "당장",
    "요",
    "야",
    "오늘",
    "내일",
    "모레",
    "어제",
];

/// Forms of to be, whatever they go on with: 내일입니다, 어제였다.
const KOREAN_IS: &[&str] = &[
    "입니", "이다", "이라", "이며", "이고", "이지", "이니", "이므", "이었", "이에", "이야", "이면", "이기",
    "이자", "인데", "인지", "인가", "이란", "이든", "예요", "였", "이죠", "일까", "일지",
];

/// What makes a name or another word of 今日, 明日, 昨日, 明天, ..., with what would make none of it after all: 明日香港.
const IDEOGRAPHS_BEHIND: &[(&str, &str)] = &[
    ("香", "港"),
    ("奈", ""),
    ("葉", ""),
    ("叶", ""),
    ("菜", "单單价價市场場谱譜刊"),
    ("方舟", ""),
    ("边缘", ""),
    ("之星", ""),
    ("之子", ""),
    ("重现", ""),
    ("头条", ""),
    ("頭條", ""),
    ("性", ""),
    ("的话题", ""),
];

/// The last character of many given names: a name is what somebody is called by.
const NAME_ENDS: &str = "子美菜海実加佳花翔斗真太郎夢夏希人未見也哉乃音里香奈葉";

/// How somebody is called.
const CALLED: [&str; 12] =
    ["さん", "ちゃん", "くん", "様", "氏", "先生", "選手", "先輩", "部長", "課長", "小姐", "女士"];

/// Whether a day by name is the beginning of another word.
pub(super) fn begins_longer_word(day: &str, behind: &str) -> bool {
    if day.starts_with(is_hangul) { !goes_on_in_korean(behind) } else { is_other_word(day, behind) }
}

/// Whether what stands behind a Korean day belongs to no other word, up to the next space or sign.
fn goes_on_in_korean(behind: &str) -> bool {
    let end = behind.find(|c| !is_hangul(c)).unwrap_or(behind.len());
    let mut rest = &behind[..end];
    if KOREAN_IS.iter().any(|form| rest.starts_with(form)) {
        return true;
    }
    while !rest.is_empty() {
        // The longest, for one may begin another.
        let next = KOREAN_BEHIND.iter().filter(|part| rest.starts_with(**part)).max_by_key(|part| part.len());
        let Some(next) = next else { return false };
        rest = &rest[next.len()..];
    }
    true
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

fn is_other_word(day: &str, behind: &str) -> bool {
    if day == "あした" && behind.starts_with('ば') && !behind.starts_with("ばか") {
        return true;
    }
    let is_word = IDEOGRAPHS_BEHIND.iter().any(|(part, but)| {
        behind.strip_prefix(part).is_some_and(|rest| !rest.starts_with(|c| but.contains(c)))
    });
    let is_called = || {
        behind
            .strip_prefix(|c| NAME_ENDS.contains(c))
            .is_some_and(|rest| CALLED.iter().any(|called| rest.starts_with(called)))
    };
    is_word || is_called()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_days_by_what_stands_behind() {
        for (day, behind, is_longer) in [
            ("明日", "香", true),
            ("明日", "香さんに聞く", true),
            ("明日", "香港开市", false),
            ("明日", "菜が担当", true),
            ("明日", "菜单", false),
            ("明日", "葉の天ぷら", true),
            ("明日", "方舟的活动", true),
            ("明日", "美さん", true),
            ("明日", "美股开盘", false),
            ("今日", "子さん", true),
            ("今日", "子供が来る", false),
            ("明日", "海に行く", false),
            ("明日", "加班", false),
            ("明日", "", false),
            ("明日", "は休み", false),
            ("明日", "上线", false),
            ("明天", "发布", false),
            ("あした", "ばを植える", true),
            ("あした", "ばかりは", false),
            ("あした", "は", false),
            ("오늘", "의집", true),
            ("오늘", "의집에서", true),
            ("오늘", "의 회의", false),
            ("오늘", "은", false),
            ("오늘", "", false),
            ("오늘", "부터는 안", false),
            ("오늘", "날", true),
            ("내일", "배움카드", true),
            ("내일", "신문", true),
            ("내일", "까지만", false),
            ("내일", "입니다.", false),
            ("내일", "오전", false),
            ("내일", "모레", false),
            ("어제", "였다", false),
            ("어제", ",", false),
        ] {
            assert_eq!(begins_longer_word(day, behind), is_longer, "{day}{behind}");
        }
    }
}
