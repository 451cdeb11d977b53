//! The person's configuration: one TOML file, few keys, each with a default that lives here.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

/// What the person configured.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Config {
    /// When one line for the person is shown inside the host.
    pub notice: Notice,
    /// The engine's own life.
    pub engine: EngineConfig,
    /// How much is injected.
    pub inject: InjectConfig,
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
    /// The engine leaves after this long without events and without work: `90s`, `30m`, `2h`. Default 30m.
    pub idle_exit: Span,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self { idle_exit: Span(Duration::from_secs(30 * 60)) }
    }
}

/// How much is injected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct InjectConfig {
    /// Budgets in the host's own unit (bytes or UTF-16 units).
    pub budget: InjectBudget,
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
    /// Reads the file. A missing file is the defaults; one that does not parse is the defaults and the
    /// problem, which `status` and `doctor` show: a broken file must not stop anybody's work.
    pub fn read(path: Option<&Path>) -> (Self, Option<String>) {
        let Some(path) = path else { return (Self::default(), None) };
        match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Self::default(), None),
            Err(error) => (Self::default(), Some(format!("{} cannot be read: {error}", path.display()))),
            Ok(text) => match toml::from_str(&text) {
                Ok(config) => (config, None),
                Err(error) => {
                    let problem = error.to_string();
                    (
                        Self::default(),
                        Some(format!("{} does not parse: {}", path.display(), problem.trim_end())),
                    )
                }
            },
        }
    }
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
    fn a_file_that_does_not_parse_gives_the_defaults_and_says_where() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "notice = \"never\"\n[engine]\nidle_exit = \"2s\"\n").expect("written");
        let (config, problem) = Config::read(Some(&file));
        assert_eq!((config.notice, config.engine.idle_exit.0.as_secs(), problem), (Notice::Never, 2, None));
        std::fs::write(&file, "notice = \n").expect("written");
        let (config, problem) = Config::read(Some(&file));
        assert_eq!(config, Config::default());
        assert!(problem.expect("a problem").contains("line 1"));
    }
}
