//! An engine that a test plays: it listens where the real one would and says what the test wants.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use interprocess::local_socket::traits::ListenerExt as _;
use interprocess::local_socket::{GenericFilePath, Listener, ListenerOptions, Stream, ToFsName as _};
use remora_event::wire::{self, Build, Hello, PROTOCOL, ProtocolRange, Request, Response};
use remora_event::{ErrorBody, Event, Reply, SocketAddress};

/// How an engine behaves on every connection.
#[derive(Debug, Clone)]
pub(crate) enum Manner {
    /// Answers every event with this.
    Answers(Box<Reply>),
    /// Takes everything and says nothing.
    Silent,
    /// Sends these bytes and nothing else.
    Says(Vec<u8>),
    /// Hands over to a newer build.
    Leaving,
    /// Speaks versions of the protocol that nobody knows yet.
    FromTheFuture,
    /// Closes every connection after it was told something.
    HangsUp,
    /// Answers that it cannot.
    Refuses,
}

/// A listening engine. Its thread ends with the test's process.
pub(crate) struct Engine {
    requests: Receiver<Request>,
}

impl Engine {
    /// Listens at the address of `root`.
    pub(crate) fn listen(root: &Path, manner: Manner) -> Self {
        let listener = bind(root);
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (sender, manner) = (sender.clone(), manner.clone());
                std::thread::spawn(move || converse(stream, &manner, &sender));
            }
        });
        Self { requests }
    }

    /// The next thing that it was told, but for introductions.
    pub(crate) fn next(&self) -> Option<Request> {
        loop {
            match self.requests.recv_timeout(Duration::from_secs(20)).ok()? {
                Request::Hello(_) => {}
                request => return Some(request),
            }
        }
    }

    /// The next event.
    pub(crate) fn event(&self) -> Event {
        match self.next() {
            Some(Request::Event(event)) => *event,
            other => panic!("an event was expected, not {other:?}"),
        }
    }

    /// Everything else that it was told until now.
    pub(crate) fn rest(&self) -> Vec<Request> {
        // A confirmation may be on its way when the hook has already gone.
        std::thread::sleep(Duration::from_millis(50));
        self.requests.try_iter().filter(|request| !matches!(request, Request::Hello(_))).collect()
    }
}

/// A listener that nobody answers at yet.
pub(crate) fn bind(root: &Path) -> Listener {
    let address = SocketAddress::of(root, rustix::process::getuid().as_raw());
    let mut folder = std::fs::DirBuilder::new();
    folder.recursive(true).mode(0o700).create(address.path.parent().expect("a folder")).expect("a folder");
    let name = address.path.to_fs_name::<GenericFilePath>().expect("a name");
    ListenerOptions::new().name(name).create_sync().expect("a listener")
}

fn converse(mut stream: Stream, manner: &Manner, sender: &Sender<Request>) {
    if let Manner::Says(bytes) = manner {
        let _ = stream.write_all(bytes);
    }
    while let Some(request) = next_request(&mut stream) {
        let answers = answers_to(&request, manner);
        let _ = sender.send(request);
        for answer in answers {
            let _ = stream.write_all(&wire::encode(&answer).expect("a frame"));
        }
        if matches!(manner, Manner::HangsUp) {
            return;
        }
    }
}

fn answers_to(request: &Request, manner: &Manner) -> Vec<Response> {
    let build = Build { version: "0.1.0".into(), built_at: 1, id: "test".into() };
    let hello = |protocol, leaving| Response::Hello(Hello { protocol, build, leaving, pid: Some(1) });
    match (manner, request) {
        (Manner::Answers(_) | Manner::Refuses, Request::Hello(_)) => vec![hello(PROTOCOL, false)],
        (Manner::Leaving, Request::Hello(_)) => vec![hello(PROTOCOL, true)],
        (Manner::FromTheFuture, Request::Hello(_)) => {
            vec![hello(ProtocolRange { min: 900, max: 901 }, false)]
        }
        (Manner::Answers(reply), Request::Event(_)) => vec![Response::Reply((**reply).clone())],
        (Manner::Refuses, Request::Event(_)) => vec![Response::Error {
            error: ErrorBody { kind: "io".into(), message: "no room".into(), hint: None },
        }],
        (Manner::Answers(_), Request::Command(command)) => {
            vec![Response::Result {
                value: serde_json::json!({"command": command.name, "args": command.args}),
            }]
        }
        (Manner::Refuses, Request::Command(_)) => vec![Response::Error {
            error: ErrorBody { kind: "not_found".into(), message: "no such memory".into(), hint: None },
        }],
        _ => Vec::new(),
    }
}

fn next_request(stream: &mut Stream) -> Option<Request> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).ok()?;
    let mut json = vec![0; wire::announced_length(head).ok()?];
    stream.read_exact(&mut json).ok()?;
    wire::decode(&json).ok()
}

/// An engine's reply with context.
pub(crate) fn context(text: &str) -> Manner {
    Manner::Answers(Box::new(Reply {
        context: Some(text.to_owned()),
        injection: Some("i-1".to_owned()),
        ..Reply::default()
    }))
}
