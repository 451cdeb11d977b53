//! New memories: names, descriptions, kinds, what is not saved, and the text of the file.

use chrono::NaiveDate;
use remora_memory::new_memory::{
    Exclusion, NewMemory, description_from, excluded, file_name, kind_from_text, name_from, too_vague,
};
use remora_memory::{By, MemoryKind};

#[test]
fn names_are_the_first_words_that_say_something() {
    let cases = [
        ("Integration tests must use a real database, never mocks.", "integration-tests-must-use-real"),
        ("Remember that we always use pnpm instead of npm", "always-use-pnpm-instead-npm"),
        ("I'm a data scientist", "im-data-scientist"),
        ("Don't deploy on Fridays!", "dont-deploy-fridays"),
        ("`cargo test --workspace` takes 20 minutes", "cargo-test-workspace-takes-20"),
        ("Café résumé naïve", "café-résumé-naïve"),
        ("集成测试必须使用真实数据库不要模拟", "集成测试必须使用真实数据"),
        ("以后都用 pnpm 不要用 npm", "以后都用-pnpm-不要用-npm"),
        ("データベースは本物を使うこと", "データベースは本物を使う"),
        ("통합 테스트는 실제 데이터베이스를 사용한다", "통합-테스트는-실제-데이터베이스를-사용한다"),
        ("База данных всегда настоящая", "база-данных-всегда-настоящая"),
        ("!!! ???", "memory"),
        ("", "memory"),
    ];
    for (text, name) in cases {
        assert_eq!(name_from(text), name, "{text}");
    }
}

#[test]
fn file_names_carry_the_type() {
    let cases = [
        (MemoryKind::Feedback, "real-db", "feedback_real_db.md"),
        (MemoryKind::User, "user-role", "user_role.md"),
        (MemoryKind::Project, "切片策略", "project_切片策略.md"),
        (MemoryKind::Reference, "a/../b: c", "reference_a_b_c.md"),
        (MemoryKind::Reference, "..", "reference_memory.md"),
    ];
    for (kind, name, file) in cases {
        assert_eq!(file_name(kind, name), file);
    }
}

#[test]
fn a_taken_name_gets_a_number() {
    let day = NaiveDate::from_ymd_opt(2026, 11, 29).expect("a date");
    let memory = NewMemory::from_text(MemoryKind::Feedback, "Use pnpm.", By::Person, "cli", day);
    let taken = ["feedback_use_pnpm.md", "feedback_use_pnpm_2.md"];
    let memory = memory.with_free_name(|file| taken.contains(&file));
    assert_eq!((memory.name.as_str(), memory.file_name().as_str()), ("use-pnpm-3", "feedback_use_pnpm_3.md"));

    // Also where the name is as long as it can be.
    let mut long = memory;
    long.name = "𠀀".repeat(80);
    let first = long.file_name();
    let second = long.clone().with_free_name(|file| file == first);
    assert_ne!(second.file_name(), first);
    let many = long.with_free_name(|file| !file.ends_with("_1234.md"));
    assert!(many.file_name().len() <= 255, "{}", many.file_name().len());
}

#[test]
fn descriptions_are_the_first_sentence() {
    let long = "word ".repeat(60);
    let cases = [
        ("Use pnpm. Never npm.", "Use pnpm"),
        ("# Title\n\nText.", "Title"),
        ("- one thing\n- another", "one thing"),
        ("Ask first, e.g. in the channel. Then act.", "Ask first, e.g. in the channel"),
        ("Version 1.10 is out! Really.", "Version 1.10 is out!"),
        ("集成测试用真实数据库。不要模拟。", "集成测试用真实数据库"),
        ("本物を使う\u{ff01}必ず。", "本物を使う\u{ff01}"),
        ("Wrapped over\ntwo lines. Next.", "Wrapped over two lines"),
        ("**Why:** it broke", "**Why:** it broke"),
        ("", ""),
    ];
    for (text, description) in cases {
        assert_eq!(description_from(text), description, "{text}");
    }
    let cut = description_from(&long);
    assert!(cut.chars().count() <= 150 && cut.ends_with("word…"), "{cut}");
}

