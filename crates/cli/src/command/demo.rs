//! `remora demo`: recorded sessions played through the real executables and the engine, in a temporary home
//! that is gone afterwards. Nothing of the person's is read or written.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{self, Style};

/// One step of the demonstration.
enum Step {
    /// What happens, for the reader.
    Say(&'static str),
    /// What a person types into a terminal.
    Type(&'static [&'static str]),
    /// What a host calls: its id, its event, the payload besides session and directory.
    Call { host: &'static str, event: &'static str, session: &'static str, payload: fn() -> Value },
}

const STEPS: &[Step] = &[
    Step::Say("Monday, in a terminal: you tell it two things."),
    Step::Type(&[
        "remember",
        "Integration tests talk to a real database, never to mocks. **Why:** mocked tests once hid a broken migration.",
    ]),
    Step::Type(&[
        "remember",
        "I am a backend engineer and new to React: explain frontend things from scratch.",
    ]),
    Step::Say(
        "Monday, in Claude Code: a session starts. Its model is told who you are and what is remembered here.",
    ),
    Step::Call {
        host: "claude-code",
        event: "SessionStart",
        session: "monday",
        payload: || json!({"source": "startup"}),
    },
    Step::Say("You ask for something that the memory is about. It arrives beside your prompt."),
    Step::Call {
        host: "claude-code",
        event: "UserPromptSubmit",
        session: "monday",
        payload: || json!({"prompt_id": "p1", "prompt": "write an integration test for the orders endpoint, mock the database"}),
    },
    Step::Say("The agent runs a command. It is kept in the journal; the model gets nothing for it."),
    Step::Call {
        host: "claude-code",
        event: "PostToolUse",
        session: "monday",
        payload: || {
            json!({
                "prompt_id": "p1", "tool_name": "Bash", "tool_use_id": "t1",
                "tool_input": {"command": "docker compose up -d db && pytest tests/integration -k orders"},
                "tool_response": {"stdout": "1 passed in 3.21s", "stderr": ""},
            })
        },
    },
    Step::Say("Another prompt, about something else. When in doubt, Remora says nothing."),
    Step::Call {
        host: "claude-code",
        event: "UserPromptSubmit",
        session: "monday",
        payload: || json!({"prompt_id": "p2", "prompt": "rename the variable x to count in utils.py"}),
    },
    Step::Say("Tuesday: a new session, which has never seen Monday's. The memory is there again."),
    Step::Call {
        host: "claude-code",
        event: "SessionStart",
        session: "tuesday",
        payload: || json!({"source": "startup"}),
    },
    Step::Call {
        host: "claude-code",
        event: "UserPromptSubmit",
        session: "tuesday",
        payload: || json!({"prompt_id": "p3", "prompt": "should the payments tests use a mocked database?"}),
    },
    Step::Say("And what was done on Monday can be searched."),
    Step::Type(&["search", "pytest orders"]),
];

/// A home for the length of the demonstration; it goes with its engine.
struct Stage {
    folder: PathBuf,
    project: PathBuf,
    own: PathBuf,
}

pub(super) fn run(as_json: bool) -> Result<(), Failure> {
    if as_json {
        return Err(Failure::usage("the demonstration is for people and has no JSON", "leave --json out"));
    }
    let stage = Stage::set()?;
    output::line("Remora, played through its real hook executables and engine in a temporary home.\n");
    for step in STEPS {
        match step {
            Step::Say(text) => output::line(&format!("\n{}", output::styled(text, Style::Bold))),
            Step::Type(words) => stage.type_in(words)?,
            Step::Call { host, event, session, payload } => stage.call(host, event, session, payload())?,
        }
    }
    output::line("\nThat was all of it: no network, no model, nothing written outside the temporary home.");
    output::line("`remora install` wires up the coding agents on this machine.");
    Ok(())
}

impl Stage {
    fn set() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("remora-demo-{}", uuid::Uuid::now_v7().simple()));
        let project = folder.join("shop");
        std::fs::create_dir_all(project.join(".git").join("objects"))?;
        std::fs::create_dir_all(project.join(".git").join("refs"))?;
        std::fs::write(project.join(".git").join("HEAD"), "ref: refs/heads/main\n")?;
        Ok(Self { folder, project, own: std::env::current_exe()? })
    }

    fn root(&self) -> PathBuf {
        self.folder.join("remora")
    }

    /// A command in the person's shell, shown with what it prints.
    fn type_in(&self, words: &[&str]) -> Result<(), Failure> {
        let shown: Vec<String> = words
            .iter()
            .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
            .collect();
        output::line(&format!("$ remora {}", shown.join(" ")));
        let done = self.command(&self.own).args(["--root"]).arg(self.root()).args(words).output()?;
        print_indented(&self.without_paths(&String::from_utf8_lossy(&done.stdout)));
        if done.status.success() {
            return Ok(());
        }
        Err(Failure::new(
            "demo",
            String::from_utf8_lossy(&done.stderr).trim().to_owned(),
            "`remora doctor` looks for the reason",
        ))
    }

    /// A host's call, shown with what its model would be given.
    fn call(&self, host: &str, event: &str, session: &str, mut payload: Value) -> Result<(), Failure> {
        if let Some(prompt) = payload["prompt"].as_str() {
            output::line(&format!("> {prompt}"));
        }
        if let Some(command) = payload["tool_input"]["command"].as_str() {
            output::line(&format!("{}: {command}", payload["tool_name"].as_str().unwrap_or_default()));
        }
        payload["session_id"] = json!(session);
        payload["cwd"] = json!(self.project);
        payload["hook_event_name"] = json!(event);
        payload["transcript_path"] = json!(self.folder.join(format!("{session}.jsonl")));
        let mut command = self.hook(host, event);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(payload.to_string().as_bytes());
        }
        let printed = child.wait_with_output()?.stdout;
        let reply: Value = serde_json::from_slice(&printed).unwrap_or_default();
        match reply["hookSpecificOutput"]["additionalContext"].as_str() {
            Some(context) => {
                output::line(&output::styled("  the model is given:", Style::Faint));
                print_indented(&self.without_paths(context));
            }
            None => output::line(&output::styled("  the model is given nothing", Style::Faint)),
        }
        if let Some(notice) = reply["systemMessage"].as_str() {
            output::line(&output::styled(&format!("  you see: {notice}"), Style::Faint));
        }
        Ok(())
    }

    /// The installed executable, or this program in its place.
    fn hook(&self, host: &str, event: &str) -> Command {
        let name = event.chars().fold(String::new(), |mut name, c| {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.extend(c.to_lowercase());
            name
        });
        let installed = self.own.parent().unwrap_or(Path::new("/")).join(host).join(&name);
        let mut command = if installed.is_file() {
            self.command(&installed)
        } else {
            let mut command = self.command(&self.own);
            command.args(["hook", host, event]);
            command
        };
        command.arg("--root").arg(self.root());
        command
    }

    /// A program in the temporary home, with nothing of this environment but where programs are.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.folder).current_dir(&self.project);
        for name in ["PATH", "LANG", "TZ"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// A text with the temporary home's folders named shortly, as they would be at home.
    fn without_paths(&self, text: &str) -> String {
        let own = self.own.to_string_lossy();
        text.replace(own.as_ref(), "remora").replace(&*self.folder.to_string_lossy(), "~")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.command(&self.own).arg("--root").arg(self.root()).args(["engine", "stop"]).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn print_indented(text: &str) {
    for line in text.trim_end().lines() {
        output::line(&format!("  | {line}"));
    }
}
