//! A conversation over MCP with the program under test, line by line: what it sends is seen as it is, and it
//! can be told what no proper client says.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::launch::Launch;

/// How long an answer may take; a limit for what hangs.
const ANSWER: Duration = Duration::from_mins(1);
const END: Duration = Duration::from_secs(20);

const PROGRAM: &str = "remora mcp";

/// A client that talks to a server on its standard input and output.
#[derive(Debug)]
pub struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// What the client has open, if it says so at all.
    roots: Option<Vec<String>>,
    asked_for_roots: usize,
    /// It leaves questions about them without an answer.
    silent: bool,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text of the content.
    pub text: String,
    /// Whether it is an error for the model to read.
    pub is_error: bool,
}

impl Conversation {
    /// Starts the server and says nothing yet.
    pub fn start(launch: &Launch) -> Result<Self> {
        let mut command = launch.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(Error::run(PROGRAM))?;
        let (send, lines) = channel();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        thread::spawn(move || {
            let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines());
            for line in lines.map_while(std::io::Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, lines, next: 0, roots: None, asked_for_roots: 0, silent: false })
    }

    /// Starts the server and greets it, as a client that does not say what it has open.
    pub fn begin(launch: &Launch) -> Result<Self> {
        let mut conversation = Self::start(launch)?;
        conversation.greet()?;
        Ok(conversation)
    }

    /// The same for a client that has these folders open.
    pub fn begin_with_roots(launch: &Launch, roots: &[&Path]) -> Result<Self> {
        let mut conversation = Self::start(launch)?;
        conversation.set_roots(roots);
        conversation.greet()?;
        Ok(conversation)
    }

    /// Exchanges the first messages; gives what the server says of itself.
    pub fn greet(&mut self) -> Result<Value> {
        let capabilities =
            if self.roots.is_some() { json!({"roots": {"listChanged": true}}) } else { json!({}) };
        let answer = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": capabilities,
                "clientInfo": {"name": "test-client", "version": "1"},
            }),
        )?;
        self.notify("notifications/initialized")?;
        Ok(answer["result"].clone())
    }

    /// What the client has open from now on.
    pub fn set_roots(&mut self, roots: &[&Path]) {
        let uri = |path: &&Path| format!("file://{}", path.display());
        self.roots = Some(roots.iter().map(uri).collect());
    }

    /// From now on the client leaves the question what it has open without an answer.
    pub fn fall_silent(&mut self) {
        self.silent = true;
    }

    /// How often the server asked what the client has open.
    pub fn asked_for_roots(&self) -> usize {
        self.asked_for_roots
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answer> {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let result = &answer["result"];
        match (result["content"][0]["text"].as_str(), result["content"].as_array().map(Vec::len)) {
            (Some(text), Some(1)) => {
                Ok(Answer { text: text.to_owned(), is_error: result["isError"] == json!(true) })
            }
            _ => Err(problem(format!("answered {answer} where a text was expected"))),
        }
    }

    /// Sends a request and gives the whole answer, result or error.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())?;
        loop {
            let message = self.receive()?;
            if message["id"] == json!(id) && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method}).to_string())
    }

    /// Sends one line as it is.
    pub fn send(&mut self, line: &str) -> Result<()> {
        let Some(input) = &mut self.input else { return Err(problem("was hung up on".to_owned())) };
        input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| input.flush())
            .map_err(Error::run(PROGRAM))
    }

    /// The next message that is not a question about roots; those are answered.
    pub fn receive(&mut self) -> Result<Value> {
        loop {
            let line = self
                .lines
                .recv_timeout(ANSWER)
                .map_err(|_| Error::Waited { what: "an answer over MCP".to_owned(), waited: ANSWER })?;
            let message: Value = serde_json::from_str(&line).map_err(Error::json(PROGRAM))?;
            if message["method"] != json!("roots/list") {
                return Ok(message);
            }
            self.asked_for_roots += 1;
            if self.silent {
                continue;
            }
            let roots: Vec<Value> = self.roots.iter().flatten().map(|uri| json!({"uri": uri})).collect();
            self.send(
                &json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}).to_string(),
            )?;
        }
    }

    /// Hangs up and waits for the server's end.
    pub fn end(mut self) -> Result<ExitStatus> {
        drop(self.input.take());
        let deadline = Instant::now() + END;
        loop {
            if let Some(status) = self.child.try_wait().map_err(Error::run(PROGRAM))? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                return Err(Error::Waited { what: format!("the end of {PROGRAM}"), waited: END });
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // One that ended and was waited for is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processes of this user that have a file open, its companions `-wal` and `-shm` included.
pub fn holders(file: &Path) -> Vec<u32> {
    let wanted: Vec<PathBuf> =
        ["", "-wal", "-shm"].iter().map(|end| format!("{}{end}", file.display()).into()).collect();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let holds = |pid: &u32| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        open.filter_map(|entry| std::fs::read_link(entry.path()).ok()).any(|path| wanted.contains(&path))
    };
    pids.filter(holds).collect()
}

fn problem(problem: String) -> Error {
    Error::Program { program: PROGRAM.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_holds_a_file_open_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("journal.db");
        assert!(holders(&file).is_empty());
        let open = std::fs::File::create(folder.path().join("journal.db-wal")).expect("a file");
        assert_eq!(holders(&file), [std::process::id()]);
        drop(open);
        assert!(holders(&file).is_empty());
    }
}
