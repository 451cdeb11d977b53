//! The injection ledger: what was given to which context, when, why, and what it cost.
//!
//! An injection is *offered* when the reply leaves and *shown* when the hook confirms that it printed it.
//! What was offered and not confirmed within a minute counts as not given.

use std::collections::HashMap;

use chrono::NaiveDate;
use remora_event::{Event, EventKind, key_for_tool};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use crate::clock;
use crate::injection::{Choice, Injection};

/// How long an unconfirmed offer counts as given, in milliseconds.
const OFFER_HOLDS: i64 = 60_000;

/// A hook that was answered in time has said so after this, in milliseconds: a look-up's deadline, and time to write.
const PRINTED_WITHIN: i64 = 1_000;

/// After so many turns a shown text counts as gone where no host says when it goes.
const FADES_AFTER_TURNS: i64 = 30;
/// After so many characters likewise; events are counted with what is kept around their texts.
const FADES_AFTER_CHARACTERS: i64 = 50_000;

/// What a context already has: (part, scope, file) with the digest of what it was given.
pub(crate) type Given = HashMap<(String, String, String), String>;

/// A context: one agent in one session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Context {
    pub(crate) host: String,
    pub(crate) session: String,
    pub(crate) agent: String,
}

impl Context {
    /// The context in which an event happened.
    pub(crate) fn of(event: &Event) -> Self {
        Self { host: event.host.clone(), session: event.session.clone(), agent: event.agent_id().to_owned() }
    }
}

/// What this context has, as far as it was shown or is being offered right now. `fades`: nobody says when this
/// host's contexts are compacted, so that what was shown long ago may be gone.
pub(crate) fn given(connection: &Connection, context: &Context, fades: bool) -> rusqlite::Result<Given> {
    let mut query = connection.prepare_cached(
        "SELECT items.part, items.scope, items.file, items.digest
           FROM injections JOIN injection_items AS items ON items.injection = injections.id
          WHERE host = ?1 AND session = ?2 AND agent = ?3 AND live = 1
            AND (state = 'shown' OR at > ?4) AND at > ?5
          ORDER BY injections.at",
    )?;
    let since = clock::now_millis() - OFFER_HOLDS;
    let horizon = if fades { horizon(connection, context)? } else { i64::MIN };
    query
        .query_map(params![context.host, context.session, context.agent, since, horizon], |row| {
            Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get(3)?))
        })?
        .collect()
}

/// The time before which a context may have lost what it was shown: so many turns or characters ago.
fn horizon(connection: &Connection, context: &Context) -> rusqlite::Result<i64> {
    let mut query = connection.prepare_cached(
        "SELECT at, kind = 'user_prompt', length(body) FROM events
          WHERE session = (SELECT id FROM sessions WHERE host = ?1 AND session = ?2) AND agent = ?3
            AND seen_also IS NULL ORDER BY at DESC",
    )?;
    let mut rows = query.query([&context.host, &context.session, &context.agent])?;
    let (mut turns, mut characters) = (0, 0_i64);
    while let Some(row) = rows.next()? {
        let (at, is_prompt, length): (i64, bool, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        turns += i64::from(is_prompt);
        characters += length;
        if turns >= FADES_AFTER_TURNS || characters >= FADES_AFTER_CHARACTERS {
            return Ok(at);
        }
    }
    Ok(i64::MIN)
}

/// Whether a memory was told to some model of a project (or anywhere) since a time.
pub(crate) fn was_told(
    connection: &Connection,
    file: &str,
    scope: &str,
    project: Option<&str>,
    since: i64,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM injections JOIN injection_items AS items ON items.injection = injections.id
              WHERE injections.at > ?4 AND items.file = ?1 AND items.scope = ?2 AND items.part IN ('body', 'index')
                AND (?3 IS NULL OR injections.project = ?3))",
        )?
        .query_row(params![file, scope, project, since], |row| row.get(0))
}

