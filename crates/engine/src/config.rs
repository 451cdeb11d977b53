//! The person's configuration: one TOML file, few keys, each with a default that lives here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::faults::Fault;
use crate::model::{KeySource, ModelSettings, ProviderKind};

mod reading;

/// What the person configured.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Whether memory is on at all.
    pub enabled: bool,
    /// When one line for the person is shown inside the host.
    pub notice: Notice,
    /// The memory folder of every project: a path, or `native:<host>` for the folder that host keeps for
    /// each project. Without it each project has a folder in the data root.
    pub memory_dir: Option<String>,
    /// The engine's own life.
    pub engine: EngineConfig,
    /// How much is injected.
    pub inject: InjectConfig,
    /// Who answers what is asked of a language model; nobody by default.
    pub provider: ProviderConfig,
    /// Which models are asked what.
    pub models: ModelsConfig,
    /// What becomes of what subagents do.
    pub subagents: SubagentConfig,
    /// What the journal records and how long it keeps it.
    pub journal: JournalConfig,
    /// What counts as a secret beside what everybody's look like.
    pub redact: RedactConfig,
    /// Folders whose Markdown files are taken as snapshots for a project.
    pub watch: Vec<Watched>,
    /// Settings of single projects, by the project's path.
    pub projects: BTreeMap<String, ProjectConfig>,
    /// Values that could not be taken as they are written.
    #[serde(skip)]
    pub(crate) wrong: Vec<Fault>,
    /// Why memory is off whatever else is set: what is to be kept out is not known.
    #[serde(skip)]
    pub(crate) stopped: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            notice: Notice::default(),
            memory_dir: None,
            engine: EngineConfig::default(),
            inject: InjectConfig::default(),
            provider: ProviderConfig::default(),
            models: ModelsConfig::default(),
            subagents: SubagentConfig::default(),
            journal: JournalConfig::default(),
            redact: RedactConfig::default(),
            watch: Vec::new(),
            projects: BTreeMap::new(),
            wrong: Vec::new(),
            stopped: None,
        }
    }
}

/// Settings of one project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProjectConfig {
    /// Whether memory is on in this project.
    pub enabled: Option<bool>,
    /// The memory folder of this project.
    pub memory_dir: Option<String>,
    /// What happened here is found from here alone, also where other projects are named.
    pub isolated: Option<bool>,
}

/// A folder of the person's own whose Markdown files are taken for a project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Watched {
    /// The folder, from `/` or `~/` on.
    pub folder: PathBuf,
    /// The project, by any folder of it.
    pub project: PathBuf,
}

/// When one line for the person is shown inside the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notice {
    /// At the start of a session.
    #[default]
    Start,
    /// Also whenever memories were given to the model.
    Always,
    /// Never.
    Never,
}

/// The engine's own life.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct EngineConfig {
    /// The engine leaves after this long without events and without work.
    pub idle_exit: Span,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self { idle_exit: Span(Duration::from_secs(30 * 60)) }
    }
}

/// How much is injected.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InjectConfig {
    /// Budgets in the host's own unit (bytes or UTF-16 units).
    pub budget: InjectBudget,
    /// Of so many of a project's last sessions its start says where they ended; 0: of none.
    pub last_sessions: usize,
    /// Whether a tool call is told what is known about the very file or command.
    pub point: bool,
}

impl Default for InjectConfig {
    fn default() -> Self {
        Self { budget: InjectBudget::default(), last_sessions: 3, point: true }
    }
}

/// What becomes of what subagents do. Recording costs no model call, so it is on for every host.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SubagentConfig {
    /// Whether it is recorded, and so found again.
    pub record: bool,
    /// Types of subagents of which nothing is recorded.
    pub skip: Vec<String>,
    /// Whether a session's start tells of it, too.
    pub inject: bool,
}

impl Default for SubagentConfig {
    fn default() -> Self {
        Self { record: true, skip: Vec::new(), inject: false }
    }
}

/// Budgets in the host's own unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InjectBudget {
    /// At the start of a session: 9,000 of the 10,000 that hosts take.
    pub start: usize,
    /// At a prompt, all memories together.
    pub prompt: usize,
    /// One memory's body at a prompt.
    pub memory: usize,
}

impl Default for InjectBudget {
    fn default() -> Self {
        Self { start: 9_000, prompt: 4_000, memory: 1_500 }
    }
}

