//! A configuration's text read value by value: a wrong value costs nothing but itself, and never opens what the person
//! closed.

use std::path::Path;

use serde::Deserialize as _;
use toml::de::{DeTable, DeValue};

use super::{Config, KEYS, unknown_keys};
use crate::faults::{Fault, OFF};

/// A value that its key cannot have.
struct Wrong {
    path: Vec<String>,
    why: String,
}

impl Config {
    /// Reads the file. A missing file is the defaults. A file that cannot be read or is no TOML says nothing, not even
    /// what it restricts: that is an error, which names the file and the line. What is said of unknown keys comes
    /// beside the configuration, what is wrong with values by [`Config::faults`].
    pub fn read(path: Option<&Path>) -> Result<(Self, Vec<String>), String> {
        let Some(path) = path else { return Ok((Self::default(), Vec::new())) };
        match remora_memory::ordinary::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((Self::default(), Vec::new())),
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
            Ok(text) => {
                Self::parse(&text).map_err(|problem| format!("{} does not parse: {problem}", path.display()))
            }
        }
    }

    /// A configuration's text, with what is said of its unknown keys.
    pub fn parse(text: &str) -> Result<(Self, Vec<String>), String> {
        let mut table: toml::Table = toml::from_str(text).map_err(|error| said(text, &error))?;
        let mut wrong = Vec::new();
        look(&table, &mut Vec::new(), &mut wrong);
        wrong.iter().for_each(|wrong| remove(&mut table, &wrong.path));
        let mut unknown = Vec::new();
        unknown_keys(&table, "", &mut unknown);
        // In an order that does not depend on how a table happens to be kept.
        unknown.sort();
        let mut config: Self = table.try_into().map_err(|error| said(text, &error))?;
        for wrong in wrong {
            let (outcome, stops) = config.narrow(&wrong.path);
            let line = line_of(text, &wrong.path);
            config.wrong.push(Fault::of_value(&wrong.path, line, wrong.why, outcome, stops));
        }
        Ok((config, unknown))
    }

    /// Gives a setting whose value is wrong the value that keeps most to itself, where the default does not; answers
    /// what that is, and whether memory has to be off meanwhile, because what is to be kept out is not known.
    fn narrow(&mut self, path: &[String]) -> (&'static str, bool) {
        match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["redact", "entropy"] => ("; true holds until this is mended", false),
            ["enabled" | "projects"] | ["journal" | "redact", ..] => (OFF, true),
            ["projects", project, rest @ ..] => {
                let project = self.projects.entry((*project).to_owned()).or_default();
                match rest {
                    ["isolated"] => {
                        project.isolated = Some(true);
                        ("; it is isolated until this is mended", false)
                    }
                    ["memory_dir"] => ("; it is not applied until this is mended", false),
                    _ => {
                        project.enabled = Some(false);
                        ("; memory is off there until this is mended", false)
                    }
                }
            }
            ["subagents"] | ["subagents", "record" | "skip"] => {
                self.subagents.record = false;
                ("; nothing of subagents is recorded until this is mended", false)
            }
            // A wrong address or limit must not become another provider or a larger limit.
            ["provider" | "models", ..] => {
                (self.provider.kind, self.models.select) = (None, None);
                ("; no model is asked until this is mended", false)
            }
            _ => ("; the default holds until this is mended", false),
        }
    }
}

/// Finds every value that its key cannot have.
fn look(table: &toml::Table, path: &mut Vec<String>, wrong: &mut Vec<Wrong>) {
    for (key, value) in table {
        path.push(key.clone());
        let pattern = match path.as_slice() {
            [first, _, rest @ ..] if first == "projects" => {
                [&["projects", "*"][..], &parts(rest)].concat().join(".")
            }
            all => all.join("."),
        };
        let below = format!("{pattern}.");
        let has_keys = KEYS.iter().any(|known| known.name.starts_with(&below));
        match value {
            toml::Value::Table(inner) if has_keys => look(inner, path, wrong),
            _ if has_keys => wrong.push(Wrong {
                path: path.clone(),
                why: "it is no setting, there are settings below it".to_owned(),
            }),
            _ if KEYS.iter().any(|known| known.name == pattern) => {
                if let Err(why) = fits(path, value) {
                    wrong.push(Wrong { path: path.clone(), why });
                }
            }
            _ => {}
        }
        path.pop();
    }
}

