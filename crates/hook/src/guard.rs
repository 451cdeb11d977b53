//! Nothing that happens in a hook may reach its host: no status but 0, no output that is not the host's.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use remora_event::Event;

use crate::root::DataRoot;
use crate::{log, spool};

/// How long after its deadline a hook may live, whatever hangs.
const GRACE: Duration = Duration::from_millis(100);

/// How long the watchdog waits for its own last words, which may hang like everything else.
const LAST_WORD: Duration = Duration::from_millis(20);

/// What stands in the log for whom, and what the host wants instead of silence.
struct Identity {
    root: DataRoot,
    who: String,
    neutral: Option<&'static str>,
}

static IDENTITY: OnceLock<Identity> = OnceLock::new();
static PRINTED: AtomicBool = AtomicBool::new(false);
static SKELETON: Mutex<Option<Event>> = Mutex::new(None);
/// Milliseconds from the start of the process to its deadline.
static DEADLINE: AtomicU64 = AtomicU64::new(0);

/// Makes a panic end the process with status 0. A build that aborts on panic runs this first as well.
pub(crate) fn survive_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // Not the panic's message: it may quote the payload.
        note(&format!("panicked at {place}"));
        leave();
    }));
}

/// Remembers for whom the log is written and what is printed instead of nothing.
pub(crate) fn remember(root: DataRoot, who: String, neutral: Option<&'static str>) {
    let _ = IDENTITY.set(Identity { root, who, neutral });
}

/// Ends the process with status 0 shortly after its deadline, from a thread of its own.
pub(crate) fn watch(started: Instant, deadline: Duration) {
    extend(deadline);
    let watchdog = spawn(Box::new(move || {
        loop {
            let end = Duration::from_millis(DEADLINE.load(Ordering::Relaxed)) + GRACE;
            let Some(left) = end.checked_sub(started.elapsed()) else { break };
            std::thread::sleep(left.max(Duration::from_millis(1)));
        }
        let _ = spawn(Box::new(last_words));
        std::thread::sleep(LAST_WORD);
        leave();
    }));
    if let Err(error) = watchdog {
        note(&format!("no watchdog: {error}"));
    }
}

/// What the watchdog does before it ends the process: keep what is known of the event, and say so.
fn last_words() {
    let skeleton = SKELETON.lock().ok().and_then(|mut skeleton| skeleton.take());
    let (Some(identity), Some(event)) = (IDENTITY.get(), skeleton) else {
        return note("ended by its watchdog");
    };
    match spool::keep(&identity.root, event) {
        Ok(()) => note("ended by its watchdog; the event is in the spool without its texts"),
        Err(lost) => note(&format!("ended by its watchdog; {lost}")),
    }
}

/// Leaves an event for the case that the process is ended before it can be delivered. It must hold no text
/// that was not cleaned. Nothing takes the last one away: it was delivered.
pub(crate) fn leave_behind(event: Option<Event>) {
    if let Ok(mut skeleton) = SKELETON.lock() {
        *skeleton = event;
    }
}

/// A thread with a small stack. Boxed, so that starting one is compiled once.
pub(crate) fn spawn(work: Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().stack_size(64 * 1024).spawn(work)
}

/// Moves the deadline, counted from the start of the process, to a later moment.
pub(crate) fn extend(deadline: Duration) {
    let millis = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
    DEADLINE.fetch_max(millis, Ordering::Relaxed);
}

/// Writes one line into the hooks' log.
pub(crate) fn note(text: &str) {
    if let Some(identity) = IDENTITY.get() {
        log::line(&identity.root, &identity.who, text);
    }
}

/// Prints the host's output, once in a process. Says whether it was written whole.
pub(crate) fn print(output: &str) -> bool {
    if PRINTED.swap(true, Ordering::SeqCst) {
        return false;
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(output.as_bytes()).and_then(|()| stdout.flush()).is_ok()
}

/// Ends the process with status 0, after the host's neutral answer where it wants one and got nothing.
pub(crate) fn leave() -> ! {
    if let Some(neutral) = IDENTITY.get().and_then(|identity| identity.neutral) {
        print(neutral);
    }
    std::process::exit(0)
}
