//! What the start of a session is told of the work itself: what is still to be done, and where the last sessions here
//! ended, whichever host they were in.

use remora_event::Event;

use super::budget::Room;
use super::session_start::digest;
use super::wrapper::{self, Wrapper, short};
use super::{Injection, Item};
use crate::clock;
use crate::command::work::ABANDONED_DAYS;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::work::{self, WorkItem};
use crate::journal::{self, LeftOff, SessionRow};
use crate::ledger::Given;

/// The shares of open work and of the last sessions, in the host's unit.
const WORK_SHARE: usize = 900;
const SESSIONS_SHARE: usize = 700;

/// The names in the ledger.
const WORK: &str = "open-work";
const SESSIONS: &str = "last-sessions";

/// At most so many open items are looked at, and so many characters of one are shown.
const ITEMS: usize = 50;
const ITEM: usize = 160;

/// At most so much of what was asked, of what was said, and of a command. Where several sessions are told, each has
/// its part of the share.
const ASKED: usize = 140;
const SAID: usize = 160;
const RAN: usize = 60;

/// So many changed files are named.
const FILES: usize = 4;

/// Adds what a session's start is told of the work, as far as its budget has room and its context does not have it.
pub(crate) fn add(
    engine: &Engine,
    event: &Event,
    session: Option<&SessionRow>,
    given: &Given,
    injection: &mut Injection,
) -> Result<(), EngineError> {
    let Some(row) = session else { return Ok(()) };
    let config = engine.config();
    let (open, sessions) = engine.journal().read(|connection| {
        let (place, own) =
            ((row.slug.as_str(), row.path.as_str()), (event.host.as_str(), event.session.as_str()));
        let wanted = (config.inject.last_sessions, config.subagents.inject);
        Ok((
            work::items(connection, &row.slug, false, ITEMS)?,
            journal::left_off(connection, place, own, wanted, clock::now_millis())?,
        ))
    })?;
    let mut room = Room::new(config.inject.budget.start, event.budget);
    room.take(&injection.text);
    if !open.is_empty()
        && let Some(notice) = &mut injection.notice
    {
        let items = if open.len() == 1 { "item" } else { "items" };
        notice.push_str(&format!(", {} open {items}", open.len()));
    }
    let text = open_work(&open, room.part(WORK_SHARE));
    put(injection, &mut room, given, (WORK, "open work"), text);
    let each = SESSIONS_SHARE / sessions.len().max(1);
    let lines = sessions.iter().map(|left| {
        let host = engine.profile(&left.host).title().to_owned();
        line(left, &wrapper::one_line(&host), each)
    });
    let title = "## Where you left off (last sessions in this project, in any agent)\n";
    let text = fitting(title, lines, room.part(SESSIONS_SHARE));
    put(injection, &mut room, given, (SESSIONS, "where you left off"), text);
    Ok(())
}

/// The title and as many of the lines as fit; nothing where none does.
fn fitting(title: &str, lines: impl Iterator<Item = String>, room: Room) -> Option<String> {
    let mut text = title.to_owned();
    let mut any = false;
    for line in lines {
        let longer = format!("{text}{line}\n");
        if !room.fits(&longer) {
            break;
        }
        text = longer;
        any = true;
    }
    any.then_some(text)
}

/// Puts a text in, unless the context has the same words or it does not fit.
fn put(
    injection: &mut Injection,
    room: &mut Room,
    given: &Given,
    (file, name): (&str, &str),
    text: Option<String>,
) {
    let Some(text) = text else { return };
    let item = Item::own("start", (file, name), &text, digest(&text));
    if item.is_given(given) || room.measure(&text) + Wrapper::Background.cost(*room) > room.left() {
        return;
    }
    room.take(&text);
    Wrapper::Background.append(&mut injection.text, &text);
    injection.items.push(item);
}

/// The items that are open, as many as fit; the longest untouched say so.
fn open_work(items: &[WorkItem], room: Room) -> Option<String> {
    let title = "## Open work in this project (`work_state`, or `remora work done NUMBER`, closes an item)\n";
    let now = clock::now_millis();
    let lines = items.iter().map(|item| {
        let age = clock::days_since(item.changed_at, now);
        let abandoned = if age >= ABANDONED_DAYS {
            format!(" (untouched for {age} days: possibly abandoned, ask before taking it up)")
        } else {
            String::new()
        };
        format!("- {} {}: {}{abandoned}", item.id, item.state, short(&item.text, ITEM))
    });
    let text = fitting(title, lines, room)?;
    let shown = text.lines().count() - 1;
    if shown == items.len() {
        return Some(text);
    }
    Some(format!("{text}({} more: `remora work`)\n", items.len() - shown))
}

/// One session in one line of about so many characters.
fn line(left: &LeftOff, host: &str, about: usize) -> String {
    let mut parts = Vec::new();
    if let Some(asked) = &left.asked {
        parts.push(format!("asked \"{}\"", short(asked, ASKED.min(about / 4))));
    }
    if !left.changed.is_empty() {
        let files: Vec<String> =
            left.changed.iter().take(FILES).map(|file| wrapper::one_line(file)).collect();
        let more = left.changed.len().saturating_sub(FILES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("changed {}{more}", files.join(", ")));
    }
    if let Some(ran) = &left.ran {
        parts.push(format!("ran {}", short(ran, RAN.min(about / 6))));
    }
    parts.push(match &left.said {
        Some(said) => format!("ended with \"{}\"", short(said, SAID.min(about / 3))),
        None => "did not come to an end".to_owned(),
    });
    let day = clock::rfc3339(left.at).chars().take(10).collect::<String>();
    format!("- {day} in {host}: {}", parts.join("; "))
}
