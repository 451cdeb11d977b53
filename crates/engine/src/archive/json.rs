//! An export as one JSON file: `{"format", "version", "files": [{"path", "modified", "text"}], "journal": [...]}`.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{ArchivedFile, FORMAT, MOST_FILES, VERSION, Writer, Written};
use crate::error::EngineError;

/// A larger file is not read as a whole.
const LARGEST_FILE: u64 = 256 * 1024 * 1024;

/// Writes an export as one file, which has another name until all is there.
pub(crate) struct JsonWriter {
    target: PathBuf,
    part: PathBuf,
    out: std::io::BufWriter<fs_err::File>,
    files: usize,
    lines: Option<usize>,
    is_done: bool,
}

impl JsonWriter {
    pub(crate) fn new(target: &Path) -> Result<Self, EngineError> {
        use std::os::unix::fs::OpenOptionsExt as _;
        super::refuse_existing(target, false)?;
        let part = super::beside(target);
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create_new(true).options_mut().mode(0o600);
        let mut out = std::io::BufWriter::new(options.open(&part)?);
        write!(out, "{{\"format\": {FORMAT:?}, \"version\": {VERSION}, \"files\": [")?;
        Ok(Self { target: target.to_owned(), part, out, files: 0, lines: None, is_done: false })
    }
}

impl Writer for JsonWriter {
    fn file(&mut self, file: &ArchivedFile) -> Result<Written, EngineError> {
        let Ok(text) = std::str::from_utf8(&file.bytes) else {
            return Ok(Written::Not("not valid UTF-8, which JSON cannot hold: export as Markdown"));
        };
        let modified = moment(file.modified);
        let comma = if self.files == 0 { "" } else { "," };
        write!(self.out, "{comma}\n{}", json!({"path": file.path, "modified": modified, "text": text}))?;
        self.files += 1;
        Ok(Written::Done)
    }

    fn journal(&mut self, line: &str) -> Result<(), EngineError> {
        let comma = if self.lines.is_some() { "," } else { "\n], \"journal\": [" };
        write!(self.out, "{comma}\n{line}")?;
        *self.lines.get_or_insert(0) += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EngineError> {
        writeln!(self.out, "\n]}}")?;
        self.out.flush()?;
        super::refuse_existing(&self.target, false)?;
        fs_err::rename(&self.part, &self.target)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for JsonWriter {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    format: String,
    version: Option<u64>,
    #[serde(default)]
    files: Vec<Entry>,
    #[serde(default)]
    journal: Vec<Value>,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    modified: String,
    text: String,
}

/// The files of an export, and the lines of its journal.
pub(crate) fn read(file: &Path) -> Result<(Vec<ArchivedFile>, Vec<Value>), EngineError> {
    let shown = file.display();
    let mut bytes = Vec::new();
    remora_memory::ordinary::open(file)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(EngineError::refused(
            format!("{shown} is larger than 256 MiB"),
            "export as Markdown instead",
        ));
    }
    let no_export = |why: String| {
        EngineError::usage(format!("{shown} is no export: {why}"), "`remora export --format json` makes one")
    };
    let whole: Whole = serde_json::from_slice(&bytes).map_err(|error| no_export(error.to_string()))?;
    if whole.format != FORMAT {
        return Err(no_export("it does not say that it is one".to_owned()));
    }
    check_version(whole.version)?;
    let mut files = Vec::new();
    for entry in whole.files.into_iter().take(MOST_FILES) {
        let modified =
            time_of(&entry.modified).ok_or_else(|| no_export(format!("{:?} is no time", entry.modified)))?;
        files.push(ArchivedFile { path: entry.path, bytes: entry.text.into_bytes(), modified });
    }
    super::in_order(&mut files, |file: &ArchivedFile| &file.path);
    Ok((files, whole.journal))
}

pub(super) fn check_version(version: Option<u64>) -> Result<(), EngineError> {
    match version {
        Some(version) if version <= u64::from(VERSION) => Ok(()),
        _ => Err(EngineError::refused("the export was made by a newer Remora", "use the newer one")),
    }
}

/// A time to the nanosecond, UTC.
fn moment(time: SystemTime) -> String {
    chrono::DateTime::<chrono::Utc>::from(time).to_rfc3339_opts(chrono::SecondsFormat::Nanos, true)
}

fn time_of(text: &str) -> Option<SystemTime> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(SystemTime::from)
}
