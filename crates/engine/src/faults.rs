//! What is wrong with single settings of a configuration that parses.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::config::{Config, JournalConfig};
use crate::exclusion::Exclusion;
use crate::redaction::Redaction;
use crate::sources::watch_roots;

/// Whoever writes `1s` for how long the journal is kept would have nothing of today any more.
const SHORTEST_KEPT: Duration = Duration::from_hours(24);

/// What becomes of memory while it is not known what is to be kept out of it.
pub(crate) const OFF: &str = "; memory is off until this is mended";

/// What is wrong with one setting. What is wrong is not applied; where that would open what the person closed, memory is
/// off until it is mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The key, as it is written: a project's path in quotes.
    pub key: String,
    /// What is wrong with its value.
    pub what: String,
    /// Whether memory is off because of it.
    pub stops: bool,
    line: Option<usize>,
    /// What becomes of it, where that is not said yet.
    outcome: &'static str,
}

impl Fault {
    /// Of something that is no pattern, and why.
    pub(crate) fn of_pattern(key: &str, written: &str, why: &str) -> Self {
        let what = format!("{written:?} is no pattern ({why})");
        Self { key: key.to_owned(), what, stops: true, line: None, outcome: OFF }
    }

    /// Of a value that its key cannot have.
    pub(crate) fn of_value(
        path: &[String],
        line: Option<usize>,
        what: String,
        outcome: &'static str,
        stops: bool,
    ) -> Self {
        let is_plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let parts: Vec<String> = path
            .iter()
            .map(|part| if is_plain(part) { part.clone() } else { format!("\"{part}\"") })
            .collect();
        Self { key: parts.join("."), what, stops, line, outcome }
    }
}

impl Fault {
    /// What is wrong, without what becomes of it.
    pub(crate) fn cause(&self) -> String {
        let line = self.line.map_or(String::new(), |line| format!(" (line {line})"));
        format!("{}{line}: {}", self.key, self.what)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.cause(), self.outcome)
    }
}

impl Config {
    /// What is wrong with single settings. `home`: the person's home folder, for `~`.
    pub fn faults(&self, home: Option<&Path>, data_root: &Path) -> Vec<Fault> {
        let of_watch = watch_roots(self, home, data_root).1.into_iter().map(|problem| {
            let what = problem.strip_prefix("watch: ").map_or(problem.clone(), str::to_owned);
            Fault { key: "watch".to_owned(), what, stops: false, line: None, outcome: "" }
        });
        let mut faults = self.wrong.clone();
        faults.extend(Redaction::new(&self.redact).1);
        faults.extend(Exclusion::new(&self.journal, home).1);
        faults.extend(of_watch);
        faults.extend(self.journal.too_short());
        faults
    }
}

impl JournalConfig {
    /// How long entries are kept; nothing: for good, and so where the setting cannot be meant.
    pub(crate) fn kept(&self) -> Option<Duration> {
        self.keep.map(|span| span.0).filter(|span| *span >= SHORTEST_KEPT)
    }

    pub(crate) fn too_short(&self) -> Option<Fault> {
        let is_short = self.keep.is_some() && self.kept().is_none();
        is_short.then(|| Fault {
            key: "journal.keep".to_owned(),
            what: "less than a day cannot be meant: write 1d or more, for example 90d".to_owned(),
            stops: true,
            line: None,
            outcome: OFF,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_said_with_its_key_and_what_becomes_of_it() {
        let text = r#"
            watch = [{ folder = "~", project = "/p" }]
            [redact]
            patterns = ["ok", "("]
            [journal]
            keep = "1s"
            exclude_projects = ["~/a[", "~/fine/*"]
            exclude_paths = ["{a"]
            exclude_tools = ["mcp__[z-a]"]
        "#;
        let (config, unknown) = Config::parse(text).expect("it parses");
        assert_eq!(unknown, Vec::<String>::new());
        let faults = config.faults(Some(Path::new("/h")), Path::new("/data"));
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(said.join("\n"), @r#"
        redact.patterns: "(" is no pattern (unclosed group, at character 1); memory is off until this is mended
        journal.exclude_projects: "~/a[" is no pattern (unclosed character class; missing ']'); memory is off until this is mended
        journal.exclude_paths: "{a" is no pattern (unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)); memory is off until this is mended
        journal.exclude_tools: "mcp__[z-a]" is no pattern (invalid range; 'z' > 'a'); memory is off until this is mended
        watch: ~ is too much: name the folder with your notes
        journal.keep: less than a day cannot be meant: write 1d or more, for example 90d; memory is off until this is mended
        "#);
    }

    #[test]
    fn the_journal_is_kept_a_day_at_least() {
        for (written, kept) in
            [("1s", None), ("23h", None), ("24h", Some(1)), ("1d", Some(1)), ("90d", Some(90))]
        {
            let (config, _) = Config::parse(&format!("journal.keep = {written:?}")).expect("it parses");
            assert_eq!(
                config.journal.kept(),
                kept.map(|days: u64| Duration::from_hours(24 * days)),
                "{written}"
            );
        }
    }
}