/// Writes what is offered, and the choices that led to it, in the commit of its event. `seq`: the event's row.
pub(crate) fn offer(
    connection: &Connection,
    event: &Event,
    seq: Option<i64>,
    injection: &Injection,
) -> rusqlite::Result<()> {
    let now = clock::now_millis();
    choose(connection, &event.host, &event.session, &injection.choices)?;
    if injection.text.is_empty() {
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO injections (id, at, host, session, agent, turn, event, project, state, tokens, seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'offered', ?9, ?10)",
        )?
        .execute(params![
            injection.id,
            now,
            event.host,
            event.session,
            event.agent_id(),
            event.turn,
            event.event.as_str(),
            injection.project,
            injection.tokens(),
            seq,
        ])?;
    for (place, item) in injection.items.iter().enumerate() {
        connection
            .prepare_cached(
                "INSERT INTO injection_items (injection, place, part, file, name, scope, step, score, tokens, digest)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                injection.id,
                i64::try_from(place).unwrap_or(i64::MAX),
                item.part,
                item.file,
                item.name,
                item.scope,
                item.step,
                item.score,
                item.tokens,
                item.digest,
            ])?;
    }
    Ok(())
}

/// Writes down how choices went.
pub(crate) fn choose(
    connection: &Connection,
    host: &str,
    session: &str,
    choices: &[Choice],
) -> rusqlite::Result<()> {
    let now = clock::now_millis();
    for choice in choices {
        connection
            .prepare_cached(
                "INSERT INTO choices (at, host, session, step, offered, taken, note)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![now, host, session, choice.step, choice.offered, choice.taken, choice.note])?;
    }
    Ok(())
}

/// What language models cost: one purpose and model on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ModelUse {
    pub(crate) purpose: String,
    pub(crate) model: String,
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// Adds what a call cost to its day.
pub(crate) fn add_model_use(
    connection: &Connection,
    day: NaiveDate,
    used: &ModelUse,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT INTO model_use (day, purpose, model, calls, failed, input, output)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (day, purpose, model) DO UPDATE SET calls = calls + ?4, failed = failed + ?5,
                 input = input + ?6, output = output + ?7",
        )?
        .execute(params![
            day.to_string(),
            used.purpose,
            used.model,
            number(used.calls),
            number(used.failed),
            number(used.input),
            number(used.output)
        ])
}

/// What models cost on a day.
pub(crate) fn model_use(connection: &Connection, day: NaiveDate) -> rusqlite::Result<Vec<ModelUse>> {
    let count = |row: &rusqlite::Row<'_>, at: usize| row.get(at).map(|n: i64| u64::try_from(n).unwrap_or(0));
    let mut query = connection.prepare_cached(
        "SELECT purpose, model, calls, failed, input, output FROM model_use WHERE day = ?1 ORDER BY purpose, model",
    )?;
    query
        .query_map([day.to_string()], |row| {
            Ok(ModelUse {
                purpose: row.get(0)?,
                model: row.get(1)?,
                calls: count(row, 2)?,
                failed: count(row, 3)?,
                input: count(row, 4)?,
                output: count(row, 5)?,
            })
        })?
        .collect()
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The hook printed it.
pub(crate) fn confirm(connection: &Connection, id: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached("UPDATE injections SET state = 'shown' WHERE id = ?1")?.execute([id])
}

/// What a memory tool's own call was given before the tool ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BeforeTool {
    /// Nobody asked then.
    Unasked,
    /// It was asked then, and nothing was found.
    Asked,
    /// It was answered then.
    Answered,
    /// There was an answer, this one, and its hook left without it.
    Lost(String),
}

