//! One program about to run in a test's home: as that person, perhaps under a fault.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::error::Result;
use crate::process::{self, Finished};

const LIMIT: Duration = Duration::from_mins(1);

/// A program with its arguments, environment and input. Nothing happens until [`Launch::run`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Launch {
    /// The words before a command line that run it in a namespace; nothing for the tests' own.
    namespace: Vec<OsString>,
    line: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    stdin: Vec<u8>,
    limit: Duration,
}

impl Launch {
    pub(crate) fn new(program: &Path, env: Vec<(OsString, OsString)>, cwd: PathBuf) -> Self {
        let line = vec![program.into()];
        Self { namespace: Vec::new(), line, env, cwd, stdin: Vec::new(), limit: LIMIT }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.line.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.line.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Runs it elsewhere than in the project.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = folder.into();
        self
    }

    /// What it gets on standard input; else nothing.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// After this it is killed; a minute if not said.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs it through another program that takes a command line as its last arguments.
    pub fn through<A: Into<OsString>>(mut self, words: impl IntoIterator<Item = A>) -> Self {
        let mut line: Vec<OsString> = words.into_iter().map(Into::into).collect();
        line.append(&mut self.line);
        self.line = line;
        self
    }

    /// Runs it in another mount namespace, which these words enter.
    pub(crate) fn in_namespace(mut self, words: &[OsString]) -> Self {
        self.namespace = words.to_vec();
        self
    }

    /// The command, for a test that wants to start it and not wait.
    pub fn command(&self) -> Command {
        let mut line = self.namespace.clone();
        if !line.is_empty() {
            // Entering a mount namespace leaves the folder that one was in. Going there by name also leads
            // onto what is mounted over it.
            line.extend(["sh", "-c", r#"cd "$0" && exec "$@""#].map(OsString::from));
            line.push(self.cwd.clone().into());
        }
        line.extend_from_slice(&self.line);
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).env_clear().envs(self.env.iter().cloned()).current_dir(&self.cwd);
        command
    }

    /// Runs it to its end.
    pub fn run(self) -> Result<Finished> {
        process::run(&mut self.command(), &self.stdin, self.limit)
    }
}
