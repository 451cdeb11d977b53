//! How long indexing and queries take at 300, 3,000 and 10,000 invented memories.
//!
//! `cargo run --release -p remora-recall --example speed`
#![allow(clippy::print_stdout, missing_docs)]

use std::time::{Duration, Instant};

use remora_recall::{Corpus, Document, Kind, Options, Query, Synonyms};

const SUBJECTS: &str = "deploy database migration index cache token session payment invoice order queue worker \
    kernel gradient checkpoint tenant cursor pagination gateway timeout retry webhook certificate cluster pod \
    端口 部署 数据库 缓存 测试 接口 登录 队列 模型 训练 日志 权限 发布 回滚 依赖 版本";
const QUERIES: [&str; 8] = [
    "add cursor pagination to the orders endpoint and write an integration test",
    "the payment webhook times out in production, raise the timeout to 60 seconds",
    "端口被占用了,怎么改数据库的端口",
    "rename the gradient checkpoint flag",
    "thread 'main' panicked at src/queue/worker.rs:88: called `Option::unwrap()` on a `None` value",
    "deploy today?",
    "把缓存的有效期改成一个小时,然后发布新版本",
    "write a small script that lists every tenant whose certificate expires this month",
];

fn main() {
    let start = Instant::now();
    drop(Synonyms::built_in());
    println!("table of synonyms read in {:?}", start.elapsed());
    for count in [300_u64, 1_000, 3_000, 10_000]
        .into_iter()
        .filter(|count| std::env::args().nth(1).is_none_or(|only| only == count.to_string()))
    {
        let documents: Vec<Document> = (0..count).map(document).collect();
        let start = Instant::now();
        let corpus = Corpus::new(&documents);
        let built = start.elapsed();
        let mut times: Vec<Duration> = Vec::new();
        for round in 0..20 {
            for query in QUERIES {
                let start = Instant::now();
                let outcome = corpus.recall(&Query::new(query), &Options::default());
                if round > 0 {
                    times.push(start.elapsed());
                }
                assert!(outcome.ranked.len() <= 5);
            }
        }
        times.sort();
        println!(
            "{count} memories: indexed in {built:?}, query median {:?}, slowest {:?}",
            times[times.len() / 2],
            times[times.len() - 1]
        );
    }
}

/// About 1,800 characters of subjects and invented words, the frequent ones frequent.
fn document(number: u64) -> Document {
    let subjects: Vec<&str> = SUBJECTS.split_whitespace().collect();
    let mut random = Random(number + 1);
    let mut words = |length: u64| -> String {
        let mut text = String::new();
        for at in 0..length {
            if random.below(4) == 0 {
                text.push_str(subjects[usize::try_from(random.below(subjects.len() as u64)).unwrap_or(0)]);
            } else {
                let rank = random.below(20_000) * random.below(20_000) / 20_000;
                text.push_str(&invented(rank));
            }
            text.push_str(if at % 12 == 11 { ".\n" } else { " " });
        }
        text
    };
    Document {
        id: format!("project_{number}.md"),
        name: words(3),
        description: words(14),
        body: words(260),
        kind: Kind::Project,
        ..Document::default()
    }
}

fn invented(mut rank: u64) -> String {
    let mut word = String::new();
    for _ in 0..3 {
        word.push(char::from(b"bdfgklmnprst"[usize::try_from(rank % 12).unwrap_or(0)]));
        word.push(char::from(b"aeiou"[usize::try_from(rank / 12 % 5).unwrap_or(0)]));
        rank /= 60;
    }
    word
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
