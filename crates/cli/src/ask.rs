//! Asking the engine, which is started when it is not there.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use remora_event::wire::{Command, Request, Response};
use remora_hook::{Attempt, Client, ClientError, DataRoot, Starting};
use serde_json::Value;

use crate::failure::Failure;
use crate::places::Places;

/// How long a command waits for the engine to come up.
const START: Duration = Duration::from_secs(5);

/// How long a command waits for an engine that another program is starting before it starts one itself.
const OTHERS: Duration = Duration::from_secs(1);

/// How long a command waits for its answer.
const ANSWER: Duration = Duration::from_mins(1);

/// How long it waits where very much may have to be read and written.
const LONG_ANSWER: Duration = Duration::from_mins(30);

/// Commands that may have to read and write very much.
const LONG: [&str; 5] = ["import", "ingest", "import_claude_mem", "export", "import_export"];

/// Commands that change nothing: an engine that ends in the middle of one is no reason to fail.
const READING: [&str; 13] = [
    "status",
    "list",
    "show",
    "get",
    "recall",
    "review",
    "search",
    "sessions",
    "entries",
    "timeline",
    "why",
    "tail",
    "history_sources",
];

/// A conversation of one command with the engine.
#[derive(Debug)]
pub(crate) struct Engine {
    places: Places,
    project: Option<PathBuf>,
    /// The memory folder that the person's shell names.
    memory_dir: Option<String>,
}

/// What becomes of a request whose connection broke before the answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// It may have been done: whoever asked is told.
    Fail,
    /// Doing it twice does no harm: it is asked again.
    AskAgain,
}

impl Engine {
    /// For commands about the project in `project`, or in the directory where the person stands.
    pub(crate) fn new(places: Places, project: Option<&Path>) -> Result<Self, Failure> {
        let project = match project {
            Some(named) if !named.is_dir() => {
                return Err(Failure::usage(
                    format!("--project {} is not a folder", named.display()),
                    "name a folder of the project",
                ));
            }
            Some(named) => Some(std::path::absolute(named)?),
            None => std::env::current_dir().ok(),
        };
        let memory_dir = std::env::var("REMORA_MEMORY_DIR").ok().filter(|value| !value.is_empty());
        Ok(Self { places, project, memory_dir })
    }

    /// The folder of the project that is meant.
    pub(crate) fn folder(&self) -> Result<PathBuf, Failure> {
        self.project.clone().ok_or_else(|| {
            Failure::usage(
                "the folder you stand in is not there any more",
                "go to a project, or name it with --project",
            )
        })
    }

    /// For programs that a host starts: nothing of their environment counts.
    pub(crate) fn for_program(places: Places, project: Option<PathBuf>) -> Self {
        Self { places, project, memory_dir: None }
    }

    /// One command's result.
    pub(crate) fn ask(&self, name: &str, args: Value) -> Result<Value, Failure> {
        let broken = if READING.contains(&name) { Broken::AskAgain } else { Broken::Fail };
        self.ask_over(name, args, broken)
    }

    /// One command's result, also over a connection that breaks.
    pub(crate) fn ask_over(&self, name: &str, args: Value, broken: Broken) -> Result<Value, Failure> {
        let command = self.command(name, args);
        match self.deliver(&Request::Command(command), broken)? {
            Response::Result { value } => Ok(value),
            other => Err(Failure::new(
                "engine",
                format!("the engine answered {other:?}"),
                "`remora engine restart`",
            )),
        }
    }

    /// One request's response; the engine is started when it is not there.
    pub(crate) fn send(&self, request: &Request) -> Result<Response, Failure> {
        self.deliver(request, Broken::Fail)
    }