/// Who answers what is asked of a language model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProviderConfig {
    /// The protocol; without it no model is ever asked.
    pub kind: Option<ProviderKind>,
    /// Where the provider is.
    pub url: Option<String>,
    /// A command that prints the key.
    pub key_command: Option<String>,
    /// A file of mode 0600 with the key.
    pub key_file: Option<PathBuf>,
    /// At most so many tokens a day, read and written together.
    pub daily_tokens: u64,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self { kind: None, url: None, key_command: None, key_file: None, daily_tokens: 1_000_000 }
    }
}

/// Which models are asked what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ModelsConfig {
    /// The model that chooses which memories a prompt gets; without it words alone decide.
    pub select: Option<String>,
}

/// What the journal records and how long it keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct JournalConfig {
    /// Projects of which nothing is recorded: patterns of their paths.
    pub exclude_projects: Vec<String>,
    /// Files and folders: what a tool does with one is not recorded.
    pub exclude_paths: Vec<String>,
    /// Tools whose use is not recorded: patterns of their names.
    pub exclude_tools: Vec<String>,
    /// How long entries are kept; absent: for good.
    pub keep: Option<Span>,
}

/// What counts as a secret beside what everybody's look like.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RedactConfig {
    /// Regular expressions of the person's own secrets. Of one with a group only what the group holds goes.
    pub patterns: Vec<String>,
    /// Whether words that look as if they were drawn by lot go, too, where the text speaks of a secret.
    pub entropy: bool,
}

impl Default for RedactConfig {
    fn default() -> Self {
        Self { patterns: Vec::new(), entropy: true }
    }
}

/// One key as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name, with dots between tables; `*` stands for a project's path.
    pub name: &'static str,
    /// Its default as it would be written.
    pub default: &'static str,
    /// What it does, one sentence.
    pub about: &'static str,
}

/// Every key that there is.
pub const KEYS: &[Key] = &[
    Key {
        name: "enabled",
        default: "true",
        about: "Whether memory is on at all: capture, recall, everything.",
    },
    Key {
        name: "notice",
        default: "\"start\"",
        about: "One line for you inside the agent: \"start\" of a session, \"always\" when memories were given, or \"never\".",
    },
    Key {
        name: "memory_dir",
        default: "",
        about: "Where each project's memories lie: a folder, or \"native:claude-code\" for the folder that Claude Code keeps. Without it: in the data root.",
    },
    Key {
        name: "engine.idle_exit",
        default: "\"30m\"",
        about: "The engine leaves after this long without work: 90s, 30m, 2h.",
    },
    Key {
        name: "inject.budget.start",
        default: "9000",
        about: "At most so much text at the start of a session, in the agent's unit (characters or bytes).",
    },
    Key {
        name: "inject.budget.prompt",
        default: "4000",
        about: "At most so much text at a prompt, all memories together.",
    },
    Key {
        name: "inject.budget.memory",
        default: "1500",
        about: "At most so much text of one memory at a prompt.",
    },
    Key {
        name: "provider.kind",
        default: "",
        about: "Who is asked where a language model helps: \"anthropic\" or \"openai-compatible\" (OpenAI, OpenRouter, Ollama, LM Studio, vLLM, llama.cpp). Without it no model is ever asked.",
    },
    Key {
        name: "provider.url",
        default: "",
        about: "Where the provider is, without the protocol's own path: \"https://openrouter.ai/api/v1\", \"http://localhost:11434/v1\".",
    },
    Key {
        name: "provider.key_command",
        default: "",
        about: "A command that prints the key: \"pass show anthropic\".",
    },
    Key {
        name: "provider.key_file",
        default: "",
        about: "A file with the key that nobody else can read (mode 0600), instead of a command.",
    },
    Key {
        name: "provider.daily_tokens",
        default: "1000000",
        about: "At most so many tokens a day, read and written together; then Remora goes on without a model until midnight.",
    },
    Key {
        name: "models.select",
        default: "",
        about: "The model that chooses which memories a prompt gets, beside what words alone find. A small, quick one is enough.",
    },
    Key {
        name: "inject.last_sessions",
        default: "3",
        about: "A session's start says where so many of the project's last sessions ended; 0 for none.",
    },
    Key {
        name: "inject.point",
        default: "true",
        about: "Whether an agent that touches a file or runs a command is told what is known about that very file or command.",
    },
    Key {
        name: "subagents.record",
        default: "true",
        about: "Whether what subagents do is recorded and found again.",
    },
    Key {
        name: "subagents.skip",
        default: "[]",
        about: "Types of subagents of which nothing is recorded, for example [\"Explore\"].",
    },
    Key {
        name: "subagents.inject",
        default: "false",
        about: "Whether a session's start also tells what subagents did in the last sessions.",
    },
    Key {
        name: "journal.exclude_projects",
        default: "[]",
        about: "Projects of which nothing is recorded, by patterns of their paths: [\"~/private/*\"].",
    },
    Key {
        name: "journal.exclude_paths",
        default: "[]",
        about: "Files and folders with which nothing a tool does is recorded: [\"**/payroll/**\", \"*.tax\"].",
    },
    Key {
        name: "journal.exclude_tools",
        default: "[]",
        about: "Tools whose use is not recorded: [\"mcp__bank__*\"].",
    },
    Key {
        name: "journal.keep",
        default: "",
        about: "How long the journal keeps what happened: 90d, 365d, at least 1d. Without it: for good.",
    },
    Key {
        name: "redact.patterns",
        default: "[]",
        about: "Regular expressions of your own secrets; of one with a (group) only the group is taken out.",
    },
    Key {
        name: "redact.entropy",
        default: "true",
        about: "Whether random-looking words near \"token\", \"password\", 密码, ... are taken out as well.",
    },
    Key {
        name: "watch",
        default: "[]",
        about: "Folders of your own whose Markdown files are taken for a project: [{folder = \"~/notes/shop\", project = \"~/src/shop\"}].",
    },
    Key {
        name: "projects.*.enabled",
        default: "true",
        about: "Whether memory is on in one project, named by its path.",
    },
    Key { name: "projects.*.memory_dir", default: "", about: "Where one project's memories lie." },
    Key {
        name: "projects.*.isolated",
        default: "false",
        about: "What happened in one project is found from within it alone, never from another.",
    },
];

