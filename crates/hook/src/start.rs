//! Starting the engine: by the first hook or command that needs it, once, and not again and again when
//! it fails.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::root::{DataRoot, age, create_private_folder, private_file, write_private};
use crate::spawn::{self, Starting};

/// After an attempt that brought no engine, none for this long.
const PAUSE: Duration = Duration::from_secs(10);

/// After this many attempts in a row without an engine the reason is written where people look.
const ENOUGH: u32 = 3;

/// What came of trying to start the engine.
#[derive(Debug)]
pub enum Attempt {
    /// It was started by this program.
    Started(Starting),
    /// Another program is starting it.
    ByAnother,
    /// It was not started; says why.
    Failed(String),
}

/// Starts the engine of a data root that lies beside this program's own installation, detached, unless
/// somebody else just did or an attempt just failed.
pub fn start_engine(root: &DataRoot) -> Attempt {
    match try_start(root) {
        Ok(attempt) => attempt,
        Err(error) => Attempt::Failed(format!("preparing {}: {error}", root.run().display())),
    }
}

fn try_start(root: &DataRoot) -> io::Result<Attempt> {
    let run = root.run();
    create_private_folder(&run)?;
    let lock = private_file().write(true).create(true).truncate(false).open(run.join("start.lock"))?;
    if lock.try_lock().is_err() {
        return Ok(Attempt::ByAnother);
    }
    start_locked(root, &lock)
}

/// The lock is held until the stamp says that somebody tries.
fn start_locked(root: &DataRoot, _lock: &File) -> io::Result<Attempt> {
    let stamp = Stamp::read(root);
    if age(&Stamp::path(root)).is_some_and(|age| age < PAUSE) {
        return Ok(match stamp.reason {
            Some(reason) => Attempt::Failed(reason),
            None => Attempt::ByAnother,
        });
    }
    // The stamp stands there still: the attempt that wrote it brought no engine.
    if stamp.attempts >= ENOUGH {
        let _ = write_private(&failure_path(root), &stamp.story());
    }
    let next = Stamp { attempts: stamp.attempts + 1, reason: None };
    next.write(root)?;
    let engine = match engine_program() {
        Ok(engine) => engine,
        Err(reason) => return Ok(Attempt::Failed(failed(root, reason))),
    };
    Ok(match spawn::engine(&engine, root) {
        Ok(starting) => Attempt::Started(starting),
        Err(error) => Attempt::Failed(failed(root, format!("starting {}: {error}", engine.display()))),
    })
}

/// Notes why the attempt that the stamp stands for failed, and gives the reason back.
pub fn failed(root: &DataRoot, reason: String) -> String {
    let stamp = Stamp { reason: Some(reason.clone()), ..Stamp::read(root) };
    let _ = stamp.write(root);
    if stamp.attempts >= ENOUGH {
        let _ = write_private(&failure_path(root), &stamp.story());
    }
    reason
}

/// Starts the engine for a person who waits for it: the pause after a hook's failed attempt is not theirs
/// to sit out, and what that attempt lacked may be there by now.
pub fn start_engine_now(root: &DataRoot) -> Attempt {
    match start_engine(root) {
        Attempt::Failed(_) => {
            forget_attempts(root);
            start_engine(root)
        }
        attempt => attempt,
    }
}

/// Forgets attempts: an engine answered, so that the next one may be started at once. The stamp alone may be
/// gone already, since an engine that comes up takes it away.
pub fn forget_attempts(root: &DataRoot) {
    let _ = fs::remove_file(Stamp::path(root));
    let _ = fs::remove_file(failure_path(root));
}

/// Where `status` and `doctor` find why the engine does not start.
fn failure_path(root: &DataRoot) -> PathBuf {
    root.run().join("start-failure")
}

/// `<root>/run/start`: how many attempts there were in a row, and why the last one failed, if that is known.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stamp {
    attempts: u32,
    reason: Option<String>,
}

impl Stamp {
    fn path(root: &DataRoot) -> PathBuf {
        root.run().join("start")
    }

    fn read(root: &DataRoot) -> Self {
        let text = fs::read_to_string(Self::path(root)).unwrap_or_default();
        let (attempts, reason) = text.split_once('\n').unwrap_or((&text, ""));
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty());
        Self { attempts: attempts.trim().parse().unwrap_or(0), reason: reason.map(str::to_owned) }
    }

    fn write(&self, root: &DataRoot) -> io::Result<()> {
        let text = format!("{}\n{}\n", self.attempts, self.reason.as_deref().unwrap_or_default());
        write_private(&Self::path(root), &text)
    }

    fn story(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or("it was started and did not answer");
        format!("the engine did not start in {} attempts: {reason}\n", self.attempts)
    }
}

/// The engine of this installation.
fn engine_program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("finding this program: {error}"))?;
    let candidates = candidates(&own);
    let found = candidates.iter().find(|path| path.is_file());
    found.cloned().ok_or_else(|| format!("there is no {}", candidates[0].display()))
}

/// Where the engine's program may lie: it is the command itself; `bin/<host>/<event>` has it as
/// `bin/remora`; a folder of freshly built programs has it beside.
fn candidates(own: &Path) -> Vec<PathBuf> {
    let name = format!("remora{}", std::env::consts::EXE_SUFFIX);
    if own.file_name().is_some_and(|own| own == name.as_str()) {
        return vec![own.to_owned()];
    }
    let beside = own.parent().unwrap_or(Path::new("/"));
    let above = beside.parent().unwrap_or(beside);
    vec![above.join(&name), beside.join(&name)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_engine_is_looked_for_in_its_own_installation() {
        for (own, expected) in [
            ("/i/bin/claude-code/stop", vec!["/i/bin/remora", "/i/bin/claude-code/remora"]),
            ("/t/debug/remora-claude-code-stop", vec!["/t/remora", "/t/debug/remora"]),
            ("/usr/local/bin/remora", vec!["/usr/local/bin/remora"]),
        ] {
            let expected: Vec<PathBuf> = expected.into_iter().map(PathBuf::from).collect();
            assert_eq!(candidates(Path::new(own)), expected);
        }
    }

    #[test]
    fn a_stamp_reads_back_and_a_broken_one_counts_from_the_start() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = DataRoot::at(folder.path());
        create_private_folder(&root.run()).expect("a folder");
        for reason in [None, Some("it fell".to_owned())] {
            let stamp = Stamp { attempts: 2, reason };
            stamp.write(&root).expect("a stamp");
            assert_eq!(Stamp::read(&root), stamp);
        }
        fs::write(Stamp::path(&root), "\0garbage").expect("a stamp");
        assert_eq!(Stamp::read(&root), Stamp::default());
    }
}
