//! A client of the engine's socket that speaks the wire itself, without the hooks' code.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use remora_event::SocketAddress;
use remora_event::wire::{self, Build, Command, Hello, PROTOCOL, Request, Response};
use serde_json::Value;

use crate::error::{Error, Result};

/// An open connection to an engine.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
}

impl Client {
    /// Connects to the engine of a data root and introduces itself as older than any engine, so that none
    /// hands over to it.
    pub fn connect(root: &Path) -> Result<Self> {
        let address = SocketAddress::of(root, rustix::process::geteuid().as_raw()).path;
        let stream = UnixStream::connect(&address).map_err(Error::file("connecting to", &address))?;
        let mut client = Self { stream };
        let build = Build { version: "0.0.0".to_owned(), built_at: 0, id: "bench".to_owned() };
        let hello = Hello { protocol: PROTOCOL, build, leaving: false, pid: None };
        match client.ask(&frame(&Request::Hello(hello))?)? {
            Response::Hello(_) => Ok(client),
            other => Err(unexpected(&other)),
        }
    }

    /// Sends a frame and waits for its answer.
    pub fn ask(&mut self, frame: &[u8]) -> Result<Response> {
        self.stream.write_all(frame).map_err(broken)?;
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).map_err(broken)?;
        let length = wire::announced_length(head).map_err(|error| garbage(&error))?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).map_err(broken)?;
        wire::decode(&body).map_err(|error| garbage(&error))
    }

    /// Asks for a command's result, from a directory.
    pub fn command(&mut self, name: &str, args: Value, cwd: &Path) -> Result<Value> {
        let cwd = Some(cwd.to_string_lossy().into_owned());
        let command = Command { name: name.to_owned(), args, cwd, memory_dir: None };
        match self.ask(&frame(&Request::Command(command))?)? {
            Response::Result { value } => Ok(value),
            other => Err(unexpected(&other)),
        }
    }
}

/// A request as it travels.
pub fn frame(request: &Request) -> Result<Vec<u8>> {
    wire::encode(request).map_err(|error| garbage(&error))
}

/// An answer of another kind than the request asks for.
pub fn unexpected(response: &Response) -> Error {
    Error::Program { program: "the engine".to_owned(), problem: format!("answered {response:?}") }
}

fn broken(error: std::io::Error) -> Error {
    Error::run("the engine")(error)
}

fn garbage(error: &wire::FrameError) -> Error {
    Error::Program { program: "the engine".to_owned(), problem: format!("sent what is no frame: {error}") }
}
