//! A model server of our own on loopback: it plays a script and writes down every request.
//!
//! It speaks Anthropic's Messages, `OpenAI`'s Responses and Chat Completions, and Gemini's protocol,
//! on whatever path prefix the host uses. Within a test it runs on a thread ([`FakeModel::start`]);
//! the executable `remora-fake-model` does the same for a shell, and inside a network namespace.

mod anthropic;
mod chat;
mod gemini;
mod play;
mod protocol;
mod recording;
mod responses;
mod script;
mod server;
mod texts;

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

pub use protocol::Protocol;
pub use recording::{Found, Purpose, Recording, Request};
pub use script::{Call, Rule, Script, Step};
pub use texts::Text;

use crate::error::{Error, Result};
use server::Shared;

/// A running server. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeModel {
    port: u16,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl FakeModel {
    /// Starts a server on a free port of 127.0.0.1.
    pub fn start(script: Script) -> Result<Self> {
        Self::start_with(script, 0, None)
    }

    /// Starts a server on `port` (0: a free one) that also writes each request into `folder`, which
    /// must exist; see [`Recording::read`].
    pub fn start_with(script: Script, port: u16, folder: Option<PathBuf>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(Error::FakeModel)?;
        let port = listener.local_addr().map_err(Error::FakeModel)?.port();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(Error::FakeModel)?;
        let shared = Arc::new(Shared::new(script, folder));
        let (stop, stopped) = oneshot::channel();
        let serving = server::serve(listener, Arc::clone(&shared), stopped);
        let thread = std::thread::Builder::new()
            .name("fake-model".to_owned())
            .spawn(move || runtime.block_on(serving))
            .map_err(Error::FakeModel)?;
        Ok(Self { port, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `http://127.0.0.1:PORT`, to which a host adds the protocol's path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What was asked until now.
    pub fn recording(&self) -> Recording {
        Recording::of(self.shared.requests())
    }

    /// Waits until the server ends, which it does only when it fails.
    pub fn wait(mut self) -> Result<()> {
        let ended = self.thread.take().map(JoinHandle::join);
        match ended {
            Some(Ok(Err(error))) => Err(Error::FakeModel(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
