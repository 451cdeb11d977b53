//! Sessions that two hosts' hooks tell of: as many rows count as there were happenings.

use std::path::Path;

use proptest::prelude::*;
use remora_event::{Event, EventKind, Tool, ToolKind, Via};
use rusqlite::Connection;
use serde_json::json;

use super::{Appended, NewEvent, Observation, Told, schema};

const START: i64 = 1_700_000_000_000;

/// One report of a happening.
#[derive(Debug, Clone)]
struct Telling {
    adapter: &'static str,
    kind: EventKind,
    says: String,
    call: Option<String>,
    at_ms: i64,
}

impl Telling {
    fn shell(adapter: &'static str, says: &str, seconds: i64) -> Self {
        let (kind, at_ms) = (EventKind::PostToolUse, START + seconds * 1_000);
        Self { adapter, kind, says: says.to_owned(), call: None, at_ms }
    }

    fn of(self, kind: EventKind) -> Self {
        Self { kind, ..self }
    }

    fn with_call(self, call: &str) -> Self {
        Self { call: Some(call.to_owned()), ..self }
    }

    fn event(&self, id: usize) -> Event {
        let [session, cwd, at] = ["s", "/p", ""].map(str::to_owned);
        let mut event = Event::new(self.kind, format!("event {id}"), self.adapter, session, cwd, at);
        event.host = "h".into();
        match self.kind {
            EventKind::UserPrompt => event.prompt = Some(self.says.clone()),
            EventKind::PostToolUse | EventKind::ToolFailure => {
                event.tool = Some(Tool {
                    name: if self.adapter == "own" { "bash".into() } else { "Bash".into() },
                    call: None,
                    input: json!({"command": self.says, "description": "d"}),
                    output: Some(json!(format!("{}: {id}", self.adapter))),
                    error: None,
                    duration_ms: None,
                    kind: ToolKind::Shell,
                    paths: Vec::new(),
                });
            }
            _ => event.message = Some(self.says.clone()),
        }
        event.key = self.call.as_ref().map(|call| format!("call {call}"));
        event
    }
}

struct Journal {
    connection: Connection,
    told: usize,
}

impl Journal {
    fn new() -> Self {
        let connection = schema::open_writer(Path::new(":memory:"), Path::new("/nonexistent"));
        Self { connection: connection.expect("a journal"), told: 0 }
    }

    fn tell(&mut self, telling: &Telling) -> Appended {
        self.told += 1;
        self.append(&telling.event(self.told), telling.at_ms)
    }

    fn append(&self, event: &Event, at_ms: i64) -> Appended {
        let new = NewEvent {
            at_ms,
            project: Some(("p".into(), "/p".into())),
            observation: Observation::of(event),
            attempt: None,
            observed: true,
            event: event.clone(),
        };
        super::append(&self.connection, &new).expect("appended")
    }

    fn number(&self, sql: &str) -> i64 {
        self.connection.query_row(sql, [], |row| row.get(0)).expect("a number")
    }

    /// How many rows count, and how many entries they made or made again.
    fn counts(&self) -> (i64, i64) {
        (
            self.number("SELECT count(*) FROM events WHERE seen_also IS NULL"),
            self.number("SELECT (SELECT count(*) FROM observations) + (SELECT count(*) FROM repeats)"),
        )
    }
}