/// What became of a call before its tool ran, when the tool has run.
pub(crate) fn before_tool(connection: &Connection, event: &Event, now: i64) -> rusqlite::Result<BeforeTool> {
    let call = event.tool.as_ref().and_then(|tool| tool.call.as_deref());
    let (EventKind::PostToolUse, Some(_), Some(call)) = (event.event, &event.memory_query, call) else {
        return Ok(BeforeTool::Unasked);
    };
    let key = key_for_tool(EventKind::PreToolUse, call, event.agent_id());
    let found = connection
        .prepare_cached(
            "SELECT injections.id, injections.state = 'shown' OR injections.at > ?4 FROM events
               LEFT JOIN injections ON injections.seq = events.seq AND EXISTS (
                    SELECT 1 FROM injection_items WHERE injection = injections.id AND step = 'bridge')
              WHERE events.session = (SELECT id FROM sessions WHERE host = ?1 AND session = ?2) AND events.key = ?3
              ORDER BY injections.id IS NULL LIMIT 1",
        )?
        .query_row(params![event.host, event.session, key, now - PRINTED_WITHIN], |row| {
            let id: Option<String> = row.get(0)?;
            let is_answered: Option<bool> = row.get(1)?;
            Ok(match id {
                None => BeforeTool::Asked,
                Some(_) if is_answered == Some(true) => BeforeTool::Answered,
                Some(id) => BeforeTool::Lost(id),
            })
        });
    Ok(found.optional()?.unwrap_or(BeforeTool::Unasked))
}

/// What was offered never came to the model.
pub(crate) fn lose(connection: &Connection, id: &str) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("UPDATE injections SET live = 0 WHERE id = ?1 AND state = 'offered'")?
        .execute([id])
}

/// The session's context was cleared or compacted: nothing that was given is in it any more.
pub(crate) fn context_gone(connection: &Connection, event: &Event) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("UPDATE injections SET live = 0 WHERE host = ?1 AND session = ?2 AND agent = ?3")?
        .execute([event.host.as_str(), event.session.as_str(), event.agent_id()])
}

/// A fork starts with what its parent has: the same injections, under the new session.
pub(crate) fn carry_over(connection: &Connection, from: &Context, to: &Context) -> rusqlite::Result<()> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM injections
          WHERE host = ?1 AND session = ?2 AND agent = ?3 AND live = 1 AND state = 'shown'",
    )?;
    let ids: Vec<String> = query
        .query_map([&from.host, &from.session, &from.agent], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for id in ids {
        let copy = format!("{id}@{}", to.session);
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO injections (id, at, host, session, agent, turn, event, project, state, live, tokens)
                 SELECT ?2, at, ?3, ?4, ?5, turn, 'carried', project, 'shown', 1, 0 FROM injections WHERE id = ?1",
            )?
            .execute(params![id, copy, to.host, to.session, to.agent])?;
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO injection_items (injection, place, part, file, name, scope, step, score, tokens, digest)
                 SELECT ?2, place, part, file, name, scope, step, score, 0, digest FROM injection_items WHERE injection = ?1",
            )?
            .execute(params![id, copy])?;
    }
    Ok(())
}

/// One injection as `remora why` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LedgerEntry {
    at: String,
    host: String,
    session: String,
    event: String,
    state: String,
    tokens: i64,
    items: Vec<LedgerItem>,
}

/// One memory (or other part) of an injection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LedgerItem {
    file: String,
    name: String,
    scope: String,
    part: String,
    step: String,
    score: Option<f64>,
    tokens: i64,
}

/// One choice, also the empty one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LedgerChoice {
    at: String,
    step: String,
    offered: i64,
    taken: i64,
    note: String,
}

