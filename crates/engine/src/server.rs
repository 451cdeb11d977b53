//! The engine as a process: its lock, its socket, its connections, and when it leaves.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use remora_event::SocketAddress;
use remora_event::wire::{self, Build, Hello, PROTOCOL, Request, Response};
use remora_profile::HostProfile;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Notify;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::JournalError;
use crate::lock::EngineLock;
use crate::model::OpenModel;
use crate::root::Root;
use crate::socket::{self, Connection};
use crate::spool;

/// How long a starting engine waits for the lock of one that is leaving.
const LOCK_PATIENCE: Duration = Duration::from_secs(3);

/// How long open requests may take when the engine leaves.
const FAREWELL: Duration = Duration::from_secs(2);

/// How often the engine looks whether its socket is still its own.
const SOCKET_CHECK: Duration = Duration::from_secs(60);

/// Threads for file work. A hung mount holds at most the share of one directory (see `Engine`).
const FILE_THREADS: usize = 12;

/// Why an engine's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Another engine of this data root is running.
    AlreadyRunning,
    /// It left by itself, was told to stop, or handed over.
    Left,
}

/// Runs the engine of a data root until it leaves. `open_model`: opens the client of a language model, where the
/// person set one up; no client lies in this crate.
pub fn run(
    root: PathBuf,
    build: Build,
    profiles: Vec<HostProfile>,
    open_model: OpenModel,
) -> anyhow::Result<Exit> {
    let root = Root::new(root)?;
    root.create()?;
    let address = SocketAddress::of(root.path(), rustix::process::geteuid().as_raw());
    let Some(lock) = wait_for_lock(&root, &build, &address)? else {
        return Ok(Exit::AlreadyRunning);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(FILE_THREADS)
        .thread_stack_size(1024 * 1024)
        .enable_all()
        .build()?;
    let record = root.record()?;
    let _ = std::fs::remove_file(root.refusal());
    let engine = Engine::open(root.clone(), record, profiles, build, open_model)
        .inspect_err(|error| refuse(&root, error))?;
    let engine = Arc::new(engine);
    runtime.block_on(serve(&engine, &address))?;
    engine.close();
    // The lock goes last: until here no other engine may touch the journal.
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop(lock);
    Ok(Exit::Left)
}

/// Leaves a word for whoever waits for this engine: what is wrong, and on the next line what to do.
fn refuse(root: &Root, error: &EngineError) {
    let body = error.body();
    let said = match error {
        EngineError::Journal(JournalError::Newer { .. }) => format!(
            "{}\nuse the newer remora again; or move {} away, and a new journal begins. Nothing is lost meanwhile: \
             events wait in the spool, memories are files",
            body.message,
            root.journal().display()
        ),
        _ => format!("{}\n{}", body.message, body.hint.unwrap_or_default()),
    };
    let _ = std::fs::write(root.refusal(), said);
}

/// The lock, or nothing when a healthy engine has it. One that is leaving is waited for.
fn wait_for_lock(root: &Root, build: &Build, address: &SocketAddress) -> io::Result<Option<EngineLock>> {
    let since = Instant::now();
    loop {
        if let Some(lock) = EngineLock::take(root, build, &address.path.display().to_string())? {
            return Ok(Some(lock));
        }
        if since.elapsed() > LOCK_PATIENCE || socket::somebody_listens(address) {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What the connections and the main loop share.
struct Desk {
    engine: Arc<Engine>,
    leaving: AtomicBool,
    leave: Notify,
    open: AtomicUsize,
}

async fn serve(engine: &Arc<Engine>, address: &SocketAddress) -> anyhow::Result<()> {
    let desk = Arc::new(Desk {
        engine: Arc::clone(engine),
        leaving: AtomicBool::new(false),
        leave: Notify::new(),
        open: AtomicUsize::new(0),
    });
    let reachable_since = crate::clock::now_millis();
    let mut listener = socket::bind(address)?;
    // The attempt to start this engine did not fail: should it be killed, the next hook may try at once.
    let _ = std::fs::remove_file(engine.root().start_stamp());
    let drain = tokio::spawn(spool::drain(Arc::clone(engine)));
    let indexer = tokio::spawn(Engine::keep_index(Arc::clone(engine)));
    let retention = tokio::spawn(crate::retention::keep(Arc::clone(engine)));
    let reader = tokio::spawn(Engine::keep_memories(Arc::clone(engine)));
    let sources = tokio::spawn(Engine::keep_sources(Arc::clone(engine)));
    let follower = tokio::spawn(crate::history::follow::follow(Arc::clone(engine), reachable_since));
    let mut check = tokio::time::interval(SOCKET_CHECK);
    check.reset();
    loop {
        let idle_at = engine.idle_at();
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(connection) => { tokio::spawn(attend(Arc::clone(&desk), connection)); }
                Err(error) => {
                    tracing::warn!(%error, "a connection was refused");
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            },
            () = desk.leave.notified() => break,
            () = tokio::time::sleep_until(idle_at.into()) => {
                if engine.is_idle() && desk.open.load(Ordering::Acquire) == 0 { break; }
            }
            _ = check.tick() => {
                if !listener.is_still_ours(address) {
                    tracing::warn!("the socket was removed or replaced: binding it again");
                    listener = socket::bind(address)?;
                }
            }
        }
    }
    desk.leaving.store(true, Ordering::Release);
    drop(listener);
    let until = Instant::now() + FAREWELL;
    while desk.open.load(Ordering::Acquire) > 0 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drain.abort();
    indexer.abort();
    retention.abort();
    reader.abort();
    sources.abort();
    follower.abort();
    Ok(())
}

/// One connection, request by request, until the other side leaves.
async fn attend(desk: Arc<Desk>, connection: Connection) {
    let (reading, mut writing) = tokio::io::split(connection);
    let mut reading = BufReader::new(reading);
    while let Some(request) = next_request(&mut reading).await {
        let _open = is_work(&request).then(|| Open::count(&desk.open));
        let response = match request {
            Ok(request) => answer(&desk, request).await,
            Err(problem) => Some(Response::Error { error: crate::error::usage(&problem) }),
        };
        let Some(response) = response else { continue };
        let Ok(frame) = wire::encode(&response) else { break };
        if writing.write_all(&frame).await.is_err() {
            break;
        }
    }
}

/// Whether the engine must not leave before it has answered.
fn is_work(request: &Result<Request, String>) -> bool {
    !matches!(request, Ok(Request::Command(command)) if crate::command::only_looks_on(command))
}

/// Counts a request as open until it is dropped.
struct Open<'a>(&'a AtomicUsize);

impl<'a> Open<'a> {
    fn count(open: &'a AtomicUsize) -> Self {
        open.fetch_add(1, Ordering::AcqRel);
        Self(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The next frame as a request; nothing at a clean end or after an unreadable frame.
async fn next_request(reading: &mut (impl AsyncReadExt + Unpin)) -> Option<Result<Request, String>> {
    let mut head = [0; 4];
    reading.read_exact(&mut head).await.ok()?;
    let length = wire::announced_length(head).ok()?;
    let mut body = vec![0; length];
    reading.read_exact(&mut body).await.ok()?;
    Some(wire::decode(&body).map_err(|e| e.to_string()))
}

async fn answer(desk: &Arc<Desk>, request: Request) -> Option<Response> {
    match request {
        Request::Hello(hello) => Some(Response::Hello(greet(desk, &hello))),
        Request::Shown { id } => {
            desk.engine.shown(id).await;
            None
        }
        Request::Event(event) => Some(
            apart(Arc::clone(&desk.engine), |engine| async move {
                match engine.handle(*event).await {
                    Ok(reply) => Response::Reply(reply),
                    Err(error) => Response::Error { error: error.body() },
                }
            })
            .await,
        ),
        Request::Command(command) if command.name == "stop" => {
            desk.leave.notify_one();
            Some(Response::Result { value: serde_json::json!({"stopping": true, "pid": std::process::id()}) })
        }
        Request::Command(command) => Some(
            apart(Arc::clone(&desk.engine), |engine| async move {
                match engine.command(command).await {
                    Ok(value) => Response::Result { value },
                    Err(error) => Response::Error { error: error.body() },
                }
            })
            .await,
        ),
    }
}

/// Runs one request as a task of its own: a panic in it ends the request, not the engine.
async fn apart<F, W>(engine: Arc<Engine>, work: F) -> Response
where
    F: FnOnce(Arc<Engine>) -> W,
    W: Future<Output = Response> + Send + 'static,
{
    tokio::spawn(work(engine)).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a request failed");
        Response::Error { error: crate::error::internal("the request failed inside the engine") }
    })
}

/// Says who we are, and begins to leave when the other side is a newer build.
fn greet(desk: &Desk, hello: &Hello) -> Hello {
    let ours = desk.engine.build();
    if hello.build.is_newer_than(ours) && desk.engine.may_hand_over() {
        tracing::info!(newer = %hello.build.id, ours = %ours.id, "handing over to a newer build");
        desk.leaving.store(true, Ordering::Release);
        desk.leave.notify_one();
    }
    Hello {
        protocol: PROTOCOL,
        build: ours.clone(),
        leaving: desk.leaving.load(Ordering::Acquire),
        pid: Some(std::process::id()),
    }
}
