//! The way of one call: read, make the event, ask the engine, print, confirm; or spool it and go.

use std::time::{Duration, Instant};

use remora_event::wire::{Build, Request, Response};
use remora_event::{Budget, Event, EventKind, Reply, Want};

use crate::arguments::Arguments;
use crate::client::unexpected;
use crate::root::DataRoot;
use crate::spawn::Starting;
use crate::start::{Attempt, failed, start_engine};
use crate::{Client, ClientError, Payload, clean, guard, log, slow, spool, stdin};

/// How long a host that looks something up in its own memory may be kept waiting.
const LOOK_UP: Duration = Duration::from_millis(800);

/// How long an engine that is not there yet is waited for, at the moment of a session that is given the most.
const STARTING: Duration = Duration::from_secs(1);

/// Of so many bytes it is not certain that they are read and cleaned in time.
const MUCH: usize = 256 * 1024;

/// The part of much input that says at once who, where and when.
const HEAD: usize = 32 * 1024;

/// One hook executable: what an adapter says about one event of its host.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    /// The adapter's id, for example `claude-code`.
    pub adapter: &'static str,
    /// The moment at which the host runs this hook.
    pub event: EventKind,
    /// Makes the event from the host's payload, or nothing when there is nothing worth telling. Id, time
    /// and what the call can take are filled in by [`run`].
    pub parse: fn(EventKind, &mut Payload) -> Option<Event>,
    /// Writes what the host expects on standard output for a reply, or nothing.
    pub render: fn(&Reply, &Event) -> Option<String>,
    /// What is printed instead of nothing, where the host takes silence for a refusal.
    pub neutral: Option<&'static str>,
    /// Milliseconds from the start of the process.
    pub deadline_ms: u64,
    /// What the host can take in return.
    pub want: Want,
    /// How much context it can take.
    pub budget: Option<Budget>,
    /// Whether context chosen for an earlier moment of the turn may ride on this call.
    pub late: bool,
    /// What other hosts that run this hook can take, where that differs.
    pub elsewhere: &'static [Elsewhere],
}

/// What a host can take of a hook that is another host's.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere {
    /// The host's id, as the event has it.
    pub host: &'static str,
    /// What it can take in return.
    pub want: Want,
    /// Whether context chosen for an earlier moment may ride on this call.
    pub late: bool,
}

/// Runs a hook from beginning to end. Never fails, never panics outward: the status is 0 on every path.
pub fn run(hook: &'static Hook, build: Build) -> ! {
    let started = Instant::now();
    guard::survive_panics();
    let arguments = Arguments::read(&mut std::env::args_os().skip(1));
    if arguments.build_id {
        guard::print(&format!("{}\n", build.id));
        guard::leave();
    }
    let root = arguments.root.map(|path| DataRoot::at(&path)).or_else(DataRoot::of_platform);
    let Some(root) = root else { guard::leave() };
    guard::remember(root.clone(), format!("{} {}", hook.adapter, hook.event.as_str()), hook.neutral);
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        guard::leave();
    }
    let deadline = Duration::from_millis(arguments.deadline_ms.unwrap_or(hook.deadline_ms));
    guard::watch(started, deadline);
    // Also a hook that does nothing reads everything: a host may not expect its pipe to break.
    let input = stdin::read(started + deadline);
    if !switched_off() {
        let call = Call { hook, root, build, started, deadline, id: new_id(), at: log::now() };
        if let Some(event) = call.event(&input) {
            call.deliver(event);
            guard::leave_behind(None);
        }
    }
    input.wait_for_end(started + deadline);
    guard::leave()
}

/// Runs the hook that the command line names, for hosts whose plugin starts one executable for every event. Where it
/// names none, all is read and nothing is done.
pub fn run_named(hooks: &'static [(&'static str, &'static Hook)], build: Build) -> ! {
    let named = std::env::args().skip(1).find_map(|word| hooks.iter().find(|(name, _)| *name == word));
    match named.or_else(|| std::env::args().any(|word| word == "--build-id").then(|| hooks.first()).flatten())
    {
        Some((_, hook)) => run(hook, build),
        None => {
            guard::survive_panics();
            if !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
                let deadline = Instant::now() + Duration::from_millis(150);
                stdin::read(deadline).wait_for_end(deadline);
            }
            guard::leave()
        }
    }
}

/// An id for an event. One process makes one, so that nothing is kept between two.
fn new_id() -> String {
    let now = log::since_1970();
    let now = uuid::Timestamp::from_unix(uuid::NoContext, now.as_secs(), now.subsec_nanos());
    uuid::Uuid::new_v7(now).to_string()
}

/// Whether the person switched this shell off, or Remora itself started this session.
pub fn switched_off() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| value == "1");
    is_set("REMORA_INTERNAL") || is_set("REMORA_DISABLE")
}

/// One call of a hook.
struct Call {
    hook: &'static Hook,
    root: DataRoot,
    build: Build,
    started: Instant,
    deadline: Duration,
    /// The event's id, however often it is read or sent.
    id: String,
    at: String,
}

impl Call {
    /// The event, complete and clean.
    fn event(&self, input: &stdin::Input) -> Option<Event> {
        let much = input.bytes.len() > MUCH;
        if much && let Some(head) = self.read(&input.bytes[..HEAD], true) {
            guard::leave_behind(Some(clean::skeleton(&head)));
        }
        let mut event = self.read(&input.bytes, input.cut)?;
        if much {
            guard::leave_behind(Some(clean::skeleton(&event)));
        }
        clean::clean(&mut event);
        Some(event)
    }

