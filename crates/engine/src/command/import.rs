//! `import HOST` and `ingest PATH`: snapshots of what lies elsewhere, taken now. Never written back, never a model
//! involved.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::config::ChosenFolder;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::SessionRow;
use crate::memories::Entry;
use crate::native;
use crate::sources::{self, Source, Taken, Turn, Way, Whose};

/// A file that is being written is waited for so often, so long each time.
const TRIES: usize = 6;
const PAUSE: Duration = Duration::from_millis(450);

/// What `import` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    host: String,
    #[serde(default)]
    dry_run: bool,
}

/// What `ingest` takes.
#[derive(Debug, Deserialize)]
pub(super) struct Ingest {
    /// A folder, or a Markdown file; absolute.
    path: PathBuf,
    #[serde(default)]
    dry_run: bool,
}

/// `{"host", "folder", "project", "dry_run", "new", "changed", "same", "gone", "left_out", "reasons", "beside",
/// "limits", "sources"}`: lists of files, of all sources together; `sources` has them one by one.
pub(super) async fn run(engine: &Arc<Engine>, place: Place, args: Arguments) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || import(&engine, &place, &args)).await
}

fn import(engine: &Engine, place: &Place, args: &Arguments) -> Result<Value, EngineError> {
    let profile = engine.profile(&args.host);
    if profile.memory.folders.is_empty() && profile.memory.documents.is_empty() {
        return Err(EngineError::not_found(
            format!("{} keeps no memory that is known", args.host),
            "`remora hosts` lists the hosts",
        ));
    }
    let mut all = Vec::new();
    if let Some((slug, root)) = &place.project {
        if engine.config().memory_dir_of(root) == Some(ChosenFolder::Native(args.host.clone())) {
            return Err(EngineError::refused(
                format!("the folder of {} is this project's memory already", args.host),
                "there is nothing to import: both read and write the same files",
            ));
        }
        let whose = Whose::Project { slug: slug.clone(), root: root.clone() };
        let sources = engine.native_sources(&profile, root);
        all.extend(take_settled(engine, &whose, &sources, args.dry_run)?);
    }
    let of_person = engine.native_sources_of_person(&profile);
    all.extend(take_settled(engine, &Whose::Person, &of_person, args.dry_run)?);
    let mut value = together(&all);
    value["host"] = json!(args.host);
    value["project"] = place.project_json();
    value["dry_run"] = json!(args.dry_run);
    Ok(value)
}

/// The same shape as of `import`, without `host`.
pub(super) async fn ingest(engine: &Arc<Engine>, place: Place, args: Ingest) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || {
        let Some((slug, root)) = &place.project else {
            return Err(EngineError::usage(
                "there is no project here to take it for",
                "go to the project's folder, or name it with --project",
            ));
        };
        let source = named(&engine, &args.path, root)?;
        if !args.dry_run {
            engine.memories().open_project(&engine.project_at(root))?;
        }
        let whose = Whose::Project { slug: slug.clone(), root: root.clone() };
        let taken = take_settled(&engine, &whose, std::slice::from_ref(&source), args.dry_run)?;
        if let Some(why) = taken.iter().find_map(Taken::refused) {
            return Err(EngineError::refused(
                format!("{} is not taken: {why}", args.path.display()),
                "name a folder or a file with notes of your own",
            ));
        }
        let mut value = together(&taken);
        value["project"] = place.project_json();
        value["dry_run"] = json!(args.dry_run);
        Ok(value)
    })
    .await
}

/// The source that a path names.
fn named(engine: &Engine, path: &Path, root: &Path) -> Result<Source, EngineError> {
    let path = &folded(path);
    let shown = path.display();
    if !path.is_absolute() {
        return Err(EngineError::usage(format!("{shown} is not a whole path"), "write it from / on"));
    }
    let Ok(found) = std::fs::metadata(path) else {
        return Err(EngineError::not_found(
            format!("there is no {shown}"),
            "name a folder or a Markdown file",
        ));
    };
    let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if !(found.is_dir() || found.is_file() && is_markdown) {
        return Err(EngineError::usage(
            format!("{shown} is no Markdown file and no folder"),
            "only files whose names end in .md are taken",
        ));
    }
    if found.is_dir() && is_too_much(path, engine.home()) {
        return Err(EngineError::refused(
            format!("{shown} is too much to take: everything of yours lies below it"),
            "name the folder with your notes",
        ));
    }
    Ok(Source::chosen(path, root, engine.home()))
}

/// Whether a folder is the person's home, or one that the home lies in, by whatever name.
fn is_too_much(folder: &Path, home: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = real(folder);
    folder.parent().is_none() || home.is_some_and(|home| real(home).starts_with(&folder))
}

/// A path without `.` and `..`, as a shell folds them: what a link leads to is not looked at.
fn folded(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(folded.pop()),
            other => folded.push(other),
        }
    }
    folded
}

/// Takes some sources when nobody is writing in them any more, or after a while all the same. Blocks.
fn take_settled(
    engine: &Engine,
    whose: &Whose,
    sources: &[Source],
    dry_run: bool,
) -> Result<Vec<Taken>, EngineError> {
    let look = Way { dry_run: true, again: true };
    for _ in 0..TRIES {
        if engine.take(whose, sources, look)?.iter().all(|taken| taken.unsettled.is_empty()) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let taken =
        engine.take_alone(whose, Turn::Wait, || engine.take(whose, sources, Way { dry_run, again: true }))?;
    let taken = taken.unwrap_or_default();
    if !dry_run && taken.iter().any(Taken::is_news) {
        engine.memories().look_again();
    }
    Ok(taken)
}

/// What was taken from several sources, as one.
pub(super) fn together(all: &[Taken]) -> Value {
    let sources: Vec<Value> = all.iter().map(Taken::json).collect();
    let mut value = json!({"folder": all.first().map(|taken| &taken.source.path)});
    for key in ["new", "changed", "same", "gone", "left_out"] {
        let files: Vec<&Value> =
            sources.iter().filter_map(|source| source[key].as_array()).flatten().collect();
        value[key] = json!(files);
    }
    value["limits"] = all.iter().flat_map(|taken| &taken.limits).map(|limit| json!(limit)).collect();
    for key in ["beside", "reasons"] {
        let pairs = sources.iter().filter_map(|source| source[key].as_object()).flatten();
        value[key] =
            pairs.map(|(file, text)| (file.clone(), text.clone())).collect::<serde_json::Map<_, _>>().into();
    }
    value["sources"] = sources.into();
    value
}

/// Where a snapshot was taken from; nothing for a memory that is no snapshot.
pub(super) fn source_of(entry: &Entry) -> Option<PathBuf> {
    entry.is_snapshot.then(|| sources::origin_of(&entry.folder(), &entry.file)).flatten()
}

impl Engine {
    /// The folders in which any host keeps memory that this project's sessions may look into.
    pub(crate) fn native_folders(&self, session: Option<&SessionRow>) -> Vec<PathBuf> {
        let Some(home) = self.home() else { return Vec::new() };
        let root = session.map(|row| Path::new(&row.path));
        self.profiles().flat_map(|profile| native::folders_of(profile, root, home)).collect()
    }

    /// The folder that a host keeps for a project, whether or not it exists.
    pub(crate) fn native_folder(&self, host: &str, root: &Path) -> Option<PathBuf> {
        native::folder_of(&self.profile(host), root, self.home()?)
    }
}
