//! Codex's app server: a process that speaks JSON-RPC, one message a line, on its standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::HOST;
use crate::run::end;
use crate::trust::Listed;
use crate::{Environment, Error};

/// How long one conversation may take in all. It takes half a second where nothing else runs.
const LIMIT: Duration = Duration::from_secs(30);

/// A longer line is no answer of Codex's.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Every hook that a session in `cwd` would have.
pub(super) fn list(environment: &Environment, program: &Path, cwd: &Path) -> Result<Vec<Listed>, Error> {
    Conversation::begin(environment, program, cwd)?.hooks(cwd)
}

/// Records that the person trusts these hooks as they are.
pub(super) fn record(
    environment: &Environment,
    program: &Path,
    cwd: &Path,
    hooks: &[Listed],
) -> Result<(), Error> {
    let mut talk = Conversation::begin(environment, program, cwd)?;
    let tables: serde_json::Map<_, _> =
        hooks.iter().map(|hook| (hook.name.clone(), json!({"trusted_hash": hook.hash}))).collect();
    let edit = json!({"keyPath": "hooks.state", "value": tables, "mergeStrategy": "upsert"});
    talk.ask("config/batchWrite", &json!({"edits": [edit], "reloadUserConfig": true}))?;
    let there = talk.hooks(cwd)?;
    let is_trusted = |hook: &Listed| there.iter().any(|now| now.name == hook.name && now.is_trusted);
    if hooks.iter().all(is_trusted) {
        Ok(())
    } else {
        Err(talk.failed("it does not trust the hooks all the same"))
    }
}

/// One run of the app server. It ends, with what it started, when this is dropped.
struct Conversation {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    until: Instant,
    asked: u64,
}

impl Conversation {
    fn begin(environment: &Environment, program: &Path, cwd: &Path) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.arg("app-server").current_dir(cwd).env_clear().env("HOME", &environment.home);
        for name in ["PATH", "LANG", "USER", "SHELL", HOST.folder.variable] {
            command.envs(environment.variable(name).map(|value| (name, value)));
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut server = command.spawn().map_err(Error::io("start", program))?;
        let (sender, lines) = mpsc::channel();
        if let Some(output) = server.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(std::io::Read::take(output, MAX_LINE)).lines();
                for line in lines.map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let input = server.stdin.take();
        let mut talk = Self { server, input, lines, until: Instant::now() + LIMIT, asked: 0 };
        let client = json!({"name": "remora", "title": "Remora", "version": env!("CARGO_PKG_VERSION")});
        talk.ask("initialize", &json!({"clientInfo": client}))?;
        talk.say(&json!({"method": "initialized"}))?;
        Ok(talk)
    }

    fn hooks(&mut self, cwd: &Path) -> Result<Vec<Listed>, Error> {
        let answer = self.ask("hooks/list", &json!({"cwds": [cwd]}))?;
        let folders = answer["data"].as_array().ok_or_else(|| self.failed("it lists no hooks"))?;
        let hooks = folders.iter().flat_map(|folder| folder["hooks"].as_array().into_iter().flatten());
        Ok(hooks.filter_map(listed).collect())
    }

    /// Sends a request and waits for its answer. What the server says of itself in between is passed over.
    fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value, Error> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"id": id, "method": method, "params": parameters}))?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|_| self.failed("it did not answer"))?;
            let Ok(mut said) = serde_json::from_str::<Value>(&line) else { continue };
            if said["id"] != id {
                continue;
            }
            return match said.get("error") {
                Some(error) => {
                    Err(self.failed(error["message"].as_str().unwrap_or("it refused without a reason")))
                }
                None => Ok(said["result"].take()),
            };
        }
    }

    fn say(&mut self, message: &Value) -> Result<(), Error> {
        let sent = self.input.as_mut().map(|input| writeln!(input, "{message}").and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.failed("it does not listen")),
        }
    }

    #[expect(clippy::unused_self, reason = "said of a conversation")]
    fn failed(&self, problem: &str) -> Error {
        Error::Host { host: HOST.name, doing: "to list and trust hooks", problem: problem.to_owned() }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // Without its input it leaves by itself.
        self.input = None;
        let patience = Instant::now() + Duration::from_secs(2);
        while Instant::now() < patience {
            if matches!(self.server.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        end(&mut self.server);
        let _ = self.server.wait();
    }
}

/// A hook as the app server lists it.
fn listed(hook: &Value) -> Option<Listed> {
    let text = |key: &str| hook[key].as_str().map(str::to_owned);
    Some(Listed {
        name: text("key")?,
        event: text("eventName")?,
        command: text("command")?,
        file: text("sourcePath")?.into(),
        hash: text("currentHash")?,
        is_trusted: matches!(hook["trustStatus"].as_str(), Some("trusted" | "managed")),
    })
}
