//! Where the last sessions of a project ended, whichever host they were in.

use rusqlite::{Connection, params};

use super::entries::HAPPENED;
use super::observation::FAILED;
use super::turn::{command_in, relative};

/// At most so many of the last sessions are looked at for those in which anything happened.
const SESSIONS: i64 = 24;

/// At most so many of a session's last entries are looked at.
const ENTRIES: i64 = 300;

/// A prompt of fewer characters ("go on", 继续) tells little; an earlier one that tells more is taken.
const TELLING: usize = 12;

/// A session that was heard within this time and has ended no turn may be at work beside this one: it has left
/// nothing off. In milliseconds.
const AT_WORK: i64 = 30 * 60_000;

/// What one session came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOff {
    /// The host.
    pub(crate) host: String,
    /// When it was heard last, milliseconds since 1970.
    pub(crate) at: i64,
    /// What the person asked last.
    pub(crate) asked: Option<String>,
    /// The files that were changed last, newest first, as they read from the project.
    pub(crate) changed: Vec<String>,
    /// The last command that did something.
    pub(crate) ran: Option<String>,
    /// What the agent said at the end of the last turn; nothing where it did not come to an end.
    pub(crate) said: Option<String>,
}

/// The last sessions of a project but the given one, the newest first. Subagents' doings count only where that is
/// wanted.
pub(crate) fn left_off(
    connection: &Connection,
    (slug, root): (&str, &str),
    (host, session): (&str, &str),
    (most, with_subagents): (usize, bool),
    now: i64,
) -> rusqlite::Result<Vec<LeftOff>> {
    let mut query = connection.prepare_cached(
        "SELECT sessions.id, sessions.host, sessions.last_at, sessions.cwd
           FROM sessions JOIN projects ON projects.id = sessions.project
          WHERE projects.slug = ?1 AND NOT (sessions.host = ?2 AND sessions.session = ?3)
          ORDER BY sessions.last_at DESC LIMIT ?4",
    )?;
    let mut rows = query.query(params![slug, host, session, SESSIONS])?;
    let mut found = Vec::new();
    while found.len() < most
        && let Some(row) = rows.next()?
    {
        let (id, cwd): (i64, String) = (row.get(0)?, row.get(3)?);
        let empty = LeftOff {
            host: row.get(1)?,
            at: row.get(2)?,
            asked: None,
            changed: Vec::new(),
            ran: None,
            said: None,
        };
        let left = filled(connection, id, with_subagents, &[root, &cwd], empty)?;
        found.extend(left.filter(|left| left.said.is_some() || now - left.at > AT_WORK));
    }
    Ok(found)
}

fn filled(
    connection: &Connection,
    session: i64,
    with_subagents: bool,
    roots: &[&str],
    mut left: LeftOff,
) -> rusqlite::Result<Option<LeftOff>> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT observations.kind, observations.title, observations.paths, happened.agent
           FROM ({HAPPENED}) AS happened JOIN observations ON observations.id = happened.id
          WHERE ?2 OR happened.agent = '-'
          ORDER BY happened.at DESC, happened.event DESC LIMIT ?3"
    ))?;
    let mut rows = query.query(params![session, with_subagents, ENTRIES])?;
    let (mut any, mut asked_already) = (false, false);
    while let Some(row) = rows.next()? {
        any = true;
        let kind: String = row.get(0)?;
        let title: String = row.get(1)?;
        let is_main = row.get_ref(3)?.as_str() == Ok("-");
        match kind.as_str() {
            "prompt" => {
                let tells_more = |known: &String| known.chars().count() < TELLING;
                if left.asked.as_ref().is_none_or(tells_more) {
                    left.asked = Some(title);
                }
                asked_already = true;
            }
            // What was said before the last prompt is no end of it.
            "turn" if is_main && !asked_already && left.said.is_none() => left.said = Some(title),
            "write" | "edit" => {
                let paths: String = row.get(2)?;
                let paths: Vec<String> = serde_json::from_str(&paths).unwrap_or_default();
                for path in paths.iter().map(|path| relative(path, roots).to_owned()) {
                    if !left.changed.contains(&path) {
                        left.changed.push(path);
                    }
                }
            }
            "shell" if left.ran.is_none() => {
                left.ran = command_in(&title).map(|command| match command.strip_suffix(FAILED) {
                    Some(command) => format!("{command}, which failed"),
                    None => command.to_owned(),
                });
            }
            _ => {}
        }
    }
    Ok(any.then_some(left))
}
