//! A conversation with the engine, for hooks and for the command line.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interprocess::ConnectWaitMode;
use interprocess::local_socket::traits::{Stream as _, StreamCommon as _};
use interprocess::local_socket::{ConnectOptions, GenericFilePath, Stream, ToFsName as _};
use remora_event::wire::{self, Build, Command, Hello, PROTOCOL, ProtocolRange, Request, Response};
use remora_event::{ErrorBody, SocketAddress};
use serde_json::Value;

use crate::lenient::read_whole;
use crate::root::DataRoot;
use crate::start::forget_attempts;

/// One write hands over at most this much, so that a peer that reads slowly cannot outlast the deadline.
const CHUNK: usize = 256 * 1024;

/// Why a conversation with the engine came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens: there is no socket, or an engine that died left it behind.
    #[error("no engine listens at {0}")]
    Absent(PathBuf),
    /// The engine hands over to a newer build and takes nothing more.
    #[error("the engine is handing over to a newer build")]
    Leaving,
    /// The engine is there and does not take the connection or does not answer in time.
    #[error("the engine did not answer in time")]
    Late,
    /// The socket, or the folder it lies in, belongs to somebody else.
    #[error("{0} is not only the user's own")]
    NotOurs(PathBuf),
    /// The two builds have no protocol version in common.
    #[error("the engine speaks protocol {} to {}, this program {} to {}", .0.min, .0.max, PROTOCOL.min, PROTOCOL.max)]
    Protocol(ProtocolRange),
    /// The engine sent something that is no answer.
    #[error("reading the engine's answer: {0}")]
    Garbage(String),
    /// The engine answered that it cannot.
    #[error("{}", .0.message)]
    Refused(ErrorBody),
    /// The connection broke.
    #[error("talking to the engine: {0}")]
    Io(#[from] io::Error),
}

impl ClientError {
    /// Whether an engine that is started now would help.
    pub fn wants_start(&self) -> bool {
        matches!(self, Self::Absent(_) | Self::Leaving)
    }
}

/// A socket is waited for in steps: kernels round longer timeouts up, on Linux by up to a quarter of a second
/// at four seconds, and the watchdog would end the process before it could keep the event.
const STEP: Duration = Duration::from_millis(200);

/// An open connection to the engine of a data root.
#[derive(Debug)]
pub struct Client {
    root: DataRoot,
    stream: Stream,
    /// What introduces this side; it goes out in one write with the first request.
    introduction: Vec<u8>,
    /// What was read and not yet understood.
    input: Vec<u8>,
    engine: Option<Hello>,
}

impl Client {
    /// Connects to the engine of `root`, at the latest at `until`. Nothing is said yet.
    pub fn connect(root: &Path, build: &Build, until: Instant) -> Result<Self, ClientError> {
        let address = SocketAddress::of(root, own_uid());
        if let Some(folder) = &address.guarded {
            verify_guarded(folder, &address.path)?;
        }
        let path = address.path;
        let name = path.as_path().to_fs_name::<GenericFilePath>()?;
        let options = ConnectOptions::new().name(name).wait_mode(ConnectWaitMode::Timeout(left(until)?));
        let stream = options.connect_sync().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => ClientError::Absent(path.clone()),
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => ClientError::Late,
            _ => ClientError::Io(error),
        })?;
        verify_peer(&stream, &path)?;
        let hello = Hello { protocol: PROTOCOL, build: build.clone(), leaving: false, pid: None };
        let introduction = encode(&Request::Hello(hello))?;
        Ok(Self { root: DataRoot::at(root), stream, introduction, input: Vec::new(), engine: None })
    }

    /// What the engine said of itself; known after the first answer.
    pub fn engine(&self) -> Option<&Hello> {
        self.engine.as_ref()
    }

    /// Sends a request and waits for its answer, at the latest until `until`.
    pub fn ask(&mut self, request: &Request, until: Instant) -> Result<Response, ClientError> {
        self.send(request, until)?;
        self.receive(until)
    }

    /// Asks for a command's result.
    pub fn command(&mut self, command: Command, timeout: Duration) -> Result<Value, ClientError> {
        match self.ask(&Request::Command(command), Instant::now() + timeout)? {
            Response::Result { value } => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Sends a request without waiting for an answer.
    pub fn send(&mut self, request: &Request, until: Instant) -> Result<(), ClientError> {
        let mut bytes = std::mem::take(&mut self.introduction);
        let frame = encode(request)?;
        if bytes.is_empty() {
            bytes = frame;
        } else {
            bytes.extend_from_slice(&frame);
        }
        for chunk in bytes.chunks(CHUNK) {
            self.write_chunk(chunk, until)?;
        }
        Ok(())
    }

    /// Waits for the next answer.
    pub fn receive(&mut self, until: Instant) -> Result<Response, ClientError> {
        if self.engine.is_none() {
            let Response::Hello(hello) = self.read_response(until)? else {
                return Err(ClientError::Garbage("the engine did not introduce itself".to_owned()));
            };
            let (leaving, protocol) = (hello.leaving, hello.protocol);
            self.engine = Some(hello);
            if leaving {
                return Err(ClientError::Leaving);
            }
            if PROTOCOL.common(protocol).is_none() {
                return Err(ClientError::Protocol(protocol));
            }
            forget_attempts(&self.root);
        }
        match self.read_response(until)? {
            Response::Error { error } => Err(ClientError::Refused(error)),
            response => Ok(response),
        }
    }

    fn write_chunk(&mut self, mut chunk: &[u8], until: Instant) -> Result<(), ClientError> {
        while !chunk.is_empty() {
            let step = left(until)?.min(STEP);
            // Named pipes have no timeouts; there the watchdog is the limit.
            let _ = self.stream.set_send_timeout(Some(step));
            match self.stream.write(chunk) {
                Ok(0) => return Err(ClientError::Io(io::ErrorKind::WriteZero.into())),
                Ok(written) => chunk = &chunk[written..],
                Err(error) => again_or_fail(error)?,
            }
        }
        Ok(())
    }

    fn read_response(&mut self, until: Instant) -> Result<Response, ClientError> {
        let garbage = |error: wire::FrameError| ClientError::Garbage(error.to_string());
        self.fill(4, until)?;
        let mut head = [0; 4];
        head.copy_from_slice(&self.input[..4]);
        let end = 4 + wire::announced_length(head).map_err(garbage)?;
        self.fill(end, until)?;
        let response = read_whole(&self.input[4..end]).and_then(Response::from_fields);
        self.input.drain(..end);
        response.ok_or_else(|| ClientError::Garbage("it is no response".to_owned()))
    }

    /// Reads until at least `length` bytes are there.
    fn fill(&mut self, length: usize, until: Instant) -> Result<(), ClientError> {
        let mut buffer = [0; 16 * 1024];
        while self.input.len() < length {
            let step = left(until)?.min(STEP);
            let _ = self.stream.set_recv_timeout(Some(step));
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(ClientError::Io(io::ErrorKind::UnexpectedEof.into())),
                Ok(read) => self.input.extend_from_slice(&buffer[..read]),
                Err(error) => again_or_fail(error)?,
            }
        }
        Ok(())
    }
}

