//! What recall finds and what it keeps quiet about, on a small invented project.

use std::sync::Arc;

use proptest::prelude::*;
use remora_recall::{Corpus, Document, Kind, Options, Outcome, Query, Synonyms};

fn memory(id: &str, description: &str, body: &str) -> Document {
    Document {
        id: id.into(),
        name: id.trim_end_matches(".md").replace('_', " "),
        description: description.into(),
        body: body.into(),
        kind: Kind::Project,
        ..Document::default()
    }
}

/// A greenhouse controller: words that no test elsewhere uses.
fn memories() -> Vec<Document> {
    vec![
        memory(
            "feedback_real_broker.md",
            "Integration tests talk to a real MQTT broker, never a mock",
            "A mocked broker hid that retained messages arrive twice.\nUse the `broker` fixture.",
        ),
        memory(
            "project_valve_limits.md",
            "Valves open for 90 seconds at most; the firmware closes them by itself after that",
            "MAX_OPEN_SECONDS in valve_driver.c; longer waterings are split into several openings.",
        ),
        memory(
            "project_release_window.md",
            "Releases go to greenhouses only on Tuesday and Wednesday mornings",
            "Nobody is on site at the weekend when a controller does not come back.",
        ),
        memory(
            "reference_dashboards.md",
            "Humidity and soil curves are in Grafana, folder Greenhouses",
            "Alerts go to the channel #plants.",
        ),
        memory(
            "feedback_no_floats.md",
            "Temperatures are integers in hundredths of a degree; no floats on the wire",
            "The gateway rounds floats differently from the controller.",
        ),
        memory(
            "project_ports.md",
            "The gateway listens on 1884 because 1883 is taken on most machines",
            "docker compose maps it; ECONNREFUSED on 1883 is an old settings file.",
        ),
        memory(
            "user_role.md",
            "The person is an agronomist, new to Rust, at home in Python",
            "Explain ownership and lifetimes when they come up.",
        ),
        memory(
            "feedback_commit_style.md",
            "Commit messages are one imperative line in English, no trailers",
            "",
        ),
        memory(
            "project_sensor_drift.md",
            "Soil sensors drift by two percent a month and are calibrated every quarter",
            "The table of offsets is in calibration.toml.",
        ),
        memory(
            "reference_wiring.md",
            "Wiring diagrams are in the shared drive under Cabinets",
            "Ask Noor for access.",
        ),
    ]
}

fn recall(corpus: &Corpus, text: &str) -> Outcome {
    corpus.recall(&Query::new(text), &Options::default())
}

fn first(corpus: &Corpus, text: &str) -> String {
    let outcome = corpus.recall(&Query::new(text), &Options::no_abstention(5));
    outcome.ranked.first().map(|hit| hit.id.clone()).unwrap_or_default()
}

#[test]
fn the_right_memory_comes_first() {
    let corpus = Corpus::new(&memories());
    for (text, expected) in [
        // The same words, other forms of them.
        ("mocking the broker in an integration test", "feedback_real_broker.md"),
        ("open the valve for 300 seconds", "project_valve_limits.md"),
        // What the memory forbids.
        ("send the temperature as a float", "feedback_no_floats.md"),
        // Identifiers, whole and in parts.
        ("what is MAX_OPEN_SECONDS", "project_valve_limits.md"),
        ("edit valveDriver", "project_valve_limits.md"),
        ("Error: connect ECONNREFUSED 127.0.0.1:1883", "project_ports.md"),
        // Synonyms.
        ("can we ship this to production on Saturday", "project_release_window.md"),
        ("where are the metrics charts", "reference_dashboards.md"),
        // Other languages.
        ("周五可以发布吗", "project_release_window.md"),
        ("端口被占用了", "project_ports.md"),
        ("集成测试里模拟一下 broker", "feedback_real_broker.md"),
        ("コミットメッセージの書き方", "feedback_commit_style.md"),
        ("커밋 메시지 작성", "feedback_commit_style.md"),
    ] {
        assert_eq!(first(&corpus, text), expected, "{text}");
    }
}

#[test]
fn what_shares_only_common_words_gets_nothing() {
    let corpus = Corpus::new(&memories());
    for text in [
        "rename this variable",
        "add a function that reverses a list",
        "what does this line do",
        "fix the typo in the readme",
        "thanks, that works",
        "把这个函数改一下名字",
        "",
        "?!",
    ] {
        let outcome = recall(&corpus, text);
        assert!(outcome.ranked.is_empty(), "{text}: {:?}", outcome.ranked);
    }
}

#[test]
fn synonyms_find_what_words_do_not() {
    let with = Corpus::new(&memories());
    let mut without = Corpus::with_synonyms(Arc::new(Synonyms::none()));
    for memory in memories() {
        without.put(&memory);
    }
    let queries = [
        ("may I ship on Saturday", "project_release_window.md"),
        ("端口被占用了", "project_ports.md"),
        ("use stubs in the e2e suite", "feedback_real_broker.md"),
        ("日志和看板在哪", "reference_dashboards.md"),
        ("提交信息怎么写", "feedback_commit_style.md"),
    ];
    let found = |corpus: &Corpus| queries.iter().filter(|(text, id)| first(corpus, text) == *id).count();
    assert!(found(&with) >= 4 && found(&with) > found(&without) + 2, "{} {}", found(&with), found(&without));
}

