//! What a memory says to exist: paths, lines, targets, names. Found by their form; what could be anything is left out.

use std::collections::HashSet;

/// At most so many of one memory are looked up.
const MOST: usize = 8;

/// Endings of files that people name without their folder.
const ENDINGS: &[&str] = &[
    "bash", "c", "cc", "cfg", "cpp", "cs", "css", "cjs", "dart", "ex", "exs", "go", "gradle", "graphql", "h",
    "hpp", "hs", "html", "ini", "ipynb", "java", "js", "json", "jsx", "kt", "kts", "lock", "lua", "mjs",
    "ml", "php", "proto", "ps1", "py", "rb", "rs", "scala", "scss", "sh", "sql", "svelte", "swift", "tf",
    "toml", "ts", "tsx", "vue", "xml", "yaml", "yml", "zig",
];

/// Names of products that look like files.
const PRODUCTS: &[&str] = &[
    "alpine.js",
    "asp.net",
    "backbone.js",
    "chart.js",
    "d3.js",
    "ember.js",
    "express.js",
    "moment.js",
    "nest.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "p5.js",
    "pdf.js",
    "react.js",
    "require.js",
    "solid.js",
    "three.js",
    "vue.js",
];

/// Something that a memory says to exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    /// As the memory spells it.
    pub(crate) said: String,
    pub(crate) what: What,
}

/// What kind of thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// A path from the project's root, perhaps with a line. `sure`: it has an ending or ends with a slash; another word with
    /// slashes may be a branch or a topic.
    Path { path: String, line: Option<usize>, sure: bool },
    /// A file that is named without its folder.
    File { name: String, line: Option<usize> },
    /// A target of make.
    Make { target: String },
    /// A script of package.json.
    Script { name: String },
    /// A function, a type, a constant, a variable of the environment: the word to look for.
    Name { word: String },
    /// A flag of a command line, without its dashes.
    Flag { word: String },
}

/// The claims of a text, in its order, each once.
pub(crate) fn of(text: &str) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut seen = HashSet::new();
    for (stretch, is_code) in stretches(text) {
        for claim in in_stretch(stretch, is_code) {
            if claims.len() < MOST && seen.insert(claim.what.clone()) {
                claims.push(claim);
            }
        }
    }
    claims
}

/// The text in stretches of one line at most, and which of them are code.
pub(super) fn stretches(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fenced = false;
    text.lines().flat_map(move |line| {
        let start = line.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("~~~");
        fenced ^= is_fence;
        let line = if is_fence { "" } else { line };
        // Every second stretch between backticks is code.
        line.split('`').enumerate().map(move |(number, stretch)| (stretch, fenced || number % 2 == 1))
    })
}

fn in_stretch(text: &str, is_code: bool) -> Vec<Claim> {
    let words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
    let mut claims = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let next = if is_code { command(&words[at..]) } else { None };
        if let Some((claim, taken)) = next {
            claims.push(claim);
            at += taken;
            continue;
        }
        claims.extend(word(words[at], is_code));
        at += 1;
    }
    claims
}

/// What stands between words, in any script.
fn is_between(c: char) -> bool {
    c.is_whitespace()
        || "\"'“”‘’,;!?[]{}<>|=，。、；：？！（）「」『』【】《》".contains(c)
        || is_east_asian(c)
}

fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// `make lint`, `npm run build`: the claim and how many words it took.
fn command(words: &[&str]) -> Option<(Claim, usize)> {
    let is_plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:/".contains(c))
            && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    };
    let second = words.get(1).copied().filter(|word| is_plain(word))?;
    let claim = |what, words: &[&str]| Some((Claim { said: words.join(" "), what }, words.len()));
    match words[0] {
        "make" => claim(What::Make { target: second.to_owned() }, &words[..2]),
        "npm" | "pnpm" | "yarn" | "bun" if second == "run" => {
            let name = words.get(2).copied().filter(|word| is_plain(word))?;
            claim(What::Script { name: name.to_owned() }, &words[..3])
        }
        "npm" | "pnpm" | "yarn" if matches!(second, "test" | "start") => {
            claim(What::Script { name: second.to_owned() }, &words[..2])
        }
        _ => None,
    }
}

fn word(whole: &str, is_code: bool) -> Option<Claim> {
    if whole.contains("://")
        || whole.contains('@')
        || whole.contains("..")
        || whole.contains(['*', '$', '%', '\\', '~'])
    {
        return None;
    }
    let is_call = whole.ends_with("()") || whole.ends_with("().");
    let said = whole.trim_matches(|c: char| "().,:".contains(c) && !(c == '.' && whole.starts_with('.')));
    let said = if whole.starts_with('.') { said.trim_end_matches(['.', ',', ':', ')']) } else { said };
    if let Some(flag) = said.strip_prefix("--") {
        let is_flag = flag.len() >= 3
            && flag.starts_with(|c: char| c.is_ascii_lowercase())
            && flag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        return is_flag.then(|| Claim { said: said.to_owned(), what: What::Flag { word: flag.to_owned() } });
    }
    path(said, is_code).or_else(|| name(said, is_code, is_call))
}

