//! Which entries are asked for: of which projects, sessions and kinds, from when to when, about which file.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Row, params};

/// At most so many entries about a file are looked at, the newest.
const OF_A_FILE: i64 = 20_000;

/// Whose entries are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Projects {
    /// Those of these projects, by slug.
    Of(Vec<String>),
    /// Those of all projects but these, and of sessions without a project.
    AllBut(Vec<String>),
}

/// What is asked for, in the words of who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Whose entries.
    pub(crate) projects: Projects,
    /// Only of this host.
    pub(crate) host: Option<String>,
    /// Only of sessions whose id begins so.
    pub(crate) session: Option<String>,
    /// Only of these kinds; none: of all.
    pub(crate) kinds: Vec<String>,
    /// Only from this moment on, milliseconds since 1970.
    pub(crate) since: Option<i64>,
    /// Only before this moment.
    pub(crate) until: Option<i64>,
    /// Only about this file, or about files in this folder: an absolute path, or the end of one.
    pub(crate) file: Option<String>,
}

impl Asked {
    /// Everything of one project; of none where there is no project.
    pub(crate) fn project(slug: Option<&str>) -> Self {
        Self {
            projects: Projects::Of(slug.map(str::to_owned).into_iter().collect()),
            host: None,
            session: None,
            kinds: Vec::new(),
            since: None,
            until: None,
            file: None,
        }
    }
}

/// The same, as rows of the database.
#[derive(Debug)]
pub(crate) struct Filter {
    /// The projects; nothing stands for sessions without one.
    pub(super) projects: Vec<Option<i64>>,
    /// The sessions, where not all count.
    pub(super) sessions: Option<HashSet<i64>>,
    /// The entries about the file, where one is asked for.
    pub(super) about_file: Option<HashSet<i64>>,
    kinds: Vec<String>,
    pub(super) since: i64,
    pub(super) until: i64,
}

/// What a filter looks at, in the order of [`Filter::accepts`].
pub(super) const FACETS: &str = "id, project, last_at, session, at, kind";

impl Filter {
    /// Looks up what the names stand for. A name that nothing has finds nothing.
    pub(crate) fn resolve(connection: &Connection, asked: &Asked) -> rusqlite::Result<Self> {
        Ok(Self {
            projects: projects(connection, &asked.projects)?,
            sessions: sessions(connection, asked)?,
            about_file: asked.file.as_deref().map(|file| about_file(connection, file)).transpose()?,
            kinds: asked.kinds.clone(),
            since: asked.since.unwrap_or(i64::MIN),
            until: asked.until.unwrap_or(i64::MAX),
        })
    }

    /// When the entry was made last, if it is asked for. `row` is [`FACETS`].
    pub(super) fn accepts(&self, connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Option<i64>> {
        let (id, project): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
        let (last_at, session, at): (i64, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let kind = row.get_ref(5)?.as_str().unwrap_or_default();
        let is_asked_for = self.projects.contains(&project)
            && last_at >= self.since
            && at < self.until
            && (self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind))
            && self.about_file.as_ref().is_none_or(|files| files.contains(&id))
            && match &self.sessions {
                None => true,
                Some(sessions) => sessions.contains(&session) || is_repeated_in(connection, id, sessions)?,
            };
        Ok(is_asked_for.then_some(last_at))
    }

    /// When an entry was made last, if it is asked for. Entries' texts are not touched.
    pub(super) fn accepts_id(&self, connection: &Connection, id: i64) -> rusqlite::Result<Option<i64>> {
        connection
            .prepare_cached(&format!(
                "SELECT {FACETS} FROM observations INDEXED BY observations_facets WHERE id = ?1"
            ))?
            .query_row([id], |row| self.accepts(connection, row))
            .optional()
            .map(Option::flatten)
    }
}

/// Whether an entry was made again in one of the sessions.
fn is_repeated_in(connection: &Connection, id: i64, sessions: &HashSet<i64>) -> rusqlite::Result<bool> {
    let mut query = connection.prepare_cached("SELECT session FROM repeats WHERE observation = ?1")?;
    let mut rows = query.query([id])?;
    while let Some(row) = rows.next()? {
        if sessions.contains(&row.get(0)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn projects(connection: &Connection, wanted: &Projects) -> rusqlite::Result<Vec<Option<i64>>> {
    let mut query = connection.prepare_cached("SELECT id, slug FROM projects")?;
    let known: Vec<(i64, String)> =
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let chosen = |is_wanted: &dyn Fn(&String) -> bool| -> Vec<Option<i64>> {
        known.iter().filter(|(_, slug)| is_wanted(slug)).map(|(id, _)| Some(*id)).collect()
    };
    Ok(match wanted {
        Projects::Of(slugs) => chosen(&|slug| slugs.contains(slug)),
        Projects::AllBut(slugs) => {
            let mut all = chosen(&|slug| !slugs.contains(slug));
            all.push(None);
            all
        }
    })
}

fn sessions(connection: &Connection, asked: &Asked) -> rusqlite::Result<Option<HashSet<i64>>> {
    if asked.host.is_none() && asked.session.is_none() {
        return Ok(None);
    }
    let mut query = connection.prepare_cached(
        "SELECT id FROM sessions
          WHERE (?1 IS NULL OR host = ?1) AND (?2 IS NULL OR substr(session, 1, length(?2)) = ?2)",
    )?;
    let found = query.query_map(params![asked.host, asked.session], |row| row.get(0))?;
    found.collect::<rusqlite::Result<_>>().map(Some)
}

/// The entries about a file or a folder. A path that is not absolute is the end of one: the same file lies
/// elsewhere in another work tree.
fn about_file(connection: &Connection, file: &str) -> rusqlite::Result<HashSet<i64>> {
    let file = file.trim_end_matches('/');
    let mut found = HashSet::new();
    if file.starts_with('/') {
        // `0` follows `/`: everything in the folder lies between the two.
        let mut query = connection.prepare_cached(
            "SELECT observation FROM observation_paths
              WHERE path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0') ORDER BY observation DESC LIMIT ?2",
        )?;
        let rows = query.query_map(params![file, OF_A_FILE], |row| row.get(0))?;
        found.extend(rows.collect::<rusqlite::Result<Vec<i64>>>()?);
        return Ok(found);
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let mut query = connection.prepare_cached(
        "SELECT observation, path FROM observation_paths WHERE name = ?1 ORDER BY observation DESC LIMIT ?2",
    )?;
    let mut rows = query.query(params![name, OF_A_FILE])?;
    while let Some(row) = rows.next()? {
        let path = row.get_ref(1)?.as_str().unwrap_or_default();
        if path.strip_suffix(file).is_some_and(|above| above.is_empty() || above.ends_with('/')) {
            found.insert(row.get(0)?);
        }
    }
    Ok(found)
}