#[test]
fn peoples_own_words_count() {
    let mut synonyms = Synonyms::built_in();
    synonyms.extend("the wet box, gateway").expect("a good line");
    let mut corpus = Corpus::with_synonyms(Arc::new(synonyms));
    for memory in memories() {
        corpus.put(&memory);
    }
    assert!(
        ["project_ports.md", "feedback_no_floats.md"]
            .contains(&first(&corpus, "restart the wet box").as_str())
    );
}

#[test]
fn the_evidence_can_be_read() {
    let corpus = Corpus::new(&memories());
    let options = Options { explain: true, ..Options::no_abstention(1) };
    let outcome = corpus.recall(&Query::new("端口 ECONNREFUSED, listening on the gateways"), &options);
    let why: Vec<String> = outcome.ranked[0].why.iter().map(ToString::to_string).collect();
    for part in
        [r#""econnrefused" in the body"#, r#""gateways" has the stem of "gateway" in the description"#]
    {
        assert!(why.iter().any(|reason| reason == part), "{part} in {why:#?}");
    }
    assert!(why.iter().any(|reason| reason.starts_with(r#""端口" means"#)), "{why:#?}");
}

#[test]
fn what_is_shown_is_not_shown_again() {
    let corpus = Corpus::new(&memories());
    let query = Query::new("open the valve for 300 seconds").without(["project_valve_limits.md"]);
    let outcome = corpus.recall(&query, &Options::no_abstention(5));
    assert!(outcome.ranked.iter().all(|hit| hit.id != "project_valve_limits.md"));
}

#[test]
fn a_replaced_memory_is_found_by_its_new_words_only() {
    let mut corpus = Corpus::new(&memories());
    corpus.put(&memory("project_ports.md", "The gateway is reached through a socket file", ""));
    assert_eq!(corpus.len(), memories().len());
    assert_ne!(first(&corpus, "most machines on 1883"), "project_ports.md");
    assert!(corpus.remove("project_ports.md") && !corpus.remove("project_ports.md"));
    assert!(!corpus.contains("project_ports.md"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A corpus that was changed bit by bit answers as one that was made at once.
    #[test]
    fn order_and_detours_do_not_matter(removed in proptest::collection::vec(0_usize..10, 0..8)) {
        let all = memories();
        let mut detour = Corpus::new(&all);
        for &at in &removed {
            detour.remove(&all[at].id);
            detour.put(&memory("passing.md", "Something else for a while, valves and ports", ""));
        }
        detour.remove("passing.md");
        for &at in removed.iter().rev() {
            detour.put(&all[at]);
        }
        let straight = Corpus::new(&all);
        for text in ["open the valve", "端口", "commit message", "release on Friday"] {
            let options = Options::no_abstention(3);
            let (a, b) = (detour.recall(&Query::new(text), &options), straight.recall(&Query::new(text), &options));
            let seen = |outcome: &Outcome| -> Vec<(String, i32)> {
                #[allow(clippy::cast_possible_truncation)]
                let rounded = |score: f32| (score * 1000.0).round() as i32;
                let mut seen: Vec<_> = outcome.ranked.iter().map(|hit| (hit.id.clone(), rounded(hit.score))).collect();
                seen.sort();
                seen
            };
            prop_assert_eq!(seen(&a), seen(&b));
        }
    }

    /// No text makes it panic, and it never returns more than asked.
    #[test]
    fn any_text_can_be_asked_and_remembered(text in "\\PC{0,200}", description in "\\PC{0,100}") {
        let mut corpus = Corpus::new(&memories());
        corpus.put(&memory("odd.md", &description, &text));
        let options = Options { explain: true, ..Options::no_abstention(3) };
        let outcome = corpus.recall(&Query::new(&text), &options);
        prop_assert!(outcome.ranked.len() <= 3);
        prop_assert!(outcome.ranked.iter().all(|hit| (0.0..=1.0).contains(&hit.confidence)));
    }
}

/// Sentences of scripts without our own stemming, whose parts are known without standing in the text.
#[test]
fn neighbours_are_found_in_every_script() {
    let sentences = [
        "배포 금지",
        "일요일마다 백업을 실행합니다",
        "결제 서비스는 항상 재시도를 사용한다",
        "main 브랜치 배포 금지",
        "テストは実際のデータベースを使う",
        "测试要用真实的数据库",
        "не использовать npm",
        "اختبار قاعدة البيانات",
    ];
    let document = |id: &str, body: &str| Document {
        id: id.into(),
        name: id.into(),
        description: body.into(),
        body: body.into(),
        ..Document::default()
    };
    let mut corpus = Corpus::new(&[]);
    for (number, sentence) in sentences.iter().enumerate() {
        let new = document(&format!("m{number}.md"), sentence);
        assert!(corpus.nearest(&new, 5).iter().all(|near| near.id != new.id));
        corpus.put(&new);
        let again = document("again.md", sentence);
        assert_eq!(
            corpus.nearest(&again, 5).first().map(|near| near.id.as_str()),
            Some(new.id.as_str()),
            "{sentence}"
        );
    }
}
