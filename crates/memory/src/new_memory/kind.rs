//! Which of the four types a sentence of the person's belongs to, by its cues.

use super::is_ideographic;
use crate::memory::MemoryKind;

/// Sentences about the person.
const USER: &[&str] = &[
    "i am a",
    "i'm a",
    "i am an",
    "i'm an",
    "i am the",
    "i'm the",
    "i am new to",
    "i'm new to",
    "i am not familiar",
    "i'm not familiar",
    "i am familiar",
    "i'm familiar",
    "i am learning",
    "i'm learning",
    "i am based in",
    "i'm based in",
    "my name is",
    "my role",
    "my background",
    "my time zone",
    "my timezone",
    "my job",
    "call me",
    "i work as",
    "i speak",
    "i don't know",
    "i do not know",
    "i have never used",
    "i've never used",
    "years of experience",
    "i prefer short",
    "i prefer concise",
    "i prefer brief",
    "i prefer detailed",
    "i like short",
    "answer me in",
    "answer in english",
    "answer in chinese",
    "reply in english",
    "reply in chinese",
    "respond in english",
    "respond in chinese",
    "talk to me in",
    "explain things to me",
    "the user is",
    "the user prefers",
    "the user knows",
    "我是",
    "我叫",
    "叫我",
    "称呼我",
    "我的角色",
    "我的职位",
    "我负责",
    "我不熟悉",
    "我熟悉",
    "我不懂",
    "我在学",
    "我刚开始学",
    "我的时区",
    "用中文回复",
    "用中文回答",
    "用中文跟我",
    "用英文回复",
    "用户是",
    "用户熟悉",
    "私は",
    "僕は",
    "俺は",
    "わたしは",
    "ぼくは",
    "私の名前",
    "日本語で答え",
    "日本語で返",
    "日本語で回答",
    "英語で答え",
    "저는",
    "나는",
    "제 이름",
    "내 이름",
    "제 역할",
    "한국어로 답",
    "한국어로 대답",
    "영어로 답",
];

/// A date by which something must be.
const DEADLINE: &[&str] = &[
    "deadline",
    "due on",
    "due by",
    "is due",
    "code freeze",
    "feature freeze",
    "merge freeze",
    "release freeze",
    "deploy freeze",
    "freeze starts",
    "freeze begins",
    "freeze ends",
    "freeze until",
    "end of life",
    "expires on",
    "expire on",
    "cut-off date",
    "cutoff date",
    "release date",
    "launch date",
    "go-live",
    "go live",
    "ships on",
    "milestone",
    "截止",
    "死线",
    "封版",
    "封网",
    "代码冻结",
    "发版冻结",
    "发布冻结",
    "开始冻结",
    "冻结期",
    "到期",
    "交付日期",
    "最晚",
    "上线日期",
    "上线时间",
    "发布日期",
    "里程碑",
    "締め切り",
    "締切",
    "納期",
    "期限",
    "コードフリーズ",
    "リリース日",
    "公開日",
    "마감",
    "데드라인",
    "기한",
    "출시일",
    "배포일",
    "코드 프리즈",
];

/// What happened, and what was agreed: telling also where the sentence goes on with a rule ("we decided to
/// use ...").
const HAPPENED: &[&str] = &[
    "we decided",
    "we've decided",
    "was decided",
    "we agreed",
    "we've agreed",
    "we chose",
    "we settled on",
    "we are going with",
    "we're going with",
    "decision:",
    "has been postponed",
    "was postponed",
    "is postponed",
    "was cancelled",
    "was canceled",
    "root cause",
    "went down",
    "was rolled back",
    "我们决定",
    "决定了",
    "已决定",
    "会上决定",
    "定下来",
    "敲定",
    "选定",
    "商定",
    "已批准",
    "推迟到",
    "延期",
    "取消了",
    "宕机",
    "复盘",
    "根因",
    "回滚了",
    "決定し",
    "決まりました",
    "延期",
    "결정했",
    "연기",
];

/// Words before a date that make it a time limit.
const LIMITS: &[&str] =
    &["by", "until", "till", "before", "from", "starting", "since", "as of", "no later than", "due"];

/// Words after a date that make it a time limit, in scripts without spaces.
const LIMITS_AFTER: &[&str] = &["前", "之前", "以前", "起", "开始", "为止", "まで", "から", "까지", "부터"];

/// How to work.
const RULE: &[&str] = &[
    "always",
    "never",
    "don't",
    "do not",
    "dont",
    "must",
    "must not",
    "should",
    "should not",
    "shouldn't",
    "instead of",
    "rather than",
    "avoid",
    "prefer",
    "stop using",
    "stop doing",
    "make sure",
    "from now on",
    "only use",
    "use",
    "keep doing",
    "no more",
    "不要",
    "不能",
    "不得",
    "必须",
    "禁止",
    "一律",
    "以后",
    "别",
    "务必",
    "应该",
    "优先",
    "改用",
    "尽量",
    "一定要",
    "不许",
    "しないで",
    "しないこと",
    "必ず",
    "禁止",
    "してはいけ",
    "使わない",
    "使って",
    "使うこと",
    "してください",
    "今後は",
    "優先",
    "하지 마",
    "하지마",
    "반드시",
    "항상",
    "금지",
    "말고",
    "쓰지 마",
    "사용하지",
    "해야",
    "앞으로",
    "사용해",
];