fn parts(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// Whether a configuration with this one value can be read.
fn fits(path: &[String], value: &toml::Value) -> Result<(), String> {
    let whole = path.iter().rev().fold(value.clone(), |value, part| {
        toml::Value::Table(toml::Table::from_iter([(part.clone(), value)]))
    });
    Config::deserialize(whole).map(drop).map_err(|error| error.message().trim().to_owned())
}

fn remove(table: &mut toml::Table, path: &[String]) {
    match path {
        [] => {}
        [last] => drop(table.remove(last)),
        [first, rest @ ..] => {
            if let Some(inner) = table.get_mut(first).and_then(toml::Value::as_table_mut) {
                remove(inner, rest);
            }
        }
    }
}

/// The line in which a value is written, counted from one.
fn line_of(text: &str, path: &[String]) -> Option<usize> {
    let whole = DeTable::parse(text).ok()?;
    let mut table = whole.get_ref();
    let (last, tables) = path.split_last()?;
    for part in tables {
        let (_, value) = table.iter().find(|(key, _)| key.get_ref().as_ref() == part.as_str())?;
        let DeValue::Table(inner) = value.get_ref() else { return None };
        table = inner;
    }
    let (key, _) = table.iter().find(|(key, _)| key.get_ref().as_ref() == last.as_str())?;
    Some(line_at(text, key.span().start))
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
}

/// What is wrong with a text, in one line.
fn said(text: &str, error: &toml::de::Error) -> String {
    let what = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    match error.span() {
        Some(span) => format!("line {}: {what}", line_at(text, span.start)),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSED: &str = "[journal]\nexclude_projects = [\"~/private/*\"]\n[projects.\"/p\"]\nenabled = false\n\
                          [redact]\npatterns = ['EMP-\\d+']\n";

    #[test]
    fn a_file_that_says_nothing_is_an_error_with_file_and_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.toml");
        assert_eq!(Config::read(Some(&file)), Ok((Config::default(), vec![])), "there is none");
        std::fs::write(&file, format!("{CLOSED}oops = = \n")).expect("written");
        let problem = Config::read(Some(&file)).expect_err("it is no TOML");
        assert!(problem.contains("config.toml does not parse: line 7: "), "{problem}");
        std::fs::write(&file, b"notice = \"\xff\"\n").expect("written");
        let problem = Config::read(Some(&file)).expect_err("it is no text");
        assert!(problem.contains("config.toml cannot be read"), "{problem}");
    }

    #[test]
    fn a_wrong_value_costs_itself_alone() {
        let (sound, _) = Config::parse(CLOSED).expect("it parses");
        for (wrong, outcome) in [
            ("notice = \"bogus\"", "the default holds"),
            ("inject.budget.start = \"much\"", "the default holds"),
            ("inject = 3", "the default holds"),
            ("watch = [{ folder = 5 }]", "the default holds"),
            ("memory_dir = 5", "the default holds"),
        ] {
            let (mut config, _) = Config::parse(&format!("{wrong}\n{CLOSED}")).expect("it parses");
            let faults = std::mem::take(&mut config.wrong);
            let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert!(said.len() == 1 && said[0].contains("(line 1)") && said[0].contains(outcome), "{said:?}");
            assert!(!faults[0].stops && config == sound, "{wrong}");
        }
    }

    #[test]
    fn a_wrong_value_of_what_restricts_opens_nothing() {
        for wrong in [
            "enabled = \"no\"",
            "projects = 1",
            "journal = 1",
            "journal.keep = \"soon\"",
            "journal.exclude_projects = \"~/private\"",
            "journal.exclude_paths = [1]",
            "journal.exclude_tools = true",
            "redact = []",
            "redact.patterns = \"EMP\"",
        ] {
            let (config, _) = Config::parse(wrong).expect("it parses");
            assert!(matches!(config.wrong.as_slice(), [fault] if fault.stops), "{wrong}: {:?}", config.wrong);
        }
        let text = "subagents.skip = 1\nredact.entropy = \"no\"\nprovider.kind = \"anthropic\"\nprovider.url = 1\n\
                    models.select = \"m\"\n[projects.\"/a\"]\nenabled = \"no\"\n[projects.\"/b\"]\nisolated = 1\n";
        let (config, unknown) = Config::parse(text).expect("it parses");
        assert_eq!(unknown, Vec::<String>::new());
        assert!(
            config.wrong.len() == 5 && config.wrong.iter().all(|fault| !fault.stops),
            "{:?}",
            config.wrong
        );
        assert!(!config.is_on(Some(Path::new("/a"))) && config.is_on(Some(Path::new("/b"))));
        assert_eq!(config.of_project(Path::new("/b")).isolated, Some(true));
        assert!(!config.subagents.record && config.redact.entropy && config.selector(None).is_none());
        let (config, _) = Config::parse("projects.\"/c\" = false").expect("it parses");
        assert!(!config.is_on(Some(Path::new("/c"))) && config.is_on(None));
    }
}
