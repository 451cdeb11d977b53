//! Rows of the journal deleted for good.

use std::collections::{BTreeSet, HashSet};

use remora_event::Event;
use rusqlite::{Connection, Row, params};
use serde::Serialize;

use super::observation::{self, Observation};

/// What is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selection {
    /// Everything of a project.
    Project { slug: String },
    /// Everything of one session.
    Session { host: String, session: String },
    /// Everything that happened before a moment, milliseconds since 1970.
    Before { at_ms: i64 },
    /// Everything in which these words stand, in any case of the letters.
    Match { text: String },
}

impl Selection {
    /// Whether an event that is not in the journal yet is to go.
    pub(crate) fn covers(&self, event: &Event, at_ms: Option<i64>, slug: Option<&str>) -> bool {
        match self {
            Self::Project { slug: gone } => slug == Some(gone),
            Self::Session { host, session } => event.host == *host && event.session == *session,
            Self::Before { at_ms: before } => at_ms.is_some_and(|at| at < *before),
            Self::Match { text } => serde_json::to_string(event)
                .is_ok_and(|json| forms(text).iter().any(|form| holds(&json, form))),
        }
    }
}

/// How many rows went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Purged {
    pub(crate) events: usize,
    pub(crate) entries: usize,
    pub(crate) sessions: usize,
    pub(crate) injections: usize,
    pub(crate) work_items: usize,
    pub(crate) changes: usize,
}

impl Purged {
    /// Whether anything went.
    pub(crate) fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// The ways in which words can stand in JSON and in plain columns, in small letters.
pub(crate) fn forms(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let escaped = serde_json::to_string(&lower).unwrap_or_default();
    [escaped.trim_matches('"').to_owned(), lower].into_iter().filter(|form| !form.is_empty()).collect()
}

/// Whether a text holds one of the [`forms`], in any case.
pub(crate) fn holds(text: &str, form: &str) -> bool {
    text.to_lowercase().contains(form)
}

/// Deletes what is selected. Words of the deleted entries stay in the search's segments until [`super::scrub`].
/// A transcript does not bring it again: what happened before `now`, milliseconds since 1970.
pub(crate) fn purge(connection: &Connection, selection: &Selection, now: i64) -> rusqlite::Result<Purged> {
    let mut purged = Purged::default();
    let events = events(connection, selection)?;
    super::transcripts::withhold(connection, selection, &sessions_of(connection, &events, selection)?, now)?;
    let survivors = remove_events(connection, &events, &mut purged)?;
    if let Selection::Match { text } = selection {
        purged.entries += remove_digests(connection, text)?;
    }
    make_again(connection, &survivors)?;
    purged.injections = injections(connection, selection)?;
    purged.work_items = work_items(connection, selection)?;
    purged.changes = changes(connection, selection)?;
    purged.sessions = connection.execute(
        "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.session = sessions.id)",
        [],
    )?;
    connection.execute(
        "DELETE FROM projects
          WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.project = projects.id)
            AND NOT EXISTS (SELECT 1 FROM work_items WHERE work_items.project = projects.id)",
        [],
    )?;
    Ok(purged)
}