#[test]
fn one_happening_counts_once_and_two_count_twice() {
    use EventKind::{SessionStart, Stop, ToolFailure, UserPrompt};
    let own = |says: &str, at| Telling::shell("own", says, at);
    let other = |says: &str, at| Telling::shell("other", says, at);
    for (what, tellings, happenings) in [
        ("one origin, the same command twice", vec![own("make", 0), own("make", 1)], 2),
        ("each once", vec![own("make", 0), other("make", 0)], 1),
        ("each twice", vec![own("make", 0), own("make", 1), other("make", 0), other("make", 1)], 2),
        ("each twice, in turn", vec![own("make", 0), other("make", 0), other("make", 1), own("make", 1)], 2),
        ("spelled otherwise", vec![own("make  all", 0), other("make all", 0)], 1),
        ("the owner comes second", vec![own("ls", 0), other("ls", 0), other("make", 1), own("make", 1)], 2),
        ("the other's says something else", vec![own("make", 0), other("make -j", 0)], 1),
        ("a failure has another name", vec![own("make", 0).of(ToolFailure), other("make", 0)], 1),
        ("ids that agree", vec![own("make", 0).with_call("1"), other("x", 90).with_call("1")], 1),
        (
            "ids that differ, of an owner that is silent",
            vec![own("make", 0).with_call("1"), other("make", 90).with_call("2")],
            2,
        ),
        ("one has ids", vec![own("make", 0).with_call("1"), other("make", 1)], 1),
        ("prompts", vec![own("Go on!", 0).of(UserPrompt), other("go on", 1).of(UserPrompt)], 1),
        ("starts", vec![own("", 0).of(SessionStart), other("x", 1).of(SessionStart)], 1),
        (
            "ends of turns",
            vec![own("Done.", 0).of(Stop), other("", 0).of(Stop), own("Done.", 20).of(Stop)],
            2,
        ),
        ("a kind that one origin alone tells", vec![own("make", 0), other("hi", 1).of(UserPrompt)], 2),
        (
            "the owner fell silent",
            vec![own("make", 0), other("make", 0), other("ls", 70), other("ls", 71)],
            3,
        ),
        (
            "and comes back",
            vec![
                own("make", 0),
                other("ls", 70),
                own("ls", 70),
                other("x", 71),
                own("y", 71),
                other("z", 72),
            ],
            4,
        ),
        (
            "three origins",
            vec![
                own("ls", 0),
                other("ls", 0),
                Telling::shell("third", "ls", 1),
                other("a", 2),
                Telling::shell("third", "a", 2),
                own("a", 2),
            ],
            2,
        ),
    ] {
        let mut journal = Journal::new();
        for telling in &tellings {
            journal.tell(telling);
        }
        let (counting, _) = journal.counts();
        assert_eq!(counting, happenings, "{what}");
        assert_eq!(
            journal.number("SELECT count(*) FROM events"),
            i64::try_from(tellings.len()).expect("few")
        );
    }
}

#[test]
fn who_told_of_a_happening_is_known_before_it_is_written() {
    let mut journal = Journal::new();
    let told = |journal: &Journal, telling: &Telling, id| {
        super::told(&journal.connection, &telling.event(id), telling.at_ms).expect("an answer")
    };
    let (own, other) = (Telling::shell("own", "make", 0), Telling::shell("other", "make", 0));
    assert_eq!(told(&journal, &own, 1), Told::Nobody);
    journal.tell(&own);
    assert_eq!(told(&journal, &own, 1), Told::Itself);
    assert_eq!(told(&journal, &own, 2), Told::Nobody, "the same command again");
    assert_eq!(told(&journal, &other, 2), Told::Another);
    journal.tell(&other);
    // The origin that does not own it comes first this time: nobody told of it, and it is answered.
    let (own, other) = (Telling::shell("own", "ls", 1), Telling::shell("other", "ls", 1));
    assert_eq!(told(&journal, &other, 9), Told::Nobody);
    assert!(matches!(journal.tell(&other), Appended::Ahead { .. }));
    assert_eq!(told(&journal, &own, 9), Told::Another);
    assert!(matches!(journal.tell(&own), Appended::New { first: false, .. }));
    assert_eq!(journal.number("SELECT count(*) FROM events WHERE seen_also = 0"), 0);
}

#[test]
fn a_turn_that_two_tell_of_is_one_turn_with_one_digest() {
    let mut journal = Journal::new();
    for (at, prompt) in [(0, "make it green"), (30, "and now?")] {
        for (kind, says, after) in [
            (EventKind::UserPrompt, prompt, 0),
            (EventKind::PostToolUse, "make", 1),
            (EventKind::Stop, "Green.", 2),
        ] {
            for adapter in if at == 0 { ["own", "other"] } else { ["other", "own"] } {
                journal.tell(&Telling::shell(adapter, says, at + after).of(kind));
            }
        }
    }
    assert_eq!(journal.number("SELECT turns FROM sessions"), 2);
    assert_eq!(journal.counts().0, 6);
    assert_eq!(journal.number("SELECT count(DISTINCT turn) FROM events WHERE seen_also IS NULL"), 2);
    let digests = "SELECT (SELECT count(*) FROM observations WHERE kind = 'turn')
        + (SELECT count(*) FROM repeats JOIN observations ON observations.id = observation WHERE kind = 'turn')";
    assert_eq!(journal.number(digests), 2);
}

/// In what order two origins' reports arrive.
#[derive(Debug, Clone, Copy)]
enum Arrival {
    /// As they happened.
    InTime,
    /// Some waited in the spool until all others were there.
    SomeSpooled,
    /// Each origin's as they happened, the two mixed.
    EachInTime,
}

/// What happened: how long after what came before, in milliseconds, and which of a few commands or prompts it was.
type Happened = (i64, u8, bool);

