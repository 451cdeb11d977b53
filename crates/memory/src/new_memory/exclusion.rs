//! What is not worth remembering because it can be derived again from the project as it stands.
//!
//! Precise rather than eager: a rule that mentions a file, a command or a commit is a rule and may be saved; a
//! memory that is refused wrongly is lost, one that is saved wrongly can be deleted.

use super::kind::{contains_phrase, folded, is_rule};

/// Why a text is not saved as a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// How the code is built, or a piece of it.
    CodePattern,
    /// Where files are.
    FileLayout,
    /// What was committed.
    GitHistory,
    /// A list of pull requests or issues.
    ListOfChanges,
    /// How a bug was found whose fix is in the code.
    FixInCode,
    /// Where the present task stands.
    TaskState,
    /// An account of what was done.
    RunningAccount,
}

impl Exclusion {
    /// The reason as a sentence, with what would be worth saving instead.
    pub fn reason(self) -> &'static str {
        match self {
            Self::CodePattern => {
                "The code itself shows how it is built; what was surprising about it, or why it is so, can be saved."
            }
            Self::FileLayout => {
                "Where files are can be looked up in the project; what was surprising about it can be saved."
            }
            Self::GitHistory => {
                "The history is in the repository; what was surprising about it, or a decision behind it, can be saved."
            }
            Self::ListOfChanges => {
                "A list of pull requests or issues can be fetched again; what was surprising about them can be saved."
            }
            Self::FixInCode => {
                "The fix is in the code; the trap behind it, if it can catch somebody again, can be saved."
            }
            Self::TaskState => {
                "The state of the present task passes; a decision or a deadline that outlives it can be saved."
            }
            Self::RunningAccount => {
                "What was done in a session is kept in the journal; what was learned from it can be saved."
            }
        }
    }
}

const TASK_STATE: &[&str] = &[
    "current task",
    "i am currently working on",
    "i'm currently working on",
    "we are currently working on",
    "currently implementing",
    "currently debugging",
    "next step is",
    "next steps are",
    "still need to",
    "still to do",
    "remaining work",
    "remaining steps",
    "left to do",
    "work in progress:",
    "where we left off",
    "we left off at",
    "当前任务",
    "正在做的任务",
    "下一步是",
    "接下来要做",
    "还需要完成",
    "剩下的工作",
    "目前进度",
    "任务进度",
    "現在のタスク",
    "次のステップ",
    "残りの作業",
    "作業中の",
    "進捗は",
    "現在作業中",
    "현재 작업",
    "다음 단계는",
    "남은 작업",
    "진행 상황",
];

const ACCOUNT: &[&str] = &[
    "in this session we",
    "in this session i",
    "during this session",
    "summary of this session",
    "summary of the session",
    "what we did today",
    "what i did today",
    "today we implemented",
    "today i implemented",
    "i have just implemented",
    "i just implemented",
    "i just fixed",
    "we just fixed",
    "i have implemented",
    "i've implemented",
    "we have implemented",
    "changes made:",
    "what was done:",
    "本次会话",
    "这次会话",
    "今天完成了",
    "今天做了",
    "刚刚完成了",
    "刚刚修复了",
    "已经完成了以下",
    "本次改动",
    "このセッションで",
    "今日やったこと",
    "本日の作業",
    "実装しました",
    "修正しました",
    "이번 세션에서",
    "오늘 한 일",
    "구현했습니다",
    "수정했습니다",
];

const HISTORY: &[&str] = &[
    "git log",
    "git history",
    "commit history",
    "recent commits",
    "latest commits",
    "last commits",
    "the last commit",
    "recent changes",
    "was merged into main",
    "was merged into master",
    "提交历史",
    "提交记录",
    "最近的提交",
    "最近的改动",
    "最近改动",
    "合并到了主干",
    "コミット履歴",
    "最近のコミット",
    "最近の変更",
    "커밋 기록",
    "최근 커밋",
    "최근 변경",
];

const CHANGES: &[&str] = &[
    "list of prs",
    "list of pull requests",
    "these prs",
    "these pull requests",
    "open prs",
    "open pull requests",
    "list of issues",
    "list of open issues",
    "pr list",
    "prs:",
    "pr列表",
    "pr 列表",
    "这些pr",
    "这些 pr",
    "合并请求列表",
    "pr一覧",
    "pr 一覧",
    "pr 목록",
];

const LAYOUT: &[&str] = &[
    "directory structure",
    "folder structure",
    "file structure",
    "directory layout",
    "folder layout",
    "file layout",
    "project structure",
    "repository structure",
    "repo structure",
    "目录结构",
    "文件结构",
    "项目结构",
    "目录布局",
    "ディレクトリ構成",
    "フォルダ構成",
    "ファイル構成",
    "プロジェクト構成",
    "디렉터리 구조",
    "디렉토리 구조",
    "폴더 구조",
    "프로젝트 구조",
];

const PATTERN: &[&str] = &[
    "the architecture is",
    "the architecture of",
    "the architecture consists",
    "code architecture",
    "the codebase uses",
    "the codebase is organized",
    "the codebase is organised",
    "the code follows",
    "the class hierarchy",
    "the call graph",
    "the function takes",
    "this function returns",
    "代码架构",
    "架构如下",
    "系统架构是",
    "类图",
    "函数的参数是",
    "コードの構造",
    "アーキテクチャは",
    "코드 구조",
    "아키텍처는",
];