/// The selected events' numbers.
fn events(connection: &Connection, selection: &Selection) -> rusqlite::Result<HashSet<i64>> {
    let numbers = |sql: &str, args: &[&dyn rusqlite::ToSql]| {
        let mut query = connection.prepare(sql)?;
        let rows = query.query_map(args, |row: &Row<'_>| row.get(0))?;
        rows.collect::<rusqlite::Result<HashSet<i64>>>()
    };
    match selection {
        Selection::Project { slug } => numbers(
            "SELECT seq FROM events WHERE session IN
               (SELECT sessions.id FROM sessions JOIN projects ON projects.id = sessions.project WHERE slug = ?1)",
            &[slug],
        ),
        Selection::Session { host, session } => numbers(
            "SELECT seq FROM events WHERE session IN (SELECT id FROM sessions WHERE host = ?1 AND session = ?2)",
            &[host, session],
        ),
        Selection::Before { at_ms } => numbers("SELECT seq FROM events WHERE at < ?1", &[at_ms]),
        Selection::Match { text } => {
            let mut query = connection.prepare("SELECT seq, body FROM events")?;
            let mut rows = query.query([])?;
            let forms = forms(text);
            let mut found = HashSet::new();
            while let Some(row) = rows.next()? {
                let body = row.get_ref(1)?.as_str().unwrap_or_default();
                if forms.iter().any(|form| holds(body, form)) {
                    found.insert(row.get(0)?);
                }
            }
            Ok(found)
        }
    }
}

/// The sessions of the selected events, unless they are selected by their time alone: host and id.
fn sessions_of(
    connection: &Connection,
    events: &HashSet<i64>,
    selection: &Selection,
) -> rusqlite::Result<Vec<(String, String)>> {
    if matches!(selection, Selection::Before { .. }) {
        return Ok(Vec::new());
    }
    let mut query = connection.prepare(
        "SELECT sessions.host, sessions.session FROM events JOIN sessions ON sessions.id = events.session
          WHERE events.seq = ?1",
    )?;
    let mut sessions = BTreeSet::new();
    for event in events {
        sessions.insert(query.query_row([event], |row| Ok((row.get(0)?, row.get(1)?)))?);
    }
    Ok(sessions.into_iter().collect())
}

/// Removes events with what they made. Answers the events that stay and said the same: what they said is theirs now.
fn remove_events(
    connection: &Connection,
    events: &HashSet<i64>,
    purged: &mut Purged,
) -> rusqlite::Result<Vec<i64>> {
    let mut survivors = Vec::new();
    let mut made = connection.prepare("SELECT id FROM observations WHERE event = ?1")?;
    let mut repeated = connection.prepare("SELECT event FROM repeats WHERE observation = ?1")?;
    for event in events {
        let entries: Vec<i64> =
            made.query_map([event], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        for entry in entries {
            let again: Vec<i64> =
                repeated.query_map([entry], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            survivors.extend(again.into_iter().filter(|event| !events.contains(event)));
            observation::remove(connection, entry)?;
            purged.entries += 1;
        }
    }
    let mut repeat = connection.prepare("SELECT observation FROM repeats WHERE event = ?1")?;
    let mut touched = HashSet::new();
    for event in events {
        let observations: Vec<i64> =
            repeat.query_map([event], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        touched.extend(observations);
        connection.prepare_cached("DELETE FROM repeats WHERE event = ?1")?.execute([event])?;
        connection
            .prepare_cached("UPDATE events SET seen_also = NULL WHERE seen_also = ?1")?
            .execute([event])?;
        // The number may be given again.
        connection.prepare_cached("UPDATE injections SET seq = NULL WHERE seq = ?1")?.execute([event])?;
        purged.events += connection.prepare_cached("DELETE FROM events WHERE seq = ?1")?.execute([event])?;
    }
    for observation in touched {
        super::reinforcement::recount(connection, observation)?;
    }
    survivors.sort_unstable();
    Ok(survivors)
}

/// Digests speak of other events than the one that made them.
fn remove_digests(connection: &Connection, text: &str) -> rusqlite::Result<usize> {
    let mut query = connection.prepare("SELECT id, title, body, paths FROM observations")?;
    let mut rows = query.query([])?;
    let forms = forms(text);
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        for column in 1..4 {
            let said = row.get_ref(column)?.as_str().unwrap_or_default();
            if forms.iter().any(|form| holds(said, form)) {
                found.push(row.get(0)?);
                break;
            }
        }
    }
    for id in &found {
        observation::remove(connection, *id)?;
    }
    Ok(found.len())
}

/// The events that said the same make the entry anew, in their own words.
fn make_again(connection: &Connection, events: &[i64]) -> rusqlite::Result<()> {
    let mut query = connection.prepare("SELECT session, at, agent, body FROM events WHERE seq = ?1")?;
    for event in events {
        let (session, at, agent, body): (i64, i64, String, String) =
            query.query_row([event], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let Ok(told) = serde_json::from_str::<Event>(&body) else { continue };
        if let Some(made) = Observation::of(&told) {
            observation::insert(connection, *event, session, at, &agent, &made)?;
        }
    }
    Ok(())
}

fn injections(connection: &Connection, selection: &Selection) -> rusqlite::Result<usize> {
    match selection {
        Selection::Project { slug } => {
            connection.execute("DELETE FROM injections WHERE project = ?1", [slug])
        }
        Selection::Session { host, session } => {
            connection.execute("DELETE FROM choices WHERE host = ?1 AND session = ?2", [host, session])?;
            connection.execute("DELETE FROM injections WHERE host = ?1 AND session = ?2", [host, session])
        }
        Selection::Before { at_ms } => {
            connection.execute("DELETE FROM choices WHERE at < ?1", [at_ms])?;
            connection.execute("DELETE FROM injections WHERE at < ?1", [at_ms])
        }
        Selection::Match { text } => connection.execute(
            "DELETE FROM injection_items WHERE instr(lower(file || char(10) || name), lower(?1))",
            [text],
        ),
    }
}

fn work_items(connection: &Connection, selection: &Selection) -> rusqlite::Result<usize> {
    match selection {
        Selection::Project { slug } => connection.execute(
            "DELETE FROM work_items WHERE project IN (SELECT id FROM projects WHERE slug = ?1)",
            [slug],
        ),
        Selection::Session { host, session } => {
            connection.execute("DELETE FROM work_items WHERE host = ?1 AND session = ?2", [host, session])
        }
        Selection::Before { at_ms } => connection.execute(
            "DELETE FROM work_items WHERE changed_at < ?1 AND state IN ('done', 'dropped')",
            [at_ms],
        ),
        Selection::Match { text } => {
            let mut query = connection.prepare("SELECT id, text FROM work_items")?;
            let mut rows = query.query([])?;
            let (wanted, mut gone) = (text.to_lowercase(), Vec::new());
            while let Some(row) = rows.next()? {
                if holds(row.get_ref(1)?.as_str().unwrap_or_default(), &wanted) {
                    gone.push(row.get::<_, i64>(0)?);
                }
            }
            for id in &gone {
                connection.execute("DELETE FROM work_items WHERE id = ?1", [id])?;
            }
            Ok(gone.len())
        }
    }
}

/// What was saved and forgotten, as far as it names the words.
fn changes(connection: &Connection, selection: &Selection) -> rusqlite::Result<usize> {
    let Selection::Match { text } = selection else { return Ok(0) };
    connection.execute("DELETE FROM changes WHERE instr(lower(change), lower(?1))", params![text])
}
