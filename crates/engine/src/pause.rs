//! Pauses: memory switched off for a while, together with everything that belongs to it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock;

/// One pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pause {
    /// Only in this project, by slug.
    #[serde(default)]
    pub(crate) project: Option<String>,
    /// Only in this session, by the host's id.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// Milliseconds since 1970; absent: until it is ended.
    #[serde(default)]
    pub(crate) until: Option<i64>,
}

impl Pause {
    fn holds_for(&self, project: Option<&str>, session: Option<&str>, now: i64) -> bool {
        self.until.is_none_or(|until| now < until)
            && self.project.as_deref().is_none_or(|wanted| project == Some(wanted))
            && self.session.as_deref().is_none_or(|wanted| session == Some(wanted))
    }
}

/// A pause that was: what happened then does not come by a transcript either.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Span {
    pause: Pause,
    /// When it began, milliseconds since 1970.
    from: i64,
}

/// Where they are kept, beside those that hold.
const SPANS_FILE: &str = "paused.json";

/// So many pauses are remembered, the newest.
const SPANS: usize = 2_000;

/// The pauses of a data root. They outlive the engine.
#[derive(Debug)]
pub(crate) struct Pauses {
    file: PathBuf,
    list: Vec<Pause>,
    spans: Vec<Span>,
}

impl Pauses {
    /// Reads them; a file that cannot be read is no pause.
    pub(crate) fn open(root: &Path) -> Self {
        let file = root.join("pauses.json");
        let list = read(&file).unwrap_or_default();
        let spans = read(&file.with_file_name(SPANS_FILE)).unwrap_or_default();
        Self { file, list, spans }
    }

    /// Whether memory was paused here at a moment.
    pub(crate) fn held_for(&self, project: Option<&str>, session: Option<&str>, at: i64) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|span| span.from <= at && span.pause.holds_for(project, session, at))
    }

    /// Whether memory is paused here.
    pub(crate) fn hold_for(&self, project: Option<&str>, session: Option<&str>) -> bool {
        !self.list.is_empty() && {
            let now = clock::now_millis();
            self.list.iter().any(|pause| pause.holds_for(project, session, now))
        }
    }

    /// The pauses that hold in a project, those of single sessions among them.
    pub(crate) fn holding(&self, project: Option<&str>) -> Vec<Pause> {
        let now = clock::now_millis();
        let holds = |pause: &&Pause| pause.holds_for(project, pause.session.as_deref(), now);
        self.list.iter().filter(holds).cloned().collect()
    }

    /// Adds a pause.
    pub(crate) fn add(&mut self, pause: Pause) -> io::Result<()> {
        let now = clock::now_millis();
        self.list.retain(|old| old.until.is_none_or(|until| now < until) && *old != pause);
        self.list.push(pause.clone());
        self.spans.push(Span { pause, from: now });
        let old = self.spans.len().saturating_sub(SPANS);
        self.spans.drain(..old);
        self.write()
    }

    /// Ends every pause that holds here; answers how many.
    pub(crate) fn end(&mut self, project: Option<&str>) -> io::Result<usize> {
        let (before, now) = (self.list.len(), clock::now_millis());
        let stays = |pause: &Pause| pause.project.is_some() && pause.project.as_deref() != project;
        self.list.retain(stays);
        for span in self.spans.iter_mut().filter(|span| !stays(&span.pause)) {
            span.pause.until = Some(span.pause.until.map_or(now, |until| until.min(now)));
        }
        self.write()?;
        Ok(before - self.list.len())
    }

    fn write(&self) -> io::Result<()> {
        write(&self.file.with_file_name(SPANS_FILE), &self.spans)?;
        if self.list.is_empty() {
            return match std::fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        write(&self.file, &self.list)
    }
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_slice(&remora_memory::ordinary::read(file).ok()?).ok()
}

fn write(file: &Path, value: &impl Serialize) -> io::Result<()> {
    let fresh = file.with_extension("json.new");
    std::fs::write(&fresh, serde_json::to_vec_pretty(value)?)?;
    std::fs::rename(fresh, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_holds_where_and_as_long_as_it_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut pauses = Pauses::open(folder.path());
        assert!(!pauses.hold_for(Some("p"), Some("s")));
        let none = Pause { project: None, session: None, until: None };
        pauses.add(Pause { project: Some("p".into()), ..none.clone() }).expect("written");
        pauses.add(Pause { until: Some(1), ..none.clone() }).expect("written");
        let again = Pauses::open(folder.path());
        assert!(
            again.hold_for(Some("p"), None)
                && !again.hold_for(Some("q"), Some("s"))
                && !again.hold_for(None, None)
        );

        let mut again = again;
        assert_eq!(again.end(Some("q")).expect("written"), 1, "the one that has passed");
        assert!(again.hold_for(Some("p"), None));
        assert_eq!(again.end(Some("p")).expect("written"), 1);
        assert!(!folder.path().join("pauses.json").exists());
    }

    #[test]
    fn what_happened_in_a_pause_is_known_when_it_is_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut pauses = Pauses::open(folder.path());
        let before = clock::now_millis() - 1;
        pauses.add(Pause { project: Some("p".into()), session: None, until: None }).expect("written");
        pauses.end(Some("p")).expect("written");
        let again = Pauses::open(folder.path());
        let during = again.spans[0].from;
        let after = clock::now_millis() + 1;
        assert!(!again.held_for(Some("p"), None, before) && !again.held_for(Some("p"), None, after));
        assert!(!again.held_for(Some("q"), None, during));
        // A pause that was ended at once has no length.
        assert_eq!(again.held_for(Some("p"), None, during), again.spans[0].pause.until > Some(during));
    }
}