#[test]
fn kinds_are_told_by_cues() {
    use MemoryKind::{Feedback, Project, Reference, User};
    let cases = [
        (User, "I'm a data scientist, explain SQL to me"),
        (User, "I am new to Kubernetes"),
        (User, "Call me Kim and reply in English"),
        (User, "我是后端组长,熟悉 Java"),
        (User, "以后用中文回复我"),
        (User, "私はフロントエンド担当です"),
        (User, "저는 백엔드 개발자입니다"),
        (Feedback, "Always run the linter before committing"),
        (Feedback, "never mock the database in integration tests"),
        (Feedback, "Use pnpm instead of npm"),
        (Feedback, "I'm annoyed that you never ask"),
        (Feedback, "tabs, not spaces"),
        (Feedback, "不要在周五发布"),
        (Feedback, "以后都用 pnpm"),
        (Feedback, "テストではモックを使わないでください"),
        (Feedback, "커밋 전에 반드시 린트를 실행해"),
        (Project, "The deadline for the migration is 2026-12-09"),
        (Project, "Code freeze starts on Thursday"),
        (Project, "The release freeze begins on 2026-12-18"),
        (Project, "release freeze begins on Friday; use the staging branch until it ends"),
        (Project, "The migration must be finished by 2026-12-09"),
        (Project, "Node 18 support ends on 2027-04-30"),
        (Project, "From 2027-01-01 invoices carry the new VAT rate"),
        (Project, "The API of v1 is switched off 2027年3月1日"),
        (Project, "We decided to use Postgres rather than MySQL"),
        (Project, "we agreed with legal that exports stay in the EU"),
        (Project, "Checkout went down because the pool was never closed"),
        (Project, "The launch was postponed to 2027-02-01"),
        (Project, "12 月 18 日开始冻结代码"),
        (Project, "新接口要在 2026-12-09 之前上线"),
        (Project, "我们决定不用 Kafka,改用 NATS"),
        (Project, "上周网关宕机是因为连接池没有关"),
        (Project, "会上决定 2027-01-05 起停用旧接口"),
        (Feedback, "In an incident, always roll back first"),
        (Feedback, "Always write dates as 2026-12-09"),
        (Feedback, "From now on name the branch we agreed on"),
        (Feedback, "不要在故障期间重启网关"),
        (Project, "We decided to move to Postgres next quarter"),
        (Project, "The payment incident in October cost two days"),
        (Project, "截止日期是 12 月 9 日"),
        (Project, "我们正在迁移到新的消息队列"),
        (Project, "リリース日は12月9日です"),
        (Project, "마감은 금요일이다"),
        (Reference, "Bugs are tracked in the project SHOP"),
        (Reference, "The latency dashboard is called Shop / Orders"),
        (Reference, "See https://wiki.example.org/runbook for incidents"),
        (Reference, "运维文档在飞书知识库"),
        (Reference, "ダッシュボードは Grafana にあります"),
        (Reference, "모니터링 대시보드는 그라파나에 있다"),
    ];
    for (kind, text) in cases {
        assert_eq!(kind_from_text(text), kind, "{text}");
    }
}