/// Where to look.
const POINTER: &[&str] = &[
    "dashboard",
    "dashboards",
    "is tracked in",
    "are tracked in",
    "tracked at",
    "is documented in",
    "is documented at",
    "docs are at",
    "docs are in",
    "docs live",
    "documentation is at",
    "documentation is in",
    "wiki",
    "runbook",
    "slack channel",
    "channel is",
    "confluence",
    "notion page",
    "jira project",
    "linear project",
    "grafana",
    "issue tracker",
    "bug tracker",
    "can be found at",
    "can be found in",
    "on-call rota",
    "status page",
    "文档在",
    "看板",
    "仪表盘",
    "飞书",
    "钉钉",
    "频道",
    "工单",
    "值班表",
    "监控在",
    "地址是",
    "链接",
    "知识库",
    "手册在",
    "ドキュメントは",
    "ダッシュボード",
    "チャンネル",
    "ウィキ",
    "手順書",
    "課題管理",
    "仕様書は",
    "문서는",
    "대시보드",
    "채널",
    "위키",
    "런북",
    "이슈 트래커",
    "링크",
];

/// What is going on.
const GOING_ON: &[&str] = &[
    "incident",
    "outage",
    "postmortem",
    "post-mortem",
    "故障",
    "事故",
    "障害",
    "장애",
    "we are migrating",
    "we're migrating",
    "we are moving",
    "we're moving",
    "is being migrated",
    "is being replaced",
    "is deprecated",
    "will be removed",
    "will be replaced",
    "will launch",
    "is blocked by",
    "is blocked on",
    "roadmap",
    "our goal",
    "the goal is",
    "this sprint",
    "this quarter",
    "next quarter",
    "this release",
    "next release",
    "rollout",
    "on vacation",
    "on leave",
    "customer",
    "contract",
    "正在迁移",
    "迁移到",
    "计划",
    "目标是",
    "本季度",
    "下季度",
    "这个版本",
    "下个版本",
    "上线",
    "发布",
    "灰度",
    "休假",
    "客户",
    "移行中",
    "移行する",
    "予定",
    "目標",
    "リリース",
    "今期",
    "休暇",
    "顧客",
    "마이그레이션",
    "예정",
    "목표",
    "출시",
    "이번 분기",
    "다음 분기",
    "휴가",
    "고객",
];

/// The type of a sentence: a look at its cues, in the order in which they are telling. What fits nothing else
/// is `feedback`: a person who says "remember" mostly says how to work.
pub fn kind_from_text(text: &str) -> MemoryKind {
    let text = folded(text);
    let has = |cues: &[&str]| cues.iter().any(|cue| contains_phrase(&text, cue));
    if has(USER) {
        MemoryKind::User
    } else if text.contains("http://") || text.contains("https://") {
        MemoryKind::Reference
    } else if has(DEADLINE) || (has(HAPPENED) && !commands(&text)) || is_bound_to_a_date(&text) {
        MemoryKind::Project
    } else if has(RULE) {
        MemoryKind::Feedback
    } else if has(POINTER) {
        MemoryKind::Reference
    } else if has(GOING_ON) || date_in(&text).is_some() {
        MemoryKind::Project
    } else {
        MemoryKind::Feedback
    }
}

/// Whether a text begins as a command: what follows is a rule, whatever happened.
fn commands(folded: &str) -> bool {
    const COMMANDS: &[&str] =
        &["always ", "never ", "don't ", "do not ", "from now on", "stop ", "不要", "必须", "禁止", "以后"];
    COMMANDS.iter().any(|command| folded.starts_with(command))
}

/// Whether a date stands in a text as a time limit: "by 2026-12-01", 2026-12-01 之前.
fn is_bound_to_a_date(folded: &str) -> bool {
    let mut rest = folded;
    while let Some(date) = date_in(rest) {
        let before = rest[..date.start].trim_end();
        let after = rest[date.end..].trim_start();
        let limits =
            |word: &str| before.strip_suffix(word).is_some_and(|head| !head.ends_with(char::is_alphanumeric));
        if LIMITS.iter().any(|word| limits(word)) || LIMITS_AFTER.iter().any(|word| after.starts_with(word)) {
            return true;
        }
        rest = &rest[date.end..];
    }
    false
}

/// Where the first day stands that is written with its year: `2026-12-01`, 2026年12月1日.
fn date_in(text: &str) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let digits = |at: usize, count: usize| {
        bytes.get(at..at + count).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    (0..bytes.len()).find_map(|at| {
        if !digits(at, 4) || (at > 0 && bytes[at - 1].is_ascii_digit()) {
            return None;
        }
        let is_iso = bytes.get(at + 4) == Some(&b'-')
            && digits(at + 5, 2)
            && bytes.get(at + 7) == Some(&b'-')
            && digits(at + 8, 2);
        if is_iso {
            return Some(at..at + 10);
        }
        let rest = text.get(at + 4..)?.strip_prefix('年')?;
        let end = rest.find('日').filter(|end| *end <= 12)?;
        Some(at..at + 4 + '年'.len_utf8() + end + '日'.len_utf8())
    })
}

/// Whether a text says how to work.
pub(super) fn is_rule(folded: &str) -> bool {
    RULE.iter().any(|cue| contains_phrase(folded, cue))
}

/// Small letters, straight apostrophes, single spaces.
pub(super) fn folded(text: &str) -> String {
    let text = text.replace('\u{2019}', "'").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `phrase` stands in `text` as whole words; in scripts without spaces, anywhere.
pub(super) fn contains_phrase(text: &str, phrase: &str) -> bool {
    let spaced = |c: char| c.is_alphanumeric() && !is_ideographic(c) && !is_hangul(c);
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        let opens = !phrase.starts_with(spaced) || before.is_none_or(|c| !spaced(c));
        let closes = !phrase.ends_with(spaced) || after.is_none_or(|c| !spaced(c));
        opens && closes
    })
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}')
}
