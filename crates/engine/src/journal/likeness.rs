//! Two reports of one happening, known by what they say: a host whose hooks and transcript have no id in common.

use remora_event::{Event, EventKind, Via};
use rusqlite::{Connection, Row, params};

use super::observation::asked_of;

/// Reports of one happening lie no further apart, in milliseconds: a hook runs after a tool, a record may be written
/// when the answer is whole.
const APART: i64 = 120_000;

/// Ends of turns that say other words are one end only so near to each other, in milliseconds.
const SAME_END: i64 = 10_000;

/// At most so many events around a moment are looked at.
const LOOKED_AT: i64 = 400;

/// So much of what was said is compared, in characters: long texts are cut by whoever tells them.
const COMPARED: usize = 600;

/// The row that tells the same from the other side: a hook's of what a transcript tells, a transcript's of what a
/// hook tells. Each answers for one report of the other side, in the order in which they happened.
pub(super) fn other_report(
    connection: &Connection,
    session: i64,
    event: &Event,
    at_ms: i64,
) -> rusqlite::Result<Option<i64>> {
    let is_told = event.via == Via::Transcript;
    let mut query = connection.prepare_cached(
        "SELECT seq, key, at, body FROM events
          WHERE session = ?1 AND at BETWEEN ?2 AND ?3 AND agent = ?4 AND seen_also IS NULL
            AND (via = 'transcript') <> ?5
            AND NOT EXISTS (SELECT 1 FROM events AS other
                             WHERE other.seen_also = events.seq AND (other.via = 'transcript') = ?5)
          ORDER BY at, seq LIMIT ?6",
    )?;
    let mut rows =
        query.query(params![session, at_ms - APART, at_ms + APART, event.agent_id(), is_told, LOOKED_AT])?;
    while let Some(row) = rows.next()? {
        if is_same(row, event, at_ms)? {
            return row.get(0).map(Some);
        }
    }
    Ok(None)
}

fn is_same(row: &Row<'_>, event: &Event, at_ms: i64) -> rusqlite::Result<bool> {
    // Where both have ids of the host's, other ids are other happenings.
    let has_key = row.get_ref(1)?.as_str().is_ok();
    if has_key && event.key.is_some() {
        return Ok(false);
    }
    let apart = at_ms.abs_diff(row.get(2)?);
    let body = row.get_ref(3)?.as_str().unwrap_or_default();
    let Ok(other) = serde_json::from_str::<Event>(body) else { return Ok(false) };
    Ok(is_one(event, &other, apart))
}

fn is_one(event: &Event, other: &Event, apart: u64) -> bool {
    use EventKind::{
        PostCompact, PostToolUse, PreCompact, SessionStart, Stop, SubagentStart, SubagentStop, ToolFailure,
        UserPrompt,
    };
    match (event.event, other.event) {
        (UserPrompt, UserPrompt) => says(event.prompt.as_deref()) == says(other.prompt.as_deref()),
        (PostToolUse | ToolFailure, PostToolUse | ToolFailure) => match (&event.tool, &other.tool) {
            (Some(one), Some(two)) => {
                let what = |tool| asked_of(tool).unwrap_or_else(|| tool.input.to_string());
                one.kind == two.kind && says(Some(&what(one))) == says(Some(&what(two)))
            }
            _ => false,
        },
        (Stop, Stop) | (SubagentStop, SubagentStop) => {
            apart <= SAME_END.unsigned_abs()
                || says(event.message.as_deref()) == says(other.message.as_deref())
        }
        (SessionStart, SessionStart)
        | (SubagentStart, SubagentStart)
        | (PreCompact | PostCompact, PreCompact | PostCompact) => true,
        _ => false,
    }
}

/// What is compared of a text: its beginning, however its words are set apart.
fn says(text: Option<&str>) -> String {
    let words = text.unwrap_or_default().split_whitespace();
    words.flat_map(|word| word.chars().chain([' '])).take(COMPARED).collect()
}

/// An event that says which happening it is, and nothing of what was said in it.
pub(super) fn without_words(event: &Event) -> Event {
    let mut slim = event.clone();
    (slim.prompt, slim.message, slim.memory_query) = (None, None, None);
    slim.extra.clear();
    if let Some(tool) = &mut slim.tool {
        tool.input = serde_json::Value::Null;
        (tool.output, tool.error) = (None, None);
        tool.paths.clear();
    }
    slim
}

#[cfg(test)]
mod tests {
    use remora_event::{Tool, ToolKind};
    use serde_json::{Value, json};

    use super::*;

    fn event(kind: EventKind) -> Event {
        let [id, session, cwd, at] = ["id", "s", "/p", ""].map(str::to_owned);
        Event::new(kind, id, "h", session, cwd, at)
    }

    fn said(kind: EventKind, text: &str) -> Event {
        Event { prompt: Some(text.into()), message: Some(text.into()), ..event(kind) }
    }

    fn used(kind: EventKind, tool: ToolKind, name: &str, input: Value) -> Event {
        let tool = Tool {
            name: name.into(),
            call: None,
            input,
            output: None,
            error: None,
            duration_ms: None,
            kind: tool,
            paths: Vec::new(),
        };
        Event { tool: Some(tool), ..event(kind) }
    }

    #[test]
    fn two_reports_of_one_happening_are_known_by_what_they_say() {
        use EventKind::{PostToolUse, Stop, ToolFailure, UserPrompt};
        let run = |kind, command: &str| used(kind, ToolKind::Shell, "Bash", json!({"command": command}));
        for (one, two, apart, same) in vec![
            (said(UserPrompt, "部署 now"), said(UserPrompt, "部署\n  now "), 90_000, true),
            (said(UserPrompt, "go on"), said(UserPrompt, "go on now"), 0, false),
            (said(UserPrompt, "go on"), said(Stop, "go on"), 0, false),
            (said(Stop, "done"), said(Stop, "done"), 60_000, true),
            (said(Stop, "done"), said(Stop, "All done."), 2_000, true),
            (said(Stop, "done"), said(Stop, "All done."), 60_000, false),
            (run(PostToolUse, "make"), run(ToolFailure, "make"), 0, true),
            (run(PostToolUse, "make"), run(PostToolUse, "make all"), 0, false),
            (
                used(PostToolUse, ToolKind::Shell, "bash", json!({"cmd": "make"})),
                run(PostToolUse, "make"),
                0,
                true,
            ),
            (
                used(PostToolUse, ToolKind::Other, "a", json!({"x": 1})),
                used(PostToolUse, ToolKind::Other, "a", json!({"x": 2})),
                0,
                false,
            ),
        ] {
            assert_eq!(is_one(&one, &two, apart), same, "{one:?} {two:?}");
        }
    }

    #[test]
    fn a_report_that_is_kept_beside_another_holds_no_words() {
        let mut event =
            used(EventKind::PostToolUse, ToolKind::Shell, "Bash", json!({"command": "SECRETWORD"}));
        event.prompt = Some("SECRETWORD".into());
        let kept = serde_json::to_string(&without_words(&event)).expect("JSON");
        assert!(!kept.contains("SECRETWORD") && kept.contains("Bash"), "{kept}");
    }
}
