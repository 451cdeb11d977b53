//! Text that nobody wrote, of the lengths and in the proportions of real sessions: the same for the same seed.

/// A small generator of numbers (`SplitMix64`): what counts is that it gives the same on every machine.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next_number() % end.max(1) as u64).unwrap_or(0)
    }

    /// A number from `start` up to `end`, small ones far more often than large ones: the lengths of what people
    /// and programs write spread over magnitudes.
    pub fn skewed(&mut self, start: usize, end: usize) -> usize {
        let magnitudes = (end.max(start + 1) / start.max(1)).ilog2() + 1;
        let magnitude = self.below(magnitudes as usize);
        let low = start << magnitude;
        (low + self.below(low)).min(end)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of some things.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// So many bytes as lower-case hexadecimal digits.
    pub fn hex(&mut self, bytes: usize) -> String {
        let mut hex = String::new();
        while hex.len() < 2 * bytes {
            hex.push_str(&format!("{:016x}", self.next_number()));
        }
        hex.truncate(2 * bytes);
        hex
    }
}

const VERBS: &[&str] = &[
    "add", "adjust", "allow", "batch", "build", "cache", "check", "clean", "compare", "convert", "copy",
    "count", "debug", "deploy", "drop", "explain", "export", "find", "fix", "follow", "guard", "handle",
    "import", "inline", "limit", "list", "load", "lock", "log", "measure", "merge", "migrate", "mock",
    "move", "parse", "pin", "print", "profile", "queue", "read", "refactor", "release", "remove", "rename",
    "replace", "retry", "revert", "review", "rotate", "run", "save", "scan", "send", "skip", "sort", "split",
    "stop", "stream", "test", "trace", "trim", "update", "upgrade", "validate", "verify", "wait", "warm",
    "watch", "wrap", "write",
];

const NOUNS: &[&str] = &[
    "account",
    "address",
    "adapter",
    "alert",
    "archive",
    "article",
    "backup",
    "badge",
    "banner",
    "basket",
    "batch",
    "border",
    "branch",
    "bridge",
    "bucket",
    "buffer",
    "button",
    "calendar",
    "canvas",
    "carrier",
    "catalogue",
    "channel",
    "chart",
    "client",
    "clock",
    "cluster",
    "column",
    "command",
    "config",
    "contract",
    "cookie",
    "counter",
    "courier",
    "cursor",
    "customer",
    "dashboard",
    "delivery",
    "device",
    "dialogue",
    "digest",
    "driver",
    "editor",
    "endpoint",
    "engine",
    "entry",
    "error",
    "event",
    "feature",
    "feed",
    "field",
    "filter",
    "fixture",
    "folder",
    "footer",
    "form",
    "frame",
    "gateway",
    "glyph",
    "graph",
    "group",
    "handler",
    "header",
    "history",
    "image",
    "index",
    "inspector",
    "invoice",
    "journal",
    "kernel",
    "label",
    "layer",
    "layout",
    "ledger",
    "letter",
    "library",
    "link",
    "listener",
    "locale",
    "manifest",
    "map",
    "margin",
    "marker",
    "member",
    "menu",
    "message",
    "metric",
    "migration",
    "mirror",
    "module",
    "monitor",
    "network",
    "notice",
    "number",
    "offer",
    "order",
    "packet",
    "page",
    "panel",
    "parcel",
    "parser",
    "partner",
    "patch",
    "payment",
    "picture",
    "pipeline",
    "planner",
    "plugin",
    "policy",
    "pool",
    "portal",
    "preview",
    "price",
    "printer",
    "process",
    "profile",
    "project",
    "prompt",
    "proxy",
    "query",
    "queue",
    "quota",
    "receipt",
    "record",
    "region",
    "registry",
    "render",
    "report",
    "request",
    "resource",
    "response",
    "result",
    "route",
    "router",
    "runner",
    "sample",
    "scheduler",
    "schema",
    "scope",
    "screen",
    "script",
    "search",
    "sensor",
    "server",
    "service",
    "session",
    "setting",
    "shape",
    "shipment",
    "signal",
    "snapshot",
    "socket",
    "source",
    "station",
    "status",
    "stock",
    "storage",
    "stream",
    "style",
    "subject",
    "supplier",
    "switch",
    "table",
    "target",
    "task",
    "team",
    "template",
    "tenant",
    "theme",
    "ticket",
    "timer",
    "timezone",
    "toolbar",
    "track",
    "transfer",
    "tree",
    "trigger",
    "unit",
    "upload",
    "user",
    "vector",
    "version",
    "viewer",
    "volume",
    "warehouse",
    "widget",
    "window",
    "worker",
    "workspace",
    "wrapper",
    "zone",
];