fn reports(happened: &[Happened], delays: &[i64]) -> Vec<Telling> {
    let mut at_ms = START;
    let mut delays = delays.iter().cycle();
    let mut tellings = Vec::new();
    for (gap, which, is_prompt) in happened {
        at_ms += gap;
        let kind = if *is_prompt { EventKind::UserPrompt } else { EventKind::PostToolUse };
        for adapter in ["own", "other"] {
            let delay = delays.next().copied().unwrap_or(0);
            tellings.push(Telling {
                at_ms: at_ms + delay,
                ..Telling::shell(adapter, &format!("do {which}"), 0).of(kind)
            });
        }
    }
    tellings
}

/// The reports in the order in which they arrive; `chance` decides.
fn arranged(mut tellings: Vec<Telling>, arrival: Arrival, chance: &[bool]) -> Vec<Telling> {
    tellings.sort_by_key(|telling| telling.at_ms);
    let mut chance = chance.iter().copied().cycle();
    match arrival {
        Arrival::InTime => tellings,
        Arrival::SomeSpooled => {
            let (spooled, live): (Vec<_>, Vec<_>) =
                tellings.into_iter().partition(|_| chance.next().unwrap_or(false));
            live.into_iter().chain(spooled).collect()
        }
        Arrival::EachInTime => {
            let (own, other): (Vec<_>, Vec<_>) =
                tellings.into_iter().partition(|telling| telling.adapter == "own");
            let (mut own, mut other) = (own.into_iter().peekable(), other.into_iter().peekable());
            let mut mixed = Vec::new();
            while own.peek().is_some() || other.peek().is_some() {
                let from_own =
                    other.peek().is_none() || own.peek().is_some() && chance.next().unwrap_or(false);
                mixed.extend(if from_own { own.next() } else { other.next() });
            }
            mixed
        }
    }
}

/// What the journal makes of the reports, each of which may be sent again.
fn told_of(tellings: &[Telling], again: &[bool]) -> (i64, i64) {
    let mut journal = Journal::new();
    let mut again = again.iter().copied().cycle();
    for telling in tellings {
        journal.tell(telling);
        if again.next().unwrap_or(false) {
            assert_eq!(journal.append(&telling.event(journal.told), telling.at_ms), Appended::Resend);
        }
    }
    journal.counts()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn as_many_rows_count_as_there_were_happenings(
        happened in prop::collection::vec(
            (prop::sample::select(vec![0_i64, 100, 3_000, 50_000, 70_000, 500_000]), 0_u8..3, any::<bool>()), 1..12),
        delays in prop::collection::vec(0_i64..2_000, 1..24),
        chance in prop::collection::vec(any::<bool>(), 1..24),
        again in prop::collection::vec(any::<bool>(), 1..6),
        arrival in prop::sample::select(vec![Arrival::InTime, Arrival::EachInTime]),
    ) {
        let expected = i64::try_from(happened.len()).expect("few");
        let tellings = arranged(reports(&happened, &delays), arrival, &chance);
        prop_assert_eq!(told_of(&tellings, &again), (expected, expected));
    }

    #[test]
    fn late_arrivals_of_a_busy_minute_change_nothing(
        happened in prop::collection::vec((prop::sample::select(vec![0_i64, 100, 3_000]), 0_u8..3, any::<bool>()), 1..12),
        delays in prop::collection::vec(0_i64..2_000, 1..24),
        chance in prop::collection::vec(any::<bool>(), 1..24),
        again in prop::collection::vec(any::<bool>(), 1..6),
    ) {
        let expected = i64::try_from(happened.len()).expect("few");
        let tellings = arranged(reports(&happened, &delays), Arrival::SomeSpooled, &chance);
        prop_assert_eq!(told_of(&tellings, &again), (expected, expected));
    }

    /// However differently two origins say the same, what is told as it happens is not there twice.
    #[test]
    fn what_cannot_be_compared_is_the_owner_s(
        happened in prop::collection::vec(
            (prop::sample::select(vec![100_i64, 3_000, 50_000, 70_000, 500_000]), 0_u8..3, any::<bool>()), 1..12),
        first in prop::collection::vec(any::<bool>(), 1..12),
    ) {
        let mut tellings = reports(&happened, &[0]);
        for (pair, other_first) in tellings.chunks_mut(2).zip(first.iter().cycle()) {
            pair[1].says.push_str(", in other words");
            if *other_first {
                pair.swap(0, 1);
            }
        }
        let expected = i64::try_from(happened.len()).expect("few");
        prop_assert_eq!(told_of(&tellings, &[false]).0, expected);
    }
}

#[test]
fn a_transcript_and_a_hook_are_two_origins() {
    let journal = Journal::new();
    let mut event = Telling::shell("own", "make", 0).event(1);
    journal.append(&event, START);
    (event.id, event.via) = ("event 2".into(), Via::Transcript);
    assert!(matches!(journal.append(&event, START + 1), Appended::SeenAlso { .. }));
}
