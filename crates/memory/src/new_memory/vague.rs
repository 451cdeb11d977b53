//! Descriptions that say nothing.

use super::{is_ideographic, is_stop_word, words};

/// Words that describe any memory, and so none.
const FILLERS: [&str; 63] = [
    "stuff",
    "thing",
    "things",
    "note",
    "notes",
    "misc",
    "miscellaneous",
    "various",
    "general",
    "info",
    "information",
    "important",
    "update",
    "updates",
    "memory",
    "memories",
    "user",
    "users",
    "project",
    "feedback",
    "reference",
    "test",
    "tests",
    "testing",
    "code",
    "coding",
    "some",
    "about",
    "details",
    "detail",
    "data",
    "preference",
    "preferences",
    "rule",
    "rules",
    "work",
    "working",
    "settings",
    "setup",
    "config",
    "context",
    "item",
    "items",
    "topic",
    "new",
    "other",
    "more",
    "useful",
    "todo",
    "tbd",
    "description",
    "summary",
    "session",
    "conversation",
    "chat",
    "task",
    "tasks",
    "learned",
    "learnings",
    "tips",
    "tip",
    "etc",
    "how",
];

/// The same in Chinese, Japanese and Korean, as parts of a run without spaces.
const CJK_FILLERS: [&str; 33] = [
    "一些",
    "东西",
    "相关",
    "有关",
    "关于",
    "测试",
    "笔记",
    "信息",
    "说明",
    "内容",
    "问题",
    "事情",
    "记录",
    "项目",
    "用户",
    "偏好",
    "规则",
    "重要",
    "备注",
    "记忆",
    "代码",
    "の",
    "的",
    "メモ",
    "こと",
    "もの",
    "情報",
    "関連",
    "テスト",
    "内容",
    "事項",
    "設定",
    "设置",
];

const KOREAN_FILLERS: [&str; 10] =
    ["메모", "것", "관련", "정보", "테스트", "내용", "프로젝트", "사용자", "기타", "중요"];

/// Why a description is sent back: it would not tell this memory from another ("testing stuff").
/// `None` for a description that can be judged by.
pub fn too_vague(description: &str) -> Option<&'static str> {
    if description.trim().is_empty() {
        return Some("the description is empty; say in one sentence what holds");
    }
    let mut telling = 0;
    for word in words(description) {
        if word.chars().any(is_ideographic) {
            let bare = CJK_FILLERS.iter().fold(word, |word, filler| word.replace(filler, ""));
            // Two characters of Chinese are about one word.
            telling += bare.chars().count().div_ceil(2);
        } else if !(is_stop_word(&word)
            || FILLERS.contains(&word.as_str())
            || KOREAN_FILLERS.iter().any(|filler| word.starts_with(filler)))
        {
            telling += 1;
        }
    }
    (telling < 2)
        .then_some("the description is too general to find the memory by; say in one sentence what holds")
}
