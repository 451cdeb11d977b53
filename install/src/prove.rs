//! Proving an installation: every hook is run as its host would run it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use serde_json::Value;

use crate::command;
use crate::edit::Text;
use crate::edit::json::hook_groups::Present;
use crate::host::{CommandForm, Hook, Host, PROBE_SESSION, Probing};
use crate::install::read;
use crate::manifest::{EntryRecord, FileRecord, Manifest};
use crate::run::{Finished, run};
use crate::{Environment, Installation};

/// Keys with which a reply would decide something. Memory never does.
const DECISIONS: &[&str] = &["decision", "permissionDecision", "continue", "stopReason", "updatedInput"];

/// How hooks are proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofOptions {
    /// The folder that the made-up session stands in; absolute.
    pub cwd: PathBuf,
    /// No hook is waited for longer than this, whatever time its entry grants it.
    pub limit: Duration,
}

/// What became of one hook entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The host's id.
    pub host: String,
    /// The host's name of the event.
    pub event: String,
    /// The entry's command, as the file has it.
    pub command: String,
    /// What was seen.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What was seen of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It did what its host expects.
    Passed {
        /// From its start to its end, in microseconds.
        micros: u64,
        /// The bytes that it printed.
        bytes: usize,
    },
    /// It did not.
    Failed {
        /// Why.
        why: String,
    },
    /// It was not run: it is not ours, or not what was written.
    NotRun {
        /// Why.
        why: String,
    },
}

impl Outcome {
    fn failed(why: impl Into<String>) -> Self {
        Self::Failed { why: why.into() }
    }

    fn not_run(why: impl Into<String>) -> Self {
        Self::NotRun { why: why.into() }
    }
}

/// Runs every hook entry that the manifest records and whose executable lies in the installation, as the host
/// would: its command form, its variables, its folder, a made-up payload of a session whose id begins
/// with [`PROBE_SESSION`]. Entries of others in the same files are listed and not run.
pub fn prove(
    environment: &Environment,
    installation: &Installation,
    manifest: &Manifest,
    hosts: &[&'static Host],
    options: &ProofOptions,
) -> Vec<Proof> {
    let since = environment.now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let session = format!("{PROBE_SESSION}{:x}-{:x}", since.as_nanos(), std::process::id());
    let mut proofs = Vec::new();
    for &host in hosts {
        let with_hooks = |record: &&FileRecord| record.hooks().next().is_some();
        for record in manifest.of_host(host.id).filter(with_hooks) {
            let prover = Prover { environment, installation, host, record, session: &session, options };
            prover.prove_file(&mut proofs);
        }
    }
    proofs
}

struct Prover<'a> {
    environment: &'a Environment,
    installation: &'a Installation,
    host: &'static Host,
    record: &'a FileRecord,
    session: &'a str,
    options: &'a ProofOptions,
}