/// What ended a step only is tried again, for as long as there is time.
fn again_or_fail(error: io::Error) -> Result<(), ClientError> {
    match error.kind() {
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(()),
        _ => Err(ClientError::Io(error)),
    }
}

/// The time until `until`, which is never zero: zero means "for ever" to a socket.
fn left(until: Instant) -> Result<Duration, ClientError> {
    until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()).ok_or(ClientError::Late)
}

fn encode(request: &Request) -> Result<Vec<u8>, ClientError> {
    wire::encode(request).map_err(|error| ClientError::Garbage(error.to_string()))
}

pub(crate) fn unexpected(response: &Response) -> ClientError {
    let what = match response {
        Response::Hello(_) => "hello",
        Response::Reply(_) => "reply",
        Response::Result { .. } => "result",
        Response::Error { .. } => "error",
    };
    ClientError::Garbage(format!("a {what} was not asked for"))
}

#[cfg(unix)]
pub(crate) fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
pub(crate) fn own_uid() -> u32 {
    0
}

/// The folder in the system's temp folder must be a real directory of ours that nobody else enters.
#[cfg(unix)]
#[expect(clippy::verbose_bit_mask, reason = "a mode is read in octal")]
fn verify_guarded(folder: &Path, socket: &Path) -> Result<(), ClientError> {
    use std::os::unix::fs::MetadataExt as _;

    match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ClientError::Absent(socket.to_owned())),
        Err(error) => Err(ClientError::Io(error)),
        Ok(found) if found.is_dir() && found.uid() == own_uid() && found.mode() & 0o077 == 0 => Ok(()),
        Ok(_) => Err(ClientError::NotOurs(folder.to_owned())),
    }
}

#[cfg(not(unix))]
fn verify_guarded(_folder: &Path, _socket: &Path) -> Result<(), ClientError> {
    Ok(())
}

/// Whoever listens must be the same user.
#[cfg(unix)]
fn verify_peer(stream: &Stream, path: &Path) -> Result<(), ClientError> {
    match stream.peer_creds() {
        Ok(peer) if peer.euid() == Some(own_uid()) => Ok(()),
        Ok(_) => Err(ClientError::NotOurs(path.to_owned())),
        // A connection that found the listener's queue full looks made and has no peer.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Err(ClientError::Late),
        Err(error) => Err(ClientError::Io(error)),
    }
}

/// The pipe's security descriptor admits the current user alone.
#[cfg(not(unix))]
fn verify_peer(_stream: &Stream, _path: &Path) -> Result<(), ClientError> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_folder_in_the_temp_folder_must_be_ours_alone() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let folder = temp.path().join("remora-0");
        let verify = |folder: &Path| verify_guarded(folder, Path::new("/s"));
        assert!(matches!(verify(&folder), Err(ClientError::Absent(_))));

        fs::create_dir(&folder).expect("a folder");
        for (mode, ours) in [(0o700, true), (0o710, false), (0o701, false), (0o777, false)] {
            fs::set_permissions(&folder, Permissions::from_mode(mode)).expect("a mode");
            let verified = verify(&folder);
            assert!(
                if ours { verified.is_ok() } else { matches!(verified, Err(ClientError::NotOurs(_))) },
                "{mode:o}"
            );
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("a mode");
        let link = temp.path().join("link");
        symlink(&folder, &link).expect("a link");
        assert!(matches!(verify(&link), Err(ClientError::NotOurs(_))));
        let file = temp.path().join("file");
        fs::write(&file, "").expect("a file");
        assert!(matches!(verify(&file), Err(ClientError::NotOurs(_))));
    }
}
