//! Output made the same on every run and machine, for snapshots.

use regex::Regex;

use crate::test_home::TestHome;

/// What is replaced after the paths, in this order.
const PATTERNS: [(&str, &str); 6] = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[UUID]"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", "[TIME]"),
    (r"\b\d{4}-\d\d-\d\d\b", "[DATE]"),
    (r"\b\d+(\.\d+)? ?(ns|µs|ms)\b", "[SPAN]"),
    (r"(?i)\b(pid:? |process )\d+\b", "${1}[PID]"),
    (r#"("(?:pid|built_at)": ?)\d+"#, "${1}[NUMBER]"),
];

/// Replaces what differs between runs by names in brackets: the home's paths, ids, times, versions.
#[derive(Debug)]
pub struct Normaliser {
    words: Vec<(String, &'static str)>,
    patterns: Vec<(Regex, &'static str)>,
}

impl Normaliser {
    /// A normaliser for what programs print in this home.
    ///
    /// # Panics
    /// Never: the patterns are fixed.
    pub fn of(home: &TestHome) -> Self {
        let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        // The longer path first: the data root lies within the home, all of them within the folder.
        let mut words = vec![
            (path(home.root()), "[ROOT]"),
            (path(home.config()), "[CONFIG]"),
            (path(home.home()), "[HOME]"),
            (path(home.project()), "[PROJECT]"),
            (path(home.temp()), "[TEMP]"),
            (path(home.folder().to_owned()), "[FOLDER]"),
        ];
        words.push((env!("CARGO_PKG_VERSION").to_owned(), "[VERSION]"));
        let compiled = |(pattern, name)| (Regex::new(pattern).expect("a valid pattern"), name);
        Self { words, patterns: PATTERNS.into_iter().map(compiled).collect() }
    }

    /// Further words to replace, such as the folder of an installation.
    #[must_use]
    pub fn and(mut self, word: impl Into<String>, name: &'static str) -> Self {
        self.words.insert(0, (word.into(), name));
        self
    }

    /// Further texts to replace, such as scores, which change whenever recall is tuned.
    ///
    /// # Panics
    /// If the pattern is none.
    #[must_use]
    pub fn and_all(mut self, pattern: &str, name: &'static str) -> Self {
        self.patterns.push((Regex::new(pattern).expect("a valid pattern"), name));
        self
    }

    /// The text without what differs between runs.
    pub fn apply(&self, text: &str) -> String {
        let replaced =
            self.words.iter().fold(text.to_owned(), |text, (word, name)| text.replace(word.as_str(), name));
        self.patterns
            .iter()
            .fold(replaced, |text, (pattern, name)| pattern.replace_all(&text, *name).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_runs_is_named() {
        let home = TestHome::new().expect("a home");
        let normaliser = Normaliser::of(&home).and("/opt/x", "[DIST]");
        let cases = [
            (format!("{}/run/s", home.root().display()), "[ROOT]/run/s"),
            (format!("in {}/src", home.project().display()), "in [PROJECT]/src"),
            ("/opt/x/bin".to_owned(), "[DIST]/bin"),
            ("id 01930a3f-7c11-7abc-8def-0123456789ab.".to_owned(), "id [UUID]."),
            ("at 2026-11-29T22:43:01.5+01:00, 2026-11-29".to_owned(), "at [TIME], [DATE]"),
            ("took 12.5 ms, pid 4321".to_owned(), "took [SPAN], pid [PID]"),
            (r#"{"pid":77,"built_at": 1}"#.to_owned(), r#"{"pid":[NUMBER],"built_at": [NUMBER]}"#),
            ("3 memories, 10 kB".to_owned(), "3 memories, 10 kB"),
        ];
        for (text, expect) in cases {
            assert_eq!(normaliser.apply(&text), expect);
        }
    }
}