fn path(said: &str, is_code: bool) -> Option<Claim> {
    let (bare, line) = without_line(said);
    let path = bare.strip_prefix("./").unwrap_or(bare);
    let fits = |c: char| c.is_alphanumeric() || "_-./+".contains(c);
    let has_letter = path.chars().any(char::is_alphabetic);
    if path.is_empty()
        || path.starts_with('/')
        || path.starts_with('-')
        || !has_letter
        || !path.chars().all(fits)
    {
        return None;
    }
    let claim = |what| Some(Claim { said: said.to_owned(), what });
    if !path.contains('/') {
        let is_file = has_ending(path) && !PRODUCTS.contains(&path.to_lowercase().as_str())
            || matches!(
                path,
                "Makefile" | "Dockerfile" | "Justfile" | "justfile" | "Cargo.toml" | "package.json"
            );
        return is_file
            .then(|| Claim { said: said.to_owned(), what: What::File { name: path.to_owned(), line } });
    }
    let mut parts = path.trim_end_matches('/').split('/');
    let first = parts.next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // An address without its scheme: example.org/a/b.
    if first.is_empty() || first.trim_start_matches('.').contains('.') {
        return None;
    }
    let has_ending = last.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=6).contains(&end.len())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
            && end.chars().any(|c| c.is_ascii_alphabetic())
    });
    let sure = has_ending || bare.starts_with("./");
    let what = What::Path { path: path.trim_end_matches('/').to_owned(), line, sure };
    if sure || is_code || path.ends_with('/') { claim(what) } else { None }
}

fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && ENDINGS.contains(&end))
}

/// `src/a.rs:42`, `src/a.rs:42:7` and `src/a.rs:42-60` name a line.
fn without_line(said: &str) -> (&str, Option<usize>) {
    let Some((path, rest)) = said.split_once(':') else { return (said, None) };
    let digits = rest.split([':', '-']).next().unwrap_or_default();
    match digits.parse() {
        Ok(line) => (path, Some(line)),
        Err(_) => (said, None),
    }
}

/// Words that only code has: `snake_case`, `camelCase`, `Type::method`, `CONSTANT_NAME`, `call()`.
fn name(said: &str, is_code: bool, is_call: bool) -> Option<Claim> {
    let word = said.rsplit([':', '.', '#']).next().unwrap_or(said);
    let is_identifier = word.len() >= 4
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && said.chars().all(|c| c.is_ascii_alphanumeric() || "_:.#".contains(c));
    if !is_identifier {
        return None;
    }
    let inner_underscore = word.trim_matches('_').contains('_');
    let is_constant = inner_underscore && word.chars().all(|c| !c.is_ascii_lowercase());
    let humps = word
        .chars()
        .zip(word.chars().skip(1))
        .filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    let is_camel = humps.count() >= 1;
    let is_code_word =
        is_call || is_code && (inner_underscore || is_camel || said.contains("::")) || is_constant;
    is_code_word.then(|| Claim { said: said.to_owned(), what: What::Name { word: word.to_owned() } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        of(text)
            .into_iter()
            .map(|claim| {
                let kind = match claim.what {
                    What::Path { line: Some(line), .. } => format!("line {line}"),
                    What::Path { sure: true, .. } => "path".into(),
                    What::Path { .. } => "path?".into(),
                    What::File { line: Some(line), .. } => format!("file, line {line}"),
                    What::File { .. } => "file".into(),
                    What::Make { .. } => "make".into(),
                    What::Script { .. } => "script".into(),
                    What::Name { .. } => "name".into(),
                    What::Flag { .. } => "flag".into(),
                };
                format!("{} ({kind})", claim.said)
            })
            .collect()
    }

    #[test]
    fn what_is_said_to_exist_is_found_by_its_form() {
        for (text, expected) in [
            ("The session store is in src/auth/session.rs:42.", &["src/auth/session.rs:42 (line 42)"][..]),
            ("Look at `src/auth/` and ./run.sh first", &["src/auth/ (path?)", "./run.sh (file)"]),
            ("driven by ticks.rs, not by Node.js", &["ticks.rs (file)"]),
            (
                "Run `make lint` and `npm run build:all`; make sure of it.",
                &["make lint (make)", "npm run build:all (script)"],
            ),
            (
                "`AuthService::renew` reads AUTH_TOKEN_TTL",
                &["AuthService::renew (name)", "AUTH_TOKEN_TTL (name)"],
            ),
            ("call refresh() with --dry-run", &["refresh (name)", "--dry-run (flag)"]),
            (
                "会话在src/auth/session.ts里，用`parseToken`",
                &["src/auth/session.ts (path)", "parseToken (name)"],
            ),
            ("```\nmake deploy\ncargo test\n```", &["make deploy (make)"]),
            ("see https://example.org/a/b.html or grafana.example/d/queue", &[]),
            ("CI/CD, and/or, 24/7, v1.2.3, e.g. this", &[]),
            ("../../etc/passwd and /etc/passwd and ~/.ssh/id_rsa and C:\\x.rs", &[]),
            ("the branch `feature/login` from origin/main", &["feature/login (path?)"]),
            (".github/workflows/ci.yml runs it", &[".github/workflows/ci.yml (path)"]),
            ("the word mutex and the name Anna", &[]),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
