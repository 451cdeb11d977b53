//! Which entries of the journal a command asks for.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use chrono::Local;
use serde::Deserialize;

use super::Place;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal::{Asked, Projects};
use crate::when::{End, moment};

/// Kinds of entries.
const KINDS: [&str; 13] = [
    "prompt", "turn", "read", "write", "edit", "shell", "search", "web", "mcp", "agent", "memory", "note",
    "other",
];

/// What commands about the journal take beside their own arguments.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Filters {
    #[serde(default)]
    host: Option<String>,
    /// The beginning of a session's id is enough.
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    kind: Vec<String>,
    /// Relative to where the person stands, absolute, or the end of a path.
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    until: Option<String>,
    /// In all projects but the isolated ones.
    #[serde(default)]
    everywhere: bool,
    /// In these projects instead of this one, by slug, path or last part of a path.
    #[serde(default)]
    projects: Vec<String>,
}

impl Filters {
    /// What is asked for, from where the person stands.
    pub(super) async fn read(
        &self,
        engine: &Arc<Engine>,
        place: &Place,
        cwd: Option<&Path>,
    ) -> Result<Asked, EngineError> {
        for kind in &self.kind {
            if !KINDS.contains(&kind.as_str()) {
                return Err(EngineError::usage(
                    format!("there is no kind {kind:?}"),
                    &format!("the kinds are {}", KINDS.join(", ")),
                ));
            }
        }
        let here = place.slug().map(str::to_owned);
        let projects = self.projects(engine, here).await?;
        Ok(Asked {
            projects,
            host: self.host.clone(),
            session: self.session.clone(),
            kinds: self.kind.clone(),
            since: self.since.as_deref().map(|text| when(text, "since", End::First)).transpose()?,
            until: self.until.as_deref().map(|text| when(text, "until", End::After)).transpose()?,
            file: self.file.as_deref().map(|file| file_from(file, cwd)),
        })
    }

    async fn projects(&self, engine: &Arc<Engine>, here: Option<String>) -> Result<Projects, EngineError> {
        if !self.everywhere && self.projects.is_empty() {
            return Ok(Projects::Of(here.into_iter().collect()));
        }
        let engine = Arc::clone(engine);
        let named = self.projects.clone();
        blocking(move || {
            let config = engine.config();
            let known = engine.journal().read(crate::journal::projects)?;
            let is_isolated = |slug: &str, path: &str| {
                Some(slug) != here.as_deref() && config.of_project(Path::new(path)).isolated == Some(true)
            };
            if named.is_empty() {
                let isolated = known.into_iter().filter(|(slug, path)| is_isolated(slug, path));
                return Ok(Projects::AllBut(isolated.map(|(slug, _)| slug).collect()));
            }
            let mut slugs = Vec::new();
            for name in &named {
                let (slug, path) = project_called(&known, name)?;
                if is_isolated(slug, path) {
                    return Err(EngineError::refused(
                        format!("the project {slug} is isolated: it is searched from within it alone"),
                        "go to its folder",
                    ));
                }
                slugs.push(slug.clone());
            }
            Ok(Projects::Of(slugs))
        })
        .await
    }
}

/// The one project of a slug, a path or the last part of a path.
pub(super) fn project_called<'a>(
    known: &'a [(String, String)],
    name: &str,
) -> Result<&'a (String, String), EngineError> {
    let wanted = name.trim_end_matches('/');
    let exact = known.iter().find(|(slug, path)| slug == wanted || path == wanted);
    let last: Vec<&(String, String)> = known
        .iter()
        .filter(|(_, path)| Path::new(path).file_name().is_some_and(|last| last.to_str() == Some(wanted)))
        .collect();
    match (exact, last.as_slice()) {
        (Some(project), _) => Ok(project),
        (None, [project]) => Ok(project),
        (None, []) => Err(EngineError::not_found(
            format!("the journal knows no project called {name:?}"),
            "`remora project list` shows slugs and paths",
        )),
        (None, several) => {
            let paths: Vec<&str> = several.iter().map(|(_, path)| path.as_str()).collect();
            Err(EngineError::usage(
                format!("{name:?} could be {}", paths.join(" or ")),
                "name the whole path",
            ))
        }
    }
}

fn when(text: &str, which: &str, end: End) -> Result<i64, EngineError> {
    moment(text, end, Local::now()).ok_or_else(|| {
        EngineError::usage(
            format!("--{which} {text:?} is no moment"),
            "write 2026-11-02, \"2026-11-02 14:30\", yesterday, 3d or 2h",
        )
    })
}

/// A path as tools name it. One that leads nowhere from here is taken as the end of a path.
fn file_from(file: &str, cwd: Option<&Path>) -> String {
    let path = Path::new(file);
    let from_here = cwd.map(|cwd| cwd.join(path)).filter(|path| path.is_absolute());
    let clean = from_here.map(|path| without_dots(&path)).filter(|path| path.exists());
    match clean {
        Some(path) => path.to_string_lossy().into_owned(),
        None => file.trim_start_matches("./").to_owned(),
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}
