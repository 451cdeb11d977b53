//! `export`: everything out. `import export`: in again.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_event::Event;
use remora_memory::ProjectRecord;
use serde::Deserialize;
use serde_json::{Value, json};

use super::brought::bring_in;
use crate::archive::{
    self, ArchivedFile, Became, FolderWriter, JOURNAL, JsonWriter, Places, Restorer, Writer, Written,
};
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::complaint::Attempt;
use crate::journal::{self, NewEvent, Observation};

/// So many events are read, or written, at a time.
const PAGE: usize = 500;

/// A longer line of a journal is no event of ours.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Markdown,
    Json,
}

/// What `export` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    /// A folder, or a file for JSON; absolute.
    to: PathBuf,
    format: Format,
    /// Also what happened in sessions.
    #[serde(default)]
    journal: bool,
}

/// What `import_export` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Restore {
    from: PathBuf,
    #[serde(default)]
    dry_run: bool,
}

/// `{"to", "files", "projects", "events", "left_out": {PATH: WHY}}`; `events` null where the journal was not asked for.
pub(super) async fn run(engine: &Arc<Engine>, args: Arguments) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || export(&engine, &args)).await
}

fn export(engine: &Engine, args: &Arguments) -> Result<Value, EngineError> {
    whole(&args.to)?;
    if args.to.starts_with(engine.root().path()) {
        return Err(EngineError::usage(
            format!("{} lies in Remora's own folder", args.to.display()),
            "name a place of yours with --to",
        ));
    }
    let mut writer: Box<dyn Writer> = match args.format {
        Format::Markdown => Box::new(FolderWriter::new(&args.to)?),
        Format::Json => Box::new(JsonWriter::new(&args.to)?),
    };
    let mut left_out: BTreeMap<String, String> = BTreeMap::new();
    let (mut files, mut projects) = (0_usize, 0_usize);
    for (prefix, folder) in folders(engine, &mut projects) {
        let (found, not) =
            if folder.is_file() { (vec![String::new()], Vec::new()) } else { archive::files_of(&folder) };
        left_out.extend(not.into_iter().map(|(file, why)| (format!("{prefix}{file}"), why)));
        for file in found {
            let path = format!("{prefix}{file}");
            let on_disk = if file.is_empty() { folder.clone() } else { folder.join(&file) };
            let written = match archive::archived(path.clone(), &on_disk) {
                Ok(archived) => writer.file(&archived)?,
                Err(error) => {
                    left_out.insert(path, error.to_string());
                    continue;
                }
            };
            match written {
                Written::Done => files += 1,
                Written::Not(why) => drop(left_out.insert(path, why.to_owned())),
            }
        }
    }
    let events = if args.journal { Some(export_journal(engine, &mut *writer)?) } else { None };
    writer.finish()?;
    Ok(json!({"to": args.to, "files": files, "projects": projects, "events": events, "left_out": left_out}))
}

/// What is exported, by its path there: folders, and records of projects.
fn folders(engine: &Engine, count: &mut usize) -> Vec<(String, PathBuf)> {
    let root = engine.root();
    let mut folders = vec![
        ("user/memory/".to_owned(), root.user_memory()),
        ("user/imported/".to_owned(), root.user_imported()),
    ];
    let projects = std::fs::read_dir(root.projects()).into_iter().flatten().filter_map(Result::ok);
    let mut slugs: Vec<String> =
        projects.filter_map(|project| project.file_name().into_string().ok()).collect();
    slugs.sort();
    for slug in slugs {
        let folder = root.project(&slug);
        let Ok(Some(record)) = ProjectRecord::read(&folder) else { continue };
        *count += 1;
        let memory = match record.paths.first() {
            Some(path) => engine.memory_dir(&slug, Path::new(path)),
            None => engine.memories().folder_of(&slug),
        };
        folders.push((format!("projects/{slug}/project.toml"), folder.join("project.toml")));
        folders.push((format!("projects/{slug}/memory/"), memory));
        folders.push((format!("projects/{slug}/imported/"), folder.join("imported")));
    }
    folders
}

fn export_journal(engine: &Engine, writer: &mut dyn Writer) -> Result<usize, EngineError> {
    let (mut after, mut written) = (0, 0);
    loop {
        let page = engine.journal().read(|connection| journal::page_of_events(connection, after, PAGE))?;
        let Some(last) = page.last() else { return Ok(written) };
        after = last.seq;
        for row in &page {
            let event: Value =
                serde_json::from_str(&row.body).map_err(|e| EngineError::Internal(e.to_string()))?;
            let project = row.project.as_ref().map(|(slug, path)| json!({"slug": slug, "path": path}));
            writer.journal(&json!({"project": project, "event": event}).to_string())?;
            written += 1;
        }
    }
}