impl Prover<'_> {
    fn prove_file(&self, proofs: &mut Vec<Proof>) {
        let mut there = match self.entries() {
            Ok(entries) => entries,
            Err(why) => {
                let command = self.record.path.display().to_string();
                proofs.push(self.proof("", &command, Outcome::failed(why)));
                return;
            }
        };
        for entry in self.record.hooks() {
            let same =
                |present: &Present| present.event == entry.event && entry.is_written_in(&present.handler);
            let outcome = match there.iter().position(same) {
                Some(index) => self.prove_entry(entry, &there.remove(index).handler),
                None => Outcome::failed("the entry is not in the file any more"),
            };
            proofs.push(self.proof(&entry.event, &entry.command, outcome));
        }
        for other in there {
            let command = other.handler.get("command").or(other.handler.get("url")).and_then(Value::as_str);
            let outcome = Outcome::not_run("it is not an entry that this installation wrote");
            proofs.push(self.proof(&other.event, command.unwrap_or("?"), outcome));
        }
    }

    fn proof(&self, event: &str, command: &str, outcome: Outcome) -> Proof {
        Proof { host: self.host.id.to_owned(), event: event.to_owned(), command: command.to_owned(), outcome }
    }

    fn entries(&self) -> Result<Vec<Present>, String> {
        let path = &self.record.path;
        let bytes = read(path).map_err(|e| e.to_string())?.unwrap_or_default();
        let text = Text::read(path, &bytes).map_err(|e| e.to_string())?;
        self.host.present(text.as_str()).map_err(|problem| problem.of(path).to_string())
    }

    fn prove_entry(&self, entry: &EntryRecord, handler: &Value) -> Outcome {
        let Some(hook) = self.host.hooks.iter().find(|hook| hook.event == entry.event) else {
            return Outcome::not_run("this version knows no such hook");
        };
        if let Err(why) = self.may_run(entry, handler, hook) {
            return Outcome::not_run(why);
        }
        let folder = self.host.config_folder(self.environment);
        let probing = Probing {
            session: self.session,
            cwd: &self.options.cwd.to_string_lossy(),
            folder: &folder.to_string_lossy(),
        };
        let payload = (self.host.probe_payload)(&probing, hook).to_string();
        let mut command = self.command(entry);
        command.current_dir(&self.options.cwd).envs((self.host.probe_variables)(&probing));
        let limit = Duration::from_secs(u64::from(hook.timeout)).min(self.options.limit);
        match run(command, payload.as_bytes(), limit) {
            Ok(finished) => {
                judge(hook, limit, &finished).map_or_else(Outcome::failed, |()| Outcome::Passed {
                    micros: u64::try_from(finished.elapsed.as_micros()).unwrap_or(u64::MAX),
                    bytes: finished.stdout.len(),
                })
            }
            Err(e) => Outcome::failed(format!("it could not be started: {e}")),
        }
    }

    /// Only an executable that really lies in the installation is run, and a shell line only if it is to the
    /// letter what this installation writes.
    fn may_run(&self, entry: &EntryRecord, handler: &Value, hook: &Hook) -> Result<(), String> {
        let executable = command::executable(handler).ok_or("it names no executable")?;
        if executable != entry.executable || !self.installation.has(&executable) {
            return Err("its executable does not lie in this installation".into());
        }
        let real = |path: &Path| std::fs::canonicalize(path).map_err(|e| format!("{}: {e}", path.display()));
        if !real(&executable)?.starts_with(real(&self.installation.bin())?) {
            return Err("its executable is a link that leads out of this installation".into());
        }
        let ours = command::handler(self.host, hook, self.installation).map_err(|e| e.to_string())?;
        let same = |key: &str| ours.get(key) == handler.get(key);
        if same("command") && same("args") {
            Ok(())
        } else {
            Err("it is not what this version writes".into())
        }
    }

    fn command(&self, entry: &EntryRecord) -> Command {
        let mut command = match self.host.form {
            CommandForm::Exec | CommandForm::Plugin => {
                let mut command = Command::new(&entry.command);
                command.args(entry.args.iter().flatten());
                command
            }
            CommandForm::Shell | CommandForm::Guarded => {
                let mut command = Command::new(PathBuf::from("/bin/sh"));
                command.arg("-c").arg(&entry.command);
                command
            }
        };
        command.env_clear().env("HOME", &self.environment.home);
        for name in ["PATH", "LANG", "TZ", "USER", "SHELL", "TERM"] {
            command.envs(self.environment.variable(name).map(|value| (name, value)));
        }
        command
    }
}

/// Whether a hook did what its host expects: exit 0, nothing on standard error, and on standard output nothing
/// or one JSON object that gives context for this event and decides nothing.
fn judge(hook: &Hook, limit: Duration, finished: &Finished) -> Result<(), String> {
    let Some(status) = finished.status else {
        return Err(format!("it did not end within {limit:?}"));
    };
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    if finished.output_is_held {
        return Err("a process that it started keeps its output open, and the host would wait".into());
    }
    if !finished.stderr.is_empty() {
        let said = String::from_utf8_lossy(&finished.stderr);
        return Err(format!("it wrote to standard error: {}", said.lines().next().unwrap_or_default()));
    }
    if finished.stdout.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    if !hook.takes_context {
        return Err("it printed something, where the host expects nothing".into());
    }
    let reply: Value = serde_json::from_slice(&finished.stdout)
        .map_err(|e| format!("it printed something else than one JSON object: {e}"))?;
    let Some(reply) = reply.as_object() else {
        return Err("it printed JSON that is not an object".into());
    };
    let specific = reply.get("hookSpecificOutput");
    let decides = |key: &&&str| reply.contains_key(**key) || specific.is_some_and(|s| s.get(**key).is_some());
    if let Some(key) = DECISIONS.iter().find(decides) {
        return Err(format!("its reply decides something: `{key}`"));
    }
    match specific.map(|specific| &specific["hookEventName"]) {
        Some(name) if name != hook.event => Err(format!("its reply names the event {name}")),
        _ => Ok(()),
    }
}