const SMALL: &[&str] = &[
    "the", "a", "this", "that", "when", "after", "before", "because", "without", "with", "in", "of", "for",
    "and", "or", "but", "not", "only", "every", "each", "from", "into", "is", "are", "was", "should", "must",
    "can", "now", "still", "first", "then", "so", "we", "it", "our",
];

const SYLLABLES: &[&str] = &[
    "ba", "co", "du", "fe", "ga", "hi", "jo", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wa",
    "xe", "yo", "za", "bri", "cla", "dro", "fli", "gru", "kne", "plo", "sta", "tri", "vel",
];

/// So many names are coined.
const COINED: usize = 20_000;

const CHINESE: &[&str] = &[
    "数据库",
    "迁移",
    "失败",
    "修复",
    "登录",
    "页面",
    "测试",
    "订单",
    "缓存",
    "部署",
    "接口",
    "超时",
    "日志",
    "配置",
    "检查",
    "支付",
    "时区",
    "用户",
    "搜索",
    "索引",
    "不要",
    "请",
    "先",
    "然后",
    "为什么",
    "这个",
    "的",
    "模块",
    "端口",
    "错误",
];

const FOLDERS: &[&str] =
    &["src", "tests", "crates", "apps", "packages", "lib", "docs", "scripts", "tools", "web"];

const ENDINGS: &[&str] = &["rs", "ts", "tsx", "py", "go", "sql", "md", "json", "toml", "yaml", "css", "sh"];

/// Makes texts of one seed.
#[derive(Debug, Clone)]
pub struct Text {
    /// The numbers behind them.
    pub numbers: Numbers,
}

impl Text {
    /// The texts of a seed.
    pub fn new(seed: u64) -> Self {
        Self { numbers: Numbers::new(seed) }
    }

    /// A noun; the first ones far more often than the last, as in every vocabulary. Half of them are no word of
    /// any language: names of products, people and libraries, of which every project has its own.
    pub fn noun(&mut self) -> String {
        if self.numbers.percent(50) {
            return NOUNS[self.numbers.skewed(1, NOUNS.len()) - 1].to_owned();
        }
        coined(self.numbers.skewed(1, COINED))
    }