    /// What the input says, as it stands there.
    fn read(&self, bytes: &[u8], cut: bool) -> Option<Event> {
        let Some(payload) = Payload::read(bytes) else {
            guard::note(&format!("{} bytes of input are no JSON object", bytes.len()));
            return None;
        };
        let mut payload = payload.marked_truncated(cut).with_environment(|name| std::env::var(name).ok());
        let mut event = (self.hook.parse)(self.hook.event, &mut payload)?;
        event.id.clone_from(&self.id);
        event.at.clone_from(&self.at);
        event.probe = event.session.starts_with(remora_event::PROBE_SESSION);
        event.truncated |= payload.truncated();
        let elsewhere = self.hook.elsewhere.iter().find(|elsewhere| elsewhere.host == event.host);
        event.want = elsewhere.map_or(self.hook.want, |elsewhere| elsewhere.want);
        event.late = elsewhere.map_or(self.hook.late, |elsewhere| elsewhere.late);
        event.budget = self.hook.budget.filter(|_| event.want == Want::Context);
        if event.cwd.is_empty()
            && let Ok(cwd) = std::env::current_dir()
        {
            event.cwd = cwd.to_string_lossy().into_owned();
        }
        Some(event)
    }

    /// Until when this call may take; a look-up in memory may take longer.
    fn until(&self, event: &Event) -> Instant {
        let mut deadline = self.deadline;
        if event.memory_query.is_some() && event.want == Want::Context {
            deadline = deadline.max(LOOK_UP);
            guard::extend(deadline);
        }
        self.started + deadline
    }

    /// Brings the event to the engine, or into the spool.
    fn deliver(&self, event: Event) {
        let mut until = self.until(&event);
        let is_given_the_start = is_given_the_start(&event);
        let mut request = Request::Event(Box::new(event));
        let mut outcome = self.ask(&mut request, until);
        let mut start_needed = outcome.as_ref().is_err_and(ClientError::wants_start);
        if start_needed && is_given_the_start {
            let deadline = self.deadline.max(STARTING);
            guard::extend(deadline);
            until = self.started + deadline;
            outcome = self.start_and_ask(&mut request, until, outcome);
            start_needed = false;
        }
        let Request::Event(event) = request else { return };
        match outcome {
            Ok(Some((client, reply))) => self.answer(client, &reply, &event, until),
            Ok(None) => {}
            Err(error) => {
                let fate = match spool::keep(&self.root, *event) {
                    Ok(()) => "the event is in the spool".to_owned(),
                    Err(lost) => lost.to_string(),
                };
                guard::note(&format!("{error}; {fate}"));
                if start_needed && let Attempt::Failed(reason) = start_engine(&self.root) {
                    guard::note(&reason);
                }
            }
        }
    }

    /// One conversation. Nothing comes back where the sender does not wait.
    fn ask(&self, request: &mut Request, until: Instant) -> Result<Option<(Client, Reply)>, ClientError> {
        let patience = slow::Patience::of(&self.root, until);
        if let Request::Event(event) = request {
            event.deadline_ms = Some(patience.millis());
        }
        let mut client = Client::connect(self.root.path(), &self.build, patience.until)
            .inspect_err(|error| patience.note(&self.root, error))?;
        client.send(request, patience.until).inspect_err(|error| patience.note(&self.root, error))?;
        if self.hook.want == Want::None {
            return Ok(None);
        }
        let response =
            client.receive(patience.until).inspect_err(|error| patience.note(&self.root, error))?;
        patience.was_answered(&self.root);
        match response {
            Response::Reply(reply) => Ok(Some((client, reply))),
            other => Err(unexpected(&other)),
        }
    }

    /// Starts the engine and asks again until it answers. Context at the start of a session is worth
    /// waiting for, an engine that does not come up is not.
    fn start_and_ask(
        &self,
        request: &mut Request,
        until: Instant,
        first: Result<Option<(Client, Reply)>, ClientError>,
    ) -> Result<Option<(Client, Reply)>, ClientError> {
        let mut starting = match start_engine(&self.root) {
            Attempt::Started(starting) => Some(starting),
            Attempt::ByAnother => None,
            Attempt::Failed(reason) => {
                guard::note(&reason);
                return first;
            }
        };
        let mut outcome = first;
        let mut pause = Duration::from_millis(1);
        while Instant::now() + pause < until {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(16));
            outcome = self.ask(request, until);
            if !outcome.as_ref().is_err_and(ClientError::wants_start) {
                return outcome;
            }
            if let Some(failure) = starting.as_mut().and_then(Starting::failure) {
                guard::note(&failed(&self.root, failure));
                return outcome;
            }
        }
        outcome
    }

    /// Hands the reply to the host, then tells the engine that the host has it.
    fn answer(&self, mut client: Client, reply: &Reply, event: &Event, until: Instant) {
        let Some(output) = (self.hook.render)(reply, event) else { return };
        if !guard::print(&output) {
            guard::note("standard output is closed");
            return;
        }
        let shown = reply.injection.clone().filter(|_| reply.context.is_some());
        if let Some(id) = shown
            && let Err(error) = client.send(&Request::Shown { id }, until)
        {
            guard::note(&format!("confirming what was shown: {error}"));
        }
    }
}

/// Whether an event is given what a session starts with: its start, or the first prompt where context is not
/// taken at the start. A host may not even report the start, and then nobody has started the engine.
fn is_given_the_start(event: &Event) -> bool {
    match event.event {
        EventKind::SessionStart => true,
        EventKind::UserPrompt => event.late,
        _ => false,
    }
}
