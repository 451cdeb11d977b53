//! A host as a person uses it: in a terminal, until something is to be seen there.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use regex::Regex;
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::error::{Error, Result};
use crate::launch::Launch;

/// How long a program may take to leave when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// Wide enough that no line of interest is broken.
const SIZE: Winsize = Winsize { ws_row: 60, ws_col: 180, ws_xpixel: 0, ws_ypixel: 0 };

/// A terminal: what programs write to, and the two ends of it.
#[derive(Debug)]
pub struct Terminal {
    master: OwnedFd,
    slave: OwnedFd,
}

impl Terminal {
    /// A new terminal that nobody uses yet.
    pub fn new() -> Result<Self> {
        let open = || -> std::io::Result<Self> {
            let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
            grantpt(&master)?;
            unlockpt(&master)?;
            let name = ptsname(&master, Vec::new())?.into_string().map_err(std::io::Error::other)?;
            let slave = File::options().read(true).write(true).open(name)?.into();
            tcsetwinsize(&slave, SIZE)?;
            Ok(Self { master, slave })
        };
        open().map_err(Error::run("a terminal"))
    }

    /// The end that a program reads and writes.
    pub fn end(&self) -> Result<OwnedFd> {
        self.slave.try_clone().map_err(Error::run("a terminal"))
    }

    /// Runs a program in this terminal, as its session's leader, until what it has written is enough, then
    /// ends it with all that it started in its group. Gives what it wrote, without what only moves and colours.
    pub(super) fn run_until(
        self,
        launch: Launch,
        limit: Duration,
        enough: impl Fn(&str) -> bool,
    ) -> Result<String> {
        let mut command = launch.through(["setsid", "--ctty", "--wait"]).command();
        command.stdin(self.end()?).stdout(self.end()?).stderr(self.end()?);
        let mut child = command.spawn().map_err(Error::run("setsid"))?;
        let pid = Pid::from_child(&child);
        // Reading ends when nobody holds this end any more.
        drop(self.slave);
        drop(command);
        let (written, deadline) = (read_aside(self.master), Instant::now() + limit);
        let (mut bytes, mut text) = (Vec::new(), String::new());
        while !enough(&text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(more) = written.recv_timeout(left) else { break };
            bytes.extend(more);
            text = plain(&bytes);
        }
        for signal in [Signal::TERM, Signal::KILL] {
            let _ = kill_process_group(pid, signal);
            if has_ended(&mut child) {
                break;
            }
        }
        if enough(&text) {
            return Ok(text);
        }
        Err(Error::Program { program: "a host in a terminal".to_owned(), problem: format!("showed\n{text}") })
    }
}

fn has_ended(child: &mut Child) -> bool {
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn read_aside(master: OwnedFd) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut master = File::from(master);
        let mut piece = vec![0; 64 * 1024];
        while let Ok(count) = master.read(&mut piece) {
            if count == 0 || send.send(piece[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receive
}

/// What a person reads: steps to the right are spaces, all other control sequences are nothing.
fn plain(written: &[u8]) -> String {
    let text = String::from_utf8_lossy(written);
    let replace = |text: &str, pattern: &str, by: &str| {
        Regex::new(pattern).expect("a valid pattern").replace_all(text, by).into_owned()
    };
    let spaced = replace(&text, r"\x1b\[\d*C", " ");
    replace(
        &spaced,
        r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>78]",
        "",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_home::TestHome;

    #[test]
    fn what_is_written_is_read_without_its_colours() {
        let home = TestHome::new().expect("a home");
        let script = r"printf '\033[1mbold\033[0m\033[3Cword\033]0;title\007'; tty; sleep 1000";
        let launch = home.launch("/bin/sh").args(["-c", script]);
        let terminal = Terminal::new().expect("a terminal");
        let text = terminal.run_until(launch, Duration::from_secs(30), |text| text.contains("/dev/pts/"));
        assert!(text.as_deref().is_ok_and(|text| text.starts_with("bold word/dev/pts/")), "{text:?}");
    }

    #[test]
    fn what_is_never_shown_is_an_error() {
        let home = TestHome::new().expect("a home");
        let launch = home.launch("/bin/sh").args(["-c", "echo something else"]);
        let terminal = Terminal::new().expect("a terminal");
        let error = terminal.run_until(launch, Duration::from_secs(30), |text| text.contains("wanted"));
        assert!(error.is_err_and(|error| error.to_string().contains("something else")));
    }
}