/// The newest injections and choices of a session, newest first.
pub(crate) fn entries(
    connection: &Connection,
    host: &str,
    session: &str,
    most: usize,
) -> rusqlite::Result<(Vec<LedgerEntry>, Vec<LedgerChoice>)> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut query = connection.prepare_cached(
        "SELECT id, at, event, state, tokens FROM injections
          WHERE host = ?1 AND session = ?2 AND event <> 'carried' ORDER BY at DESC, id DESC LIMIT ?3",
    )?;
    let heads: Vec<(String, i64, String, String, i64)> = query
        .query_map(params![host, session, most], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut entries = Vec::with_capacity(heads.len());
    for (id, at, event, state, tokens) in heads {
        entries.push(LedgerEntry {
            at: clock::rfc3339(at),
            host: host.to_owned(),
            session: session.to_owned(),
            event,
            state,
            tokens,
            items: items(connection, &id)?,
        });
    }
    let mut query = connection.prepare_cached(
        "SELECT at, step, offered, taken, note FROM choices WHERE host = ?1 AND session = ?2 ORDER BY id DESC LIMIT ?3",
    )?;
    let choices = query
        .query_map(params![host, session, most], |row| {
            Ok(LedgerChoice {
                at: clock::rfc3339(row.get(0)?),
                step: row.get(1)?,
                offered: row.get(2)?,
                taken: row.get(3)?,
                note: row.get(4)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok((entries, choices))
}

fn items(connection: &Connection, injection: &str) -> rusqlite::Result<Vec<LedgerItem>> {
    let mut query = connection.prepare_cached(
        "SELECT file, name, scope, part, step, score, tokens FROM injection_items WHERE injection = ?1 ORDER BY place",
    )?;
    query
        .query_map([injection], |row| {
            Ok(LedgerItem {
                file: row.get(0)?,
                name: row.get(1)?,
                scope: row.get(2)?,
                part: row.get(3)?,
                step: row.get(4)?,
                score: row.get(5)?,
                tokens: row.get(6)?,
            })
        })?
        .collect()
}

/// The session that was given something or chose nothing last, in a project or anywhere.
pub(crate) fn newest_session(
    connection: &Connection,
    project: Option<&str>,
) -> rusqlite::Result<Option<(String, String)>> {
    connection
        .prepare_cached(
            "SELECT sessions.host, sessions.session FROM sessions LEFT JOIN projects ON projects.id = sessions.project
              WHERE ?1 IS NULL OR projects.slug = ?1 ORDER BY sessions.last_at DESC, sessions.id DESC LIMIT 1",
        )?
        .query_row([project], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// Tokens injected since a time.
pub(crate) fn tokens_since(connection: &Connection, since: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(sum(tokens), 0) FROM injections WHERE at >= ?1")?
        .query_row([since], |row| row.get(0))
}

/// How choices went since a time: by step, how many there were, how many took something, what they took and were
/// offered in all.
pub(crate) fn choices_since(connection: &Connection, since: i64) -> rusqlite::Result<Vec<Choices>> {
    let mut query = connection.prepare_cached(
        "SELECT step, count(*), sum(taken > 0), sum(taken), sum(offered) FROM choices WHERE at >= ?1
          GROUP BY step ORDER BY step",
    )?;
    query
        .query_map([since], |row| {
            Ok(Choices {
                step: row.get(0)?,
                made: row.get(1)?,
                with_some: row.get(2)?,
                taken: row.get(3)?,
                offered: row.get(4)?,
            })
        })?
        .collect()
}

/// How the choices of one step went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Choices {
    step: String,
    made: i64,
    with_some: i64,
    taken: i64,
    offered: i64,
}

/// The host of a session id, the one heard last where several have it.
pub(crate) fn host_of(connection: &Connection, session: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT host FROM sessions WHERE session = ?1 ORDER BY last_at DESC LIMIT 1")?
        .query_row([session], |row| row.get(0))
        .optional()
}

/// Removes what the ledger says of a memory, for good.
pub(crate) fn erase(connection: &Connection, file: &str, name: &str) -> rusqlite::Result<usize> {
    connection.execute("DELETE FROM injection_items WHERE file = ?1 AND name = ?2", [file, name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{self, Journal, NewEvent};

    fn event(kind: EventKind, id: usize, prompt: &str) -> Event {
        let at = "2026-11-29T10:00:00Z".to_owned();
        let mut event = Event::new(kind, format!("event-{id}"), "h", "s".into(), "/p".into(), at);
        event.prompt = Some(prompt.to_owned());
        event
    }

    fn told(event: &Event) -> Injection {
        let item = crate::injection::Item {
            part: "body",
            file: "a.md".into(),
            name: "a".into(),
            scope: "private",
            step: "lexical",
            score: None,
            tokens: 1,
            digest: "d".into(),
        };
        Injection { id: event.id.clone(), text: "told".into(), items: vec![item], ..Injection::default() }
    }

    /// What a context has after some prompts: where compactions are told, and where they never are.
    async fn has_after(prompts: usize, of_characters: usize) -> (usize, usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::open(&folder.path().join("j.db"), folder.path()).expect("a journal");
        let has = journal.write(move |connection| {
            let first = event(EventKind::UserPrompt, 0, "first");
            offer(connection, &first, None, &told(&first))?;
            confirm(connection, &first.id)?;
            let text = "x".repeat(of_characters);
            for number in 0..prompts {
                let event = event(EventKind::UserPrompt, number, &text);
                let at_ms = clock::now_millis() + 1 + i64::try_from(number).unwrap_or(0);
                journal::append(
                    connection,
                    &NewEvent {
                        event,
                        at_ms,
                        project: None,
                        observation: None,
                        attempt: None,
                        observed: false,
                    },
                )?;
            }
            let context = Context::of(&first);
            Ok((given(connection, &context, false)?.len(), given(connection, &context, true)?.len()))
        });
        let has = has.await.expect("written");
        journal.close();
        has
    }

    fn tool(kind: EventKind, id: usize, call: Option<&str>) -> Event {
        let mut event = event(kind, id, "");
        event.prompt = None;
        event.memory_query = Some("which relay".into());
        event.key = call.map(|call| key_for_tool(kind, call, event.agent_id()));
        event.tool = Some(remora_event::Tool {
            name: "memory_search".into(),
            call: call.map(str::to_owned),
            input: serde_json::Value::Null,
            output: None,
            error: None,
            duration_ms: None,
            kind: remora_event::ToolKind::Memory,
            paths: Vec::new(),
        });
        event
    }

    /// What is known after the tool of a call that was answered with a memory of this step before it.
    async fn known_after(
        before: Option<(&'static str, bool)>,
        call: Option<&'static str>,
        later: i64,
    ) -> BeforeTool {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::open(&folder.path().join("j.db"), folder.path()).expect("a journal");
        let known = journal.write(move |connection| {
            if let Some((step, is_shown)) = before {
                let event = tool(EventKind::PreToolUse, 1, Some("call-1"));
                let new = NewEvent {
                    event: event.clone(),
                    at_ms: clock::now_millis(),
                    project: None,
                    observation: None,
                    attempt: None,
                    observed: true,
                };
                let seq = journal::append(connection, &new)?.seq();
                if !step.is_empty() {
                    let mut injection = told(&event);
                    injection.items[0].step = step;
                    offer(connection, &event, seq, &injection)?;
                }
                if is_shown {
                    confirm(connection, &event.id)?;
                }
            }
            before_tool(connection, &tool(EventKind::PostToolUse, 2, call), clock::now_millis() + later)
        });
        let known = known.await.expect("written");
        journal.close();
        known
    }

    #[tokio::test]
    async fn a_memory_tool_is_answered_before_it_ran_or_after_it_and_not_twice() {
        use BeforeTool::{Answered, Asked, Lost, Unasked};
        let call = Some("call-1");
        for (before, call, later, expected) in [
            (None, call, 0, Unasked),
            (Some(("", false)), call, 0, Asked),
            (Some(("bridge", true)), call, 60_000, Answered),
            // On its way to the model, and never confirmed.
            (Some(("bridge", false)), call, 0, Answered),
            (Some(("bridge", false)), call, 60_000, Lost("event-1".into())),
            // What rode on the call was no answer to it.
            (Some(("lexical", true)), call, 0, Asked),
            (Some(("bridge", true)), Some("call-2"), 0, Unasked),
            (Some(("bridge", true)), None, 0, Unasked),
        ] {
            assert_eq!(known_after(before, call, later).await, expected, "{before:?} {call:?} {later}");
        }
    }

    #[tokio::test]
    async fn where_nobody_tells_of_a_compaction_what_was_shown_fades() {
        for (prompts, of_characters, expected) in
            [(0, 0, (1, 1)), (29, 10, (1, 1)), (30, 10, (1, 0)), (3, 12_000, (1, 1)), (5, 12_000, (1, 0))]
        {
            assert_eq!(has_after(prompts, of_characters).await, expected, "{prompts} of {of_characters}");
        }
    }
}