/// A length of time written as `90s`, `30m`, `2h` or a plain number of seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl std::str::FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: u64 = digits
            .trim()
            .parse()
            .map_err(|_| format!("{text:?} is not a length of time: write 90s, 30m or 2h"))?;
        let seconds = match text[digits.len()..].trim() {
            "" | "s" => Some(number),
            "m" => number.checked_mul(60),
            "h" => number.checked_mul(3600),
            "d" => number.checked_mul(86_400),
            unit => return Err(format!("{unit:?} is not a unit of time: write s, m, h or d")),
        };
        seconds.map(|s| Self(Duration::from_secs(s))).ok_or_else(|| format!("{text:?} is too long"))
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Seconds(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Seconds(seconds) => Ok(Self(Duration::from_secs(seconds))),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

impl Config {
    /// What holds for one project.
    pub fn of_project(&self, root: &Path) -> ProjectConfig {
        self.projects
            .iter()
            .find(|(path, _)| Path::new(path) == root)
            .map(|(_, config)| config.clone())
            .unwrap_or_default()
    }

    /// Whether memory is on in a project: what the project says, else what holds everywhere.
    pub fn is_on(&self, root: Option<&Path>) -> bool {
        self.stopped.is_none() && root.and_then(|root| self.of_project(root).enabled).unwrap_or(self.enabled)
    }

    /// The model that chooses memories, if the person set one up. An error says what is missing. `home`: the
    /// person's home folder, for `~` and for the command that prints the key.
    pub fn selector(&self, home: Option<&Path>) -> Option<Result<ModelSettings, String>> {
        let model = self.models.select.clone().filter(|name| !name.trim().is_empty());
        let (kind, model) = match (self.provider.kind, model) {
            (None, None) => return None,
            (Some(kind), Some(model)) => (kind, model),
            (Some(_), None) => {
                return Some(Err("provider.kind is set, and models.select names no model".into()));
            }
            (None, Some(_)) => {
                return Some(Err("models.select names a model, and provider.kind is not set".into()));
            }
        };
        let key = match (&self.provider.key_command, &self.provider.key_file) {
            (Some(_), Some(_)) => {
                return Some(Err("provider.key_command and provider.key_file are both set".into()));
            }
            (Some(command), None) => KeySource::Command(command.clone()),
            (None, Some(file)) => match (file.strip_prefix("~"), home) {
                (Ok(below), Some(home)) => KeySource::File(home.join(below)),
                _ => KeySource::File(file.clone()),
            },
            (None, None) => KeySource::None,
        };
        let url = self.provider.url.clone();
        Some(Ok(ModelSettings { kind, url, model, key, home: home.map(Path::to_owned) }))
    }

    /// The folder that the person chose for a project's memories, if any.
    pub fn memory_dir_of(&self, root: &Path) -> Option<ChosenFolder> {
        let chosen = self.of_project(root).memory_dir.or_else(|| self.memory_dir.clone())?;
        match chosen.strip_prefix("native:") {
            Some(host) => Some(ChosenFolder::Native(host.to_owned())),
            None => Some(ChosenFolder::Path(PathBuf::from(chosen))),
        }
    }
}

/// The folder that the person chose for memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenFolder {
    /// This one.
    Path(PathBuf),
    /// The one that a host keeps for each project.
    Native(String),
}