const FIX: &[&str] = &[
    "the fix was to",
    "was fixed by",
    "fixed it by",
    "fixed this by",
    "the bug was caused by",
    "the bug was in",
    "fixed in commit",
    "fixed in pr",
    "修复方法是",
    "已修复",
    "修复方式",
    "bug的原因是",
    "bug 的原因是",
    "原因で修正",
    "修正方法は",
    "수정 방법은",
    "버그 원인은",
];

/// Extensions of source files: to say what is in one of them is to repeat the code.
const SOURCE: [&str; 24] = [
    ".rs", ".ts", ".tsx", ".js", ".jsx", ".py", ".go", ".java", ".kt", ".swift", ".c", ".h", ".cc", ".cpp",
    ".cs", ".rb", ".php", ".scala", ".dart", ".vue", ".ex", ".zig", ".lua", ".mjs",
];

/// Why `text` should not become a memory, if it falls under what is never saved. Whether it is already in a
/// standing instruction file is for the caller to know.
pub fn excluded(text: &str) -> Option<Exclusion> {
    let folded = folded(text);
    let has = |cues: &[&str]| cues.iter().any(|cue| contains_phrase(&folded, cue));
    if lists_changes(text) || (has(CHANGES) && !is_rule(&folded)) {
        return Some(Exclusion::ListOfChanges);
    }
    if draws_a_tree(text) {
        return Some(Exclusion::FileLayout);
    }
    if is_rule(&folded) || explains(&folded) {
        return None;
    }
    if mostly_code(text) {
        return Some(Exclusion::CodePattern);
    }
    let by_cue = [
        (ACCOUNT, Exclusion::RunningAccount),
        (TASK_STATE, Exclusion::TaskState),
        (HISTORY, Exclusion::GitHistory),
        (LAYOUT, Exclusion::FileLayout),
        (FIX, Exclusion::FixInCode),
        (PATTERN, Exclusion::CodePattern),
    ];
    if let Some((_, exclusion)) = by_cue.into_iter().find(|(cues, _)| has(cues)) {
        return Some(exclusion);
    }
    if names_commits(&folded) {
        return Some(Exclusion::GitHistory);
    }
    places_code(&folded).then_some(Exclusion::FileLayout)
}

/// Whether the text gives a reason, which the code does not.
fn explains(folded: &str) -> bool {
    [
        "because",
        "so that",
        "**why",
        "otherwise",
        "surprising",
        "因为",
        "原因是",
        "否则",
        "なぜなら",
        "ため",
        "왜냐하면",
        "때문",
    ]
    .iter()
    .any(|cue| contains_phrase(folded, cue) && !folded.contains("bug"))
}

/// Three or more pull requests or issues by number, making up a good part of the text.
fn lists_changes(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '、')).collect();
    let numbered = |word: &&str| {
        let word = word.trim_matches(|c: char| matches!(c, '[' | ']' | ':' | '.' | '*'));
        let digits = word.strip_prefix('#').or_else(|| word.strip_prefix('!'));
        let digits = digits.or_else(|| word.rsplit_once("/pull/").map(|(_, digits)| digits));
        let digits = digits.or_else(|| word.rsplit_once("/issues/").map(|(_, digits)| digits));
        digits.is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
    };
    let count = words.iter().filter(|word| numbered(word)).count();
    let filled = words.iter().filter(|word| !word.is_empty()).count();
    count >= 3 && count * 12 >= filled
}

fn draws_a_tree(text: &str) -> bool {
    text.lines().filter(|line| line.contains("├─") || line.contains("└─")).count() >= 2
}

/// More than half of at least eight lines in code fences.
fn mostly_code(text: &str) -> bool {
    let mut fenced = false;
    let (mut code, mut all) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        all += 1;
        code += usize::from(fenced);
    }
    all >= 8 && code * 2 > all
}

/// Two or more commit ids.
fn names_commits(folded: &str) -> bool {
    let is_id = |word: &&str| {
        (7..=40).contains(&word.len())
            && word.chars().all(|c| c.is_ascii_hexdigit())
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
    };
    folded.split(|c: char| !c.is_alphanumeric()).filter(is_id).count() >= 2
}

/// "X is defined in src/x.rs": a definition and its source file, and no more than that.
fn places_code(folded: &str) -> bool {
    const VERBS: [&str; 14] = [
        "is defined in",
        "are defined in",
        "is implemented in",
        "are implemented in",
        "is located in",
        "are located in",
        "is declared in",
        "lives in",
        "live in",
        "is in the file",
        "is in",
        "定义在",
        "实现在",
        "位于",
    ];
    VERBS.iter().any(|verb| {
        folded.split(verb).skip(1).any(|rest| {
            let path = rest.trim_start().split(char::is_whitespace).next().unwrap_or("");
            let path = path.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '.' | ',' | '。' | ';'));
            let path = path.split(':').next().unwrap_or(path);
            SOURCE.iter().any(|extension| path.ends_with(extension)) && path.len() > 3
        })
    }) && folded.chars().count() < 200
}