    /// A verb.
    pub fn verb(&mut self) -> &'static str {
        self.numbers.one(VERBS)
    }

    /// A name in code: there are very many different ones.
    pub fn identifier(&mut self) -> String {
        let (verb, one, two) = (self.verb(), self.noun(), self.noun());
        match self.numbers.below(5) {
            0 => format!("{verb}_{one}"),
            1 => format!("{one}_{two}"),
            2 => format!("{verb}_{one}_{two}"),
            3 => format!("{}{}", capital(&one), capital(&two)),
            _ => format!("{one}{}", self.numbers.below(1_000)),
        }
    }

    /// A path inside a project.
    pub fn path(&mut self) -> String {
        let folder = self.numbers.one(FOLDERS);
        let (one, name) = (self.noun(), self.identifier().to_lowercase());
        format!("{folder}/{one}/{name}.{}", self.numbers.one(ENDINGS))
    }

    /// A sentence of about so many words.
    pub fn sentence(&mut self, words: usize) -> String {
        let mut sentence = Vec::new();
        for _ in 0..words.max(3) {
            sentence.push(match self.numbers.below(10) {
                0..=3 => self.numbers.one(SMALL).to_owned(),
                4..=6 => self.noun(),
                7 | 8 => self.verb().to_owned(),
                _ => self.identifier(),
            });
        }
        capital(&sentence.join(" ")) + "."
    }

    /// Sentences, about so many characters.
    pub fn prose(&mut self, characters: usize) -> String {
        let mut prose = String::new();
        while prose.len() < characters {
            let words = self.numbers.skewed(4, 24);
            if !prose.is_empty() {
                prose.push(if self.numbers.percent(15) { '\n' } else { ' ' });
            }
            prose.push_str(&self.sentence(words));
        }
        prose
    }

    /// What a person asks of an agent. One in seven is in Chinese.
    pub fn prompt(&mut self) -> String {
        if self.numbers.percent(14) {
            let words = self.numbers.skewed(4, 30);
            return (0..words).map(|_| self.numbers.one(CHINESE)).collect();
        }
        let (verb, one, two, path) = (self.verb(), self.noun(), self.noun(), self.path());
        let start = match self.numbers.below(5) {
            0 => format!("{verb} the {one} {two}"),
            1 => format!("why does the {one} {verb} the {two} twice?"),
            2 => format!("please {verb} {} in {path}", self.identifier()),
            3 => format!("the {one} {two} fails after I {verb} it, have a look at {path}"),
            _ => format!("we should {verb} every {one} before the {two}"),
        };
        let more = if self.numbers.percent(60) { 0 } else { self.numbers.skewed(40, 800) };
        if more == 0 { start } else { format!("{start}. {}", self.prose(more)) }
    }

    /// A shell command.
    pub fn command(&mut self) -> String {
        let path = self.path();
        match self.numbers.below(6) {
            0 => format!("cargo test -p {} {}", self.noun(), self.identifier()),
            1 => format!("rg -n {} {path}", self.identifier()),
            2 => format!("git log --oneline -5 -- {path}"),
            3 => format!("sed -n '1,80p' {path}"),
            4 => format!("npm run {} -- --{}", self.verb(), self.noun()),
            _ => format!("ls -la {path} && wc -l {path}"),
        }
    }

    /// What programs print: listings, matches, code; about so many characters.
    pub fn output(&mut self, characters: usize) -> String {
        let mut output = String::new();
        while output.len() < characters {
            let line = match self.numbers.below(6) {
                0 => format!("{}:{}: {}", self.path(), self.numbers.below(900), self.sentence(6)),
                1 => format!("test {}::{} ... ok", self.noun(), self.identifier()),
                2 => format!("    let {} = {}({})?;", self.noun(), self.identifier(), self.identifier()),
                3 => format!("-rw-r--r-- 1 dev dev {} {}", self.numbers.below(90_000), self.path()),
                4 => format!("{} {}", &self.numbers.hex(4)[..7], self.sentence(5)),
                _ => format!("  \"{}\": {},", self.identifier(), self.numbers.below(10_000)),
            };
            output.push_str(&line);
            output.push('\n');
        }
        output
    }
}

/// Name number so and so: two to four syllables.
fn coined(number: usize) -> String {
    let mut rest = number + SYLLABLES.len();
    let mut name = String::new();
    while rest > 0 {
        name.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    name
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_texts_and_another_others() {
        let texts = |seed| {
            let mut text = Text::new(seed);
            (text.prompt(), text.command(), text.output(300), text.prose(300), text.path())
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
    }

    #[test]
    fn skewed_numbers_stay_within_their_ends_and_reach_them() {
        let mut numbers = Numbers::new(3);
        let drawn: Vec<usize> = (0..10_000).map(|_| numbers.skewed(40, 4_000)).collect();
        let (least, most) = (drawn.iter().min().copied(), drawn.iter().max().copied());
        assert!(least >= Some(40) && least < Some(60) && most <= Some(4_000) && most > Some(3_000));
        let median = {
            let mut sorted = drawn;
            sorted.sort_unstable();
            sorted[5_000]
        };
        assert!((200..800).contains(&median), "{median}");
    }

    #[test]
    fn there_are_very_many_names() {
        let mut text = Text::new(7);
        let names: std::collections::HashSet<String> = (0..20_000).map(|_| text.identifier()).collect();
        assert!(names.len() > 8_000, "{}", names.len());
    }
}