#[test]
fn what_can_be_derived_is_not_saved() {
    use Exclusion::{
        CodePattern, FileLayout, FixInCode, GitHistory, ListOfChanges, RunningAccount, TaskState,
    };
    let code = format!("The parser:\n```rust\n{}```\n", "let x = 1;\n".repeat(10));
    let cases = [
        (ListOfChanges, "Remember this list of PRs: #12, #15, #17 and #20"),
        (ListOfChanges, "Open PRs: fix login"),
        (ListOfChanges, "https://h.org/a/b/pull/1 https://h.org/a/b/pull/2 https://h.org/a/b/pull/3"),
        (ListOfChanges, "这些 PR 今天要看"),
        (FileLayout, "The directory structure is src, tests and docs"),
        (FileLayout, "src\n├── a.rs\n└── b.rs\n"),
        (FileLayout, "UserService is defined in src/services/user.ts"),
        (FileLayout, "项目结构:前端在 web 目录"),
        (GitHistory, "Recent commits touched the parser"),
        (GitHistory, "a1b2c3d added the cache, e4f5a6b removed it"),
        (GitHistory, "最近的提交改了解析器"),
        (FixInCode, "The bug was caused by a missing await; it was fixed by adding it"),
        (RunningAccount, "In this session we added the cache and the tests"),
        (RunningAccount, "本次会话完成了缓存"),
        (TaskState, "The current task is to fix the login; next step is the test"),
        (TaskState, "下一步是补测试"),
        (CodePattern, "The architecture is hexagonal with ports and adapters"),
        (CodePattern, code.as_str()),
    ];
    for (exclusion, text) in cases {
        assert_eq!(excluded(text), Some(exclusion), "{text}");
        assert!(exclusion.reason().ends_with("can be saved."), "{}", exclusion.reason());
    }
}

#[test]
fn rules_that_mention_files_and_commits_are_saved() {
    let cases = [
        "Never edit assets/style.json by hand",
        "Use `redact(value)` from core/logging.py in log lines",
        "Always look at git log before reverting",
        "Commit messages in English, imperative; never mention #12 alone",
        "The migration is blocked by SHOP-811",
        "The runbook is in docs/ops/release.md",
        "Do not put code in src/generated.rs",
        "The architecture is hexagonal because the vendor changes twice a year",
        "Issues #3 and #4 are the reason for the freeze",
        "不要手改 src/gen.rs",
        "Releases leave every second Wednesday",
        "Keep doing it exactly like that",
        "I prefer short answers",
        "The result table is results/main.csv, produced by tool/collect.py; never edited by hand",
    ];
    for text in cases {
        assert_eq!(excluded(text), None, "{text}");
    }
}

#[test]
fn vague_descriptions_are_sent_back() {
    let vague = [
        "",
        "testing stuff",
        "Testing",
        "notes",
        "Project notes",
        "user preferences",
        "some important information",
        "misc",
        "about the code",
        "database",
        "一些笔记",
        "测试相关",
        "重要的信息",
        "メモ",
        "テストのこと",
        "테스트 메모",
    ];
    for description in vague {
        assert!(too_vague(description).is_some(), "{description:?} should be sent back");
    }
    let telling = [
        "Integration tests use a real database",
        "Commit messages",
        "Uses pnpm, not npm",
        "用中文回复",
        "切片策略",
        "部署窗口",
        "レビューは日本語で",
        "커밋 메시지는 영어로",
        "Code freeze on 2026-12-09",
        "Prefers tabs",
    ];
    for description in telling {
        assert_eq!(too_vague(description), None, "{description:?}");
    }
}

#[test]
fn the_text_of_a_new_file() {
    let mut memory = NewMemory::from_text(
        MemoryKind::Feedback,
        "Never mock: it hid a broken migration. Use a container.\n\n**Why:** production broke.\n",
        By::Person,
        "claude-code",
        NaiveDate::from_ymd_opt(2026, 11, 29).expect("a date"),
    );
    memory.metadata.push(("confidence".to_owned(), "cue".to_owned()));
    insta::assert_snapshot!(memory.text(), @r#"
    ---
    name: never-mock-hid-broken-migration
    description: "Never mock: it hid a broken migration"
    type: feedback
    metadata:
      created: 2026-11-29
      source: claude-code
      by: person
      confidence: cue
    ---
    Never mock: it hid a broken migration. Use a container.

    **Why:** production broke.
    "#);
}