    fn deliver(&self, request: &Request, broken: Broken) -> Result<Response, Failure> {
        self.places.record()?;
        let until = Instant::now() + START;
        let mut pause = Duration::from_millis(2);
        let mut started = false;
        let mut starting = None;
        let mut start_at = Some(Instant::now());
        loop {
            let error = match self.once(request) {
                Ok(response) => {
                    if let Some(engine) = starting {
                        take_note_of_its_end(engine);
                    }
                    return Ok(response);
                }
                Err(error) => error,
            };
            if let Some(reason) = starting.as_mut().and_then(Starting::failure) {
                return Err(self.cannot_start(&remora_hook::start_failed(&self.root(), reason)));
            }
            let again = broken == Broken::AskAgain && matches!(error, ClientError::Io(_));
            if !(error.wants_start() || again) || Instant::now() > until {
                return Err(self.explain(error, started));
            }
            if error.wants_start() && start_at.is_some_and(|at| at <= Instant::now()) {
                if started {
                    // Whoever was starting it did not succeed.
                    remora_hook::forget_attempts(&self.root());
                }
                starting = self.start()?;
                start_at = starting.is_none().then(|| Instant::now() + OTHERS);
                started = true;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Starts the engine; nothing when another program is starting it.
    fn start(&self) -> Result<Option<Starting>, Failure> {
        match remora_hook::start_engine_now(&self.root()) {
            Attempt::Started(engine) => Ok(Some(engine)),
            Attempt::ByAnother => Ok(None),
            Attempt::Failed(reason) => Err(self.cannot_start(&reason)),
        }
    }

    fn cannot_start(&self, reason: &str) -> Failure {
        // The engine itself says it best.
        if let Ok(said) =
            remora_engine::ordinary::read_to_string(&self.places.root.join("run").join("refusal"))
            && let Some((message, next)) = said.split_once('\n')
        {
            return Failure::new("engine", format!("the engine cannot be started: {message}"), next);
        }
        let log = self.places.root.join("logs").join("engine.log");
        Failure::new(
            "engine",
            format!("the engine cannot be started: {reason}"),
            format!("{} may say more, `remora doctor` looks further", log.display()),
        )
    }

    fn root(&self) -> DataRoot {
        DataRoot::at(&self.places.root)
    }

    /// A conversation with an engine that must be there already; nothing where there is none.
    pub(crate) fn connect(&self) -> Result<Option<Client>, Failure> {
        match Client::connect(&self.places.root, &crate::build(), Instant::now() + OTHERS) {
            Ok(client) => Ok(Some(client)),
            Err(ClientError::Absent(_) | ClientError::Leaving | ClientError::Late | ClientError::Io(_)) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A command as it travels, about this project.
    pub(crate) fn command(&self, name: &str, args: Value) -> Command {
        Command {
            name: name.to_owned(),
            args,
            cwd: self.project.as_ref().map(|path| path.to_string_lossy().into_owned()),
            memory_dir: self.memory_dir.clone(),
        }
    }

    /// A request to an engine that must be there already.
    pub(crate) fn if_running(&self, name: &str) -> Result<Option<Value>, Failure> {
        let command = Command { name: name.to_owned(), args: Value::Null, cwd: None, memory_dir: None };
        match self.once(&Request::Command(command)) {
            Ok(Response::Result { value }) => Ok(Some(value)),
            Ok(_) | Err(ClientError::Absent(_) | ClientError::Leaving) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn once(&self, request: &Request) -> Result<Response, ClientError> {
        let is_long = matches!(request, Request::Command(command) if LONG.contains(&command.name.as_str()));
        let until = Instant::now() + if is_long { LONG_ANSWER } else { ANSWER };
        let mut client = Client::connect(&self.places.root, &crate::build(), until)?;
        client.ask(request, until)
    }

    fn explain(&self, error: ClientError, started: bool) -> Failure {
        if started && error.wants_start() {
            let log = self.places.root.join("logs").join("engine.log");
            return Failure::new(
                "engine",
                "the engine was started and does not answer",
                format!("{} says why", log.display()),
            );
        }
        error.into()
    }
}

/// A program that lives longer than the engine must take note of its end.
fn take_note_of_its_end(engine: Starting) {
    // Without a thread it is taken note of when this program ends.
    let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || engine.wait());
}
