//! What a command line runs, as far as that can be told without running anything: its words, its parts, and the name
//! under which one invocation and the next are the same command.

use remora_event::Tool;
use serde_json::Value;

/// Commands that only look. What they found is in entries of their own.
const LOOKING: [&str; 24] = [
    "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "pwd", "cd", "echo", "which", "wc", "sed",
    "tree", "stat", "file", "sleep", "awk", "sort", "uniq", "less", "printf", "tee",
];

/// Commands whose failure says nothing that would be worth knowing the next time.
const TRIVIAL: [&str; 16] = [
    "export", "source", "set", "true", "false", "test", "[", "mkdir", "rm", "cp", "mv", "touch", "chmod",
    "kill", "wait", "exit",
];

/// What stands before the program that really runs.
const BEFORE: [&str; 13] =
    ["sudo", "time", "nohup", "exec", "command", "env", "then", "do", "if", "!", "nice", "timeout", "else"];

/// Programs whose first argument is what really runs.
const INTERPRETERS: [&str; 14] = [
    "python", "python3", "node", "deno", "ruby", "perl", "php", "bash", "sh", "zsh", "tsx", "ts-node", "npx",
    "bunx",
];

/// Words after which the next one still names the command: `npm run build`, `docker compose up`.
const LEADING: [&str; 5] = ["run", "exec", "compose", "-m", "tool"];

/// Commands of git that only look.
const GIT_LOOKS: [&str; 6] = ["status", "diff", "log", "show", "branch", "blame"];

/// The command line that a tool of the shell was given. Some hosts hand over its words: `["bash", "-lc", "cat notes.md"]`.
pub(crate) fn of(tool: &Tool) -> Option<String> {
    match ["command", "cmd", "script"].iter().find_map(|key| tool.input.get(key))? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => match words.iter().filter_map(Value::as_str).collect::<Vec<_>>()[..] {
            [shell, option, line] if is_shell_with_line(shell, option) => Some(line.to_owned()),
            ref words => Some(words.join(" ")),
        },
        _ => None,
    }
}

/// All words of a command line, with those of commands that stand quoted inside it.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = parts(line).into_iter().flatten().collect();
    let inner: Vec<String> = words
        .iter()
        .filter(|word| word.contains(char::is_whitespace))
        .flat_map(|word| word.split_whitespace().map(str::to_owned))
        .collect();
    words.extend(inner);
    words
}

/// The program that a word names, without its folder.
pub(crate) fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a program only looks.
pub(crate) fn only_looks(program: &str) -> bool {
    LOOKING.contains(&program)
}

/// The name of the last command in a line that does something: program and subcommand, `cargo test`, `npm run build`,
/// `migrate.py`. Nothing where all of them only look.
pub(crate) fn name(line: &str) -> Option<String> {
    parts(line).iter().rev().find_map(|words| name_of(words))
}

/// The words of each command in a line.
fn parts(line: &str) -> Vec<Vec<String>> {
    let (mut parts, mut words, mut word, mut quote) = (Vec::new(), Vec::new(), String::new(), None);
    for c in line.chars() {
        let ends_part = quote.is_none() && "|&;()\n`".contains(c);
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if ends_part || c.is_whitespace() || "<>".contains(c) => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => word.push(c),
        }
        if ends_part && !words.is_empty() {
            parts.push(std::mem::take(&mut words));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    if !words.is_empty() {
        parts.push(words);
    }
    parts
}

fn name_of(words: &[String]) -> Option<String> {
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    let is_number = |word: &str| word.trim_end_matches(['s', 'm', 'h']).parse::<f64>().is_ok();
    let is_before = |word: &String| is_setting(word) || BEFORE.contains(&word.as_str()) || is_number(word);
    let start = words.iter().position(|word| !is_before(word))?;
    let words = &words[start..];
    let program = program(&words[0]);
    if let [_, option, line, ..] = words
        && is_shell_with_line(program, option)
    {
        return name(line);
    }
    let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let looks = program == "git" && rest.first().is_none_or(|word| GIT_LOOKS.contains(word));
    if only_looks(program) || TRIVIAL.contains(&program) || looks || !program.contains(char::is_alphabetic) {
        return None;
    }
    if INTERPRETERS.contains(&program) {
        return interpreted(program, &rest);
    }
    let mut name = program.to_owned();
    let mut rest = rest.into_iter().filter(|word| !word.starts_with('-') && !word.starts_with('+'));
    while let Some(word) = rest.next().filter(|word| is_subcommand(word)) {
        name.push(' ');
        name.push_str(word);
        if !LEADING.contains(&word) {
            break;
        }
    }
    Some(name)
}

/// What an interpreter runs: a script or a module. A line of code has no name.
fn interpreted(program: &str, rest: &[&str]) -> Option<String> {
    if let Some(at) = rest.iter().position(|word| *word == "-m") {
        return rest.get(at + 1).map(|module| format!("{program} -m {module}"));
    }
    if rest.iter().any(|word| matches!(*word, "-c" | "-e" | "--eval")) {
        return None;
    }
    let script = rest.iter().find(|word| !word.starts_with('-'))?;
    Some(format!("{program} {}", script.strip_prefix("./").unwrap_or(script)))
}

fn is_shell_with_line(shell: &str, option: &str) -> bool {
    matches!(program(shell), "bash" | "sh" | "zsh") && option.starts_with('-') && option.ends_with('c')
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A word like `test` or `build:all`, not a path, a value or a pattern.
fn is_subcommand(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_:".contains(c))
        && !word.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_has_one_name_however_it_is_called() {
        for (line, expected) in [
            ("cargo test --workspace pool::tests::x", Some("cargo test")),
            ("cd /w/p && RUST_LOG=debug cargo test 2>&1 | tail -20", Some("cargo test")),
            ("npm run build -- --prod", Some("npm run build")),
            ("npm ci && npm test", Some("npm test")),
            ("docker compose up -d", Some("docker compose up")),
            ("timeout 300 ./scripts/run.sh prod", Some("run.sh prod")),
            ("python3 manage.py migrate", Some("python3 manage.py")),
            ("python -m pytest tests/", Some("python -m pytest")),
            ("bash -lc 'pnpm exec vitest run'", Some("pnpm exec vitest")),
            ("pytest tests/test_a.py -k pool", Some("pytest")),
            ("git status --short", None),
            ("git push origin main", Some("git push")),
            ("cat a.txt | grep x", None),
            ("python3 -c 'print(1)'", None),
            ("ls", None),
            ("", None),
            ("部署 now", Some("部署 now")),
        ] {
            assert_eq!(name(line).as_deref(), expected, "{line}");
        }
    }
}