fn unknown_keys(table: &toml::Table, prefix: &str, problems: &mut Vec<String>) {
    for (key, value) in table {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        // Below `projects` every name is somebody's path.
        let pattern = if prefix == "projects" { "projects.*".to_owned() } else { name.clone() };
        let is_known = KEYS.iter().any(|known| known.name == pattern);
        let is_table = KEYS.iter().any(|known| known.name.starts_with(&format!("{pattern}.")));
        match value {
            toml::Value::Table(inner) if is_table || pattern == "projects" => {
                unknown_keys(inner, &pattern, problems);
            }
            toml::Value::Array(entries) if name == "watch" => unknown_in_watch(entries, problems),
            _ if is_known => {}
            _ => problems.push(match nearest(&pattern) {
                Some(near) => format!("there is no key {name:?}; did you mean {near:?}?"),
                None => format!("there is no key {name:?}; `remora config get` lists them"),
            }),
        }
    }
}

fn unknown_in_watch(entries: &[toml::Value], problems: &mut Vec<String>) {
    let keys = entries.iter().filter_map(toml::Value::as_table).flat_map(toml::Table::keys);
    for key in keys.filter(|key| !matches!(key.as_str(), "folder" | "project")) {
        problems.push(format!("watch: there is no {key:?}; a folder is named by `folder` and `project`"));
    }
}

/// The known key that a person most likely meant.
pub fn nearest(name: &str) -> Option<&'static str> {
    let distance = |known: &str| {
        let last = known.rsplit('.').next().unwrap_or(known);
        let own = name.rsplit('.').next().unwrap_or(name);
        edits(name, known).min(edits(own, last) + 1)
    };
    let best = KEYS.iter().min_by_key(|key| distance(key.name))?;
    (distance(best.name) <= 1 + name.chars().count() / 3).then_some(best.name)
}

/// How many single edits lie between two words.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let change = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_in_people_s_units() {
        for (text, seconds) in [("90s", 90), ("30m", 1_800), ("2h", 7_200), ("1d", 86_400), ("45", 45)] {
            assert_eq!(text.parse(), Ok(Span(Duration::from_secs(seconds))), "{text}");
        }
        for text in ["", "soon", "5 weeks", "-1s", "99999999999999999h"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_keys_are_named_with_the_nearest_known_one() {
        let text = "notise = \"never\"\nwhatever_this_is = 1\n[engine]\nidle_exitt = \"2s\"\n[projects.\"/p\"]\nenable = false\n";
        let (_, problems) = Config::parse(text).expect("it parses");
        insta::assert_snapshot!(problems.join("\n"), @r#"
        there is no key "engine.idle_exitt"; did you mean "engine.idle_exit"?
        there is no key "notise"; did you mean "notice"?
        there is no key "projects.*.enable"; did you mean "projects.*.enabled"?
        there is no key "whatever_this_is"; `remora config get` lists them
        "#);
    }

    #[test]
    fn every_key_s_default_is_the_program_s() {
        for key in KEYS.iter().filter(|key| !key.default.is_empty() && !key.name.contains('*')) {
            let text = format!("{} = {}", key.name, key.default);
            assert_eq!(Config::parse(&text), Ok((Config::default(), vec![])), "{text}");
        }
    }

    #[test]
    fn a_project_s_own_word_comes_before_the_general_one() {
        let text = "enabled = false\nmemory_dir = \"native:claude-code\"\n[projects.\"/p\"]\nenabled = true\nmemory_dir = \"/m\"\n";
        let (config, _) = Config::parse(text).expect("it parses");
        assert!(
            config.is_on(Some(Path::new("/p")))
                && !config.is_on(Some(Path::new("/q")))
                && !config.is_on(None)
        );
        assert_eq!(config.memory_dir_of(Path::new("/p")), Some(ChosenFolder::Path("/m".into())));
        assert_eq!(config.memory_dir_of(Path::new("/q")), Some(ChosenFolder::Native("claude-code".into())));
    }
}
