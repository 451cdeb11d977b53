//! Which transcripts there are.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::definition::{Definition, Form};
use crate::error::ReadError;
use crate::path::FieldPath;
use crate::rows;

/// One transcript: a file, or one session of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// The session's key in a database.
    pub row: Option<String>,
    /// Its size in bytes; of a database a session's share of the file.
    pub bytes: u64,
    /// When it was written last, milliseconds since 1970.
    pub modified_ms: i64,
    /// The session and the agent that its path names.
    pub(crate) session: Option<String>,
    pub(crate) agent: Option<String>,
    /// The path to its records, if it is one JSON value.
    pub(crate) records: Option<FieldPath>,
    /// Differs when anything of it does.
    pub(crate) changed: String,
}

/// The transcripts of a host.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Those of sessions and of subagents, the one written last at the end.
    pub sources: Vec<Source>,
    /// There were more, which are left out.
    pub is_more: bool,
    /// What could not be read, one sentence each.
    pub problems: Vec<String>,
}

impl Source {
    /// What names it among all: the path, and the session in it.
    pub fn name(&self) -> String {
        match &self.row {
            None => self.path.to_string_lossy().into_owned(),
            Some(row) => format!("{}#{row}", self.path.to_string_lossy()),
        }
    }

    /// A text that differs when anything of it does.
    pub fn state(&self) -> &str {
        &self.changed
    }

    /// Whether a subagent's doings are in it.
    pub fn is_of_subagent(&self) -> bool {
        self.agent.is_some()
    }
}

impl Definition {
    /// The transcripts below a person's home, at most so many.
    pub fn sources(&self, home: &Path, most: usize) -> Found {
        let mut found = Found::default();
        let mut files = Vec::new();
        for pattern in self.patterns() {
            pattern.visit(home, &mut |path| {
                if files.len() == most {
                    found.is_more = true;
                    return true;
                }
                files.push(path);
                false
            });
        }
        files.sort();
        files.dedup();
        for path in files {
            match self.in_file(home, &path) {
                Ok(sources) => found.sources.extend(sources),
                Err(error) => found.problems.push(error.to_string()),
            }
        }
        found.is_more |= found.sources.len() > most;
        found.sources.truncate(most);
        found.sources.sort_by(|a, b| (a.modified_ms, &a.path, &a.row).cmp(&(b.modified_ms, &b.path, &b.row)));
        found
    }

    /// How many sessions there are below a person's home, counting files alone and at most so many.
    pub fn count(&self, home: &Path, most: usize) -> usize {
        if matches!(self.form, Form::Rows { .. }) {
            return self.sources(home, most).sources.len();
        }
        let mut files = 0;
        let documents = self.documents.iter().flat_map(|(documents, _)| documents);
        for pattern in self.paths.iter().chain(documents) {
            pattern.visit(home, &mut |_| {
                files += 1;
                files >= most
            });
        }
        files.min(most)
    }

    /// The transcript of this name, if this host's patterns name it: a name comes from outside.
    pub fn source(&self, home: &Path, name: &str) -> Result<Option<Source>, ReadError> {
        let path = match (&self.form, name.rsplit_once('#')) {
            (Form::Rows { .. }, Some((path, _))) => path,
            _ => name,
        };
        if path.split('/').any(|part| part == "..") {
            return Ok(None);
        }
        Ok(self.in_file(home, Path::new(path))?.into_iter().find(|source| source.name() == name))
    }

    /// The transcripts of one session, by the patterns that name it.
    pub fn of_session(&self, home: &Path, session: &str, most: usize) -> Vec<Source> {
        let mut sources = self.sources(home, most).sources;
        sources.retain(|source| source.session.as_deref() == Some(session));
        sources
    }

    /// Where in a file its records lie, if it is one JSON value.
    fn records_in(&self, home: &Path, path: &Path) -> Option<FieldPath> {
        match (&self.form, &self.documents) {
            (Form::Document { records }, _) => Some(records.clone()),
            (_, Some((documents, records))) => {
                let is_one = documents.iter().any(|pattern| pattern.read(path, home).is_some());
                is_one.then(|| records.clone())
            }
            _ => None,
        }
    }

    fn in_file(&self, home: &Path, path: &Path) -> Result<Vec<Source>, ReadError> {
        let named = self.patterns().find_map(|pattern| pattern.read(path, home));
        let Some((session, agent)) = named else { return Ok(Vec::new()) };
        let meta = match std::fs::symlink_metadata(path) {
            Ok(meta) if meta.is_file() => meta,
            _ => return Ok(Vec::new()),
        };
        let modified_ms = meta.mtime() * 1000 + meta.mtime_nsec() / 1_000_000;
        let source = Source {
            path: path.to_owned(),
            row: None,
            bytes: meta.len(),
            modified_ms,
            session,
            agent,
            records: self.records_in(home, path),
            changed: format!("{} {}.{:09}", meta.len(), meta.mtime(), meta.mtime_nsec()),
        };
        match &self.form {
            Form::Lines | Form::Document { .. } => Ok(vec![source]),
            Form::Rows { sessions, .. } => rows::sessions(&source, sessions),
        }
    }
}