/// `{"from", "dry_run", "new", "same", "kept", "left_out": {PATH: WHY}, "events": {"new", "same", "unreadable"}}`:
/// lists of paths in the export. `kept`: another text is there, which stays.
pub(super) async fn restore(engine: &Arc<Engine>, args: Restore) -> Result<Value, EngineError> {
    whole(&args.from)?;
    let (taker, from, dry_run) = (Arc::clone(engine), args.from.clone(), args.dry_run);
    let (mut value, lines) = blocking(move || restore_files(&taker, &from, dry_run)).await?;
    let mut count = json!({"new": 0, "same": 0, "unreadable": 0});
    match lines {
        Lines::Read(lines) => {
            for page in lines.chunks(PAGE) {
                let events = page.iter().map(|line| serde_json::from_value(line.clone()).ok()).collect();
                append(engine, events, args.dry_run, &mut count).await?;
            }
        }
        Lines::In(file) => {
            let mut reader = std::io::BufReader::new(remora_memory::ordinary::open(&file)?);
            loop {
                let (next, page) = blocking(move || Ok(page_of_lines(reader)?)).await?;
                reader = next;
                if page.is_empty() {
                    break;
                }
                append(engine, page, args.dry_run, &mut count).await?;
            }
        }
        Lines::None => {}
    }
    engine.wake_indexer();
    engine.forget_places();
    value["events"] = count;
    Ok(value)
}

/// Where the lines of an export's journal are.
enum Lines {
    None,
    Read(Vec<Value>),
    In(PathBuf),
}

fn restore_files(engine: &Engine, from: &Path, dry_run: bool) -> Result<(Value, Lines), EngineError> {
    let memory_dir = |slug: &str| {
        let record = ProjectRecord::read(&engine.root().project(slug)).ok().flatten();
        match record.and_then(|record| record.paths.into_iter().next()) {
            Some(path) => engine.memory_dir(slug, Path::new(&path)),
            None => engine.memories().folder_of(slug),
        }
    };
    let places = Places { root: engine.root(), memory_dir: &memory_dir };
    let mut restorer = Restorer::new(places, engine.memories().buried(), dry_run);
    let mut lists: BTreeMap<&str, Vec<String>> = ["new", "same", "kept"].map(|key| (key, Vec::new())).into();
    let mut left_out: BTreeMap<String, String> = BTreeMap::new();
    let mut each = |archived: ArchivedFile| -> Result<(), EngineError> {
        let key = match restorer.take(&archived)? {
            Became::New => "new",
            Became::Same => "same",
            Became::Kept => "kept",
            Became::LeftOut(why) => {
                left_out.insert(archived.path, why);
                return Ok(());
            }
        };
        lists.entry(key).or_default().push(archived.path);
        Ok(())
    };
    let lines = if from.is_dir() {
        archive::read_folder(from, &mut each)?;
        let journal = from.join(JOURNAL);
        if journal.is_file() { Lines::In(journal) } else { Lines::None }
    } else if from.is_file() {
        let (files, lines) = archive::read_json(from)?;
        files.into_iter().try_for_each(&mut each)?;
        Lines::Read(lines)
    } else {
        return Err(EngineError::not_found(
            format!("there is no {}", from.display()),
            "name the folder or the file that `remora export` made",
        ));
    };
    restorer.finish()?;
    if !dry_run {
        engine.memories().look_again();
    }
    let mut value = json!({"from": from, "dry_run": dry_run, "left_out": left_out});
    for (key, files) in lists {
        value[key] = json!(files);
    }
    Ok((value, lines))
}

/// One line of an exported journal.
#[derive(Deserialize)]
struct Line {
    project: Option<LineProject>,
    event: Event,
}

#[derive(Deserialize)]
struct LineProject {
    slug: String,
    path: String,
}

type Reader = std::io::BufReader<std::fs::File>;

/// The next lines; none at the end. A line that is no event is there as none.
fn page_of_lines(mut reader: Reader) -> std::io::Result<(Reader, Vec<Option<Line>>)> {
    use std::io::Read as _;
    let mut page = Vec::new();
    while page.len() < PAGE {
        let mut line = Vec::new();
        if (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            page.push(serde_json::from_slice(&line).ok());
        }
    }
    Ok((reader, page))
}

async fn append(
    engine: &Arc<Engine>,
    lines: Vec<Option<Line>>,
    dry_run: bool,
    count: &mut Value,
) -> Result<(), EngineError> {
    let all = lines.len();
    let redaction = engine.redaction();
    let events: Vec<NewEvent> = lines
        .into_iter()
        .flatten()
        .map(|line| {
            let event = redaction.accepted(line.event);
            NewEvent {
                at_ms: clock::millis_of(&event.at).unwrap_or_else(clock::now_millis),
                project: line.project.map(|project| (project.slug, project.path)),
                observation: Observation::of(&event),
                attempt: Attempt::of(&event),
                observed: true,
                event,
            }
        })
        .collect();
    let readable = events.len();
    let same = bring_in(engine, events, dry_run).await?;
    for (key, more) in [("new", readable - same), ("same", same), ("unreadable", all - readable)] {
        count[key] = json!(count[key].as_u64().unwrap_or(0) + more as u64);
    }
    Ok(())
}

fn whole(path: &Path) -> Result<(), EngineError> {
    if path.is_absolute() {
        return Ok(());
    }
    Err(EngineError::usage(format!("{} is not a whole path", path.display()), "write it from / on"))
}
