//! Running the engine's program, detached from everything that the host set up.
//!
//! Not by the standard library on Unix: what it needs to start a process is a tenth of a hook's size, and
//! it cannot close the descriptors that the host left open.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::root::DataRoot;

/// The only variables that the engine inherits: a repository can set every other one.
#[cfg(unix)]
const INHERITED: [&str; 3] = ["LANG", "LC_ALL", "TZ"];
#[cfg(not(unix))]
const INHERITED: [&str; 6] = ["LANG", "LC_ALL", "TZ", "SystemRoot", "SystemDrive", "USERPROFILE"];

/// What the engine is given beside them. It has many threads and little to do: without this, glibc keeps a
/// heap for each of them, a third more memory.
#[cfg(unix)]
const GIVEN: [(&str, &str); 1] = [("MALLOC_ARENA_MAX", "1")];
#[cfg(not(unix))]
const GIVEN: [(&str, &str); 0] = [];

/// An engine that was started by this program and may not answer yet.
#[derive(Debug)]
pub struct Starting(platform::Process);

impl Starting {
    /// How the engine ended, if it did without success. One that found another engine running succeeds.
    pub fn failure(&mut self) -> Option<String> {
        platform::failure(&mut self.0)
    }

    /// Waits for the engine's end. A program that lives as long as an engine calls this on a thread of its
    /// own: an engine whose end nobody takes note of would stay in the system's list of processes.
    pub fn wait(self) {
        platform::wait(self.0);
    }
}

/// Runs the engine's program for a data root.
pub(crate) fn engine(program: &Path, root: &DataRoot) -> io::Result<Starting> {
    let arguments = ["engine", "run", "--root"].map(OsString::from).into_iter();
    let arguments: Vec<OsString> = arguments.chain([root.path().into(), "--detached".into()]).collect();
    let inherited = INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let variables = GIVEN.iter().map(|(name, value)| (*name, value.into())).chain(inherited).collect();
    platform::run(program, &arguments, variables).map(Starting)
}

#[cfg(unix)]
mod platform {
    use std::ffi::{CString, OsString};
    use std::io;
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    use std::path::Path;

    use nix::fcntl::OFlag;
    use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
    use nix::sys::stat::Mode;
    use rustix::process::{Pid, WaitOptions, waitpid};

    pub(super) type Process = Option<Pid>;

    pub(super) fn run(
        program: &Path,
        arguments: &[OsString],
        variables: Vec<(&str, OsString)>,
    ) -> io::Result<Process> {
        let mut words = vec![CString::new(program.as_os_str().as_bytes())?];
        for argument in arguments {
            words.push(CString::new(argument.as_bytes())?);
        }
        let mut environment = Vec::new();
        for (name, value) in variables {
            let mut variable = OsString::from(name);
            variable.push("=");
            variable.push(value);
            environment.push(CString::new(variable.into_vec())?);
        }
        let mut descriptors = PosixSpawnFileActions::init()?;
        for stream in 0..3 {
            descriptors.add_open(stream, "/dev/null", OFlag::O_RDWR, Mode::empty())?;
        }
        for left_open in inherited_descriptors() {
            descriptors.add_close(left_open)?;
        }
        // The working directory is inherited, and a started engine must not keep a host's folder busy.
        let here = std::env::current_dir();
        std::env::set_current_dir("/")?;
        let started = posix_spawn(program, &descriptors, &PosixSpawnAttr::init()?, &words, &environment);
        if let Ok(here) = here {
            let _ = std::env::set_current_dir(here);
        }
        Ok(Pid::from_raw(started?.as_raw()))
    }

    /// Descriptors beyond the standard streams. One that is closed meanwhile does no harm.
    fn inherited_descriptors() -> Vec<i32> {
        let Ok(entries) = std::fs::read_dir("/dev/fd") else { return Vec::new() };
        let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter(|number| *number > 2).collect()
    }

    pub(super) fn wait(process: Process) {
        let Some(pid) = process else { return };
        while waitpid(Some(pid), WaitOptions::empty()).is_err_and(|error| error == rustix::io::Errno::INTR) {}
    }

    pub(super) fn failure(process: &mut Process) -> Option<String> {
        let (_, status) = waitpid((*process)?.into(), WaitOptions::NOHANG).ok()??;
        *process = None;
        match (status.exit_status(), status.terminating_signal()) {
            (Some(0), _) => None,
            (Some(code), _) => Some(format!("the engine left with status {code}")),
            (None, signal) => Some(format!("the engine was ended by signal {}", signal.unwrap_or_default())),
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::ffi::OsString;
    use std::io;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    pub(super) type Process = Child;

    pub(super) fn run(
        program: &Path,
        arguments: &[OsString],
        variables: Vec<(&str, OsString)>,
    ) -> io::Result<Process> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(variables);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt as _;
            // DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP: no console window, no signals of the host's.
            command.creation_flags(0x0000_0008 | 0x0000_0200);
        }
        command.spawn()
    }

    pub(super) fn wait(mut process: Process) {
        let _ = process.wait();
    }

    pub(super) fn failure(process: &mut Process) -> Option<String> {
        let status = process.try_wait().ok()??;
        (!status.success()).then(|| format!("the engine left with {status}"))
    }
}
