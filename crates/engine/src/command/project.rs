//! `project list` and `project adopt`.

use std::path::Path;
use std::sync::Arc;

use remora_memory::path::MemoryPath;
use remora_memory::write::{Links, MemoryDir};
use remora_memory::{Folder, ProjectRecord};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::index_keeper;
use crate::journal::join;

/// What `project adopt` takes.
#[derive(Debug, Deserialize)]
pub(super) struct AdoptArguments {
    /// The slug, or a path that the project had.
    project: String,
}

/// `{"here", "projects": [{"slug", "paths", "remote", "memories", "same_remote", "memory"}]}`; `memory` as in `status`.
pub(super) async fn list(engine: &Arc<Engine>, place: Place) -> Result<Value, EngineError> {
    let engine = Arc::clone(engine);
    blocking(move || {
        engine.look_at_config();
        let records = records(&engine);
        let here = records.iter().find(|(slug, _)| Some(slug.as_str()) == place.slug());
        let remote = here.and_then(|(_, record)| record.remote.clone());
        let projects: Vec<Value> = records
            .iter()
            .map(|(slug, record)| {
                let memories =
                    Folder::scan(&engine.memories().folder_of(slug)).map_or(0, |scan| scan.memories.len());
                let same_remote =
                    remote.is_some() && record.remote == remote && Some(slug.as_str()) != place.slug();
                // The newest path first: sessions there are what the setting is about.
                let root = record.paths.first().map(|path| Path::new(path.as_str()));
                let is_here = Some(slug.as_str()) == place.slug();
                let memory = engine.memory_state(root.map(|root| (slug.as_str(), root)), is_here);
                json!({
                    "memory": memory,
                    "slug": slug, "paths": record.paths, "remote": record.remote,
                    "memories": memories, "same_remote": same_remote,
                })
            })
            .collect();
        Ok(json!({"here": place.slug(), "projects": projects}))
    })
    .await
}

/// Joins the project here to an earlier one: a repository that was moved or cloned again. Memories move, and what the
/// journal knows of sessions here is the earlier project's from now on.
/// `{"adopted": slug, "moved": how many memories, "sessions": how many}`.
pub(super) async fn adopt(
    engine: &Arc<Engine>,
    place: Place,
    args: AdoptArguments,
) -> Result<Value, EngineError> {
    let Some((here, root)) = place.project.clone() else {
        return Err(EngineError::usage(
            "there is no project here",
            "go to its folder, or name it with --project",
        ));
    };
    let (worker, not_here) = (Arc::clone(engine), here.clone());
    let (slug, mut record) = blocking(move || earlier(&worker, &args.project, &not_here)).await?;
    // First what is done wholly or not at all, and may be done again.
    let is_gone = !record.paths.iter().any(|path| std::path::Path::new(path).is_dir());
    let (from, to, path) = (here.clone(), slug.clone(), root.to_string_lossy().into_owned());
    let sessions = engine.journal().write(move |journal| join(journal, &from, (&to, &path), is_gone)).await?;
    let worker = Arc::clone(engine);
    let value = blocking(move || {
        let engine = worker;
        let moved = move_memories(&engine, &here, &slug)?;
        record.saw_root(&root);
        record.aliases.push(here.clone());
        record.write(&engine.root().project(&slug))?;
        retire(&engine, &here)?;
        Ok(json!({"adopted": slug, "moved": moved, "sessions": sessions}))
    })
    .await?;
    engine.forget_places();
    Ok(value)
}

/// The earlier project that is named, which is not the one here.
fn earlier(engine: &Engine, name: &str, here: &str) -> Result<(String, ProjectRecord), EngineError> {
    let is_named = |slug: &str, record: &ProjectRecord| {
        slug == name
            || record.paths.iter().any(|path| path.trim_end_matches('/') == name.trim_end_matches('/'))
    };
    let found = records(engine).into_iter().find(|(slug, record)| is_named(slug, record));
    let Some((slug, record)) = found else {
        return Err(EngineError::not_found(
            format!("no project is called {name:?}"),
            "`remora project list` shows them",
        ));
    };
    if slug == here {
        return Err(EngineError::usage(
            "that is the project here",
            "name the earlier one: `remora project list`",
        ));
    }
    Ok((slug, record))
}

/// Every project's record with its slug.
fn records(engine: &Engine) -> Vec<(String, ProjectRecord)> {
    let Ok(entries) = std::fs::read_dir(engine.root().projects()) else { return Vec::new() };
    let mut records: Vec<(String, ProjectRecord)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let record = ProjectRecord::read(&entry.path()).ok().flatten()?;
            Some((entry.file_name().into_string().ok()?, record))
        })
        .collect();
    records.sort_by(|a, b| a.0.cmp(&b.0));
    records
}

/// Moves the memories of one project into another's folder; a name that is taken gets a number.
fn move_memories(engine: &Engine, from: &str, to: &str) -> Result<usize, EngineError> {
    let source = engine.memories().folder_of(from);
    let Ok(scan) = Folder::scan(&source) else { return Ok(0) };
    let target = MemoryDir::create(&engine.memories().folder_of(to), Links::Inside)?;
    let source = MemoryDir::open(&source, Links::Inside)?;
    for memory in &scan.memories {
        let (bytes, _) = source.read(&MemoryPath::found(&memory.file)?)?;
        let file = free_name(&target, &memory.file)?;
        target.create_new(&file, &bytes)?;
        index_keeper::change(&target, |index| {
            index.upsert(file.as_str(), &memory.name, &memory.description);
        })?;
        fs_err::remove_file(source.root().join(&memory.file))?;
    }
    Ok(scan.memories.len())
}

fn free_name(target: &MemoryDir, file: &str) -> Result<MemoryPath, EngineError> {
    let (stem, end) = file.rsplit_once('.').unwrap_or((file, "md"));
    let mut nth = 1;
    loop {
        let name = if nth == 1 { file.to_owned() } else { format!("{stem}-{nth}.{end}") };
        let path = MemoryPath::found(&name)?;
        if !target.exists(&path) {
            return Ok(path);
        }
        nth += 1;
    }
}

/// The joined project's own folder goes to the backups: its record must not claim the path any more.
fn retire(engine: &Engine, slug: &str) -> Result<(), EngineError> {
    let folder = engine.root().project(slug);
    if !folder.exists() {
        return Ok(());
    }
    let backups = engine.root().backups().join("projects");
    crate::root::create_private(&backups)?;
    fs_err::rename(folder, backups.join(format!("{slug}-{}", uuid::Uuid::now_v7())))?;
    Ok(())
}
